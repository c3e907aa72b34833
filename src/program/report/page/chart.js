"use strict";
// A chart: a figure with axes that is drawn for the width it has, can be walked through by arrow keys, and has its
// numbers as a table.
const charts = [];
const margins = {
  left: 58,
  right: 14,
  top: 26,
  bottom: 40
};

function axes(plot, x, y, names) {
  const group = svg("g", {class: "axes", "aria-hidden": "true"});
  for (const tick of y.ticks(Math.max(2, Math.floor(plot.height / 34)))) {
    const at = plot.y(tick.v);
    group.append(
        svg("line", {class: "gridline", x1: plot.left, x2: plot.left + plot.width, y1: at, y2: at}),
        svg("text", {x: plot.left - 7, y: at + 4, "text-anchor": "end"}, shortened(tick.text, 9)));
  }
  // A narrow axis has enough of them to be read; those that would overlap have a line and no text.
  const wanted = x.kind === "band" ? Math.max(7, Math.floor(plot.width / 48)) :
                                     Math.max(x.kind === "linear" ? 4 : 2, Math.floor(plot.width / 78));
  let end = -Infinity;
  for (const tick of x.ticks(wanted)) {
    const at = plot.x(tick.v),
          text = shortened(
              tick.text, x.kind === "band" ? Math.max(3, Math.floor(plot.width / Math.min(x.size, wanted) / 7)) : 12);
    group.append(svg("line", {class: "gridline", x1: at, x2: at, y1: plot.top, y2: plot.top + plot.height}));
    const half = text.length * 3.4;
    if (at - half < end) continue;
    end = at + half + 4;
    group.append(
        svg("text", {
          x: at,
          y: plot.top + plot.height + 16,
          "text-anchor": at + half > plot.left + plot.width + 12 ? "end" : "middle"
        },
            text));
  }
  group.append(svg("line", {
    class: "axis",
    x1: plot.left,
    x2: plot.left + plot.width,
    y1: plot.top + plot.height,
    y2: plot.top + plot.height
  }));
  group.append(svg(
      "text", {class: "axis-name", x: plot.left + plot.width, y: plot.top + plot.height + 33, "text-anchor": "end"},
      shortened(names[0], Math.floor(plot.width / 6.2))));
  group.append(svg("text", {class: "axis-name", x: 0, y: 12}, shortened(names[1], 60)));
  return group;
}
function plotOf(width, height, x, y, sides = margins) {
  const plot = {
    left: sides.left,
    top: sides.top,
    width: Math.max(width - sides.left - sides.right, 10),
    height: height - sides.top - sides.bottom
  };
  plot.x = (v) => plot.left + plot.width * x.at(v);
  plot.y = (v) => plot.top + plot.height * (1 - y.at(v));
  return plot;
}
// Room for names on the left, at most so much.
const roomFor = (names, most) => Math.min(most, 20 + 7 * Math.max(1, ...names.map((n) => String(n).length)));
// Lines over the whole height with their values `below` the plot, for charts whose rows are no axis.
function verticalGrid(root, plot, x, below) {
  for (const tick of x.ticks(Math.max(2, plot.width / 90)))
    root.append(
        svg("line",
            {class: "gridline", x1: plot.x(tick.v), x2: plot.x(tick.v), y1: plot.top, y2: plot.top + plot.height}),
        svg("text", {x: plot.x(tick.v), y: plot.top + plot.height + below, "text-anchor": "middle"}, tick.text));
}
function showTip(text, x, y) {
  const tip = byId("tip");
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - box.width - 8)) + "px";
  tip.style.top = Math.max(4, y - box.height - 10 < 4 ? y + 16 : y - box.height - 10) + "px";
}
const hideTip = () => {
  byId("tip").hidden = true;
};

