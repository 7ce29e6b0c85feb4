import { get, isAbort } from "/assets/api.js";
import { h, replace } from "/assets/dom.js";
import { live } from "/assets/events.js";
import { duration, now, short } from "/assets/format.js";
import { has, t } from "/assets/i18n.js";
import { badge, heading, problemBox, skeleton, time } from "/assets/ui.js";

const AGAIN_MILLIS = 5000;
const KINDS = 6;

/** Which servers there are, what they do, and who scans which bucket. */
export function serversPage(main, route, scope) {
  const body = h("div", {}, skeleton(5));
  main.append(heading(t("servers.title"), h("p.sub", {}, t("servers.sub"))), body);

  async function load() {
    try {
      const { servers } = await get("/v1/servers", {}, scope.signal);
      replace(body, h("section.card", {}, h("h2", {}, t("buckets.title")), h("p.muted", {}, t("buckets.hint")), buckets(servers)), h("div.servers", {}, servers.map(server)));
    } catch (problem) {
      if (!isAbort(problem)) replace(body, problemBox(problem, load));
    }
  }

  let seen = null;
  scope.on(live, "sample", ({ detail }) => {
    if (seen !== null && seen !== detail.servers) load();
    seen = detail.servers;
  });
  scope.every(AGAIN_MILLIS, load);
  load();
}

/** One square a bucket, in the colour of the server that scans it. */
function buckets(servers) {
  const owners = new Map(servers.flatMap((one, i) => one.buckets.map((bucket) => [bucket, i])));
  const all = [...owners.keys()].sort((a, b) => a - b);
  if (all.length === 0) return h("p.problem-title", {}, t("buckets.none"));
  return h(
    "ul.buckets",
    {},
    all.map((bucket) => {
      const label = t("buckets.owner", { bucket, server: short(servers[owners.get(bucket)].id) });
      return h("li", { class: `k${owners.get(bucket) % KINDS}`, title: label }, h("span", { "aria-hidden": "true" }, bucket), h("span.sr", {}, label));
    }),
  );
}

function server(one, i) {
  return h(
    "section.card.server",
    {},
    h("div.card-head", {}, h("h2", {}, h("span.key", { class: `k${i % KINDS}`, "aria-hidden": "true" }), h("code", { title: one.id }, short(one.id))), h("span.muted", {}, t("servers.version", { version: one.version }))),
    h("p.address", {}, one.address),
    h("div.badges", {}, one.roles.map((role) => badge(has(`role.${role}`) ? t(`role.${role}`) : role))),
    h(
      "dl.facts.narrow",
      {},
      h("dt", {}, t("servers.up")),
      h("dd", {}, duration(now() - one.started)),
      h("dt", {}, t("servers.seen")),
      h("dd", {}, time(one.lastSeen)),
      h("dt", {}, t("servers.buckets")),
      h("dd", {}, one.buckets.length > 0 ? one.buckets.join(", ") : t("none")),
    ),
  );
}
