"use strict";
function contents(sections) {
  const nav = byId("contents");
  nav.replaceChildren(...sections.map((s) => html("a", {href: "#" + s.id}, s.querySelector("h2").textContent)));
  if (!("IntersectionObserver" in window)) return;
  const watch = new IntersectionObserver((entries) => {
    for (const e of entries)
      if (e.isIntersecting)
        for (const a of nav.children) a.classList.toggle("here", a.getAttribute("href") === "#" + e.target.id);
  }, {rootMargin: "-20% 0px -70% 0px"});
  for (const s of sections) watch.observe(s);
}
function chips(studies) {
  const s = studies[0].data.summary, box = byId("state");
  if (studies.length > 1)
    return box.replaceChildren(
        html("span", {class: "chip"}, plural(studies.length, "study").replace("studys", "studies")));
  box.replaceChildren(
      html(
          "span", {class: "chip " + (s.done ? "off" : s.paused ? "held" : "on")},
          s.done       ? "over" :
              s.paused ? "paused" :
                         "under way"),
      html("span", {class: "chip"}, plural(s.succeeded + s.failed + s.timed_out, "evaluation")),
      html("span", {class: "chip"}, `carbo ${studies[0].data.version}`));
}
function show(data) {
  if (data.kind === "replay") return showReplay(data);
  charts.length = 0;
  chosen.rows = null;
  chosen.watchers = [() => {
    for (const each of charts) each.dim();
  }];
  const studies = data.studies.map(studyOf), study = studies[0];
  openDetail.study = study;
  const sections = (data.kind === "compare" ?
                        comparePage(studies) :
                        [
                          answerSection, bestSection, budgetSection, costSection, alphaSection,
                          (s) => againstSection(s, "cost"), (s) => againstSection(s, "objective"), mattersSection,
                          parallelSection, timelineSection, tableSection, nextSection, stoppingSection
                        ].map((make) => make(study)))
                       .filter(Boolean);
  if (data.control) sections.push(controlSection(study));
  byId("content").replaceChildren(
      ...sections, html("p", {class: "sub"}, `${study.data.file}, as of ${moment(study.data.made)}.`));
  chips(studies);
  contents(sections);
  drawAll();
}
function setTheme(theme) {
  if (theme) document.documentElement.setAttribute("data-theme", theme);
  byId("theme").textContent = isDark() ? "Light" : "Dark";
}
const isDark = () => (document.documentElement.getAttribute("data-theme") ||
                      (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const remembered = {
  get() {
    try {
      return localStorage.getItem("carbo-theme");
    } catch {
      return null;
    }
  },
  set(theme) {
    try {
      localStorage.setItem("carbo-theme", theme);
    } catch { /* a file that may not store anything */
    }
  }
};
byId("theme").addEventListener("click", () => {
  const theme = isDark() ? "light" : "dark";
  remembered.set(theme);
  setTheme(theme);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(null));
setTheme(remembered.get());
let widthNow = innerWidth, later = 0;
addEventListener("resize", () => {
  if (innerWidth === widthNow) return;
  widthNow = innerWidth;
  clearTimeout(later);
  later = setTimeout(drawAll, 120);
});
addEventListener("beforeprint", drawAll);
addEventListener("afterprint", drawAll);
const began = performance.now();
show(page);
document.documentElement.setAttribute("data-drawn", (performance.now() - began).toFixed(0));
if (page.live) startLive();
