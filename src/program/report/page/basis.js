"use strict";
// Elements, numbers, scales and what the page knows. Texts only ever become text nodes and attributes.
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function")
      node.addEventListener(name, value);
    else
      node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}
const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const byId = (id) => document.getElementById(id);
const known = (x) => typeof x === "number" && Number.isFinite(x);

function number(x, digits = 4) {
  if (!known(x)) return "\u2013";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4)
    return x.toExponential(Math.max(digits - 2, 1)).replace(/\.?0+e/, "e").replace("e+", "e");
  if (size >= 1e4) return Number(x.toPrecision(Math.max(digits, 6))).toLocaleString("en-GB");
  return String(Number(x.toPrecision(digits)));
}
function percent(share) {
  if (!known(share)) return "\u2013";
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  return (share !== 0 && Math.abs(share) < 0.1 ? String(Number((100 * share).toFixed(1))) : Math.round(100 * share)) +
      " %";
}
const secondsOf = {
  ns: 1e-9,
  us: 1e-6,
  ms: 1e-3,
  s: 1,
  sec: 1,
  second: 1,
  seconds: 1,
  min: 60,
  minute: 60,
  minutes: 60,
  h: 3600,
  hour: 3600,
  hours: 3600,
  d: 86400,
  day: 86400,
  days: 86400
};
function duration(seconds) {
  if (!known(seconds)) return "\u2013";
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  if (size < 1e-3) return number(seconds * 1e6, 3) + " \u00b5s";
  if (size < 1) return number(seconds * 1e3, 3) + " ms";
  if (size < 120) return number(seconds, 3) + " s";
  if (size < 7200) return number(seconds / 60, 3) + " min";
  if (size < 172800) return number(seconds / 3600, 3) + " h";
  return number(seconds / 86400, 3) + " d";
}
function amount(x, unit) {
  if (!known(x)) return "\u2013";
  if (secondsOf[unit]) return duration(x * secondsOf[unit]);
  if (unit === "$" || unit === "USD") return "$" + number(x);
  return number(x) + (unit ? " " + unit : "");
}
const moment = (seconds) => (known(seconds) ? new Date(seconds * 1000).toLocaleString("sv-SE") : "\u2013");
// Of an axis in a unit: `seconds` where it is time, so that ticks are whole minutes or hours.
const amountFormat = (unit) =>
    Object.assign((x) => (axisUnit(unit) ? number(x) : amount(x, unit)), {seconds: secondsOf[unit]});
// A unit that is too long for every tick stands in the name of the axis.
const axisUnit = (unit) => (secondsOf[unit] || unit.length < 3 ? "" : ` (${unit})`);
const secondsFormat = Object.assign((x) => duration(x), {seconds: 1});
const words = (name) => String(name).replaceAll("_", " ");
const plural = (n, word) => n.toLocaleString("en-GB") + " " + word + (n === 1 ? "" : "s");

// Scales map a value to a share of the axis, from 0 to 1.
function linearTicks(low, high, wanted) {
  const step0 = (high - low) / Math.max(wanted, 1), power = 10 ** Math.floor(Math.log10(step0));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= step0 * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
    ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}
