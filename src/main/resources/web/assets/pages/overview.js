import { get } from "/assets/api.js";
import { timeChart } from "/assets/charts.js";
import { Demo } from "/assets/demo.js";
import { h, replace, setText } from "/assets/dom.js";
import { live } from "/assets/events.js";
import { compact, count, duration, rate } from "/assets/format.js";
import { t } from "/assets/i18n.js";
import { topicLink } from "/assets/router.js";
import { mayAct } from "/assets/session.js";
import { recall, remember } from "/assets/store.js";
import { badge, heading, row, segmented, skeleton, table } from "/assets/ui.js";

const HOUR = 3600000;
const MINUTES = 300000;
const STATES = ["delayed", "ready", "reserved", "dead"];
const BUSIEST = 6;

/** How it goes, over all servers, now and for the last hour. */
export function overviewPage(main, route, scope) {
  const sub = h("p.sub");
  let chosen = Number(recall("span"));
  const choice = segmented(t("span.label"), [[MINUTES, t("span.minutes")], [HOUR, t("span.hour")]], null, (wanted) => {
    chosen = wanted;
    remember("span", String(wanted));
    draw();
  });
  /** As chosen; else the hour, unless nearly all of it would be empty. */
  const span = () => {
    if (chosen === MINUTES || chosen === HOUR) return chosen;
    return (live.points.at(-1)?.at ?? 0) - (live.points[0]?.at ?? 0) < 3 * MINUTES ? MINUTES : HOUR;
  };
  const tiles = STATES.map((state) => tile(state));
  const charts = makeCharts();
  const welcome = h("div");
  const busiest = h("div");
  main.append(
    heading(t("overview.title"), sub, choice.element),
    welcome,
    h("ul.tiles", {}, tiles.map((one) => one.element)),
    h("div.charts", {}, charts.map((chart) => chart.element)),
    busiest,
  );

  const demo = mayAct() ? new Demo(scope) : null;
  let known = null;

  function draw() {
    const sample = live.latest ?? live.points.at(-1);
    for (const one of tiles) one.draw(sample);
    setText(sub, sample?.servers ? t("overview.sub", { n: sample.servers }) : t("overview.sub.plain"));
    const width = span();
    choice.mark(width);
    const points = width === MINUTES ? live.recent() : live.points;
    const to = (points.at(-1)?.at ?? Date.now()) + width / 120;
    if (!document.hidden) charts.forEach((chart) => chart.draw(points, to - width, to, sample));
  }

  function list() {
    if (known === null) return;
    const topics = [...known.values()].sort(byWork).slice(0, BUSIEST);
    const isEmpty = [...known.keys()].every((topic) => topic === "demo");
    if (demo && (isEmpty || demo.running) && !demo.element.isConnected) replace(welcome, demo.element);
    replace(busiest, topics.length > 0 && topicsCard(topics));
  }

  async function load() {
    try {
      const { topics } = await get("/v1/topics", { limit: 500 }, scope.signal);
      known = new Map(topics.map((topic) => [topic.topic, { ...topic, rates: live.topics.get(topic.topic)?.rates }]));
      list();
    } catch (problem) {
      if (!scope.over) replace(busiest);
    }
  }

  const listSoon = scope.soon(1000, list);
  replace(busiest, skeleton(3));
  scope.on(live, "sample", draw);
  scope.on(live, "history", draw);
  scope.on(live, "topics", ({ detail }) => {
    for (const topic of detail) known?.set(topic.topic, { ...known.get(topic.topic), ...topic });
    listSoon();
  });
  scope.on(live, "change", ({ detail }) => {
    if (detail.kind === "deleted") known?.delete(detail.topic);
    listSoon();
  });
  scope.on(live, "status", () => live.redis && live.reached && known === null && load());
  draw();
  load();
}

function byWork(a, b) {
  const work = (topic) => (topic.rates ? topic.rates.pushed + topic.rates.delivered : 0);
  const depth = (topic) => topic.delayed + topic.ready + topic.reserved;
  return work(b) - work(a) || depth(b) - depth(a) || a.topic.localeCompare(b.topic);
}

function tile(state) {
  const value = h("span.tile-value", {}, t("none"));
  const element = h(
    "li.tile",
    { class: `is-${state}` },
    h("a", { href: state === "dead" ? "#/dead" : "#/topics" }, h("span.tile-name", {}, t(`state.${state}`)), value, h("span.tile-hint", {}, t(`state.${state}.hint`))),
  );
  return {
    element,
    draw(sample) {
      const n = sample?.depth?.[state];
      setText(value, n === undefined ? t("none") : compact(n));
      value.title = n === undefined ? "" : count(n);
      element.classList.toggle("is-some", n > 0);
    },
  };
}

function makeCharts() {
  const rates = (...names) => names.map((name, i) => ({ label: t(`rate.${name}`), class: `c${i + 1}`, of: (point) => point.rates?.[name] ?? null }));
  return [
    timeChart({ title: t("chart.throughput"), series: rates("delivered", "pushed", "acked"), format: rate, least: 1 }),
    timeChart({
      title: t("chart.lateness"),
      series: ["p50", "p99"].map((name, i) => ({ label: t(`lateness.${name}`), class: `c${i + 1}`, of: (point) => point.lateness?.[name] ?? null })),
      format: duration,
      least: 10,
    }),
    timeChart({
      title: t("chart.depth"),
      series: ["delayed", "ready", "reserved"].map((state, i) => ({ label: t(`state.${state}`), class: `d${i + 1}`, of: (point) => point.depth?.[state] ?? null })),
      format: compact,
      stacked: true,
      least: 3,
    }),
    timeChart({ title: t("chart.failures"), series: rates("retried", "dead", "expired").map((one, i) => ({ ...one, class: `f${i + 1}` })), format: rate, least: 1 }),
  ];
}

function topicsCard(topics) {
  const columns = [
    { label: t("col.topic") },
    { label: t("state.delayed"), class: "num" },
    { label: t("state.ready"), class: "num" },
    { label: t("state.reserved"), class: "num" },
    { label: t("state.dead"), class: "num" },
    { label: t("col.delivered"), class: "num" },
  ];
  const made = table(t("overview.busiest"), columns, []);
  made.querySelector("tbody").append(
    ...topics.map((topic) =>
      row(columns, [
        [h("a", { href: topicLink(topic.topic) }, topic.topic), topic.paused && badge(t("paused"), "paused")],
        count(topic.delayed),
        count(topic.ready),
        count(topic.reserved),
        h("span", { class: topic.dead > 0 && "bad" }, count(topic.dead)),
        rate(live.rateOf(topic, "delivered")),
      ]),
    ),
  );
  return h("section.card.list", {}, h("div.card-head", {}, h("h2", {}, t("overview.busiest")), h("a", { href: "#/topics" }, t("overview.all"))), made);
}
