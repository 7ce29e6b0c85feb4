import { eachPage, get, path, post, remove } from "/assets/api.js";
import { h, replace } from "/assets/dom.js";
import { t } from "/assets/i18n.js";
import { go } from "/assets/router.js";
import { button, confirmMany, dialog, field, problemBox, toast } from "/assets/ui.js";

const PAGE = 500;
const PAGES = 20;

/** What can be done to many jobs at once; each is asked about first, with the count. */
export function bulkActions(topic, state, info, done) {
  const entries = [
    state === "dead" && [t("requeue.all"), () => requeueAll(topic, done)],
    [t(`purge.all.${state}`), () => purge(topic, state, done), true],
    ["delayed", "ready", "reserved"].includes(state) && [t("group.delete"), () => deleteGroup(topic, done), true],
    [t("topic.delete"), () => deleteTopic(topic), true],
  ].filter(Boolean);
  const menu = h(
    "details.menu",
    { onkeydown: (event) => event.key === "Escape" && close() },
    h("summary", {}, t("bulk.title")),
    h(
      "div.menu-list",
      {},
      entries.map(([text, action, danger]) =>
        button(
          text,
          () => {
            close();
            action();
          },
          danger ? "danger-text" : "plain-text",
        ),
      ),
    ),
  );
  menu.addEventListener("focusout", (event) => menu.contains(event.relatedTarget) || event.relatedTarget === null || close());
  function close() {
    menu.open = false;
  }
  return menu;
}

/** Makes all dead jobs of a topic ready again. */
export function requeueAll(topic, done) {
  confirmMany({
    title: t("requeue.title", { topic }),
    count: () => counted(topic, "dead"),
    says: () => t("requeue.says"),
    confirm: t("requeue.all"),
    run: async () => {
      const { requeued } = await post(path("topics", topic, "dead", "requeue"), {});
      toast(t("requeue.done", { n: requeued }));
      done();
    },
  });
}

/** Deletes all jobs of one state. */
export function purge(topic, state, done) {
  confirmMany({
    title: t("purge.title", { state: t(`state.${state}`).toLowerCase(), topic }),
    count: () => counted(topic, state),
    says: () => t("purge.says"),
    note: state === "reserved" ? t("purge.reserved") : t("purge.note"),
    confirm: t("delete.these"),
    danger: true,
    run: async () => {
      const { deleted } = await remove(`${path("topics", topic, "jobs")}?state=${state}`);
      toast(t("purge.done", { n: deleted }));
      done();
    },
  });
}

async function counted(topic, state) {
  return { n: (await get(path("topics", topic)))[state] };
}

function deleteGroup(topic, done) {
  const name = h("input", { type: "text", required: true, autocomplete: "off", spellcheck: "false" });
  dialog({
    title: t("group.title", { topic }),
    body: field(t("col.group"), name, t("group.hint")),
    confirm: t("group.count"),
    submit: async () => {
      const group = name.value;
      confirmMany({
        title: t("group.title.of", { group, topic }),
        count: () => countedGroup(topic, group),
        says: () => t("group.says"),
        note: t("purge.reserved"),
        confirm: t("delete.these"),
        danger: true,
        run: async () => {
          const { deleted } = await remove(path("topics", topic, "groups", group));
          toast(t("purge.done", { n: deleted }));
          done();
        },
      });
    },
  });
}

/** There is no call that counts a group: its jobs are looked for in the lists, in so many pages at most. */
async function countedGroup(topic, group) {
  let n = 0;
  let all = true;
  for (const state of ["delayed", "ready", "reserved"]) {
    const whole = await eachPage(path("topics", topic, "jobs"), { state, limit: PAGE }, PAGES, ({ jobs }) => {
      n += jobs.filter((job) => job.group === group).length;
    });
    all = all && whole;
  }
  return { n, atLeast: !all };
}

/** Deletes a topic whole; its name is to be typed, as nothing brings it back. */
function deleteTopic(topic) {
  const says = h("div", { "aria-live": "polite" }, h("p.muted", {}, t("counting")));
  const name = h("input", { type: "text", required: true, autocomplete: "off", spellcheck: "false", oninput: check });
  const { ok } = dialog({
    title: t("topic.delete.title", { topic }),
    body: [says, field(t("topic.delete.type", { topic }), name)],
    confirm: t("topic.delete"),
    danger: true,
    disabled: true,
    submit: async () => {
      const { deleted } = await remove(path("topics", topic));
      toast(t("topic.deleted", { n: deleted, topic }));
      go("#/topics");
    },
  });
  function check() {
    ok.disabled = name.value !== topic;
  }
  get(path("topics", topic))
    .then((info) => {
      const n = info.delayed + info.ready + info.reserved + info.dead + info.done;
      replace(says, h("p.big-number", {}, t("jobs", { n })), h("p", {}, t("topic.delete.says")));
    })
    .catch((problem) => replace(says, problemBox(problem)));
}
