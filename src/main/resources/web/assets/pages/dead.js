import { eachPage, get, isAbort, path, post } from "/assets/api.js";
import { h, replace } from "/assets/dom.js";
import { live } from "/assets/events.js";
import { count } from "/assets/format.js";
import { t } from "/assets/i18n.js";
import { jobLink, topicLink } from "/assets/router.js";
import { mayAct } from "/assets/session.js";
import { busy, button, empty, heading, problemBox, row, skeleton, table, time, toast } from "/assets/ui.js";
import { purge, requeueAll } from "/assets/pages/bulk.js";

const TOPIC_PAGES = 10;
const SHOWN_TOPICS = 30;
const SHOWN_JOBS = 10;

/** Jobs whose attempts are used up, of all topics. */
export function deadPage(main, route, scope) {
  const body = h("div", {}, skeleton(6));
  main.append(heading(t("dead.title"), h("p.sub", {}, t("dead.sub"))), body);

  async function load() {
    try {
      const topics = [];
      await eachPage("/v1/topics", { limit: 500 }, TOPIC_PAGES, (page) => void topics.push(...page.topics.filter((topic) => topic.dead > 0)), scope.signal);
      topics.sort((a, b) => b.dead - a.dead);
      const sections = [];
      for (const topic of topics.slice(0, SHOWN_TOPICS)) {
        const page = await get(path("topics", topic.topic, "jobs"), { state: "dead", limit: SHOWN_JOBS }, scope.signal);
        sections.push(section(topic, page.jobs));
      }
      replace(body, sections.length > 0 ? sections : h("section.card", {}, empty(t("dead.none"), t("dead.none.hint"))));
    } catch (problem) {
      if (!isAbort(problem)) replace(body, problemBox(problem, load));
    }
  }

  function section(topic, jobs) {
    const columns = [
      { label: t("col.id"), class: "id" },
      { label: t("col.attempts") },
      { label: t("col.due"), class: "broad" },
      { label: t("col.error"), class: "error" },
      ...(mayAct() ? [{ label: h("span.sr", {}, t("col.actions")), class: "act" }] : []),
    ];
    const made = table(t("jobs.caption", { state: t("state.dead"), topic: topic.topic }), columns, []);
    made.querySelector("tbody").append(
      ...jobs.map((job) =>
        row(columns, [
          h("a", { href: jobLink(job.topic, job.id) }, h("code", {}, job.id)),
          count(job.attempts),
          time(job.due),
          job.lastError ?? h("span.muted", {}, t("none")),
          ...(mayAct() ? [requeueButton(job)] : []),
        ]),
      ),
    );
    return h(
      "section.card.list",
      {},
      h(
        "div.card-head",
        {},
        h("h2", {}, h("a", { href: topicLink(topic.topic, "dead") }, topic.topic), h("span.count", {}, t("jobs", { n: topic.dead }))),
        mayAct() && h("div.actions", {}, button(t("requeue.all"), () => requeueAll(topic.topic, load), "small"), button(t("purge.all.dead"), () => purge(topic.topic, "dead", load), "small", "danger-text")),
      ),
      made,
      topic.dead > jobs.length && h("div.more", {}, h("a", { href: topicLink(topic.topic, "dead") }, t("dead.more", { n: topic.dead - jobs.length }))),
    );
  }

  function requeueButton(job) {
    const made = button(
      t("requeue"),
      busy(async () => {
        const { requeued } = await post(path("topics", job.topic, "dead", "requeue"), { ids: [job.id] });
        toast(t("requeue.done", { n: requeued }));
        await load();
      }),
      "small",
    );
    made.setAttribute("aria-label", t("requeue.job", { id: job.id }));
    return made;
  }

  const soon = scope.soon(2000, () => {
    if (!body.contains(document.activeElement)) load();
  });
  let seen = null;
  scope.on(live, "sample", ({ detail }) => {
    if (seen !== null && seen !== detail.depth.dead) soon();
    seen = detail.depth.dead;
  });
  load();
}
