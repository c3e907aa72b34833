"use strict";
// The answer, the best value so far, where the budget went, objective over cost, alpha and progress.
function configurationBoxes(study, values) {
  return html(
      "div", {
        class: "config",
        tabindex: study.parameters.length > 12 ? 0 : null,
        role: "group",
        "aria-label": "configuration"
      },
      study.parameters.map(
          (p, i) => html(
              "div", {}, html("span", {}, p.name),
              html(
                  "b", {class: "mono", title: p.labels ? null : String(values[i])},
                  shortened(valueText(p, values[i]), 80)))));
}
function copyBox(what, text) {
  const copy = html("button", {type: "button", "aria-label": "Copy the " + what}, "Copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Select it by hand";
    }
  });
  return html("div", {class: "command"}, html("pre", {id: "best-" + what}, text), copy);
}
function answerSection(study) {
  const s = study.data.summary, best = s.best, count = s.succeeded + s.failed + s.timed_out;
  const share = s.budget > 0 && s.budget < 1e12 ? s.spent / s.budget : null;
  const facts = html("dl", {class: "facts"});
  const fact = (name, ...value) => facts.append(html("dt", {}, name), html("dd", {}, ...value));
  fact("Goal", s.goal === "maximize" ? "maximize" : "minimize");
  fact(
      "Evaluations",
      `${count}` + (s.max_evaluations ? ` of ${s.max_evaluations}` : "") + `: ${s.succeeded} succeeded` +
          (s.failed ? `, ${s.failed} failed` : "") + (s.timed_out ? `, ${s.timed_out} timed out` : "") +
          (s.running ? `, ${s.running} running` : "") + (s.prior ? `; ${s.prior} prior` : ""));
  fact(
      "Spent",
      amount(s.spent, study.unit) +
          (share === null ? "" : ` of ${amount(s.budget, study.unit)} (${percent(share)})`));
  fact("State", s.done ? `over: ${words(s.stop_reason)}` : `under way, ${words(s.phase)}`);
  fact("Changed", moment(s.changed));
  const left = html(
      "div", {class: "card", id: "answer-value"}, html("h3", {}, best ? "Best objective" : "No result yet"),
      html("div", {class: "big", id: "best-objective"}, best ? number(best.objective, 6) : "\u2013"));
  if (best)
    left.append(html(
        "p", {class: "sub"},
        `trial ${best.number}, ${
            best.cost === undefined ? "cost not known" : "cost " + amount(best.cost, study.unit)}`));
  if (share !== null)
    left.append(html(
        "div", {
          class: "meter",
          role: "meter",
          "aria-label": "share of the budget that is spent",
          "aria-valuemin": 0,
          "aria-valuemax": 1,
          "aria-valuenow": Math.min(share, 1)
        },
        html("i", {style: `width:${Math.min(100 * share, 100)}%`})));
  left.append(facts);
  const right = html("div", {class: "card"});
  if (best) {
    const values = study.parameters.map((p) => {
      const v = best.configuration[p.name];
      return p.labels ? p.labels.indexOf(v) : v;
    });
    right.append(html("h3", {}, "Its configuration"), configurationBoxes(study, values));
    right.append(
        html("div", {class: "sub"}, "In full:"), copyBox("configuration", JSON.stringify(best.configuration)));
    if (study.data.command)
      right.append(html("div", {class: "sub"}, "Run it again:"), copyBox("command", study.data.command));
    const recommended = study.models.recommended, noise = study.models.objective_model?.noise_variance;
    if (recommended) {
      const same = recommended.values.every((v, i) => v === values[i]), o = recommended.prediction.objective;
      const expected = o ? ` expected ${number(o.median)} (${number(o.lower)} to ${number(o.upper)} with 95 %)` : "";
      if (same)
        right.append(html("p", {class: "sub", id: "recommended"}, `The model recommends it, too:${expected}.`));
      else if (noise < 0.01)
        right.append(html(
            "p", {class: "sub", id: "recommended"},
            `Results have hardly any noise (${
                percent(noise)} of the variance seen): what was observed best is best.`));
      else
        right.append(
            html("h3", {style: "margin-top:12px", id: "recommended"}, "Recommended by the model"),
            html(
                "p", {class: "sub"},
                `Results are noisy (noise is ${
                    percent(noise)} of the variance seen), and the best of them may have been lucky; this one is${
                    expected}, observed ${recommended.successes === 1 ? "once" : recommended.successes + " times"}.`),
            configurationBoxes(study, recommended.values));
    }
  } else {
    right.append(
        html("h3", {}, "Nothing succeeded yet"),
        html(
            "p", {class: "sub"},
            count > 0 ? `All of ${plural(count, "evaluation")} failed; the table below has the reasons.` :
                        "Results will stand here as soon as the first evaluation has ended."));
  }
  const notes = [];
  if (study.thinned)
    notes.push(html(
        "p", {class: "note", id: "thinned"},
        `The study has ${
            study.data.total.toLocaleString(
                "en-GB")} trials. Totals and the best so far are of all; charts of single trials and the table show ${
            study.rows.length.toLocaleString(
                "en-GB")}: all that matter for the best so far and the front, the latest, and an even share of the others. carbo export writes all.`));
  for (const warning of study.models.warnings || []) notes.push(html("p", {class: "note"}, warning));
  return section("answer", "The answer", null, html("div", {class: "hero"}, left, right), notes);
}

