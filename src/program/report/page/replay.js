"use strict";
// Methods on a table: median curves with their bands, and what the first saves against each other one.
const methodLook = (i) => ({
  colour: `var(${lineColours[i % 8]})`,
  dashes: i < 8 ? null : "5 3",
});
function replayOf(data) {
  const titles = new Map(data.methods.map((m) => [m.name, m.title])), sign = data.table.goal === "maximize" ? -1 : 1;
  return {
    data,
    ours: data.methods[0].name,
    rivals: data.methods.slice(1).map((m) => m.name),
    title: (name) => titles.get(name),
    objective: (regret) => (known(regret) ? data.table.best + sign * regret : null),
    cellName: (cell) => `${number(cell.mean_costs)} mean costs` +
        (cell.batch > 1 ? `, batches of ${cell.batch}` :
             data.cells.some((c) => c.batch > 1) ? ", one at a time" :
                                                   ""),
    saved: (cell, ours, rival) => cell.savings.find((s) => s.method === ours && s.rival === rival),
  };
}
const signed = (share) => (share > 0 ? "+" : "") + percent(share).replace("-", "\u2212").replace(" ", "\u00a0");
const rangeText = (s) => `5 to 95 %: ${signed(s.low)} to ${signed(s.high)}`;
const methodLegend = (replay) => html(
    "div", {class: "legend"},
    replay.data.methods.map(
        (m, i) => html("span", {class: "line", style: `color:${methodLook(i).colour}`}, html("i", {}, m.title))));

