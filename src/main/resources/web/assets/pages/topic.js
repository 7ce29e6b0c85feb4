import { get, isAbort, path, post } from "/assets/api.js";
import { barChart } from "/assets/charts.js";
import { h, replace, setText } from "/assets/dom.js";
import { live } from "/assets/events.js";
import { clockTime, compact, count, dayTime, monthDay, rate } from "/assets/format.js";
import { t } from "/assets/i18n.js";
import { icon } from "/assets/icons.js";
import { mayAct } from "/assets/session.js";
import { badge, busy, button, empty, heading, problemBox, segmented, skeleton, toast } from "/assets/ui.js";
import { jobList } from "/assets/pages/joblist.js";
import { pushDialog } from "/assets/pages/push.js";
import { settingsCard } from "/assets/pages/settings.js";

const STATES = ["delayed", "ready", "reserved", "dead", "done"];
const WINDOWS = {
  hour: { window: "1h", step: "1m", name: clockTime },
  day: { window: "24h", step: "30m", name: dayTime },
  month: { window: "30d", step: "12h", name: monthDay },
};

/** One topic: its jobs by state, what is to come, and its settings. */
export function topicPage(main, { params: { topic }, query }, scope) {
  let info = null;
  const badges = h("span.badges");
  const facts = h("p.sub");
  const pause = button("", busy(togglePause));
  const actions = mayAct() ? [button(t("push.button"), () => pushDialog(topic)), pause] : [];
  const tabs = h("div.tabs", { role: "tablist", "aria-label": t("topic.tabs") });
  const panel = h("div", { role: "tabpanel", id: "panel", tabindex: "0" });
  const body = h("div", {}, skeleton(6));
  pause.hidden = true;
  main.append(
    h("nav.crumbs", { "aria-label": t("crumbs") }, h("a", { href: "#/topics" }, icon("back"), t("topics.title"))),
    heading(h("div.title-line", {}, h("h1", {}, topic), badges), facts, actions),
    body,
  );
  let list = null;
  let chosen = [...STATES, "settings"].includes(query.get("state")) ? query.get("state") : null;

  async function load() {
    try {
      info = await get(path("topics", topic), {}, scope.signal);
      info.rates = live.topics.get(topic)?.rates;
      if (chosen === null) chosen = STATES.find((state) => info[state] > 0) ?? "delayed";
      replace(body, forecastCard(topic, scope), h("section.card.list", {}, tabs, panel));
      makeTabs();
      head();
      choose(chosen);
    } catch (problem) {
      if (isAbort(problem)) return;
      replace(body, problem.name === "topic-not-found" ? empty(t("topic.none"), t("topic.none.hint")) : problemBox(problem, load));
    }
  }

  function head() {
    replace(badges, info.paused && badge(t("paused"), "paused"));
    const [pushed, delivered] = ["pushed", "delivered"].map((name) => live.rateOf(info, name));
    setText(facts, pushed !== null ? t("topic.facts", { n: info.subscribers, pushed: rate(pushed), delivered: rate(delivered) }) : t("topic.subscribers", { n: info.subscribers }));
    setText(pause, t(info.paused ? "resume" : "pause"));
    pause.hidden = false;
    for (const tab of tabs.querySelectorAll("[data-state]")) setText(tab.querySelector(".tab-count"), compact(info[tab.dataset.state]));
  }

  function makeTabs() {
    const tab = (name, text, ...more) =>
      h(
        "button",
        { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel", "data-name": name, onclick: () => choose(name), onkeydown: move },
        h("span", {}, text),
        more,
      );
    replace(
      tabs,
      STATES.map((state) => {
        const made = tab(state, t(`state.${state}`), h("span.tab-count"));
        made.dataset.state = state;
        return made;
      }),
      tab("settings", t("settings.title")),
    );
  }

  function move(event) {
    const all = [...tabs.children];
    const at = all.indexOf(event.currentTarget);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = all[(to + all.length) % all.length];
    next.focus();
    choose(next.dataset.name);
  }

  function choose(name) {
    chosen = name;
    for (const tab of tabs.children) {
      const isOn = tab.dataset.name === name;
      tab.setAttribute("aria-selected", String(isOn));
      tab.tabIndex = isOn ? 0 : -1;
      if (isOn) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    history.replaceState(null, "", `${location.hash.split("?")[0]}?state=${name}`);
    list?.end();
    list = null;
    if (name === "settings") {
      replace(panel, settingsCard(topic, info.settings ?? {}, load));
    } else {
      list = jobList(panel, topic, name, () => info, load);
      scope.atEnd(() => list?.end());
    }
  }

  async function togglePause() {
    const paused = !info.paused;
    await post(path("topics", topic, paused ? "pause" : "resume"));
    info.paused = paused;
    toast(t(paused ? "paused.done" : "resumed.done", { topic }));
    head();
  }

  scope.on(live, "topics", ({ detail }) => {
    const news = detail.find((one) => one.topic === topic);
    if (!news || info === null) return;
    info = { ...info, ...news };
    head();
    list?.changed();
  });
  scope.on(live, "change", ({ detail }) => {
    if (detail.topic !== topic || info === null) return;
    if (detail.kind === "paused" || detail.kind === "resumed") {
      info.paused = detail.kind === "paused";
      head();
    } else if (detail.kind === "deleted" || chosen === "settings") {
      load();
    }
  });
  scope.on(live, "status", () => live.redis && live.reached && info === null && load());
  load();
}

/** When the delayed jobs come due. */
function forecastCard(topic, scope) {
  const plot = h("div.forecast", {}, skeleton(3));
  const total = h("p.muted");
  let chosen = "day";
  async function load() {
    const { window, step, name } = WINDOWS[chosen];
    try {
      const forecast = await get(path("topics", topic, "forecast"), { window, step }, scope.signal);
      const sum = forecast.due.reduce((all, n) => all + n, 0);
      setText(total, t(`forecast.total.${chosen}`, { n: sum }));
      replace(plot, sum > 0 && barChart({ counts: forecast.due, from: forecast.from, step: forecast.step, name, format: count }));
    } catch (problem) {
      if (!isAbort(problem)) replace(plot, problemBox(problem, load));
    }
  }
  const choice = segmented(t("forecast.span"), Object.keys(WINDOWS).map((key) => [key, t(`forecast.${key}`)]), chosen, (wanted) => {
    chosen = wanted;
    load();
  });
  const loadSoon = scope.soon(5000, load);
  scope.on(live, "topics", ({ detail }) => detail.some((one) => one.topic === topic) && loadSoon());
  load();
  return h("section.card", {}, h("div.card-head", {}, h("h2", {}, t("forecast.title")), choice.element), total, plot);
}