function bestChart(study, id, title, column, name, format, endAt) {
  const best = study.data.best, index = best.columns.indexOf(column);
  const steps = best.steps.map((s) => ({number: s[0], objective: s[1], x: s[index]}));
  const rows = new Map(study.rows.map((r) => [r.number, r]));
  const all = steps.map((s) => s.objective).concat(best.prior === null ? [] : [best.prior]);
  return chart({
    id,
    title,
    height: 240,
    legend: phaseLegend(steps.map((s) => rows.get(s.number)).filter(Boolean)),
    label: steps.length ? `It ends at ${number(steps[steps.length - 1].objective, 6)}.` : "No success yet.",
    table: () => [[name, "best objective", "trial"], steps.map((s) => [s.x, s.objective, s.number])],
    render(width, height, root) {
      const x = linear(0, Math.max(endAt, 1e-9), format), y = scaleOf(all, {ratio: 50, room: 0.08}),
            plot = plotOf(width, height, x, y);
      root.append(axes(plot, x, y, [name, "best objective"]));
      if (best.prior !== null)
        root.append(svg("path", {
          class: "line-dim",
          d: pathOf([[plot.left, plot.y(best.prior)], [plot.left + plot.width, plot.y(best.prior)]])
        }));
      if (!steps.length) return {plot, x, y};
      const points = [];
      steps.forEach((s, i) => {
        if (i) points.push([plot.x(s.x), plot.y(steps[i - 1].objective)]);
        points.push([plot.x(s.x), plot.y(s.objective)]);
      });
      points.push([plot.x(endAt), plot.y(steps[steps.length - 1].objective)]);
      root.append(svg("path", {class: "line-best", d: pathOf(points)}));
      const marks = steps.map((s) => {
        const row = rows.get(s.number), node = svg("circle", {
                                          class: `mark phase-${row ? row.phase : "told"}`,
                                          r: 4,
                                          cx: plot.x(s.x),
                                          cy: plot.y(s.objective),
                                          "data-number": s.number,
                                          "data-x": s.x,
                                          "data-y": s.objective
                                        });
        root.append(node);
        return {
          x: plot.x(s.x),
          y: plot.y(s.objective),
          text: `${number(s.objective, 6)} after ${format(s.x)}\ntrial ${s.number}`,
          row
        };
      });
      return {plot, x, y, marks};
    },
  });
}
function bestSection(study) {
  const [cost, count, seconds] = study.data.best.end, steps = study.data.best.steps;
  if (!steps.length && study.data.best.prior === null)
    return section("best", "Best so far", null, nothing("No evaluation has succeeded yet."));
  const money = (x) => amount(x, study.unit);
  let lead = "How good the best result was when so much had been spent.";
  if (steps.length > 1) {
    const last = steps[steps.length - 1];
    lead = `The last improvement came after ${money(last[2])} of ${money(cost)} (evaluation ${last[3]} of ${count}).`;
  }
  if (study.data.best.prior !== null) lead += " The dashed line is the best of the prior data.";
  return section(
      "best", "Best so far", lead,
      html(
          "div", {class: "grid wide"},
          bestChart(
              study, "best-cost", "Over spent cost", "cost", "sum of the evaluations' costs" + axisUnit(study.unit),
              amountFormat(study.unit), cost)),
      html(
          "div", {class: "grid", style: "margin-top:16px"},
          bestChart(
              study, "best-count", "Over the number of evaluations", "count", "evaluations", (x) => number(x), count),
          // Of what was told from outside nobody knows when it ran.
          seconds > 0 ? bestChart(
                            study, "best-time", "Over the wall clock", "seconds", "since the first began",
                            secondsFormat, seconds) :
                        null));
}

