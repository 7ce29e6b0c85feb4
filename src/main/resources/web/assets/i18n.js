import en from "/assets/i18n/en.js";
import zh from "/assets/i18n/zh.js";
import { recall, remember } from "/assets/store.js";

const TEXTS = { en, zh };

let language = TEXTS[recall("lang")] ? recall("lang") : navigator.language.startsWith("zh") ? "zh" : "en";

export function lang() {
  return language;
}

/** For `Intl`. */
export function locale() {
  return language === "zh" ? "zh-CN" : "en-GB";
}

export function setLang(wanted) {
  language = wanted;
  remember("lang", wanted);
}

/** The text for a key; `{name}` in it is filled from `values`. With `n: 1` the form `key.one` is taken where there is one. */
export function t(key, values = {}) {
  const texts = TEXTS[language];
  const text = (values.n === 1 ? texts[`${key}.one`] : undefined) ?? texts[key];
  if (text === undefined) {
    console.error(`no text for ${key}`);
    return key;
  }
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    return typeof value === "number" ? new Intl.NumberFormat(locale()).format(value) : (value ?? whole);
  });
}

/** Whether there is a text for a key that came from the server. */
export function has(key) {
  return TEXTS[language][key] !== undefined;
}
