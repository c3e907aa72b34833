"use strict";
// What would be tried next, and whether stopping would pay.
function upperTail(z) {
  // Of the standard normal distribution, by a continued fraction far out and a series near the middle.
  const a = Math.abs(z), density = Math.exp((-a * a) / 2) / Math.sqrt(2 * Math.PI);
  let tail;
  if (a < 3) {
    let term = a, sum = a;
    for (let k = 1; k < 60; ++k) {
      term *= (a * a) / (2 * k + 1);
      sum += term;
    }
    tail = 0.5 - density * sum;
  } else {
    let f = 0;
    for (let k = 40; k > 0; --k) f = k / (a + f);
    tail = density / (a + f);
  }
  return z > 0 ? tail : 1 - tail;
}
// About how likely it is to beat the best result, from the median and the end of the 95 % interval on that side.
function chanceToBeat(study, o) {
  const best = study.data.summary.best?.objective;
  if (!known(best) || !o) return null;
  const side = best < o.median ? o.median - o.lower : o.upper - o.median, sd = side / 1.959963984540054;
  if (!(sd > 0)) return study.better(o.median, best) ? 1 : 0;
  const above = upperTail((best - o.median) / sd);
  return study.data.summary.goal === "maximize" ? above : 1 - above;
}
function nextSection(study) {
  const m = study.models, list = m.next || [];
  if (m.why_not)
    return section("next", "What would be tried next", null, nothing(`The models were not asked: ${m.why_not}.`));
  if (!list.length)
    return section(
        "next", "What would be tried next", null,
        nothing(
            study.data.summary.done ? "The study is over, and nothing is left to rank." :
                                      "Nothing: see the state of the study above."));
  const lead = (m.next_by === "ask" ? "A copy of the study was asked; the study itself was not touched." :
                                      "The study is over; these would score best if it went on.") +
      learnedText(study);
  const cards = list.slice(0, 8).map((n, i) => {
    const o = n.prediction.objective, c = n.prediction.cost, chance = chanceToBeat(study, o),
          facts = html("dl", {class: "facts"}),
          fact = (name, value) => facts.append(html("dt", {}, name), html("dd", {}, value));
    if (o) fact("Objective", `${number(o.median)} (${number(o.lower)} to ${number(o.upper)} with 95 %)`);
    if (chance !== null) fact("Better than the best", `about ${percent(chance)}`);
    if (c)
      fact(
          "Cost",
          `${amount(c.median, study.unit)}` +
              (c.log_standard_deviation > 0 ?
                   ` (${amount(c.median * Math.exp(-1.96 * c.log_standard_deviation), study.unit)} to ${
                       amount(c.median * Math.exp(1.96 * c.log_standard_deviation), study.unit)})` :
                   ""));
    if (n.receipt) fact("Phase", words(n.receipt.phase) + (n.receipt.enqueued ? ", enqueued by hand" : ""));
    return html(
        "div", {class: "card next"}, html("h3", {}, list.length > 1 ? `Candidate ${i + 1}` : "Candidate"),
        configurationBoxes(study, n.values), facts);
  });
  return section(
      "next", "What would be tried next", lead + (list.length > 8 ? ` The first 8 of ${list.length}.` : ""),
      html("div", {class: "grid"}, cards));
}
function stoppingSection(study) {
  const price = study.data.settings.price,
        rows = study.rows.filter(
            (r) => r.receipt && known(r.receipt.break_even_price) && r.receipt.break_even_price > 0),
        next = study.models.next?.[0]?.receipt,
        now = next && known(next.break_even_price) ? next.break_even_price :
      rows.length                                  ? rows[rows.length - 1].receipt.break_even_price :
                                                     null;
  if (now === null)
    return section(
        "stopping", "Would stopping pay?", null,
        nothing("It is said once the search has begun and the models have learned something."));
  const worth = `Going on pays where one unit of the objective is worth more than ${
      amount(now, study.unit)} of cost to you: no candidate promises an improvement for less.`;
  const verdict = known(price) ?
      (price > now ? ` At the price that was set (${amount(price, study.unit)} a unit), going on pays.` :
                     ` At the price that was set (${amount(price, study.unit)} a unit), stopping pays.`) :
                     " Where you would pay less than that, stop.";
  const figure = rows.length ? chart({
    id: "break-even",
    title: "Price at which going on breaks even",
    sub:
        "Cost of one unit of expected improvement by the best candidate, whenever something was suggested. It rises as there is less to gain.",
    height: 230,
    legend: [["best line", "break-even price"], ...(known(price) ? [["ink-warm line", "price that was set"]] : [])],
    table: () => [["trial", "break-even price"], rows.map((r) => [r.number, r.receipt.break_even_price])],
    render(width, height, root) {
      const x = linear(Math.min(...rows.map((r) => r.number)), Math.max(...rows.map((r) => r.number), 1)),
            y = scaleOf(
                rows.map((r) => r.receipt.break_even_price).concat(known(price) ? [price] : []),
                {ratio: 10, format: amountFormat(study.unit)}),
            plot = plotOf(width, height, x, y);
      root.append(axes(plot, x, y, ["trial", "cost of a unit of the objective" + axisUnit(study.unit)]), svg("path", {
                    class: "line-best",
                    d: pathOf(rows.map((r) => [plot.x(r.number), plot.y(r.receipt.break_even_price)]))
                  }));
      if (known(price))
        root.append(svg(
            "path",
            {class: "line-dim", d: pathOf([[plot.left, plot.y(price)], [plot.left + plot.width, plot.y(price)]])}));
      const marks = rows.map((r) => {
        const px = plot.x(r.number), py = plot.y(r.receipt.break_even_price);
        root.append(svg("circle", {
          class: "mark",
          style: "fill:var(--best)",
          r: 2.8,
          cx: px,
          cy: py,
          "data-number": r.number,
          "data-y": r.receipt.break_even_price
        }));
        return {x: px, y: py, text: `trial ${r.number}: ${amount(r.receipt.break_even_price, study.unit)}`, row: r};
      });
      return {plot, x, y, marks};
    },
  }) :
                               null;
  return section(
      "stopping", "Would stopping pay?", worth + verdict, figure && html("div", {class: "grid wide"}, figure));
}