function budgetSection(study) {
  const shares = study.data.shares, total = shares.reduce((sum, s) => sum + s.cost, 0), s = study.data.summary;
  if (!shares.length) return section("budget", "Where the budget went", null, nothing("Nothing has been spent yet."));
  const order = ["warm_start", "design", "search", "told"],
        called = {warm_start: "warm start", design: "initial design", search: "search", told: "told from outside"};
  const parts = [];
  for (const phase of order) {
    const of = (state) => shares.find((x) => x.phase === phase && x.state === state) || {cost: 0, count: 0};
    if (of("succeeded").count) parts.push({name: called[phase], css: "bg-" + phase, ...of("succeeded")});
    const where = (phase === "told" ? "" : "in the ") + called[phase];
    if (of("failed").count) parts.push({name: `failures ${where}`, css: "bg-bad", ...of("failed")});
    if (of("timed_out").count) parts.push({name: `timeouts ${where}`, css: "bg-late", ...of("timed_out")});
  }
  const engine = new Map();
  for (const r of study.rows)
    if (r.receipt && r.receipt.seconds)
      engine.set(r.batch, Object.values(r.receipt.seconds).reduce((a, b) => a + b, 0));
  const engineSeconds = [...engine.values()].reduce((a, b) => a + b, 0);
  const lost = shares.filter((x) => x.state !== "succeeded").reduce((sum, x) => sum + x.cost, 0);
  const widest = Math.max(total, s.budget < 1e12 && s.spent <= total * 1.001 ? s.budget : total) || 1;
  const bar = html(
      "div",
      {class: "bars", role: "img", "aria-label": parts.map((p) => `${p.name} ${percent(p.cost / total)}`).join(", ")},
      parts.map((p) => html("i", {
                  class: p.css,
                  style: `width:${(100 * p.cost) / widest}%`,
                  title: `${p.name}: ${amount(p.cost, study.unit)}`,
                  "data-cost": p.cost
                })));
  const table = html(
      "table", {id: "budget-table"},
      html(
          "thead", {},
          html(
              "tr", {},
              ["", "cost", "of what was spent", "evaluations"].map(
                  (h, i) => html("th", {scope: "col", class: i ? "n" : null}, h)))),
      html(
          "tbody", {},
          parts.map(
              (p) => html(
                  "tr", {"data-cost": p.cost, "data-count": p.count},
                  html("td", {}, html("span", {class: "swatch " + p.css}), p.name),
                  html("td", {class: "n"}, amount(p.cost, study.unit)),
                  html("td", {class: "n"}, percent(p.cost / (total || 1))), html("td", {class: "n"}, p.count)))));
  const engineText = engine.size ?
      `The engine itself took ${duration(engineSeconds)} to choose${study.thinned ? " those shown" : ""}` +
          (secondsOf[study.unit] && total ?
               ` (${percent(engineSeconds / (total * secondsOf[study.unit]))} of what evaluations cost).` :
               ".") :
      "Nothing was suggested by the engine.";
  return section(
      "budget", "Where the budget went",
      `${
          lost > 0 ? `${percent(lost / total)} of it went into evaluations that failed or were cut off. ` :
                     "Nothing was lost to failures. "}${engineText}`,
      html("div", {class: "card"}, bar, html("div", {class: "scroll", style: "border:0"}, table)));
}

