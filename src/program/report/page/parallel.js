"use strict";
// Axes are parameters, then cost and objective; dragging along an axis chooses trials, on the whole page.
function parallelSection(study) {
  const rows = study.done.concat(study.rows.filter((r) => r.prior && r.state === "succeeded"))
                   .filter((r) => known(r.objective));
  if (!rows.length) return section("parallel", "Parallel coordinates", null, nothing("Nothing succeeded yet."));
  const order = study.models.importance?.objective ?
      study.models.importance.objective.parameters.map((p, i) => [p.total, i])
          .sort((a, b) => b[0] - a[0])
          .map((p) => p[1]) :
      study.parameters.map((_, i) => i);
  const dimensions = order.slice(0, 10).map((i) => ({
                                              name: study.parameters[i].name,
                                              scale: parameterScale(study.parameters[i]),
                                              value: (r) => r.values[i],
                                              text: (v) => valueText(study.parameters[i], v)
                                            }));
  dimensions.push(
      {
        name: "cost",
        scale: scaleOf(rows.map((r) => r.cost), {ratio: 20, room: 0, format: amountFormat(study.unit)}),
        value: (r) => r.cost,
        text: (v) => amount(v, study.unit)
      },
      {
        name: "objective",
        scale: scaleOf(rows.map((r) => r.objective), {ratio: 100, room: 0}),
        value: (r) => r.objective,
        text: (v) => number(v)
      });
  const brushes = new Map(),
        clear = html("button", {type: "button", id: "brush-clear", disabled: true}, "Clear the choice"),
        told = html(
            "span", {class: "sub", id: "brush-text", role: "status"},
            "Drag along an axis to choose trials; other charts and the table follow.");
  const best = extent(rows.map((r) => r.objective)), rank = (r) => {
    const s = best[1] > best[0] ? (r.objective - best[0]) / (best[1] - best[0]) : 0;
    return study.better(1, 0) ? s : 1 - s;
  };
  const apply = () => {
    clear.disabled = brushes.size === 0;
    if (!brushes.size) {
      chosen.set(null);
      told.textContent = "Drag along an axis to choose trials; other charts and the table follow.";
      return;
    }
    const keep = new Set(rows.filter((r) => [...brushes].every(([d, [a, b]]) => {
      const s = dimensions[d].scale.at(dimensions[d].value(r));
      return s >= a - 1e-9 && s <= b + 1e-9;
    })));
    told.textContent = `${keep.size} of ${rows.length} chosen.`;
    chosen.set(keep);
  };
  const draw = () => charts.find((c) => c.figure.id === "parallel-chart").draw();
  clear.addEventListener("click", () => {
    brushes.clear();
    apply();
    draw();
  });
  // The same by keyboard: an axis and two ends.
  const pick = html(
      "select", {id: "brush-axis", "aria-label": "Axis"}, html("option", {value: ""}, "choose by\u2026"),
      dimensions.map((d, i) => html("option", {value: i}, shortened(d.name, 40))));
  const
      low = html(
          "input",
          {type: "range", min: 0, max: 100, value: 0, "aria-label": "From, in percent of the axis", id: "brush-low"}),
      high = html("input", {
        type: "range",
        min: 0,
        max: 100,
        value: 100,
        "aria-label": "To, in percent of the axis",
        id: "brush-high"
      });
  const fromKeys = () => {
    if (pick.value === "") return;
    const a = Number(low.value) / 100, b = Number(high.value) / 100;
    brushes.set(Number(pick.value), [Math.min(a, b), Math.max(a, b)]);
    apply();
    draw();
  };
  low.addEventListener("input", fromKeys);
  high.addEventListener("input", fromKeys);
  const figure = chart({
    id: "parallel-chart",
    title: "Every success, one line each",
    sub: study.parameters.length > 10 ?
        `The 10 parameters that matter most of ${study.parameters.length}. The brighter, the better.` :
        "The brighter, the better.",
    controls: html("div", {class: "controls"}, clear, pick, low, high, told),
    height: 330,
    render(width, height, root) {
      const left = 34, right = 40, top = 34, bottom = 24, tall = height - top - bottom,
            gap = (width - left - right) / (dimensions.length - 1), at = (d) => left + gap * d,
            y = (d, v) => top + tall * (1 - dimensions[d].scale.at(v)), lines = svg("g", {"aria-hidden": "true"}),
            marks = [];
      for (const r of [...rows].sort((a, b) => rank(a) - rank(b))) {
        const points = dimensions.map((d, i) => [at(i), y(i, d.value(r))]).filter(([, v]) => known(v)),
              node = svg(
                  "path",
                  {class: "row", d: pathOf(points), stroke: colourAt(0.1 + 0.8 * rank(r)), "data-number": r.number});
        lines.append(node);
        marks.push({
          x: at(dimensions.length - 1),
          y: y(dimensions.length - 1, r.objective),
          text: rowText(study, r),
          row: r,
          node
        });
      }
      root.append(lines);
      dimensions.forEach((d, i) => {
        root.append(
            svg("line", {class: "axis", style: "stroke:var(--dim)", x1: at(i), x2: at(i), y1: top, y2: top + tall}),
            svg("text", {
              x: at(i),
              y: i % 2 && gap < 90 ? 12 : 26,
              "text-anchor": i === 0          ? "start" :
                  i === dimensions.length - 1 ? "end" :
                                                "middle",
              class: "value"
            },
                shortened(d.name, Math.max(5, Math.floor((gap < 90 ? 2 : 1) * gap / 7.2)))));
        const short = (tick, n) => tick.text.length <= n || d.scale.kind === "band" ?
            shortened(tick.text, n) :
            tick.v.toExponential(1).replace(".0e", "e").replace("e+", "e");
        for (const tick of d.scale.ticks(5))
          root.append(
              svg("text", {
                x: at(i) + 4,
                y: top + tall * (1 - d.scale.at(tick.v)) + 4,
                style: "font-size:10.5px;paint-order:stroke;stroke:var(--card);stroke-width:3px"
              },
                  short(tick, Math.max(4, Math.floor(gap / 8)))));
        const grip = svg(
                  "rect", {class: "grip", x: at(i) - 14, y: top - 8, width: 28, height: tall + 16, "data-axis": i}),
              b = brushes.get(i), box = svg("rect", {
                                    class: "brush",
                                    x: at(i) - 8,
                                    width: 16,
                                    y: b ? top + tall * (1 - b[1]) : 0,
                                    height: b ? Math.max(tall * (b[1] - b[0]), 2) : 0,
                                    visibility: b ? "visible" : "hidden"
                                  });
        grip.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          grip.setPointerCapture(event.pointerId);
          const share = (e) =>
                    Math.min(1, Math.max(0, 1 - (e.clientY - root.getBoundingClientRect().top - top) / tall)),
                from = share(event);
          const move = (e) => {
            const [a, c] = [Math.min(from, share(e)), Math.max(from, share(e))];
            box.setAttribute("visibility", "visible");
            box.setAttribute("y", top + tall * (1 - c));
            box.setAttribute("height", Math.max(tall * (c - a), 2));
          };
          const up = (e) => {
            grip.removeEventListener("pointermove", move);
            const [a, c] = [Math.min(from, share(e)), Math.max(from, share(e))];
            if (c - a < 0.01)
              brushes.delete(i);
            else
              brushes.set(i, [a, c]);
            apply();
            draw();
          };
          grip.addEventListener("pointermove", move);
          grip.addEventListener("pointerup", up, {once: true});
        });
        root.append(box, grip);
      });
      return {marks};
    },
  });
  return section(
      "parallel", "Parallel coordinates", "Where the good ones lie.", html("div", {class: "grid wide"}, figure));
}
