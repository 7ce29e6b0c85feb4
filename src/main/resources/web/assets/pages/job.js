import { isAbort, patch, path, post, remove, getText } from "/assets/api.js";
import { h, replace } from "/assets/dom.js";
import { live } from "/assets/events.js";
import { absolute, count, duration, now } from "/assets/format.js";
import { has, t } from "/assets/i18n.js";
import { icon } from "/assets/icons.js";
import { member, pretty } from "/assets/json.js";
import { topicLink } from "/assets/router.js";
import { mayAct, session } from "/assets/session.js";
import { badge, busy, button, card, copyButton, dialog, empty, field, heading, problemBox, skeleton, stateBadge, time, toast } from "/assets/ui.js";

const RECENT_MILLIS = 2000;
const POLL_MILLIS = 10000;

/** One job: what became of it so far, what it carries, and what can be done with it. */
export function jobPage(main, { params: { topic, id } }, scope) {
  const url = path("topics", topic, "jobs", id);
  const body = h("div", {}, skeleton(8));
  const badges = h("span.badges");
  const actions = h("div.actions");
  let raw = null;
  main.append(
    h("nav.crumbs", { "aria-label": t("crumbs") }, h("a", { href: topicLink(topic) }, icon("back"), topic)),
    heading(h("div.title-line", {}, h("h1.mono", {}, id), badges), h("p.sub", {}, t("job.sub", { topic })), actions),
    body,
  );

  async function load() {
    try {
      const text = await getText(url, scope.signal);
      if (text !== raw) render(text);
      raw = text;
    } catch (problem) {
      if (isAbort(problem)) return;
      if (problem.name === "job-not-found") {
        raw = null;
        replace(badges, badge(t("job.gone"), "done"));
        replace(actions);
        replace(body, h("section.card", {}, empty(t("job.none"), t("job.none.hint"), h("a.button", { href: topicLink(topic) }, t("job.none.back")))));
      } else if (raw === null) {
        replace(body, problemBox(problem, load));
      }
    }
  }

  function render(text) {
    const job = JSON.parse(text);
    const carried = member(text, "body") ?? "null";
    replace(badges, stateBadge(job.state), job.priority !== "normal" && badge(t(`priority.${job.priority}`)));
    const focused = [...actions.children].indexOf(document.activeElement);
    replace(actions, mayAct() && steps(job), copyButton(() => curl(job, carried), t("copy.done")));
    if (focused >= 0) actions.children[focused]?.focus();
    replace(
      body,
      h(
        "div.job",
        {},
        h("div.job-main", {}, card(t("job.timeline"), timeline(job)), card(t("job.body"), h("pre.code", { tabindex: "0", "aria-label": t("job.body") }, pretty(carried)))),
        card(t("job.facts"), facts(job)),
      ),
    );
  }

  function steps(job) {
    const movable = ["delayed", "ready", "dead"].includes(job.state);
    return [
      job.state === "dead" && button(t("job.requeue"), busy(requeue), "primary"),
      job.state === "delayed" && button(t("job.run"), busy(run), "primary"),
      movable && button(t("job.move"), move),
      button(t(job.state === "done" ? "job.delete" : "job.cancel"), () => cancel(job), "danger-text"),
    ];
  }

  async function run() {
    await patch(url, { delay: 0 });
    toast(t("job.run.done"));
    await load();
  }

  async function requeue() {
    const { requeued } = await post(path("topics", topic, "dead", "requeue"), { ids: [id] });
    toast(t("requeue.done", { n: requeued }));
    await load();
  }

  function move() {
    const delay = h("input", { type: "text", value: "15m", autocomplete: "off", spellcheck: "false" });
    const at = h("input", { type: "datetime-local", step: "1" });
    dialog({
      title: t("job.move.title"),
      confirm: t("job.move"),
      body: [field(t("job.move.delay"), delay, t("delay.hint")), field(t("job.move.at"), at, t("job.move.at.hint"))],
      submit: async () => {
        const job = await patch(url, at.value === "" ? { delay: delay.value.trim() } : { at: new Date(at.value).getTime() });
        toast(t("job.move.done", { time: absolute(job.due) }));
        load();
      },
    });
  }

  function cancel(job) {
    dialog({
      title: t(job.state === "done" ? "job.delete.title" : "job.cancel.title"),
      body: h("p", {}, t(job.state === "reserved" ? "job.cancel.reserved" : "job.cancel.says")),
      confirm: t(job.state === "done" ? "job.delete" : "job.cancel"),
      danger: true,
      submit: async () => {
        await remove(url);
        toast(t("job.cancel.done"));
        load();
      },
    });
  }

  const soon = scope.soon(RECENT_MILLIS / 4, load);
  scope.on(live, "topics", ({ detail }) => detail.some((one) => one.topic === topic) && soon());
  // a job can change while its topic's counts stay as they are
  scope.every(POLL_MILLIS, load);
  load();
}

