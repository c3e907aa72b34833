"use strict";
// Studies beside each other.
const lineColours = ["--design", "--search", "--good", "--told", "--bad", "--late", "--accent", "--warm"];
function comparePage(studies) {
  const unit = studies[0].unit, sameUnit = studies.every((s) => s.unit === unit),
        name = (i) => studies[i].data.summary.name +
      (studies.filter((s) => s.data.summary.name === studies[i].data.summary.name).length > 1 ?
           ` (${studies[i].data.file})` :
           "");
  const legend = html(
      "div", {class: "legend"},
      studies.map(
          (s, i) =>
              html("span", {class: "line", style: `color:var(${lineColours[i % 8]})`}, html("i", {}, name(i)))));
  const curve = (id, title, column, label, format) => chart({
    id,
    title,
    height: 280,
    controls: legend.cloneNode(true),
    table: () => [
        ["study", label, "best objective"],
        studies.flatMap(
            (s, i) => s.data.best.steps.map((p) => [name(i), p[s.data.best.columns.indexOf(column)], p[1]]))],
    render(width, height, root) {
      const index = studies[0].data.best.columns.indexOf(column), end = {cost: 0, count: 1, seconds: 2}[column],
            x = linear(0, Math.max(1e-9, ...studies.map((s) => s.data.best.end[end])), format),
            y = scaleOf(studies.flatMap((s) => s.data.best.steps.map((p) => p[1])), {ratio: 50, room: 0.08}),
            plot = plotOf(width, height, x, y), marks = [];
      root.append(axes(plot, x, y, [label, "best objective"]));
      studies.forEach((s, i) => {
        const steps = s.data.best.steps, points = [];
        if (!steps.length) return;
        steps.forEach((p, k) => {
          if (k) points.push([plot.x(p[index]), plot.y(steps[k - 1][1])]);
          points.push([plot.x(p[index]), plot.y(p[1])]);
          marks.push({
            x: plot.x(p[index]),
            y: plot.y(p[1]),
            text: `${name(i)}: ${number(p[1], 6)} after ${format(p[index])}`
          });
        });
        points.push([plot.x(s.data.best.end[end]), plot.y(steps[steps.length - 1][1])]);
        root.append(svg("path", {
          class: "line-best",
          style: `stroke:var(${lineColours[i % 8]})`,
          d: pathOf(points),
          "data-study": i,
          "data-last": steps[steps.length - 1][1]
        }));
      });
      return {plot, x, y, marks};
    },
  });
  const rows = studies.map((s, i) => {
    const m = s.data.summary,
          lost = s.data.shares.filter((x) => x.state !== "succeeded").reduce((sum, x) => sum + x.cost, 0);
    return html(
        "tr", {},
        html("td", {}, html("span", {class: "swatch", style: `background:var(${lineColours[i % 8]})`}), name(i)),
        html(
            "td", {class: "n", "data-best": m.best ? m.best.objective : ""},
            m.best ? number(m.best.objective, 6) : "\u2013"),
        html("td", {class: "n"}, amount(m.spent, s.unit)),
        html("td", {class: "n"}, m.succeeded + m.failed + m.timed_out),
        html("td", {class: "n"}, amount(lost, s.unit)),
        html(
            "td", {},
            `${words(s.data.settings.acquisition)}, ${words(s.data.settings.initial_design)}, batches of ${
                s.data.settings.batch_size}`),
        html("td", {}, m.done ? words(m.stop_reason) : "under way"));
  });
  const table = html(
      "div", {class: "scroll card", tabindex: 0, role: "region", "aria-label": "studies"},
      html(
          "table", {id: "compared"},
          html(
              "thead", {},
              html(
                  "tr", {},
                  ["study", "best", "spent", "evaluations", "lost to failures", "method", "state"].map(
                      (h) => html("th", {scope: "col"}, h)))),
          html("tbody", {}, rows)));
  const target = reached(studies, name), remarks = [];
  if (!sameUnit) remarks.push("Costs are in different units; curves over cost are not comparable.");
  if (studies.some((s) => s.data.summary.goal !== studies[0].data.summary.goal))
    remarks.push("Some are minimised and others maximised: of each, its own best is shown.");
  return [
    section("studies", "Studies", remarks.length ? remarks.join(" ") : null, table),
    section(
        "best", "Best so far", null,
        html(
            "div", {class: "grid wide"},
            curve(
                "compare-cost", "Over spent cost", "cost",
                "sum of the evaluations' costs" + (sameUnit ? axisUnit(unit) : ""),
                sameUnit ? amountFormat(unit) : (v) => number(v))),
        html(
            "div", {class: "grid", style: "margin-top:16px"},
            curve("compare-count", "Over the number of evaluations", "count", "evaluations", (v) => number(v)),
            curve("compare-time", "Over the wall clock", "seconds", "since the first began", secondsFormat))),
    target
  ];
}
// What each spent until it was as good as the worst of the final results.
function reached(studies, name) {
  const finals = studies.map((s) => s.data.best.steps.at(-1)?.[1]).filter(known),
        goals = new Set(studies.map((s) => s.data.summary.goal));
  if (finals.length < 2 || goals.size > 1) return null;
  const better = studies[0].better, level = finals.reduce((a, b) => (better(a, b) ? b : a));
  const rows = studies.map((s, i) => {
    const step = s.data.best.steps.find((p) => p[1] === level || better(p[1], level));
    return [name(i), step ? amount(step[2], s.unit) : "not reached", step ? step[3] : "\u2013"];
  });
  return section(
      "reached", "What it took", `Until each was as good as ${number(level, 6)}, the worst of the final results.`,
      html("div", {class: "card"}, tableOf(["study", "cost", "evaluations"], rows)));
}
