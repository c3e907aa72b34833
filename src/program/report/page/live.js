"use strict";
// Of a page that a server shows: it follows the study, and waits while somebody is looking at something.
const live = {
  wanted: false,
  asking: false,
  last: 0
};
function note(text, beat) {
  const place = byId("live");
  place.hidden = false;
  place.textContent = text;
  place.classList.remove("beat");
  if (beat) requestAnimationFrame(() => place.classList.add("beat"));
}
const isBusy = () => !byId("detail").hidden || chosen.rows !== null ||
    document.querySelector("details[open]") !== null ||
    ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement?.tagName);

async function follow() {
  if (!live.wanted || live.asking || isBusy() || performance.now() - live.last < 2000) return;
  live.asking = true;
  live.wanted = false;
  try {
    const answer = await fetch("data");
    const data = await answer.json();
    if (!answer.ok) throw new Error(data.error);
    const at = scrollY;
    show(data);
    scrollTo({top: at, behavior: "instant"});
    note(`live, as of ${new Date().toLocaleTimeString("sv-SE")}`, true);
  } catch (error) {
    note(`not up to date: ${error.message}`);
  }
  live.last = performance.now();
  live.asking = false;
}
function startLive() {
  const events = new EventSource("events");
  let first = true;
  events.addEventListener("change", () => {
    live.wanted = !first;
    if (first) note("live");
    first = false;
  });
  events.addEventListener("gone", (event) => note(`the study cannot be read: ${JSON.parse(event.data)}`));
  events.addEventListener("error", () => note("connection lost, trying again"));
  setInterval(follow, 500);
}
// Where the server takes changes: a configuration that is to be tried next.
function controlSection(study) {
  const token = new URLSearchParams(location.search).get("token") || "";
  const best = study.data.summary.best;
  const text = html(
      "textarea", {id: "enqueue-text", class: "mono", "aria-label": "Configuration in JSON"},
      best ? JSON.stringify(best.configuration) : "{}");
  const said = html("span", {class: "sub", id: "enqueue-said", role: "status"});
  const send = html("button", {type: "button", id: "enqueue"}, "Try this next");
  send.addEventListener("click", async () => {
    try {
      const answer =
          await fetch("enqueue", {method: "POST", body: text.value, headers: {Authorization: "Bearer " + token}});
      const data = await answer.json();
      said.textContent = answer.ok ? "It will be suggested before anything else." : data.error;
    } catch (error) {
      said.textContent = error.message;
    }
  });
  return section(
      "control", "Try a configuration", "It is suggested before anything else, and paid for out of the budget.",
      html("div", {class: "card"}, text, html("div", {class: "controls"}, send, said)));
}
