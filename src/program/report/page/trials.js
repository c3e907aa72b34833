"use strict";
// Who ran what when; the table of evaluations; one evaluation in full.
function timelineSection(study) {
  const rows = study.done.concat(study.rows.filter((r) => r.state === "running")).filter((r) => known(r.started)),
        now = study.data.made;
  if (!rows.length) return section("timeline", "Workers", null, nothing("No evaluation has a start yet."));
  const lanes = new Map(), first = Math.min(...rows.map((r) => r.started)),
        last = Math.max(...rows.map((r) => r.ended ?? now)), all = last - first;
  const owners = new Set(rows.map((r) => r.owner)).size,
        named = (r) => [owners > 1 || r.worker === null ? r.owner ?? "told" : null,
                        r.worker === null ? (r.slot === null ? null : `slot ${r.slot}`) : r.worker]
                           .filter((w) => w !== null)
                           .join(", ");
  for (const r of rows) {
    const name = named(r);
    if (!lanes.has(name)) lanes.set(name, []);
    lanes.get(name).push(r);
  }
  const names = [...lanes.keys()].sort((a, b) => a.localeCompare(b, "en", {numeric: true})), most = 40,
        shown = names.slice(0, most);
  const busy = (list) => {
    let sum = 0, until = -Infinity;
    for (const r of [...list].sort((a, b) => a.started - b.started)) {
      const end = r.ended ?? now;
      sum += Math.max(0, end - Math.max(r.started, until));
      until = Math.max(until, end);
    }
    return sum;
  };
  const idle = 1 - names.reduce((sum, n) => sum + busy(lanes.get(n)), 0) / Math.max(all * names.length, 1e-9),
        high = 24;
  const figure = chart({
    id: "timeline-chart",
    title: names.length === 1 ? "One worker" : plural(names.length, "worker"),
    sub: `Gaps are idle time${names.length > most ? `; the first ${most} workers are shown` : ""}.`,
    height: shown.length * high + 46,
    legend: [["good", "succeeded"], ["bad", "failed"], ["late", "timed out"]],
    table: () => [
        ["worker", "trial", "start", "seconds", "state"],
        rows.map((r) => [named(r), r.number, moment(r.started), (r.ended ?? now) - r.started, r.state])],
    render(width, height, root) {
      const left = roomFor(shown, Math.min(130, width * 0.25)), x = linear(0, Math.max(all, 1e-6), secondsFormat),
            y = linear(0, shown.length), plot = plotOf(width, height, x, y, {left, right: 16, top: 4, bottom: 36}),
            marks = [];
      verticalGrid(root, plot, x, 16);
      shown.forEach((name, lane) => {
        const top = plot.top + lane * high + 3;
        root.append(
            svg("text", {x: left - 8, y: top + 13, "text-anchor": "end", class: "value"},
                shortened(name, Math.floor(left / 7))),
            svg("rect", {class: "idle", x: plot.left, y: top, width: plot.width, height: high - 6, rx: 3}));
        for (const r of lanes.get(name)) {
          const from = plot.x(r.started - first), wide = Math.max(plot.x((r.ended ?? now) - first) - from, 1),
                node = svg("rect", {
                  class: `state-${r.state}`,
                  x: from,
                  y: top,
                  width: Math.max(wide - 0.6, 0.8),
                  height: high - 6,
                  rx: Math.min(2, wide / 3),
                  "data-number": r.number
                });
          root.append(node);
          marks.push({
            x: from + wide / 2,
            y: top + (high - 6) / 2,
            text: `${name}\n${rowText(study, r)}\ntook ${duration((r.ended ?? now) - r.started)}`,
            row: r,
            node
          });
        }
      });
      return {plot, x, y, marks};
    },
  });
  return section(
      "timeline", "Workers",
      study.thinned ? "Only the trials that are shown; gaps may be those that are not." :
                      `Who ran what when. ${names.length > 1 ? "Workers were" : "The worker was"} idle ${
                          percent(Math.max(idle, 0))} of the time.`,
      html("div", {class: "grid wide"}, figure));
}

