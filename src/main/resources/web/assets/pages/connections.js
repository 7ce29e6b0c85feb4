import { get, isAbort } from "/assets/api.js";
import { h, replace } from "/assets/dom.js";
import { count, duration, short } from "/assets/format.js";
import { t } from "/assets/i18n.js";
import { topicLink } from "/assets/router.js";
import { empty, heading, problemBox, row, skeleton, table, time } from "/assets/ui.js";

const AGAIN_MILLIS = 5000;
const LAGGING_MILLIS = 1000;

/** Who is connected to the server asked, what they subscribed to, and how far behind they are. */
export function connectionsPage(main, route, scope) {
  const body = h("div", {}, skeleton(5));
  main.append(heading(t("connections.title"), h("p.sub", {}, t("connections.sub"))), body);
  const columns = [
    { label: t("col.client") },
    { label: t("col.since"), class: "broad" },
    { label: t("col.subscriptions"), class: "wide" },
    { label: t("col.unsettled"), class: "num" },
    { label: t("col.lag"), class: "num" },
  ];

  async function load() {
    try {
      const { connections, more } = await get("/v1/connections", {}, scope.signal);
      const made = table(t("connections.title"), columns, []);
      made.querySelector("tbody").append(...connections.map((one) => row(columns, cells(one))));
      replace(
        body,
        connections.length === 0 ? h("section.card", {}, empty(t("connections.none"), t("connections.none.hint"))) : h("section.card.list", {}, made),
        more && h("p.muted.more", {}, t("connections.more", { n: connections.length })),
      );
    } catch (problem) {
      if (isAbort(problem)) return;
      if (problem.status === 404) replace(body, h("section.card", {}, empty(t("connections.unknown"))));
      else replace(body, problemBox(problem, load));
    }
  }

  function cells(one) {
    return [
      h("span.client", {}, h("code", {}, one.by ?? one.address), one.by && one.by !== one.address && h("span.muted", {}, one.address), one.server && h("span.muted", {}, t("connections.server", { id: short(one.server) }))),
      time(one.since),
      one.subscriptions.length === 0
        ? h("span.muted", {}, t("connections.nothing"))
        : h("ul.subs", {}, one.subscriptions.map((sub) => h("li", {}, h("a", { href: topicLink(sub.topic) }, sub.topic), h("span.muted", {}, t("connections.sub.of", { n: count(sub.unsettled), prefetch: count(sub.prefetch) }))))),
      count(one.unsettled),
      h("span", { class: one.lag >= LAGGING_MILLIS ? "bad" : one.lag > 0 ? null : "muted" }, one.lag > 0 ? duration(one.lag) : t("connections.nolag")),
    ];
  }

  scope.every(AGAIN_MILLIS, () => body.contains(document.activeElement) || load());
  load();
}
