import { h, replace, s, setText } from "/assets/dom.js";
import { clockTime } from "/assets/format.js";
import { t } from "/assets/i18n.js";

const LEFT = 56;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 24;

/** Round numbers from 0 to at least `max`, three or four of them. */
export function ticks(max) {
  if (!(max > 0)) return [0, 1];
  const rough = max / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const all = [0];
  while (all.at(-1) < max) all.push(Number((all.length * step).toPrecision(12)));
  return all;
}

/**
 * Lines over time, or areas upon each other.
 *
 * @param series {label, class, of: point -> number or null}
 * @returns {element, draw(points, from, to, newest)}
 */
export function timeChart({ title, series, format, height = 180, stacked = false, least = 0 }) {
  const svg = s("svg.chart", { role: "img", height });
  const tip = h("div.tip", { hidden: true, "aria-hidden": "true" });
  const values = series.map(() => h("span.value"));
  const legend = h(
    "ul.legend",
    {},
    series.map((one, i) => h("li", {}, h("span.swatch", { class: one.class, "aria-hidden": "true" }), h("span.name", {}, one.label), values[i])),
  );
  const plot = h("div.plot", {}, svg, tip);
  const element = h("figure.chart-card.card", {}, h("figcaption", {}, h("h2", {}, title), legend), plot);
  let last = null;

  function draw(points, from, to, newest) {
    last = { points, from, to, newest };
    series.forEach((one, i) => setText(values[i], newest ? format(one.of(newest)) : t("none")));
    svg.setAttribute("aria-label", t("chart.label", { title, values: series.map((one, i) => `${one.label} ${values[i].textContent}`).join(", ") }));
    const width = plot.clientWidth;
    if (width === 0) return;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const rows = points.map((point) => ({ at: point.at, values: stack(series.map((one) => one.of(point)), stacked) }));
    const max = Math.max(least, ...rows.flatMap((row) => row.values.filter((value) => value !== null)));
    const marks = ticks(max);
    const x = (at) => LEFT + ((at - from) / (to - from)) * (width - LEFT - RIGHT);
    const y = (value) => height - BOTTOM - (value / marks.at(-1)) * (height - TOP - BOTTOM);
    last = { ...last, rows, x, y, width };
    replace(
      svg,
      marks.map((mark) => [
        s("line.grid", { x1: LEFT, x2: width - RIGHT, y1: y(mark), y2: y(mark) }),
        s("text.axis", { x: LEFT - 8, y: y(mark) + 4, "text-anchor": "end" }, format(mark)),
      ]),
      times(from, to).map((at) => s("text.axis", { x: x(at), y: height - 6, "text-anchor": "middle" }, clockTime(at))),
      series.map((one, i) => drawn(rows, i, x, y, to - from, one.class, stacked)).reverse(),
      s("line.cursor", { y1: TOP, y2: height - BOTTOM, visibility: "hidden" }),
    );
  }

  function point(event) {
    if (!last?.rows?.length) return;
    const at = event.clientX - svg.getBoundingClientRect().left;
    const index = last.rows.reduce((best, row, i) => (Math.abs(last.x(row.at) - at) < Math.abs(last.x(last.rows[best].at) - at) ? i : best), 0);
    const near = last.points[index];
    const left = last.x(near.at);
    const cursor = svg.querySelector(".cursor");
    cursor.setAttribute("x1", left);
    cursor.setAttribute("x2", left);
    cursor.setAttribute("visibility", "visible");
    replace(
      tip,
      h("p", {}, clockTime(near.at, true)),
      series.map((one) => h("p", {}, h("span.swatch", { class: one.class }), h("span.name", {}, one.label), h("span.value", {}, format(one.of(near))))),
    );
    tip.hidden = false;
    const onLeft = left > last.width / 2;
    tip.style.left = onLeft ? "auto" : `${left + 12}px`;
    tip.style.right = onLeft ? `${last.width - left + 12}px` : "auto";
  }

  function leave() {
    tip.hidden = true;
    svg.querySelector(".cursor")?.setAttribute("visibility", "hidden");
  }

  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerleave", leave);
  new ResizeObserver(() => last && draw(last.points, last.from, last.to, last.newest)).observe(plot);
  return { element, draw };
}

