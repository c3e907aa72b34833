"use strict";
// Predictions that were made before a trial ran against what came of it; calibration.
const reach95 = 1.959963984540054;
// In which the result of a trial was expected with 95 % before it ran; null where nothing was said.
function expectedIn(row, what) {
  const r = row.receipt;
  if (what === "objective")
    return known(r.predicted_objective_lower) ? [r.predicted_objective_lower, r.predicted_objective_upper] : null;
  const sd = r.predicted_log_cost_sd;
  return sd > 0 ? [r.predicted_cost * Math.exp(-reach95 * sd), r.predicted_cost * Math.exp(reach95 * sd)] : null;
}
function againstSection(study, what) {
  const cost = what === "cost", title = cost ? "Predicted and measured cost" : "Predicted and measured objective",
        id = cost ? "predicted-cost" : "predicted-objective";
  const predicted = (r) => (cost ? r.receipt.predicted_cost : r.receipt.predicted_objective),
        measured = (r) => (cost ? r.cost : r.objective);
  const rows = study.done.filter(
      (r) => r.receipt && known(predicted(r)) && known(measured(r)) && (cost || r.state === "succeeded"));
  if (!rows.length)
    return section(
        id + "-section", title, null,
        nothing(`No prediction of ${
            cost ? "a cost" : "an objective"} was made before a result came: the models had learned nothing yet.`));
  const format = cost ? amountFormat(study.unit) : (v) => number(v), unit = cost ? axisUnit(study.unit) : "";
  const scatter = chart({
    id,
    title: "Predicted before it ran, measured after",
    sub: "On the dashed line predictions were right; bars are 95 % intervals.",
    height: (w) => Math.min(Math.max(w * 0.7, 260), 380),
    legend: phaseLegend(rows),
    table: () => [
        ["trial", "predicted", "from", "to", "measured"],
        rows.map((r) => [r.number, predicted(r), ...(expectedIn(r, what) || [null, null]), measured(r)])],
    render(width, height, root) {
      const scale = scaleOf(rows.flatMap((r) => [predicted(r), measured(r)]), {ratio: cost ? 10 : 100, format}),
            plot = plotOf(width, height, scale, scale);
      root.append(axes(plot, scale, scale, ["predicted" + unit, "measured" + unit]), svg("path", {
                    class: "diagonal",
                    d: pathOf([[plot.left, plot.top + plot.height], [plot.left + plot.width, plot.top]])
                  }));
      const inside = (v) => Math.min(Math.max(v > 0 || scale.kind !== "log" ? plot.x(v) : plot.left, plot.left),
                                     plot.left + plot.width);
      for (const r of rows) {
        const ends = expectedIn(r, what), py = plot.y(measured(r));
        if (ends)
          root.append(svg("line", {
            class: "interval",
            x1: inside(ends[0]),
            x2: inside(ends[1]),
            y1: py,
            y2: py,
            "data-interval": r.number
          }));
      }
      const marks = rows.map((r) => {
        const px = plot.x(predicted(r)), py = plot.y(measured(r)),
              node = dot(px, py, r, {"data-x": predicted(r), "data-y": measured(r)});
        root.append(node);
        return {
          x: px,
          y: py,
          text: `trial ${r.number}\npredicted ${format(predicted(r))}\nmeasured ${format(measured(r))}`,
          row: r,
          node
        };
      });
      return {plot, x: scale, y: scale, marks};
    },
  });
  return section(
      id + "-section", title, cost ? costErrorText(study, rows) : objectiveErrorText(rows, measured, predicted),
      html("div", {class: "grid"}, scatter, calibrationChart(study, what, rows)), cost && modelStrip(study));
}
const median = (list) => {
  const a = [...list].sort((x, y) => x - y), m = a.length >> 1;
  return a.length % 2 ? a[m] : (a[m - 1] + a[m]) / 2;
};
function costErrorText(study, rows) {
  const finished = rows.filter((r) => r.state === "succeeded" && r.cost > 0);
  if (!finished.length) return null;
  const errors = finished.map((r) => Math.log(r.cost / r.receipt.predicted_cost)),
        half = median(errors.map(Math.abs)), bias = median(errors);
  const later = errors.slice(Math.floor(errors.length / 2)).map(Math.abs);
  return `Half of the predictions were within ${percent(Math.exp(half) - 1)} of what was paid` +
      (later.length > 4 ? ` (${percent(Math.exp(median(later)) - 1)} in the second half of the run)` : "") +
      `; the median one was ${
             Math.abs(bias) < 0.01 ? "neither too high nor too low" :
                                     `${percent(Math.abs(1 - Math.exp(-bias)))} too ${bias > 0 ? "low" : "high"}`}.`;
}
function objectiveErrorText(rows, measured, predicted) {
  const errors = rows.map((r) => Math.abs(measured(r) - predicted(r))), range = extent(rows.map(measured));
  return `The median error was ${number(median(errors), 3)}, where results range from ${number(range[0])} to ${
      number(
          range
              [1])}. In the search the points are chosen where the model hopes for the best, so that it is often too hopeful.`;
}
// How often intervals held, by the leave-one-out check that each receipt has, and by what came after.
function calibrationChart(study, what, rows) {
  const key = what + "_calibration",
        checks = study.rows.filter((r) => r.receipt && r.receipt[key] && known(r.receipt[key].coverage));
  const said = rows.filter((r) => r.state === "succeeded" && expectedIn(r, what)),
        inside = said.filter((r) => {
          const [low, high] = expectedIn(r, what);
          return r[what] >= low && r[what] <= high;
        });
  const last = checks.length ? checks[checks.length - 1].receipt[key] : null;
  const words = [];
  if (last)
    words.push(`The last check: ${
        percent(
            last.coverage)} of the points lie in their 95 % interval when left out; the mean squared standardised residual is ${
        number(last.squared_residual, 3)} (1 is right).`);
  if (said.length)
    words.push(`Of the ${what === "cost" ? "costs" : "results"} that were predicted before they came, ${
        percent(inside.length / said.length)} lay in the 95 % interval (${said.length} of them).`);
  return chart({
    id: "calibration-" + what,
    title: "Calibration",
    sub: words.join(" ") || "No check was made yet.",
    height: (w) => Math.min(Math.max(w * 0.6, 240), 340),
    legend: [["best line", "share in the 95 % interval, left out"], ["ink-warm line", "95 %"]],
    table: () => [
        ["trial", "coverage", "mean squared residual", "mean log density"],
        checks.map(
            (r) => [r.number, r.receipt[key].coverage, r.receipt[key].squared_residual, r.receipt[key].log_density])],
    render(width, height, root) {
      const x = linear(0, Math.max(1, ...study.rows.map((r) => r.number))),
            low = Math.min(0.5, ...checks.map((r) => r.receipt[key].coverage)), y = linear(low, 1.02, percent),
            plot = plotOf(width, height, x, y);
      root.append(
          axes(plot, x, y, ["trial", "share inside"]),
          svg("path",
              {class: "line-dim", d: pathOf([[plot.left, plot.y(0.95)], [plot.left + plot.width, plot.y(0.95)]])}),
          svg("path", {
            class: "line-best",
            d: pathOf(checks.map((r) => [plot.x(r.number), plot.y(r.receipt[key].coverage)]))
          }));
      const marks = checks.map((r) => {
        root.append(svg("circle", {
          class: "mark",
          style: "fill:var(--best)",
          r: 2.6,
          cx: plot.x(r.number),
          cy: plot.y(r.receipt[key].coverage),
          "data-number": r.number,
          "data-y": r.receipt[key].coverage
        }));
        return {
          x: plot.x(r.number),
          y: plot.y(r.receipt[key].coverage),
          text: `trial ${r.number}: ${percent(r.receipt[key].coverage)} inside`,
          row: r
        };
      });
      return {plot, x, y, marks};
    },
  });
}
// Which cost model predicted, as runs of trials.
function modelStrip(study) {
  const rows = study.rows.filter((r) => r.receipt && r.receipt.cost_model), runs = [];
  for (const r of rows) {
    const last = runs[runs.length - 1];
    if (last && last.model === r.receipt.cost_model) {
      last.to = r.number;
      last.count += 1;
    } else
      runs.push({model: r.receipt.cost_model, from: r.number, to: r.number, count: 1});
  }
  if (!runs.length) return null;
  const names = [...new Set(runs.map((r) => r.model))],
        colours = ["bg-design", "bg-search", "bg-told", "bg-warm_start"];
  const bar = html(
      "div", {
        class: "bars",
        id: "cost-models",
        role: "img",
        "aria-label": runs.map((r) => `${words(r.model)} for trials ${r.from} to ${r.to}`).join(", ")
      },
      runs.map((r) => html("i", {
                 class: colours[names.indexOf(r.model) % 4],
                 style: `width:${(100 * r.count) / rows.length}%`,
                 title: `${r.model}: trials ${r.from} to ${r.to}`,
                 "data-model": r.model,
                 "data-from": r.from,
                 "data-to": r.to
               })));
  return html(
      "div", {class: "card", style: "margin-top:16px"}, html("h3", {}, "Which cost model predicted when"),
      html(
          "div", {class: "sub"},
          names.map((n, i) => [i ? " \u00a0 " : "", html("span", {class: "swatch " + colours[i % 4]}), words(n)])),
      bar,
      html(
          "div", {class: "sub"},
          `From trial ${runs[0].from} to ${runs[runs.length - 1].to}; now ${
              words(study.models.cost_model || runs[runs.length - 1].model)}.`));
}