function facts(job) {
  const shown = [
    ["due", [h("span", {}, absolute(job.due)), h("span.muted", {}, time(job.due))]],
    ["created", job.created && [h("span", {}, absolute(job.created)), h("span.muted", {}, time(job.created))]],
    ["deadline", job.deadline && [h("span", {}, absolute(job.deadline)), h("span.muted", {}, time(job.deadline))]],
    ["attempts", t("attempts.of", { n: count(job.attempts), max: job.retry.maxAttempts === 0 ? t("unlimited") : count(job.retry.maxAttempts) })],
    ["backoff", backoff(job.retry.backoff)],
    ["ttr", duration(job.ttr)],
    ["ttl", job.ttl !== undefined && duration(job.ttl)],
    ["priority", t(`priority.${job.priority}`)],
    ["group", job.group],
    ["callback", job.callback && [h("span", {}, job.callback.method), h("span.url", {}, job.callback.url)]],
  ];
  return h("dl.facts.narrow", {}, shown.filter(([, value]) => value).map(([name, value]) => [h("dt", {}, t(`fact.${name}`)), h("dd", {}, value)]));
}

function backoff(spec) {
  if (Array.isArray(spec)) return spec.map(duration).join(" · ");
  return t("backoff.growing", { base: duration(spec.base), factor: count(spec.factor), max: duration(spec.max) });
}

/** From the push through every attempt that is still known to where it stands now. */
function timeline(job) {
  const log = job.log ?? [];
  const before = log.length > 0 ? log[0].attempt - 1 : 0;
  return h(
    "ol.timeline",
    {},
    job.created && entry("plain", t("line.pushed"), job.created),
    before > 0 && entry("plain", t("line.earlier", { n: before })),
    log.map((attempt) =>
      entry(
        attempt.outcome === "acked" ? "good" : "bad",
        t("line.attempt", { n: count(attempt.attempt), outcome: has(`outcome.${attempt.outcome}`) ? t(`outcome.${attempt.outcome}`) : attempt.outcome }),
        attempt.start,
        h("p.muted", {}, t("line.took", { time: duration(attempt.end - attempt.start) }), attempt.by && [" · ", h("span.by", {}, attempt.by)]),
        attempt.error && h("p.error-text", {}, attempt.error),
        attempt.answer !== undefined && h("pre.small", {}, typeof attempt.answer === "string" ? attempt.answer : JSON.stringify(attempt.answer, null, 2)),
      ),
    ),
    present(job),
  );
}

function present(job) {
  if (job.state === "reserved") return entry("now", t("line.reserved", { n: count(job.attempts) }), null, h("p.muted", {}, t("line.until"), " ", time(job.deadline)));
  if (job.state === "dead") return entry("bad", t("line.dead"), null, job.lastError && job.lastError !== job.log?.at(-1)?.error && h("p.error-text", {}, job.lastError));
  if (job.state === "done") return entry("good", t("line.done"));
  return entry("now", t(job.due > now() ? "line.waits" : "line.ready"), job.due);
}

function entry(kind, title, at, ...more) {
  return h("li", { class: `is-${kind}` }, h("p.line-title", {}, h("span", {}, title), at && h("span.line-time", {}, time(at))), more);
}

/** A command that pushes the same job, for a shell. */
function curl(job, body) {
  const own = { id: job.id };
  if (job.due > now()) own.at = job.due;
  for (const name of ["priority", "ttl", "group", "callback"]) if (job[name] !== undefined && job[name] !== "normal") own[name] = job[name];
  const json = `${JSON.stringify(own).slice(0, -1)},"body":${body}}`;
  const quoted = `'${json.replaceAll("'", "'\\''")}'`;
  const token = session.login ? `-H "Authorization: Bearer $DELAYQ_TOKEN" ` : "";
  return `curl -w '\\n' ${token}--json ${quoted} ${location.origin}${path("topics", job.topic, "jobs")}`;
}