function savingsAnswer(replay) {
  const cell = replay.data.cells.at(-1);
  if (!replay.rivals.length) return nothing("One method alone: there is nothing to compare it with.");
  return html(
      "div", {class: "card"}, html("h3", {}, `With ${replay.cellName(cell)}, ${replay.title(replay.ours)} saves`),
      html("div", {class: "grid three"}, replay.rivals.map((rival) => {
        const s = replay.saved(cell, replay.ours, rival);
        return html(
            "div", {"data-rival": rival, "data-share": s.share}, html("div", {class: "big"}, signed(s.share)),
            html("span", {}, `against ${replay.title(rival)} (${rangeText(s)})`));
      })),
      html(
          "p", {class: "sub"},
          "The share of the budget that is left when its median reaches what the other's has at the end; negative the " +
              "other way round. Ranges are over resamples of the seeds."));
}
// A row a cell and rival: the savings of the first method as a dot, its range as a line.
function savingsChart(replay) {
  const rows = replay.data.cells.flatMap(
      (cell, c) => replay.rivals.map((rival) => ({cell, c, rival, s: replay.saved(cell, replay.ours, rival)})));
  const name = (r) =>
      `against ${replay.title(r.rival)}` + (replay.data.cells.length > 1 ? `, ${replay.cellName(r.cell)}` : "");
  return chart({
    id: "savings-chart",
    title: `What ${replay.title(replay.ours)} saves`,
    sub: "Share of the budget, with 5 to 95 % over resamples of the seeds.",
    height: 50 + 40 * rows.length,
    table: () => [
        ["against", "batch", "budget", "saved", "5 %", "95 %"],
        rows.map((r) => [r.rival, r.cell.batch, r.cell.budget, r.s.share, r.s.low, r.s.high])],
    render(width, height, root) {
      const range = extent(rows.flatMap((r) => [r.s.low, r.s.high, r.s.share, 0])),
            x = linear(range[0] - 0.05, range[1] + 0.05, signed), y = linear(rows.length, 0),
            plot = plotOf(width, height, x, y, {left: 14, right: 14, top: 8, bottom: 30}), marks = [];
      plot.y = (v) => plot.top + (plot.height * v) / rows.length;
      verticalGrid(root, plot, x, 18);
      root.append(
          svg("line", {class: "diagonal", x1: plot.x(0), x2: plot.x(0), y1: plot.top, y2: plot.top + plot.height}));
      rows.forEach((r, i) => {
        const at = plot.y(i + 0.68);
        root.append(
            svg("text", {class: "value", x: plot.left, y: plot.y(i + 0.32)}, shortened(name(r), width / 7)),
            svg("line", {class: "whisker", x1: plot.x(r.s.low), x2: plot.x(r.s.high), y1: at, y2: at}),
            svg("circle", {
              class: "mark saved",
              style: `fill:${methodLook(replay.data.methods.findIndex((m) => m.name === r.rival)).colour}`,
              cx: plot.x(r.s.share),
              cy: at,
              r: 6,
              "data-rival": r.rival,
              "data-cell": r.c,
              "data-share": r.s.share
            }));
        marks.push({x: plot.x(r.s.share), y: at, text: `${signed(r.s.share)} ${name(r)}\n${rangeText(r.s)}`});
      });
      return {plot, x, y, marks};
    },
  });
}
function pairTable(replay, cell) {
  const names = replay.data.methods.map((m) => m.name);
  return html(
      "div", {class: "scroll card", tabindex: 0, role: "region", "aria-label": "savings of all pairs"},
      html(
          "table", {class: "pairs"},
          html("caption", {class: "sub"}, `What a row saves against a column, ${replay.cellName(cell)}`),
          html(
              "thead", {},
              html("tr", {}, html("th", {}, ""), names.map((n) => html("th", {class: "n", scope: "col"}, n)))),
          html(
              "tbody", {}, names.map((ours) => html("tr", {}, html("th", {scope: "row"}, ours), names.map((rival) => {
                                       const s = replay.saved(cell, ours, rival);
                                       return html(
                                           "td", {class: "n", "data-share": s && s.share, title: s && rangeText(s)},
                                           s ? signed(s.share) : "");
                                     }))))));
}
// Curves of one cell: over the objective, or over the distance to the best row.
function curveChart(replay, cell, c) {
  const grid = replay.data.grid, spent = (i) => (i / grid) * cell.budget,
        state = {distance: cell.methods.some((m) => m.curve.some((p) => p[2] > 0))};
  const value = (regret) => (state.distance ? regret : replay.objective(regret));
  const scale = () => {
    const all = cell.methods.flatMap((m) => m.curve.flatMap((p) => p.slice(1))).filter(known);
    if (!state.distance) return scaleOf(all.map(value), {room: 0.08});
    const above = all.filter((v) => v > 0), [low, high] = extent(above);
    return high / low > 20 ? logarithmic(low / 2, high * 1.3) : linear(0, high * 1.08);
  };
  const choose = html(
      "select", {"aria-label": "what the curves show", id: `shown-${c}`},
      html("option", {value: "distance"}, "distance to the best row"),
      html("option", {value: "objective"}, `best ${replay.data.table.objective} so far`));
  choose.value = state.distance ? "distance" : "objective";
  choose.addEventListener("change", () => {
    state.distance = choose.value === "distance";
    drawAll();
  });
  return chart({
    id: `curves-${c}`,
    title: `Median of ${plural(cell.seeds, "run")}, ${replay.cellName(cell)}`,
    sub:
        "Bands from a quarter to three quarters of the runs. On a logarithmic axis the lower edge stands for 0: the " +
        "best row was found.",
    height: 340,
    controls: [html("div", {class: "controls"}, choose), methodLegend(replay)],
    table: () => [
        ["method", "spent", "distance, 25 %", "50 %", "75 %", "objective, 50 %"],
        cell.methods.flatMap(
            (m) => m.curve.map((p) => [m.method, spent(p[0]), p[1], p[2], p[3], replay.objective(p[2])]))],
    render(width, height, root) {
      const x = linear(0, cell.budget), y = scale(), plot = plotOf(width, height, x, y), marks = [],
            at = (regret) => plot.y(
                !known(regret) ? (replay.data.table.goal === "maximize" && !state.distance ? y.low : y.high) :
                                 Math.min(Math.max(value(regret), y.low), y.high));
      root.append(axes(plot, x, y, ["spent", choose.selectedOptions[0].textContent]));
      const stairs = (curve, k) => curve.flatMap(
          (p, i) =>
              (i ? [[plot.x(spent(p[0])), at(curve[i - 1][k])]] : []).concat([[plot.x(spent(p[0])), at(p[k])]]));
      const seen = cell.methods.map((m) => m.curve.filter((p) => known(p[2])));
      const add = (i, attributes) => root.append(svg("path", {"data-method": cell.methods[i].method, ...attributes}));
      seen.forEach((curve, i) => {
        if (curve.length)
          add(i, {
            class: "band",
            style: `fill:${methodLook(i).colour};opacity:${i ? .08 : .16}`,
            d: pathOf(stairs(curve, 1).concat(stairs(curve, 3).reverse())) + "Z"
          });
      });
      seen.forEach((curve, i) => {
        if (curve.length)
          add(i, {
            class: "line-best",
            style: `stroke:${methodLook(i).colour}`,
            "stroke-dasharray": methodLook(i).dashes,
            d: pathOf(stairs(curve, 2))
          });
        for (const p of curve)
          marks.push({
            x: plot.x(spent(p[0])),
            y: at(p[2]),
            text: `${replay.title(cell.methods[i].method)}: ${number(replay.objective(p[2]), 6)} after ${
                      number(spent(p[0]))}\n` +
                `${number(p[2])} from the best row`
          });
      });
      return {plot, x, y, marks};
    },
  });
}
function endTable(replay, cell) {
  const rows = cell.methods.map(
      (m, i) => html(
          "tr", {"data-method": m.method},
          html(
              "td", {style: "white-space:nowrap"},
              html("span", {class: "swatch", style: `background:${methodLook(i).colour}`}), m.method),
          ["median", "lower", "upper"].map(
              (k) => html("td", {class: "n", "data-value": m.final[k].objective}, number(m.final[k].objective, 6))),
          html("td", {class: "n"}, number(m.evaluations)), html("td", {class: "n"}, duration(m.seconds)),
          html("td", {class: "n"}, m.cut_short || ""), html("td", {}, replay.data.methods[i].why)));
  return html(
      "div", {class: "scroll card", tabindex: 0, role: "region", "aria-label": "methods"},
      html(
          "table", {class: "ends"},
          html("caption", {class: "sub"}, `After ${number(cell.budget)}, ${replay.cellName(cell)}`),
          html(
              "thead", {},
              html(
                  "tr", {},
                  [
                    "method", "half reach", "25 % reach", "75 % reach", "evaluations", "CPU time a run",
                    "ended early", "what it is"
                  ].map((h) => html("th", {scope: "col"}, h)))),
          html("tbody", {}, rows)));
}
function tableFacts(replay) {
  const t = replay.data.table, fact = (name, ...value) => [html("dt", {}, name), html("dd", {}, value)];
  const domain = (p) =>
      (p.labels ? `${p.labels.length} names: ${shortened(p.labels.join(", "), 160)}` :
           p.values ? p.values.map((v) => number(v)).join(", ") :
                      `${number(p.range[0], 6)} to ${number(p.range[1], 6)}`);
  return html(
      "div", {class: "grid"},
      html(
          "div", {class: "card"},
          html(
              "dl", {class: "facts"}, fact("file", t.file), fact("rows", plural(t.rows, "row")),
              fact("objective", `${t.objective}, ${t.goal}d; best ${number(t.best, 6)}`),
              fact(
                  "cost",
                  t.cost === null ? "1 a row" :
                                    `${t.cost}; ${number(t.mean_cost)} on average, its 95 % quantile ${
                                        number(t.cost_spread, 3)} times that of 5 %`),
              fact("a run evaluates", `at most ${t.most_evaluations} of ${t.rows} rows`)),
          t.notes.map((note) => html("p", {class: "note"}, note[0].toUpperCase() + note.slice(1) + "."))),
      html(
          "div", {class: "card"},
          tableOf(
              ["parameter", "kind", "values"],
              t.parameters.map((p) => [p.name, words(p.kind) + (p.log ? ", log" : ""), domain(p)]))));
}
function showReplay(data) {
  charts.length = 0;
  const replay = replayOf(data), cells = data.cells;
  const sections = [
    section("answer", "The answer", null, savingsAnswer(replay)),
    section(
        "curves", "Best so far over spent cost", null,
        html("div", {class: cells.length > 1 ? "grid" : "grid wide"}, cells.map((c, i) => curveChart(replay, c, i)))),
    replay.rivals.length > 0 &&
        section(
            "savings", "Savings", null, html("div", {class: "grid wide"}, savingsChart(replay)),
            html("div", {class: "grid", style: "margin-top:16px"}, cells.map((c) => pairTable(replay, c)))),
    section(
        "methods", "Where each ended", null,
        html("div", {class: "grid wide"}, cells.map((c) => endTable(replay, c)))),
    section("table", "The table", null, tableFacts(replay)),
  ].filter(Boolean);
  byId("content").replaceChildren(
      ...sections, html("p", {class: "sub"}, `${data.table.file}, as of ${moment(data.made)}.`));
  byId("state").replaceChildren(
      html("span", {class: "chip"}, plural(data.table.rows, "row")),
      html("span", {class: "chip"}, plural(data.methods.length, "method")),
      html("span", {class: "chip"}, `carbo ${data.version}`));
  contents(sections);
  drawAll();
}
