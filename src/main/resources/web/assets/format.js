import { locale, t } from "/assets/i18n.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let offset = 0;

/** Due times are by the server's clock, which need not be the browser's. */
export function heard(serverMillis) {
  offset = serverMillis - Date.now();
}

export function now() {
  return Date.now() + offset;
}

export function count(n) {
  return n === null || n === undefined ? t("none") : new Intl.NumberFormat(locale()).format(n);
}

/** Short enough for a tile or an axis: 1,234 but 56.7K. */
export function compact(n) {
  if (n === null || n === undefined) return t("none");
  const options = Math.abs(n) < 10000 ? { maximumFractionDigits: n < 10 ? 1 : 0 } : { notation: "compact", maximumFractionDigits: 1 };
  return new Intl.NumberFormat(locale(), options).format(n);
}

export function rate(n) {
  return n === null || n === undefined ? t("none") : t("perSecond", { rate: compact(n) });
}

/** 850 ms, 4.2 s, 3 min, 2 h 5 min, 3 d 4 h. */
export function duration(millis) {
  if (millis === null || millis === undefined) return t("none");
  const ms = Math.abs(millis);
  const whole = (n) => compact(Math.floor(n));
  if (ms < 1) return t("unit.ms", { n: 0 });
  if (ms < SECOND) return t("unit.ms", { n: ms < 10 ? compact(ms) : whole(ms) });
  if (ms < 10 * SECOND) return t("unit.s", { n: compact(Math.floor(ms / 100) / 10) });
  if (ms < MINUTE) return t("unit.s", { n: whole(ms / SECOND) });
  if (ms < HOUR) return both("unit.min", ms / MINUTE, "unit.s", (ms % MINUTE) / SECOND);
  if (ms < DAY) return both("unit.h", ms / HOUR, "unit.min", (ms % HOUR) / MINUTE);
  return both("unit.d", ms / DAY, "unit.h", (ms % DAY) / HOUR);
}

/** The small unit only where it still matters. */
function both(large, many, small, few) {
  const first = t(large, { n: Math.floor(many) });
  const rest = Math.floor(few);
  return rest === 0 || many >= 10 ? first : t("two", { first, second: t(small, { n: rest }) });
}

/** "in 5 min", "3 h ago". */
export function relative(time) {
  const away = time - now();
  if (Math.abs(away) < SECOND) return t("time.now");
  return t(away > 0 ? "time.in" : "time.ago", { time: duration(away) });
}

export function absolute(time) {
  return new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "medium" }).format(time);
}

export function clockTime(time, seconds) {
  const options = { hour: "2-digit", minute: "2-digit", hour12: false, ...(seconds && { second: "2-digit" }) };
  return new Intl.DateTimeFormat(locale(), options).format(time);
}

export function dayTime(time) {
  return new Intl.DateTimeFormat(locale(), { weekday: "short", hour: "2-digit", minute: "2-digit", hour12: false }).format(time);
}

export function monthDay(time) {
  return new Intl.DateTimeFormat(locale(), { month: "short", day: "numeric" }).format(time);
}

/** Enough of a server's or a connection's id to tell it from others. */
export function short(id) {
  return id.length > 13 ? id.slice(0, 8) : id;
}
