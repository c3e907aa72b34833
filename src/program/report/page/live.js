"use strict";
// Of a page that a server shows: it follows the study, and waits while somebody is looking at something.
const live = {
  wanted: false,
  asking: false,
  forced: false,  // somebody has changed something here
  last: 0
};
function note(text, beat) {
  const place = byId("live");
  place.hidden = false;
  place.textContent = text;
  place.classList.remove("beat");
  if (beat) requestAnimationFrame(() => place.classList.add("beat"));
}
const isTyping = () => ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement?.tagName);
const isBusy = () => !byId("detail").hidden || chosen.rows !== null ||
    document.querySelector("details[open]") !== null || isTyping();

async function follow() {
  if (!live.wanted || live.asking) return;
  if (!live.forced && (isBusy() || performance.now() - live.last < 2000)) return;
  live.asking = true;
  live.wanted = live.forced = false;
  try {
    const answer = await fetch("data");
    const data = await answer.json();
    if (!answer.ok) throw new Error(data.error);
    if (isTyping()) {
      live.wanted = true;  // what is being typed would be lost
    } else {
      const at = scrollY;
      show(data);
      scrollTo({top: at, behavior: "instant"});
      note(`live, as of ${new Date().toLocaleTimeString("sv-SE")}`, true);
    }
  } catch (error) {
    note(`not up to date: ${error.message}`);
  }
  live.last = performance.now();
  live.asking = false;
}
function startLive() {
  const events = new EventSource("events");
  events.addEventListener("change", (event) => {
    live.wanted = live.wanted || event.data !== JSON.stringify(openDetail.study.data.summary);
    if (!live.wanted) note("live");
  });
  events.addEventListener("gone", (event) => note(`the study cannot be read: ${JSON.parse(event.data)}`));
  events.addEventListener("error", () => note("connection lost, trying again"));
  setInterval(follow, 500);
}
// Where the server takes changes: a pause, another budget, a configuration that is to be tried next. What was answered
// last stays when the page is drawn anew.
const steering = {
  said: {},
  token: () => new URLSearchParams(location.search).get("token") || ""
};
async function steer(what, body, done) {
  try {
    const answer = await fetch(what, {method: "POST", body, headers: {Authorization: "Bearer " + steering.token()}});
    const data = await answer.json();
    if (!answer.ok) throw new Error(data.error);
    live.wanted = live.forced = true;
    follow();
    return done(data);
  } catch (error) {
    return error.message;
  }
}
function steered(id, label, what, body, done) {
  const said = html("span", {class: "sub", id: id + "-said", role: "status"}, steering.said[id] || "");
  const send = html("button", {type: "button", id}, label);
  send.addEventListener("click", async () => {
    steering.said[id] = await steer(what, body(), done);
    const place = byId(id + "-said");
    if (place) place.textContent = steering.said[id];
  });
  return html("div", {class: "controls"}, send, said);
}
function controlSection(study) {
  const s = study.data.summary, counted = s.budget >= 1e12;
  if (!steering.token())
    return section(
        "control", "Steer the study", null,
        html(
            "p", {class: "note", id: "no-token"},
            "Pausing, another budget and configurations to try need the token: open the address that carbo serve printed."));
  const amount = html("input", {
    id: "budget-amount",
    "aria-label": "Budget",
    value: counted ? `${s.max_evaluations} evaluations` : `${Number(s.budget.toPrecision(12))} ${s.cost_unit}`
  });
  const text = html(
      "textarea", {id: "enqueue-text", class: "mono", "aria-label": "Configuration in JSON"},
      s.best ? JSON.stringify(s.best.configuration) : "{}");
  const pause = s.paused ?
      steered("resume", "Go on", "resume", () => "", () => "It goes on.") :
      steered("pause", "Pause", "pause", () => "", () => "Nothing begins any more; what runs ends.");
  const budget = steered(
      "budget-change", "Change the budget", "budget", () => JSON.stringify({budget: amount.value}),
      (now) => `It is ${
          now.budget >= 1e12 ? plural(now.max_evaluations, "evaluation") : number(now.budget, 6) + " " + now.cost_unit}.`);
  budget.prepend(amount);
  return section(
      "control", "Steer the study", "Whoever runs it takes this up at once.", html("div", {class: "card"}, pause, budget),
      html(
          "div", {class: "card", style: "margin-top:16px"}, text,
          steered(
              "enqueue", "Try this next", "enqueue", () => text.value,
              () => "It will be suggested before anything else, and paid for out of the budget.")));
}