function tableOf(columns, rows, most = 500) {
  const table =
      html("table", {}, html("thead", {}, html("tr", {}, columns.map((c) => html("th", {scope: "col"}, c)))));
  table.append(html(
      "tbody", {},
      rows.slice(0, most).map(
          (row) => html(
              "tr", {},
              row.map(
                  (cell) => html(
                      "td", {class: known(cell) ? "n" : null}, known(cell) ? String(cell) : cell ?? "\u2013"))))));
  const box =
      html("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "numbers of the chart"}, table);
  return rows.length > most ?
      html("div", {}, html("p", {class: "sub"}, `The first ${most} of ${rows.length}.`), box) :
      box;
}

// options: id, title, sub, label (for screen readers), height, legend [[class, text]], render(width, height, root)
// that draws and returns {plot, x, y, marks: [{x, y, text, row, node}]}, table() that returns [columns, rows].
function chart(options) {
  const drawing = svg("svg", {
    id: options.id + "-svg",
    role: "img",
    tabindex: 0,
    "aria-label":
        `${options.title}. ${options.label || options.sub || ""} Arrow keys go through the marks, Enter opens one.`
  });
  const figure = html(
      "figure", {class: "card chart", id: options.id}, html("h3", {}, options.title),
      options.sub && html("div", {class: "sub"}, options.sub), options.controls,
      options.legend &&
          html(
              "div", {class: "legend", "aria-hidden": "true"},
              options.legend.map(([name, text]) => html("span", {class: name}, html("i", {}, text)))),
      html("div", {class: "plot"}, drawing), options.notes);
  if (options.table) {
    const box = html("details", {class: "as-table"}, html("summary", {}, "Numbers as a table"));
    box.addEventListener("toggle", () => {
      if (box.open && box.children.length === 1) box.append(tableOf(...options.table()));
    });
    figure.append(box);
  }
  const self = {figure, drawing, marks: [], cursor: -1, width: 0};
  const ring = svg("circle", {class: "ring", r: 7, visibility: "hidden"});
  self.measure = () => {
    self.width = Math.floor(drawing.parentNode.clientWidth || 600);
  };
  self.draw = () => {
    const width = self.width;
    const height = typeof options.height === "function" ? options.height(width) : options.height || 260;
    drawing.replaceChildren();
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.setAttribute("height", height);
    const made = options.render(width, height, drawing) || {};
    self.marks = made.marks || [];
    if (made.plot && made.x && made.y)
      drawing.setAttribute("data-axes", JSON.stringify({
        plot: [made.plot.left, made.plot.top, made.plot.width, made.plot.height],
        x: [made.x.kind, made.x.low, made.x.high],
        y: [made.y.kind, made.y.low, made.y.high]
      }));
    self.cursor = -1;
    ring.setAttribute("visibility", "hidden");
    drawing.append(ring);
    self.dim();
  };
  self.dim = () => {
    for (const mark of self.marks)
      if (mark.node && mark.row) mark.node.classList.toggle("away", !chosen.has(mark.row));
  };
  const point = (i, speak) => {
    const mark = self.marks[i], box = drawing.getBoundingClientRect();
    self.cursor = i;
    ring.setAttribute("cx", mark.x);
    ring.setAttribute("cy", mark.y);
    ring.setAttribute("visibility", "visible");
    showTip(mark.text, box.left + mark.x, box.top + mark.y);
    if (speak) say(mark.text);
  };
  const leave = () => {
    hideTip();
    ring.setAttribute("visibility", "hidden");
    self.cursor = -1;
  };
  const nearest = (event) => {
    const box = drawing.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
    let best = -1, least = 26 ** 2;
    self.marks.forEach((mark, i) => {
      const d = (mark.x - px) ** 2 + (mark.y - py) ** 2;
      if (d < least) {
        least = d;
        best = i;
      }
    });
    return best;
  };
  drawing.addEventListener("mousemove", (event) => {
    const i = nearest(event);
    if (i < 0)
      leave();
    else
      point(i, false);
  });
  drawing.addEventListener("mouseleave", leave);
  drawing.addEventListener("blur", leave);
  drawing.addEventListener("click", (event) => {
    const i = nearest(event);
    if (i >= 0 && self.marks[i].row) openDetail(self.marks[i].row, drawing);
  });
  drawing.addEventListener("keydown", (event) => {
    const n = self.marks.length,
          step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageDown: 10, PageUp: -10}[event.key];
    if (n === 0) return;
    if (step) {
      event.preventDefault();
      point(self.cursor < 0 ? (step > 0 ? 0 : n - 1) : Math.min(n - 1, Math.max(0, self.cursor + step)), true);
    } else if (event.key === "Home" || event.key === "End") {
      event.preventDefault();
      point(event.key === "Home" ? 0 : n - 1, true);
    } else if (event.key === "Enter" && self.cursor >= 0 && self.marks[self.cursor].row) {
      event.preventDefault();
      openDetail(self.marks[self.cursor].row, drawing);
    } else if (event.key === "Escape")
      leave();
  });
  charts.push(self);
  return figure;
}
// Widths first: a width that is asked for after something was drawn lays out the page again.
const drawAll = () => {
  for (const each of charts) each.measure();
  for (const each of charts) each.draw();
};

function dot(px, py, row, extra = {}) {
  if (row && (row.state === "failed" || row.state === "timed_out"))
    return svg("path", {
      class: `cross ${row.state}`,
      d: `M${px - 3.5} ${py - 3.5}l7 7m0 -7l-7 7`,
      "data-number": row.number,
      ...extra
    });
  return svg("circle", {
    class: `mark phase-${row ? row.phase : "told"}`,
    cx: px,
    cy: py,
    r: 3.6,
    "data-number": row ? row.number : null,
    ...extra
  });
}
const pathOf = (points) => points.map(([a, b], i) => (i ? "L" : "M") + a.toFixed(2) + " " + b.toFixed(2)).join("");
const phaseLegend = (rows) => [["phase-warm_start", "warm start"], ["phase-design", "design"],
                               ["phase-search", "search"], ["phase-told", "told from outside"]]
                                  .filter(([name]) => rows.some((r) => "phase-" + r.phase === name));
// Made once: every chart has it.
function rowText(study, row) {
  if (row.text) return row.text;
  const result = row.state === "succeeded" ? number(row.objective, 6) : words(row.state);
  const lines = [
    `trial ${row.number}: ${result}`,
    `${row.prior ? "prior data" : words(row.phase)}, cost ${amount(row.cost, study.unit)}`
  ];
  study.parameters.slice(0, 6).forEach(
      (p, i) => lines.push(`${shortened(p.name, 30)} = ${shortened(valueText(p, row.values[i]), 40)}`));
  if (study.parameters.length > 6) lines.push(`and ${study.parameters.length - 6} more`);
  return row.text = lines.join("\n");
}
function section(id, title, lead, ...content) {
  return html(
      "section", {id, "aria-labelledby": id + "-title"}, html("h2", {id: id + "-title"}, title),
      lead && html("p", {class: "lead"}, lead), content);
}
const nothing = (text) => html("p", {class: "note"}, text);