function openDetail(row, back) {
  const panel = byId("detail"), study = openDetail.study,
        close = html("button", {type: "button", id: "detail-close"}, "Close"), shut = () => {
          panel.hidden = true;
          (back || document.body).focus?.();
        };
  close.addEventListener("click", shut);
  panel.onkeydown = (event) => {
    if (event.key === "Escape") shut();
  };
  const facts = html("dl", {class: "facts"}),
        fact = (name, value) => facts.append(html("dt", {}, name), html("dd", {}, value));
  fact("State", html("span", {class: "outcome " + row.state}, words(row.state)));
  fact("Objective", row.objective === null ? "\u2013" : String(row.objective));
  fact("Cost", row.cost === null ? "\u2013" : `${row.cost} ${study.unit}`);
  fact("Phase", row.prior ? "prior data" : words(row.phase));
  if (row.id !== null) fact("Id", String(row.id));
  if (row.worker !== null || row.owner !== null)
    fact("Worker", [row.owner, row.worker].filter((w) => w !== null).join(", "));
  if (known(row.started))
    fact("Ran", `${moment(row.started)}${known(row.ended) ? `, ${duration(row.ended - row.started)}` : ""}`);
  for (const m of study.data.trials.metrics)
    if (known(m.values[row.k])) fact(m.name, String(m.values[row.k]));
  const logs = study.data.logs,
        parts =
            [html("div", {class: "controls"}, html("h2", {id: "detail-title"}, `Trial ${row.number}`), close), facts];
  if (row.reason) parts.push(html("h3", {}, "Why it failed"), html("pre", {id: "detail-reason"}, row.reason));
  if (logs && logs.there[row.k])
    parts.push(html(
        "p", {}, "Logs: ",
        ["stdout", "stderr"].map(
            (name, i) =>
                [i ? ", " : "",
                 html(
                     "a", {
                       href: [...logs.folder.split("/"), String(row.id), name]
                                 .map(encodeURIComponent)
                                 .join("/")
                                 .replaceAll("%2E%2E", "..")
                     },
                     name)])));
  parts.push(html("h3", {}, "Configuration"), configurationBoxes(study, row.values));
  const reports = study.data.reports[row.k];
  if (reports)
    parts.push(
        html("h3", {}, "Reported while it ran"),
        tableOf(
            ["step", ...Object.keys(reports[0].values)], reports.map((r) => [r.step, ...Object.values(r.values)])));
  parts.push(
      html("h3", {}, "Why it was suggested"),
      row.receipt ?
          html("pre", {id: "detail-receipt"}, JSON.stringify(row.receipt, null, 2)) :
          html("p", {class: "sub"}, row.id === null ? "It was told, not suggested." : "There is no receipt."));
  if (row.receipt && study.data.receipts_shortened)
    parts.push(html(
        "p", {class: "sub"}, "Receipts of a large study are shortened here; carbo trials --id shows them whole."));
  panel.replaceChildren(...parts);
  panel.hidden = false;
  panel.scrollTop = 0;
  close.focus();
}

