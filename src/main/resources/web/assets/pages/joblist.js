import { eachPage, get, isAbort, path, post } from "/assets/api.js";
import { h, replace, setText } from "/assets/dom.js";
import { count } from "/assets/format.js";
import { t } from "/assets/i18n.js";
import { jobLink } from "/assets/router.js";
import { Scope } from "/assets/scope.js";
import { mayAct } from "/assets/session.js";
import { badge, busy, button, empty, field, problemBox, row, skeleton, table, time, toast } from "/assets/ui.js";
import { bulkActions } from "/assets/pages/bulk.js";

const PAGE = 50;
/** The API finds ids by how they begin; bodies are searched here, in so many jobs at most. */
const SEARCH_PAGE = 200;
const SEARCH_PAGES = 25;

/**
 * A topic's jobs of one state, a page at a time.
 *
 * @param info the topic as it is known now
 * @param changedAll called after a bulk action
 */
export function jobList(panel, topic, state, info, changedAll) {
  const scope = new Scope();
  const url = path("topics", topic, "jobs");
  const selected = new Set();
  let jobs = [];
  let cursor;
  let search = null;
  const kind = h("select", {}, ["id", "body"].map((value) => h("option", { value }, t(`search.${value}`))));
  const text = h("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const form = h("form.finder", { role: "search", onsubmit: find }, field(t("search.by"), kind), field(t("search.text"), text), h("button", { type: "submit" }, t("search.go")));
  const body = h("div", {}, skeleton(5));
  const note = h("p.muted.note", { role: "status" });
  const requeue = button(t("requeue.selected"), busy(requeueSelected), "small", "primary");
  requeue.hidden = true;
  replace(panel, h("div.panel-head", {}, form, mayAct() && h("div.actions", {}, requeue, bulkActions(topic, state, info, done))), note, body);

  function done() {
    changedAll();
  }

  async function requeueSelected() {
    const { requeued } = await post(path("topics", topic, "dead", "requeue"), { ids: [...selected] });
    toast(t("requeue.done", { n: requeued }));
    changedAll();
  }

  function find(event) {
    event.preventDefault();
    search = text.value === "" ? null : { kind: kind.value, text: text.value };
    load(false);
  }

  async function load(further) {
    try {
      if (search?.kind === "body") {
        await searchBodies();
      } else {
        const query = { state, limit: PAGE, cursor: further ? cursor : undefined, idPrefix: search?.text };
        const page = await get(url, query, scope.signal);
        jobs = further ? [...jobs, ...page.jobs] : page.jobs;
        cursor = page.cursor;
        setText(note, "");
      }
      render();
    } catch (problem) {
      if (!isAbort(problem)) replace(body, problemBox(problem, () => load(false)));
    }
  }

  async function searchBodies() {
    const wanted = search.text.toLowerCase();
    let looked = 0;
    jobs = [];
    cursor = undefined;
    replace(body, skeleton(5));
    const all = await eachPage(
      url,
      { state, limit: SEARCH_PAGE, body: "true" },
      SEARCH_PAGES,
      (page) => {
        looked += page.jobs.length;
        jobs.push(...page.jobs.filter((job) => JSON.stringify(job.body).toLowerCase().includes(wanted)));
        setText(note, t("search.looked", { n: looked, found: jobs.length }));
        return jobs.length < SEARCH_PAGE;
      },
      scope.signal,
    );
    setText(note, all ? t("search.all", { n: looked, found: jobs.length }) : t("search.some", { n: looked, found: jobs.length }));
  }

  /** Only those that say something about at least one of the jobs. */
  function columns() {
    return [
      ...(picks() ? [{ label: h("span.sr", {}, t("col.select")), class: "pick", plain: true }] : []),
      { label: t("col.id"), class: "id" },
      { label: t(state === "reserved" ? "col.deadline" : "col.due"), class: "broad" },
      { label: t("col.attempts") },
      { label: t("col.priority") },
      ...(some("group") ? [{ label: t("col.group"), class: "broad" }] : []),
      ...(some("lastError") ? [{ label: t("col.error"), class: "error" }] : []),
    ];
  }

  function some(name) {
    return jobs.some((job) => job[name]);
  }

  function picks() {
    return state === "dead" && mayAct();
  }

  function cells(job) {
    const pick = () =>
      h("input", {
        type: "checkbox",
        "aria-label": t("select.job", { id: job.id }),
        checked: selected.has(job.id),
        onchange: (event) => {
          if (event.currentTarget.checked) selected.add(job.id);
          else selected.delete(job.id);
          requeue.hidden = selected.size === 0;
        },
      });
    return [
      ...(picks() ? [pick()] : []),
      h("a", { href: jobLink(job.topic, job.id) }, h("code", {}, job.id)),
      time(state === "reserved" && job.deadline ? job.deadline : job.due),
      t("attempts.of", { n: count(job.attempts), max: job.retry.maxAttempts === 0 ? t("unlimited") : count(job.retry.maxAttempts) }),
      job.priority === "normal" ? h("span.muted", {}, t("priority.normal")) : badge(t(`priority.${job.priority}`)),
      ...(some("group") ? [job.group ?? h("span.muted", {}, t("none"))] : []),
      ...(some("lastError") ? [job.lastError ?? h("span.muted", {}, t("none"))] : []),
    ];
  }

  function render() {
    if (jobs.length === 0 && !cursor) {
      replace(body, search ? empty(t("search.none"), t("search.none.hint")) : empty(t(`jobs.none.${state}`), t(`jobs.none.${state}.hint`)));
      return;
    }
    const made = table(t("jobs.caption", { state: t(`state.${state}`), topic }), columns(), []);
    const shown = columns();
    made.querySelector("tbody").append(...jobs.map((job) => row(shown, cells(job))));
    replace(body, made, cursor && h("div.more", {}, button(t("more"), busy(() => load(true)))));
  }

  const again = scope.soon(2000, () => {
    // not under the hands of someone who reads further, searches or selects
    if (jobs.length <= PAGE && search === null && selected.size === 0 && !body.contains(document.activeElement)) load(false);
  });
  load(false);
  return { changed: again, end: () => scope.end() };
}
