import { path, post } from "/assets/api.js";
import { h } from "/assets/dom.js";
import { t } from "/assets/i18n.js";
import { go, jobLink } from "/assets/router.js";
import { dialog, field, toast } from "/assets/ui.js";

/** Pushes one job by hand. The body goes as it was typed. */
export function pushDialog(topic) {
  const name = h("input", { type: "text", required: true, value: topic ?? "", autocomplete: "off", spellcheck: "false" });
  const id = h("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  const delay = h("input", { type: "text", value: "30s", autocomplete: "off", spellcheck: "false" });
  const body = h("textarea.code", { rows: 5, value: "{}", spellcheck: "false" });
  dialog({
    title: t("push.title"),
    confirm: t("push.confirm"),
    body: [field(t("col.topic"), name), field(t("push.id"), id, t("push.id.hint")), field(t("push.delay"), delay, t("delay.hint")), field(t("push.body"), body, t("push.body.hint"))],
    submit: async () => {
      const job = await post(path("topics", name.value, "jobs"), request(id.value, delay.value, body.value));
      toast(t("push.done", { id: job.id }));
      go(jobLink(job.topic, job.id));
    },
  });
}

function request(id, delay, body) {
  const members = [];
  if (id !== "") members.push(`"id":${JSON.stringify(id)}`);
  if (delay.trim() !== "") members.push(`"delay":${JSON.stringify(delay.trim())}`);
  if (body.trim() !== "") members.push(`"body":${body}`);
  return `{${members.join(",")}}`;
}