function stack(values, stacked) {
  if (!stacked) return values.map((value) => value ?? null);
  let sum = 0;
  return values.map((value) => (sum += value ?? 0));
}

/** A line with gaps where nothing is known; with `area` what lies between it and the one below is filled. */
function drawn(rows, i, x, y, span, kind, area) {
  // points of a step are 10 s apart
  const gap = Math.max(span / 60, 25000);
  const runs = [];
  let before = null;
  for (const row of rows) {
    const value = row.values[i];
    if (value === null) {
      before = null;
      continue;
    }
    if (before === null || row.at - before > gap) runs.push([]);
    runs.at(-1).push([x(row.at), y(value), y(i > 0 ? row.values[i - 1] : 0)]);
    before = row.at;
  }
  const line = (run) => run.map(([px, py], k) => `${k === 0 ? "M" : "L"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
  const floor = (run) => run.map(([px, , py]) => `L${px.toFixed(1)} ${py.toFixed(1)}`).reverse().join("");
  return runs.map((run) =>
    run.length === 1
      ? s("circle.dot", { class: kind, cx: run[0][0], cy: run[0][1], r: 2 })
      : [
          area && s("path.area", { class: kind, d: `${line(run)}${floor(run)}Z` }),
          s("path.line", { class: kind, d: line(run) }),
        ],
  );
}

/** Full minutes between the two, not too many. */
function times(from, to) {
  const step = to - from > 1800000 ? 900000 : 60000;
  const all = [];
  for (let at = Math.ceil((from + step / 6) / step) * step; at < to - step / 6; at += step) all.push(at);
  return all;
}

/**
 * How many come due when.
 *
 * @param name for a step's beginning
 */
export function barChart({ counts, from, step, name, format, height = 150 }) {
  const total = counts.reduce((sum, n) => sum + n, 0);
  const peak = counts.indexOf(Math.max(...counts));
  const label = t("forecast.label", { n: total, peak: format(counts[peak] ?? 0), when: name(from + peak * step) });
  const svg = s("svg.chart", { role: "img", height, "aria-label": label });
  const tip = h("div.tip", { hidden: true, "aria-hidden": "true" });
  const plot = h("div.plot", {}, svg, tip);
  function draw() {
    const width = plot.clientWidth;
    if (width === 0) return;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const marks = ticks(Math.max(3, ...counts));
    const y = (value) => height - BOTTOM - (value / marks.at(-1)) * (height - TOP - BOTTOM);
    const room = (width - LEFT - RIGHT) / counts.length;
    const every = Math.ceil(counts.length / Math.max(2, Math.floor(width / 110)));
    replace(
      svg,
      marks.map((mark) => [
        s("line.grid", { x1: LEFT, x2: width - RIGHT, y1: y(mark), y2: y(mark) }),
        s("text.axis", { x: LEFT - 8, y: y(mark) + 4, "text-anchor": "end" }, format(mark)),
      ]),
      counts.map((n, i) => [
        n > 0 && s("rect.column", { x: LEFT + i * room + room * 0.12, width: room * 0.76, y: Math.min(y(n), y(0) - 2), height: Math.max(2, y(0) - y(n)), rx: Math.min(3, room / 4) }),
        s("rect.hit", {
          x: LEFT + i * room,
          y: TOP,
          width: room,
          height: height - TOP - BOTTOM,
          onpointerenter: () => show(i, LEFT + (i + 0.5) * room, width),
        }),
        i % every === 0 && LEFT + i * room < width - 40 && s("text.axis", { x: LEFT + i * room, y: height - 6, "text-anchor": i === 0 ? "start" : "middle" }, name(from + i * step)),
      ]),
    );
  }
  function show(i, left, width) {
    replace(tip, h("p", {}, name(from + i * step)), h("p", {}, h("span.value", {}, t("jobs", { n: counts[i] }))));
    tip.hidden = false;
    const onLeft = left > width / 2;
    tip.style.left = onLeft ? "auto" : `${left + 12}px`;
    tip.style.right = onLeft ? `${width - left + 12}px` : "auto";
  }
  svg.addEventListener("pointerleave", () => (tip.hidden = true));
  new ResizeObserver(draw).observe(plot);
  return plot;
}