function tableSection(study) {
  const columns = [
    ["trial", (r) => r.number], ["state", (r) => r.state], ["objective", (r) => r.objective], ["cost", (r) => r.cost],
    ["phase", (r) => (r.prior ? "prior" : words(r.phase))],
    ...study.parameters.slice(0, 12).map(
        (p, i) => [p.name, p.labels ? (r) => p.labels[r.values[i]] : (r) => r.values[i]])
  ];
  if (study.rows.some((r) => r.reason)) columns.push(["reason", (r) => r.reason]);
  const order = {column: 0, down: false}, filter = {text: "", state: ""}, body = html("tbody"),
        count = html("span", {class: "sub", id: "table-count", role: "status"}), step = 100;
  let most = step;
  const search = html("input", {
    type: "search",
    id: "table-filter",
    placeholder: "filter: text, or cost<3, objective>0.5",
    size: 34,
    "aria-label": "Filter the table: a text, or a column, a sign and a number"
  });
  const state = html(
      "select", {id: "table-state", "aria-label": "State"}, html("option", {value: ""}, "all states"),
      [...new Set(study.rows.map((r) => r.state))].map((s) => html("option", {value: s}, words(s))));
  const more = html("button", {type: "button", id: "table-more"}, "Show more");
  const matches = (row) => {
    const rule = filter.text.match(/^\s*(.+?)\s*(<=|>=|<|>|=)\s*(\S+)\s*$/),
          column = rule && columns.find(([name]) => name.toLowerCase() === rule[1].toLowerCase());
    if (column) {
      const v = column[1](row), limit = Number(rule[3]);
      if (rule[2] === "=") return String(v) === rule[3] || v === limit;
      if (typeof v !== "number") return false;
      return {"<": v < limit, ">": v > limit, "<=": v <= limit, ">=": v >= limit}[rule[2]];
    }
    const text = filter.text.trim().toLowerCase();
    return !text || columns.some(([, value]) => String(value(row) ?? "").toLowerCase().includes(text));
  };
  const compare = (a, b) => {
    const x = columns[order.column][1](a), y = columns[order.column][1](b);
    if (x === y) return a.number - b.number;
    if (x === null || x === undefined || x === "") return 1;
    if (y === null || y === undefined || y === "") return -1;
    const sign = typeof x === "number" && typeof y === "number" ?
        x - y :
        String(x).localeCompare(String(y), "en", {numeric: true});
    return order.down ? -sign : sign;
  };
  const heads = columns.map(([name], i) => {
    const button = html("button", {type: "button"}, shortened(name, 24)),
          head = html("th", {scope: "col", "aria-sort": i === 0 ? "ascending" : "none"}, button);
    button.addEventListener("click", () => {
      order.down = order.column === i ? !order.down : false;
      order.column = i;
      heads.forEach(
          (h, j) => h.setAttribute("aria-sort", j === i ? (order.down ? "descending" : "ascending") : "none"));
      show();
    });
    return head;
  });
  const show = () => {
    const rows = study.rows.filter((r) => chosen.has(r) && (!filter.state || r.state === filter.state) && matches(r))
                     .sort(compare);
    body.replaceChildren(...rows.slice(0, most).map((r) => {
      const line = html(
          "tr", {class: "pick", tabindex: 0, "data-number": r.number, "aria-label": `trial ${r.number}, details`},
          columns.map(([name, value], i) => {
            const v = value(r);
            if (i === 1) return html("td", {}, html("span", {class: "outcome " + v}, words(v)));
            return html(
                "td", {
                  class: typeof v === "number" ? "n" :
                      name === "reason"        ? "reason" :
                                                 null,
                  title: typeof v === "number" ? String(v) : null
                },
                v === null || v === undefined ? "\u2013" :
                    typeof v === "number"     ? number(v, 6) :
                                                shortened(v, 120));
          }));
      line.addEventListener("click", () => openDetail(r, line));
      line.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          openDetail(r, line);
        }
      });
      return line;
    }));
    count.textContent = `${Math.min(most, rows.length)} of ${rows.length} shown` +
        (rows.length < study.rows.length ? `, ${study.rows.length} in all.` : ".");
    more.hidden = rows.length <= most;
  };
  search.addEventListener("input", () => {
    filter.text = search.value;
    most = step;
    show();
  });
  state.addEventListener("change", () => {
    filter.state = state.value;
    most = step;
    show();
  });
  more.addEventListener("click", () => {
    most += 500;
    show();
  });
  chosen.watchers.push(show);
  show();
  return section(
      "evaluations", "Evaluations",
      study.parameters.length > 12 ?
          `The first 12 of ${study.parameters.length} parameters; a click on a row shows all.` :
          "A click on a row, or Enter, shows all of it, with the receipt that says why it was suggested.",
      html("div", {class: "controls"}, search, state, count),
      html(
          "div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "table of evaluations"},
          html("table", {id: "trials"}, html("thead", {}, html("tr", {}, heads)), body)),
      html("div", {class: "controls"}, more));
}
