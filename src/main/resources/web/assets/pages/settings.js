import { path, put } from "/assets/api.js";
import { h } from "/assets/dom.js";
import { count, duration } from "/assets/format.js";
import { t } from "/assets/i18n.js";
import { mayAct } from "/assets/session.js";
import { button, dialog, field, toast } from "/assets/ui.js";

const SHORT = 80;
const DURATIONS = ["ttr", "ttl", "keepDone", "keepDead"];
const FIELDS = ["ttr", "retry", "priority", "ttl", "onExpire", "callback", "webhook", "redisList", "keepDone", "keepDead", "maxInFlight", "ratePerSecond"];

/** What holds for a topic's jobs that do not say otherwise. */
export function settingsCard(topic, settings, done) {
  return h(
    "div.settings",
    {},
    h("div.panel-head", {}, h("p.muted", {}, t("settings.hint")), mayAct() && button(t("settings.edit"), () => edit(topic, settings, done))),
    h(
      "dl.facts",
      {},
      FIELDS.map((name) => [h("dt", {}, h("code", {}, name), h("span.muted", {}, t(`settings.${name}`))), h("dd", {}, shown(name, settings[name]))]),
    ),
  );
}

function shown(name, value) {
  if (value === undefined) return h("span.muted", {}, t("settings.default", { value: t(`settings.${name}.default`) }));
  if (DURATIONS.includes(name)) return duration(value);
  if (typeof value === "number") return count(value);
  return typeof value === "string" ? h("code", {}, value) : json(value);
}

function json(value) {
  const line = JSON.stringify(value);
  return line.length <= SHORT ? h("code", {}, line) : h("pre.small", {}, JSON.stringify(value, null, 2));
}

function edit(topic, settings, done) {
  const text = h("textarea.code", { rows: 14, value: JSON.stringify(settings, null, 2), spellcheck: "false" });
  dialog({
    title: t("settings.edit.title", { topic }),
    confirm: t("save"),
    body: [field(t("settings.json"), text, t("settings.json.hint")), settings.webhook && h("p.advice", {}, t("settings.secrets"))],
    submit: async () => {
      await put(path("topics", topic), text.value);
      toast(t("settings.done"));
      done();
    },
  });
}
