import { h, replace } from "/assets/dom.js";
import { t } from "/assets/i18n.js";
import { logIn } from "/assets/session.js";
import { field, problemBox } from "/assets/ui.js";

/** Asks who is there. @param entered called once it is known */
export function loginPage(main, scope, entered) {
  const user = h("input", { type: "text", name: "user", autocomplete: "username", required: true, autocapitalize: "none", spellcheck: "false" });
  const password = h("input", { type: "password", name: "password", autocomplete: "current-password", required: true });
  const problem = h("div");
  const ok = h("button.primary", { type: "submit" }, t("login.go"));
  async function submit(event) {
    event.preventDefault();
    ok.disabled = true;
    replace(problem);
    try {
      await logIn(user.value, password.value);
      entered();
    } catch (error) {
      replace(problem, problemBox(inWords(error)));
      ok.disabled = false;
      password.select();
    }
  }
  replace(
    main,
    h(
      "form.card.login",
      { onsubmit: submit },
      h("img", { src: "/assets/logo.svg", alt: "", width: "44", height: "44" }),
      h("h1", {}, t("login.title")),
      h("p.muted", {}, t("login.hint")),
      field(t("login.user"), user),
      field(t("login.password"), password),
      problem,
      ok,
    ),
  );
  user.focus();
}

/** The API speaks of tokens; here a password was typed. */
function inWords(error) {
  if (error.status === 401) return { title: t("login.wrong"), detail: t("login.wrong.hint") };
  if (error.status === 429 && error.retryAfter) return { title: error.title, detail: t("login.wait", { n: Number(error.retryAfter) }) };
  return error;
}
