"use strict";
// What matters: importance, slices and contours of the model.
function importanceChart(study, what) {
  const found = study.models.importance?.[what], why = study.models.importance?.[what + "_why_not"],
        title = what === "cost" ? "For the cost" : "For the objective";
  if (!found)
    return html(
        "div", {class: "card"}, html("h3", {}, title),
        nothing(why || study.models.why_not || "The model has learned nothing yet."));
  const all = found.parameters.map((p, i) => ({...p, i})).sort((a, b) => b.total - a.total), most = 20,
        shown = all.slice(0, most), rest = all.length - shown.length;
  return chart({
    id: "importance-" + what,
    title,
    sub:
        "Share of the model's variance with all interactions; the paler part is what it explains alone, the whisker the spread." +
        (rest > 0 ? ` The first ${most} of ${all.length}.` : ""),
    height: 26 * shown.length + 46,
    table: () => [
        ["parameter", "total", "spread", "alone", "spread"],
        all.map((p) => [p.name, p.total, p.total_spread, p.first_order, p.first_order_spread])],
    render(width, height, root) {
      const left = roomFor(shown.map((p) => p.name), Math.min(170, width * 0.34)),
            x = linear(0, Math.max(1, ...shown.map((p) => p.total)), percent), y = linear(0, shown.length),
            plot = plotOf(width, height, x, y, {left, right: 46, top: 4, bottom: 30});
      verticalGrid(root, plot, x, 18);
      const marks = shown.map((p, k) => {
        const top = plot.top + 26 * k + 4, end = plot.x(Math.max(p.total, 0)),
              from = plot.x(Math.max(0, p.total - p.total_spread)),
              to = plot.x(Math.min(x.high, p.total + p.total_spread));
        root.append(
            svg("text", {x: left - 8, y: top + 13, "text-anchor": "end", class: "value"},
                shortened(p.name, Math.floor(left / 7))),
            svg("rect", {
              class: `bar ${what}`,
              x: plot.left,
              y: top,
              height: 17,
              width: Math.max(end - plot.left, 1),
              rx: 3,
              "data-name": p.name,
              "data-x": p.total
            }),
            svg("rect", {
              class: "bar inner",
              style: "fill:var(--card)",
              x: plot.left,
              y: top + 4,
              height: 9,
              width: Math.max(plot.x(Math.max(Math.min(p.first_order, p.total), 0)) - plot.left, 0),
              rx: 2
            }),
            svg("line", {class: "whisker", x1: from, x2: to, y1: top + 8.5, y2: top + 8.5}),
            svg("text", {x: to + 5, y: top + 13}, percent(p.total)));
        return {
          x: end,
          y: top + 8,
          text: `${p.name}\n${percent(p.total)} \u00b1 ${percent(p.total_spread)}, alone ${percent(p.first_order)}`
        };
      });
      return {plot, x, y, marks};
    },
  });
}
// Of very many successes, which every slice would draw again: the best quarter of so many, and an even share of the
// others.
const mostInSlices = 600;
function sliceRows(study) {
  if (study.good.length <= mostInSlices) return study.good;
  const best = mostInSlices / 4, others = mostInSlices - best, sign = study.better(0, 1) ? 1 : -1,
        order = [...study.good].sort((a, b) => sign * (a.objective - b.objective)),
        chosen = new Set(order.slice(0, best));
  for (let i = 0; i < others; ++i) chosen.add(order[best + Math.floor(i * (order.length - best - 1) / (others - 1))]);
  return study.good.filter((r) => chosen.has(r));
}
// The curve of a model through its centre, and the data as they were observed (at other values of the others).
function sliceChart(study, slice, rows) {
  const p = study.parameters[slice.parameter];
  return chart({
    id: "slice-" + slice.parameter,
    title: shortened(p.name, 60),
    height: 210,
    label: "Model and data along this parameter.",
    table: () => [
        [p.name, "median", "lower", "upper", "cost"],
        slice.x.map((v, i) => [valueText(p, v), slice.median[i], slice.lower[i], slice.upper[i], slice.cost[i]])],
    render(width, height, root) {
      const x = parameterScale(p),
            y = scaleOf(slice.lower.concat(slice.upper, rows.map((r) => r.objective)), {ratio: 100}),
            plot = plotOf(width, height, x, y, {...margins, bottom: 24}), band = x.kind === "band";
      root.append(axes(plot, x, y, ["", "objective"]));
      const ok = slice.x.map((v, i) => [v, i]).filter(([, i]) => known(slice.median[i])),
            inside = (v) => Math.min(Math.max(plot.y(v), plot.top), plot.top + plot.height);
      const marks = [];
      for (const r of rows) {
        const px = plot.x(r.values[slice.parameter]), py = plot.y(r.objective),
              node = dot(px, py, r, {r: 2.8, "data-x": r.values[slice.parameter], "data-y": r.objective});
        root.append(node);
        marks.push({x: px, y: py, text: rowText(study, r), row: r, node});
      }
      if (band)
        for (const [v, i] of ok)
          root.append(
              svg("line", {
                class: "line-best",
                opacity: 0.5,
                x1: plot.x(v),
                x2: plot.x(v),
                y1: inside(slice.lower[i]),
                y2: inside(slice.upper[i])
              }),
              svg("path", {class: "line-best", d: `M${plot.x(v) - 6} ${inside(slice.median[i])}h12`}));
      else
        root.append(
            svg("path", {
              class: "band",
              d: pathOf(ok.map(([v, i]) => [plot.x(v), inside(slice.upper[i])])
                            .concat(ok.map(([v, i]) => [plot.x(v), inside(slice.lower[i])]).reverse())) +
                  "Z"
            }),
            svg("path",
                {class: "line-best slice", d: pathOf(ok.map(([v, i]) => [plot.x(v), inside(slice.median[i])]))}));
      return {plot, x, y, marks};
    },
  });
}
const ramp = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
function colourAt(share) {
  const s = Math.min(Math.max(share, 0), 1) * (ramp.length - 1), i = Math.min(Math.floor(s), ramp.length - 2),
        f = s - i;
  return `rgb(${ramp[i].map((c, j) => Math.round(c + f * (ramp[i + 1][j] - c))).join(",")})`;
}
function contourChart(study) {
  const list = study.models.contours || [];
  if (!list.length) return null;
  const name = (i) => shortened(study.parameters[i].name, 30), state = {pair: 0, of: "median"};
  const pairs = html(
      "select", {id: "contour-pair", "aria-label": "Two parameters"},
      list.map((c, i) => html("option", {value: i}, `${name(c.x)} and ${name(c.y)}`)));
  const of = html(
      "select", {id: "contour-of", "aria-label": "What is shown"}, html("option", {value: "median"}, "objective"),
      html("option", {value: "cost"}, "cost"));
  const redraw = () => {
    state.pair = Number(pairs.value);
    state.of = of.value;
    charts.find((c) => c.figure.id === "contour").draw();
  };
  pairs.addEventListener("change", redraw);
  of.addEventListener("change", redraw);
  return chart({
    id: "contour",
    title: "Two parameters at a time",
    sub:
        "What the model expects, the other parameters as in the recommended configuration; points are the evaluations, each at its own values of the others.",
    controls: html("div", {class: "controls"}, pairs, of),
    height: (w) => Math.min(Math.max(w * 0.6, 300), 460),
    table: () => {
      const c = list[state.pair];
      return [
        [name(c.x), name(c.y), "objective", "cost"],
        c.median.map(
            (m, i) =>
                [valueText(study.parameters[c.x], c.xs[i % c.xs.length]),
                 valueText(study.parameters[c.y], c.ys[Math.floor(i / c.xs.length)]), m, c.cost[i]])
      ];
    },
    render(width, height, root) {
      const c = list[state.pair], values = c[state.of], range = extent(values) || [0, 1],
            x = parameterScale(study.parameters[c.x]), y = parameterScale(study.parameters[c.y]),
            plot = plotOf(width, height, x, y, {...margins, right: 66});
      const useLog = range[0] > 0 && range[1] / range[0] > 50,
            share = (v) =>
                (range[1] > range[0] ? (useLog ? Math.log(v / range[0]) / Math.log(range[1] / range[0]) :
                                                 (v - range[0]) / (range[1] - range[0])) :
                                       0.5);
      root.append(axes(plot, x, y, [name(c.x), name(c.y)]));
      const edges = (scale, vs, from, size, sign) => {
        const at = vs.map((v) => from + sign * size * scale.at(v)),
              half = scale.kind === "band" ? size / scale.size / 2 : null;
        return at
            .map(
                (a, i) => half ? [a - half, a + half] :
                                 [i ? (at[i - 1] + a) / 2 : a, i + 1 < at.length ? (a + at[i + 1]) / 2 : a])
            .map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
      };
      const ex = edges(x, c.xs, plot.left, plot.width, 1),
            ey = edges(y, c.ys, plot.top + plot.height, plot.height, -1), cells = svg("g", {"aria-hidden": "true"});
      values.forEach((v, i) => {
        if (!known(v)) return;
        const [x1, x2] = ex[i % c.xs.length], [y1, y2] = ey[Math.floor(i / c.xs.length)];
        cells.append(svg("rect", {
          class: "cell",
          x: x1.toFixed(1),
          y: y1.toFixed(1),
          width: (x2 - x1 + 0.6).toFixed(1),
          height: (y2 - y1 + 0.6).toFixed(1),
          fill: colourAt(share(v)),
          "data-v": v
        }));
      });
      root.append(cells);
      for (let i = 0; i <= 20; ++i)
        root.append(svg("rect", {
          x: plot.left + plot.width + 10,
          y: plot.top + (plot.height * (20 - i)) / 21,
          width: 10,
          height: plot.height / 21 + 0.6,
          fill: colourAt(i / 20)
        }));
      root.append(
          svg("text", {x: plot.left + plot.width + 24, y: plot.top + 10}, number(range[1], 3)),
          svg("text", {x: plot.left + plot.width + 24, y: plot.top + plot.height}, number(range[0], 3)));
      const marks = study.good.map((r) => {
        const px = plot.x(r.values[c.x]), py = plot.y(r.values[c.y]), node = svg("circle", {
                                                                        class: "mark",
                                                                        cx: px,
                                                                        cy: py,
                                                                        r: 3.2,
                                                                        style: "fill:#fff;stroke:#000;stroke-width:1",
                                                                        "data-number": r.number
                                                                      });
        root.append(node);
        return {x: px, y: py, text: rowText(study, r), row: r, node};
      });
      return {plot, x, y, marks};
    },
  });
}
// What the models have seen, where that is not all.
function learnedText(study) {
  const learned = study.models.learned, count = (n) => n.toLocaleString("en-GB");
  return learned && learned.used < learned.known ?
      ` Of ${count(learned.known)} results the models of this page learned from ${
          count(learned.used)}: a quarter of them the best ones, the others an even share.` :
      "";
}
function mattersSection(study) {
  const slices = study.models.slices || [], rows = sliceRows(study), count = (n) => n.toLocaleString("en-GB"),
        points = rows.length < study.good.length ?
      `${count(rows.length)} of ${count(study.good.length)} successes, the best and an even share of the others` :
      "the evaluations";
  return section(
      "matters", "What matters",
      study.models.why_not ? `The models were not asked: ${study.models.why_not}.` :
                             "Which parameters move the objective, and which move the cost." + learnedText(study),
      html("div", {class: "grid"}, importanceChart(study, "objective"), importanceChart(study, "cost")),
      slices.length ?
          [
            html("h3", {style: "margin:20px 0 2px"}, "Along each parameter"),
            html(
                "p", {class: "lead"},
                `Lines and bands: what the model expects with 95 %, through the recommended configuration${
                    slices.length < study.parameters.length ? `; the ${slices.length} that matter most` :
                                                              ""}. Points: ${points}.`),
            html("div", {class: "grid three"}, slices.map((s) => sliceChart(study, s, rows)))
          ] :
                                                              null,
      html("div", {class: "grid wide", style: "margin-top:16px"}, contourChart(study)));
}