function timeTicks(low, high, wanted, seconds) {
  const range = (high - low) * seconds, piece = [86400, 3600, 60, 1].find((p) => range >= 2 * p) || 1;
  return linearTicks((low * seconds) / piece, (high * seconds) / piece, wanted).map((v) => (v * piece) / seconds);
}
function linear(low, high, format = (x) => number(x)) {
  if (!(high > low)) {
    const room = Math.abs(low) * 0.05 || 1;
    low -= room;
    high += room;
  }
  return {
    kind: "linear",
    low,
    high,
    at: (x) => (x - low) / (high - low),
    from: (s) => low + s * (high - low),
    ticks: (n) => (format.seconds ? timeTicks(low, high, n, format.seconds) : linearTicks(low, high, n))
                      .map((v) => ({v, text: format(v)}))
  };
}
const niceTimes = [
  1e-6, 1e-5, 1e-4, 1e-3, 1e-2,  0.1,   0.2,   0.5,    1,      2,      5,       10,      20,     60,     120,   300,
  600,  1200, 3600, 7200, 18000, 36000, 86400, 172800, 432000, 864000, 4320000, 8640000, 8.64e7, 8.64e8, 8.64e9
];
function logarithmic(low, high, format = (x) => number(x, 3)) {
  if (!(high > low)) {
    low /= 1.5;
    high *= 1.5;
  }
  const a = Math.log(low), b = Math.log(high);
  const ticks = (n) => {
    const decades = (b - a) / Math.LN10, list = [];
    if (format.seconds && decades > 0.8 && high * format.seconds > 60)
      return niceTimes.map((t) => t / format.seconds)
          .filter((v) => v >= low && v <= high)
          .filter((_, i, all) => i % Math.ceil(all.length / n) === 0)
          .map((v) => ({v, text: format(v)}));
    const steps = decades > n ? [1] : decades > n / 2.2 ? [1, 3] : decades > 0.8 ? [1, 2, 5] : null;
    if (!steps) return linearTicks(low, high, n).map((v) => ({v, text: format(v)}));
    const skip = Math.max(1, Math.ceil(decades / n));
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); ++e)
      for (const s of steps) {
        const v = Number(`${s}e${e}`);
        if (v >= low * 0.999999 && v <= high * 1.000001 && (steps.length > 1 || e % skip === 0))
          list.push({v, text: format(v)});
      }
    return list;
  };
  return {
    kind: "log",
    low,
    high,
    at: (x) => (Math.log(x) - a) / (b - a),
    from: (s) => Math.exp(a + s * (b - a)),
    ticks
  };
}
function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values)
    if (known(v)) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
  return low <= high ? [low, high] : null;
}
// A scale that holds the values with some room; logarithmic where they spread over more than `ratio`.
function scaleOf(values, {ratio = Infinity, zero = false, room = 0.05, format} = {}) {
  const range = extent(values);
  if (!range) return linear(0, 1, format);
  let [low, high] = range;
  if (low > 0 && high / low > ratio) {
    const k = (high / low) ** room;
    return logarithmic(low / k, high * k, format);
  }
  if (zero) {
    high = Math.max(high, 0);
    return linear(Math.min(low, 0), high + (high - Math.min(low, 0)) * room || 1, format);
  }
  const pad = (high - low) * room;
  return linear(low - pad, high + pad, format);
}
// Of a parameter: its whole range; labels and levels by their position.
function parameterScale(parameter, most = 24) {
  if (parameter.labels || parameter.values) {
    const names = parameter.labels || parameter.values.map((v) => number(v));
    const place = parameter.values ? new Map(parameter.values.map((v, i) => [v, i])) : null;
    const size = names.length, at = (v) => ((place ? place.get(v) ?? 0 : v) + 0.5) / size;
    const ticks = (n) => {
      const skip = Math.ceil(size / Math.min(n, most));
      return names.map((text, i) => ({v: parameter.values ? parameter.values[i] : i, text}))
          .filter((_, i) => i % skip === 0);
    };
    return {kind: "band", low: 0, high: size, at, ticks, size};
  }
  const [low, high] = parameter.range;
  return parameter.log ? logarithmic(low, high) : linear(low, high);
}
const valueText = (parameter, v) => (parameter.labels ? parameter.labels[v] : number(v, 6));
const shortened = (text, length) =>
    (String(text).length > length ? String(text).slice(0, length - 1) + "\u2026" : String(text));

// One study as the page uses it: a row a trial.
function studyOf(data) {
  const t = data.trials, unit = data.summary.cost_unit,
        better = data.summary.goal === "maximize" ? (a, b) => a > b : (a, b) => a < b;
  const rows = t.number.map((n, k) => ({
                              k,
                              number: n,
                              id: t.id[k],
                              state: t.state[k],
                              phase: (t.phase[k] || "told").replaceAll(" ", "_"),
                              prior: t.prior[k] === 1,
                              objective: t.objective[k],
                              cost: t.cost[k],
                              started: t.started[k],
                              ended: t.ended[k],
                              batch: t.batch[k],
                              slot: t.slot[k],
                              worker: t.worker[k] === null ? null : t.names[t.worker[k]],
                              owner: t.owner[k] === null ? null : t.names[t.owner[k]],
                              order: t.order[k],
                              reason: t.reason[k] === null ? "" : t.reasons[t.reason[k]],
                              receipt: data.receipts[k],
                              values: t.values.map((column) => column[k]),
                            }));
  const done =
      rows.filter((r) => !r.prior && (r.state === "succeeded" || r.state === "failed" || r.state === "timed_out"))
          .sort((a, b) => (a.order ?? a.number) - (b.order ?? b.number));
  for (const share of data.shares) share.phase = share.phase.replaceAll(" ", "_");
  return {
    data,
    rows,
    done,
    unit,
    better,
    good: rows.filter((r) => r.state === "succeeded"),
    thinned: data.total > rows.length,
    models: data.models || {},
    parameters: data.parameters
  };
}
const page = JSON.parse(byId("data").textContent);
// Which rows are chosen by brushing, and who wants to know.
const chosen = {
  rows: null,
  watchers: [],
  set(rows) {
    this.rows = rows;
    for (const w of this.watchers) w(rows);
  },
  has(row) {
    return !this.rows || this.rows.has(row);
  }
};
const say = (text) => {
  byId("said").textContent = text;
};