function frontOf(study, rows) {
  const front = [];
  for (const r of [...rows].sort((a, b) => a.cost - b.cost || (study.better(a.objective, b.objective) ? -1 : 1)))
    if (!front.length || study.better(r.objective, front[front.length - 1].objective)) front.push(r);
  return front;
}
function costSection(study) {
  const rows = study.good.filter((r) => known(r.cost)),
        bad = study.done.filter((r) => r.state !== "succeeded" && known(r.cost));
  if (!rows.length && !bad.length)
    return section("cost", "Objective over cost", null, nothing("No evaluation has a cost yet."));
  const front = frontOf(study, rows);
  const figure = chart({
    id: "objective-cost",
    title: "Every evaluation",
    sub:
        "The line is the front: nothing found is both cheaper and better. Crosses at the edge failed or were cut off.",
    height: (w) => (w > 700 ? 380 : 300),
    legend: [
      ...phaseLegend(rows), ["good line", "front"], ...(bad.length ? [["bad", "failed"], ["late", "timed out"]] : [])
    ],
    table: () => [
        ["trial", "cost", "objective", "phase", "on the front"],
        rows.map((r) => [r.number, r.cost, r.objective, r.phase, front.includes(r) ? "yes" : ""])],
    render(width, height, root) {
      const x = scaleOf(rows.concat(bad).map((r) => r.cost), {ratio: 20, format: amountFormat(study.unit)}),
            y = scaleOf(rows.map((r) => r.objective), {ratio: 100}), plot = plotOf(width, height, x, y);
      root.append(axes(plot, x, y, ["cost of the evaluation" + axisUnit(study.unit), "objective"]));
      const steps = [];
      front.forEach((r, i) => {
        if (i) steps.push([plot.x(r.cost), plot.y(front[i - 1].objective)]);
        steps.push([plot.x(r.cost), plot.y(r.objective)]);
      });
      if (front.length)
        root.append(
            svg("path", {class: "line-front", d: pathOf(steps), "data-front": front.map((r) => r.number).join(" ")}));
      const marks = [];
      for (const r of rows.concat(bad)) {
        const px = plot.x(r.cost), py = r.state === "succeeded" ? plot.y(r.objective) : plot.top + 6;
        if (!known(px) || !known(py)) continue;
        const node = dot(px, py, r, {"data-x": r.cost, "data-y": r.objective});
        root.append(node);
        marks.push({x: px, y: py, text: rowText(study, r), row: r, node});
      }
      return {plot, x, y, marks};
    },
  });
  return section(
      "cost", "Objective over cost", "What a good result costs, and whether cheap ones do as well.",
      html("div", {class: "grid wide"}, figure));
}

function alphaSection(study) {
  const rows = study.rows.filter((r) => r.receipt);
  if (!rows.length) return section("alpha", "\u03b1 and progress", null, nothing("Nothing was suggested yet."));
  const series = (id, title, sub, value, css) => chart({
    id,
    title,
    sub,
    height: 200,
    legend: phaseLegend(rows),
    table: () => [["trial", title], rows.filter((r) => known(value(r))).map((r) => [r.number, value(r)])],
    render(width, height, root) {
      const shown = rows.filter((r) => known(value(r))), x = linear(0, Math.max(...rows.map((r) => r.number), 1)),
            y = linear(0, Math.max(1, ...shown.map(value))), plot = plotOf(width, height, x, y);
      root.append(
          axes(plot, x, y, ["trial", title]),
          svg("path", {class: css, d: pathOf(shown.map((r) => [plot.x(r.number), plot.y(value(r))]))}));
      const marks = shown.map((r) => {
        const node = svg("circle", {
          class: `mark phase-${r.phase}`,
          r: 2.6,
          cx: plot.x(r.number),
          cy: plot.y(value(r)),
          "data-number": r.number,
          "data-y": value(r)
        });
        root.append(node);
        return {
          x: plot.x(r.number),
          y: plot.y(value(r)),
          text: `trial ${r.number}: ${number(value(r))}`,
          row: r,
          node
        };
      });
      return {plot, x, y, marks};
    },
  });
  const figures = [series(
      "progress", "progress", "Share of the run that was behind when a trial was suggested.",
      (r) => r.receipt.progress, "line-dim")];
  if (rows.some((r) => known(r.receipt.alpha)))
    figures.unshift(series(
        "alpha-series", "\u03b1",
        "Exponent of the cost in the score: at 1 a unit of cost counts in full, at 0 not at all.",
        (r) => r.receipt.alpha, "line-dim"));
  const weights = rows.map((r) => r.receipt.alpha).filter(known),
        same = Math.min(...weights) === Math.max(...weights);
  const course = weights.length < 2 ? "" :
      same                          ? ` It was ${number(weights[0])} throughout.` :
                                      " It cools as the budget is used up.";
  return section(
      "alpha", "\u03b1 and progress", "How much the price of an evaluation counted when it was chosen." + course,
      html("div", {class: "grid"}, figures));
}
