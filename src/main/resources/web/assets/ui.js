import { h, replace, setText } from "/assets/dom.js";
import { absolute, relative } from "/assets/format.js";
import { icon } from "/assets/icons.js";
import { t } from "/assets/i18n.js";

/** The heading of a page. */
export function heading(title, sub, ...actions) {
  return h("header.page-head", {}, h("div.page-title", {}, title instanceof Node ? title : h("h1", {}, title), sub), h("div.actions", {}, actions));
}

export function card(title, ...children) {
  return h("section.card", {}, title && h("h2", {}, title), children);
}

export function button(text, onclick, ...classes) {
  return h("button", { type: "button", onclick, class: classes }, text);
}

export function badge(text, kind) {
  return h("span.badge", { class: kind && `is-${kind}` }, text);
}

export function stateBadge(state) {
  return badge(t(`state.${state}`), state);
}

/** Grey bars in the shape of what is to come. */
export function skeleton(lines = 4) {
  return h("div.skeleton", { role: "status", "aria-label": t("loading") }, Array.from({ length: lines }, () => h("span.bar", { "aria-hidden": "true" })));
}

export function empty(title, hint, ...actions) {
  return h("div.empty", {}, h("p.empty-title", {}, title), hint && h("p", {}, hint), actions.length > 0 && h("div.actions", {}, actions));
}

/** A failure: what it was, what to do, and a way to try again. */
export function problemBox(problem, retry) {
  return h(
    "div.problem",
    { role: "alert" },
    icon("warn"),
    h(
      "div",
      {},
      h("p.problem-title", {}, problem.title ?? t("problem.title.any")),
      problem.detail && h("p", {}, problem.detail),
      // a single fault is told in the detail already
      (problem.errors?.length > 1 || problem.errors?.[0]?.pointer) &&
        h("ul", {}, problem.errors.map((fault) => h("li", {}, h("code", {}, fault.pointer || "/"), h("span", {}, fault.detail)))),
      problem.advice && h("p.advice", {}, problem.advice),
      retry && button(t("retry"), retry),
    ),
  );
}

/** A time as people say it, with the exact one on hover and for assistive technology. */
export function time(millis) {
  return h("time", { datetime: new Date(millis).toISOString(), title: absolute(millis), "data-at": millis }, relative(millis));
}

/** Times on the page tell the truth as they pass. */
export function tick(root) {
  for (const element of root.querySelectorAll("time[data-at]")) setText(element, relative(Number(element.dataset.at)));
}

/** @param columns {label, class} in order; @param rows arrays of cells, the first of which names the row */
export function table(caption, columns, rows) {
  return h(
    "div.table-wrap",
    {},
    h(
      "table",
      {},
      h("caption.sr", {}, caption),
      h("thead", {}, h("tr", {}, columns.map((column) => h("th", { scope: "col", class: column.class }, column.label)))),
      h("tbody", {}, rows.map((cells) => row(columns, cells))),
    ),
  );
}

/** On a phone each row is a card and each cell brings its column's name along. */
export function row(columns, cells) {
  return h(
    "tr",
    {},
    cells.map((cell, i) =>
      i === 0 && !columns[0].plain
        ? h("th", { scope: "row", class: columns[i].class }, cell)
        : h("td", { class: columns[i].class, "data-label": columns[i].name ?? (typeof columns[i].label === "string" ? columns[i].label : "") }, cell),
    ),
  );
}

export function field(label, input, hint) {
  const id = `f${++fields}`;
  input.id = id;
  if (hint) input.setAttribute("aria-describedby", `${id}-hint`);
  return h("div.field", {}, h("label", { for: id }, label), input, hint && h("p.hint", { id: `${id}-hint` }, hint));
}
let fields = 0;

/**
 * Choices of which one holds.
 *
 * @returns {element, mark(value)}
 */
export function segmented(label, options, chosen, onchange) {
  const mark = (wanted) => options.forEach(([value], i) => buttons[i].setAttribute("aria-pressed", String(value === wanted)));
  const choose = (value) => {
    mark(value);
    onchange(value);
  };
  const buttons = options.map(([value, text]) => h("button", { type: "button", onclick: () => choose(value) }, text));
  mark(chosen);
  return { element: h("div.segmented", { role: "group", "aria-label": label }, buttons), mark };
}

export function copyButton(text, copied) {
  return h(
    "button.with-icon",
    {
      type: "button",
      onclick: async () => {
        await copy(text());
        toast(copied);
      },
    },
    icon("copy"),
    t("copy.curl"),
  );
}

/** The clipboard is there only under TLS or on this machine; elsewhere the old way. */
async function copy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = h("textarea.sr", { value: text, "aria-hidden": "true" });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** Says in passing what was done. */
export function toast(text, kind) {
  const box = document.querySelector(".toasts");
  const line = h("p.toast", { class: kind && `is-${kind}` }, text);
  box.append(line);
  setTimeout(() => line.remove(), 6000);
}

/** Says a failure in passing, with what to do. */
export function toastProblem(problem) {
  toast([problem.detail ?? problem.title ?? t("problem.title.any"), problem.advice].filter(Boolean).join(" "), "bad");
}

/** Disables what was pressed until `action` is over, and tells its failure. */
export function busy(action) {
  return async (event) => {
    const pressed = event.currentTarget;
    pressed.disabled = true;
    try {
      await action(event);
    } catch (problem) {
      toastProblem(problem);
    } finally {
      pressed.disabled = false;
    }
  };
}

/** A modal with a form; `submit` may fail with a problem, which is then shown in it. */
export function dialog({ title, body, confirm, danger, submit, disabled }) {
  const problem = h("div.dialog-problem");
  const ok = h("button", { type: "submit", class: danger ? "danger" : "primary", disabled }, confirm);
  const element = h(
    "dialog",
    { "aria-labelledby": "dialog-title" },
    h(
      "form",
      {
        method: "dialog",
        onsubmit: async (event) => {
          event.preventDefault();
          ok.disabled = true;
          replace(problem);
          try {
            await submit();
            element.close();
          } catch (error) {
            replace(problem, problemBox(error));
            ok.disabled = false;
          }
        },
      },
      h("h2", { id: "dialog-title" }, title),
      h("div.dialog-body", {}, body),
      problem,
      h("div.dialog-actions", {}, button(t("cancel"), () => element.close()), ok),
    ),
  );
  element.addEventListener("close", () => element.remove());
  document.body.append(element);
  element.showModal();
  return { element, ok };
}

/**
 * Asks before many jobs are changed: how many they are, counted just now, and what will become of them.
 *
 * @param count a promise of {n, atLeast}
 * @param says the text for a count
 */
export function confirmMany({ title, count, says, note, confirm, danger, run }) {
  const body = h("div", { "aria-live": "polite" }, h("p.muted", {}, t("counting")));
  const { ok } = dialog({ title, body, confirm, danger, disabled: true, submit: run });
  count()
    .then((found) => {
      replace(
        body,
        h("p.big-number", {}, t(found.atLeast ? "atLeast" : "jobs", { n: found.n })),
        h("p", {}, says(found)),
        note && h("p.muted", {}, note),
      );
      ok.disabled = found.n === 0 && !found.atLeast;
    })
    .catch((problem) => replace(body, problemBox(problem)));
}
