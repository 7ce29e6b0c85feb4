import { h, replace, setText } from "/assets/dom.js";
import { live } from "/assets/events.js";
import { lang, setLang, t } from "/assets/i18n.js";
import { icon } from "/assets/icons.js";
import { session, logOut } from "/assets/session.js";
import { recall, remember } from "/assets/store.js";
import { busy } from "/assets/ui.js";

const PAGES = [
  ["overview", "#/"],
  ["topics", "#/topics"],
  ["dead", "#/dead"],
  ["connections", "#/connections"],
  ["servers", "#/servers"],
];
const THEMES = ["auto", "light", "dark"];

/** What stands around every page: the way to the others, the switches, and the banner. */
class Shell {
  main = h("main", { id: "main", tabindex: "-1" });
  #banner = h("div.banner", { role: "alert", hidden: true });
  #side = h("header.side");
  /** Made once: made anew it would blink. */
  #brand = h("div.brand", {}, h("a", { href: "#/" }, h("img", { src: "/assets/logo.svg", alt: "", width: "28", height: "28" }), h("span", {}, "delayq")));
  #skipLink = null;
  #page = null;
  #again = () => {};

  /** @param again shows the page anew, in another language or for someone else */
  build(again) {
    this.#again = again;
    const toasts = h("div.toasts", { role: "status", "aria-live": "polite" });
    const skip = h("a.skip", { href: "#main", onclick: (event) => this.#skip(event) });
    replace(document.body, skip, this.#side, h("div.content", {}, this.#banner, this.main), toasts);
    this.#skipLink = skip;
  }

  full(page) {
    this.#page = page;
    document.body.classList.remove("bare");
    this.#render();
  }

  bare() {
    this.#page = null;
    document.body.classList.add("bare");
    this.#render();
  }

  #render() {
    document.documentElement.lang = lang() === "zh" ? "zh-CN" : "en";
    setText(this.#skipLink, t("skip"));
    const kept = document.activeElement?.dataset?.keep;
    replace(
      this.#side,
      this.#brand,
      this.#page !== null && h("nav", { "aria-label": t("nav.label") }, h("ul", {}, PAGES.map(([name, href]) => this.#entry(name, href)))),
      h("div.switches", {}, this.#dot(), this.#theme(), this.#language(), this.#who()),
    );
    if (kept) this.#side.querySelector(`[data-keep="${kept}"]`)?.focus();
    this.status();
  }

  #entry(name, href) {
    return h("li", {}, h("a", { href, "aria-current": this.#page === name && "page" }, icon(name), h("span", {}, t(`nav.${name}`))));
  }

  #dot() {
    return this.#page !== null && h("p.live", {}, h("span.dot", { "aria-hidden": "true" }), h("span.live-text"));
  }

  #theme() {
    const theme = recall("theme") ?? "auto";
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    const label = t("theme.label", { theme: t(`theme.${theme}`) });
    return h(
      "button.quiet",
      {
        type: "button",
        "data-keep": "theme",
        "aria-label": label,
        title: label,
        onclick: () => {
          remember("theme", next === "auto" ? null : next);
          if (next === "auto") delete document.documentElement.dataset.theme;
          else document.documentElement.dataset.theme = next;
          this.#render();
        },
      },
      icon("theme"),
      h("span.wide", {}, t(`theme.${theme}`)),
    );
  }

  #language() {
    const other = lang() === "en" ? "zh" : "en";
    return h(
      "button.quiet",
      {
        type: "button",
        "data-keep": "lang",
        title: t("lang.switch"),
        lang: other === "zh" ? "zh-CN" : "en",
        onclick: () => {
          setLang(other);
          this.#again();
          this.#side.querySelector('[data-keep="lang"]')?.focus();
        },
      },
      icon("lang"),
      t("lang.other"),
    );
  }

  #who() {
    if (!session.user) return null;
    return h(
      "button.quiet",
      {
        type: "button",
        title: t("logout"),
        onclick: busy(async () => {
          await logOut();
          this.#again();
        }),
      },
      icon("out"),
      h("span.wide", {}, t("who", { user: session.user, role: t(`role.${session.role}`) })),
      h("span.sr", {}, t("logout")),
    );
  }

  #skip(event) {
    event.preventDefault();
    this.main.focus();
  }

  /** The banner says what is wrong now, and goes when it is over. */
  status() {
    const away = this.#page === null ? null : !live.reached ? "server" : !live.redis ? "redis" : null;
    this.#banner.hidden = away === null;
    if (away === null) {
      replace(this.#banner);
    } else if (this.#banner.dataset.says !== `${away} ${lang()}` || this.#banner.childElementCount === 0) {
      this.#banner.dataset.says = `${away} ${lang()}`;
      replace(this.#banner, icon("warn"), h("p", {}, h("strong", {}, t(`away.${away}.title`)), h("span", {}, t(`away.${away}.hint`))));
    }
    const text = this.#side.querySelector(".live-text");
    if (text) {
      setText(text, away !== null ? t("live.off") : live.streaming ? t("live.on") : t("live.slow"));
      text.parentElement.classList.toggle("is-off", away !== null);
    }
  }
}

export const shell = new Shell();
