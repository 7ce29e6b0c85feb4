import { get, isAbort, path, post } from "/assets/api.js";
import { h, replace } from "/assets/dom.js";
import { live } from "/assets/events.js";
import { count, rate } from "/assets/format.js";
import { t } from "/assets/i18n.js";
import { icon } from "/assets/icons.js";
import { topicLink } from "/assets/router.js";
import { mayAct } from "/assets/session.js";
import { badge, busy, button, empty, field, heading, problemBox, row, skeleton, table, toast } from "/assets/ui.js";
import { pushDialog } from "/assets/pages/push.js";

const PAGE = 100;

/** All topics: how much each holds, how fast it goes, and whether it is paused. */
export function topicsPage(main, route, scope) {
  const known = new Map();
  const rows = new Map();
  let cursor;
  let prefix = "";
  const input = h("input", { type: "search", autocomplete: "off", spellcheck: "false", placeholder: t("topics.search.hint") });
  const search = h("div.search", {}, icon("search"), field(t("topics.search"), input));
  const body = h("div", {}, skeleton(6));
  const columns = [
    { label: t("col.topic") },
    { label: t("state.delayed"), class: "num" },
    { label: t("state.ready"), class: "num" },
    { label: t("state.reserved"), class: "num" },
    { label: t("state.dead"), class: "num" },
    { label: t("state.done"), class: "num" },
    { label: t("col.pushed"), class: "num" },
    { label: t("col.delivered"), class: "num" },
    { label: t("col.subscribers"), class: "num" },
    ...(mayAct() ? [{ label: h("span.sr", {}, t("col.actions")), class: "act" }] : []),
  ];
  main.append(heading(t("topics.title"), h("p.sub", {}, t("topics.sub")), mayAct() && button(t("push.button"), () => pushDialog(null), "primary")), search, body);

  function cells(topic) {
    const at = (state) => h("a.plain", { href: topicLink(topic.topic, state), class: state === "dead" && topic.dead > 0 && "bad" }, count(topic[state]));
    return [
      [h("a", { href: topicLink(topic.topic) }, topic.topic), topic.paused && badge(t("paused"), "paused")],
      at("delayed"),
      at("ready"),
      at("reserved"),
      at("dead"),
      at("done"),
      rate(live.rateOf(topic, "pushed")),
      rate(live.rateOf(topic, "delivered")),
      count(topic.subscribers),
      ...(mayAct() ? [pauseButton(topic)] : []),
    ];
  }

  function pauseButton(topic) {
    const label = t(topic.paused ? "resume" : "pause");
    const made = button(label, busy(() => setPaused(topic.topic, !topic.paused)), "small");
    made.setAttribute("aria-label", t(topic.paused ? "resume.topic" : "pause.topic", { topic: topic.topic }));
    return made;
  }

  async function setPaused(name, paused) {
    await post(path("topics", name, paused ? "pause" : "resume"));
    toast(t(paused ? "paused.done" : "resumed.done", { topic: name }));
    update({ ...known.get(name), paused });
  }

  /** One row; the focus in it stays where it was. */
  function update(topic) {
    known.set(topic.topic, topic);
    const made = row(columns, cells(topic));
    const old = rows.get(topic.topic);
    rows.set(topic.topic, made);
    if (!old) return false;
    const focused = [...old.querySelectorAll("a, button")].indexOf(document.activeElement);
    old.replaceWith(made);
    if (focused >= 0) made.querySelectorAll("a, button")[focused]?.focus();
    return true;
  }

  function render() {
    if (known.size === 0) {
      replace(body, prefix ? empty(t("topics.none.prefix"), t("topics.none.prefix.hint")) : empty(t("topics.none"), t("topics.none.hint"), h("a.button", { href: "#/" }, t("topics.none.demo"))));
      return;
    }
    const made = table(t("topics.title"), columns, []);
    const sorted = [...known.keys()].sort();
    rows.clear();
    sorted.forEach((name) => update(known.get(name)));
    made.querySelector("tbody").append(...sorted.map((name) => rows.get(name)));
    replace(body, h("section.card.list", {}, made), cursor && h("div.more", {}, button(t("more"), busy(() => load(true)))));
  }

  async function load(further) {
    try {
      const page = await get("/v1/topics", { prefix, limit: PAGE, cursor: further ? cursor : undefined }, scope.signal);
      if (!further) known.clear();
      cursor = page.cursor;
      for (const topic of page.topics) known.set(topic.topic, { ...topic, rates: live.topics.get(topic.topic)?.rates });
      render();
    } catch (problem) {
      if (!isAbort(problem)) replace(body, problemBox(problem, () => load(false)));
    }
  }

  const loadSoon = scope.soon(250, () => load(false));
  input.addEventListener("input", () => {
    prefix = input.value.trim();
    loadSoon();
  });
  scope.on(live, "topics", ({ detail }) => {
    let isNew = false;
    for (const topic of detail) {
      if (known.has(topic.topic)) update({ ...known.get(topic.topic), ...topic });
      else if (topic.topic.startsWith(prefix) && !cursor) isNew = true;
    }
    if (isNew) loadSoon();
  });
  scope.on(live, "change", ({ detail }) => {
    const topic = known.get(detail.topic);
    if (detail.kind === "deleted") loadSoon();
    else if (topic && (detail.kind === "paused" || detail.kind === "resumed")) update({ ...topic, paused: detail.kind === "paused" });
  });
  scope.on(live, "status", () => live.redis && live.reached && body.querySelector(".problem") && load(false));
  load(false);
}
