import { calls, get } from "/assets/api.js";
import { heard } from "/assets/format.js";

const HOUR = 3600000;
const MINUTES = 300000;
const STEP = 10000;
/** Samples come each second; a stream that says nothing for so long is dead. */
const SILENT_MILLIS = 12000;
const LOST_MILLIS = 1500;
const AGAIN_MILLIS = 3000;
const POLL_MILLIS = 5000;
const HEALTH_MILLIS = 1500;

/**
 * The server's live events, for all pages. Dispatches `sample`, `topics`, `change` and `status`.
 *
 * Where there is no /v1/events it asks for the counts every 5 s instead.
 */
class Live extends EventTarget {
  /** The last hour in steps, and the last minutes in seconds, oldest first. */
  points = [];
  seconds = [];
  latest = null;
  topics = new Map();
  redis = true;
  reached = true;
  /** Whether rates are known. */
  streaming = true;
  isOpen = false;
  #source = null;
  #step = STEP;
  #inStep = 0;
  #lost = null;
  #silent = null;
  #timers = [];

  open() {
    this.close();
    this.isOpen = true;
    const source = new EventSource("/v1/events");
    this.#source = source;
    const hear = (name, take) =>
      source.addEventListener(name, (event) => {
        this.#alive();
        take(JSON.parse(event.data));
      });
    source.addEventListener("open", () => this.#alive());
    hear("history", (data) => this.#history(data));
    hear("sample", (sample) => this.#sample(sample));
    hear("topics", (data) => this.#topics(data.topics));
    hear("redis", (data) => this.#status({ redis: data.up }));
    hear("change", (data) => this.dispatchEvent(new CustomEvent("change", { detail: data })));
    source.addEventListener("error", () => this.#failed(source));
    this.#lost = setTimeout(() => this.#status({ reached: false }), 2 * LOST_MILLIS);
  }

  close() {
    this.isOpen = false;
    this.#source?.close();
    this.#source = null;
    clearTimeout(this.#lost);
    clearTimeout(this.#silent);
    this.#timers.splice(0).forEach(clearTimeout);
  }

  /** The last minutes, by the second as far as that is known. */
  recent() {
    const first = this.seconds[0]?.at ?? Infinity;
    const last = (this.seconds.at(-1) ?? this.points.at(-1))?.at ?? 0;
    return [...this.points.filter((point) => point.at < first - this.#step / 2 && point.at > last - MINUTES), ...this.seconds];
  }

  /** A topic that no event has told of stands still, if events come at all. */
  rateOf(topic, name) {
    return topic.rates?.[name] ?? (this.latest?.rates ? 0 : null);
  }

  /** A call found Redis away before an event told it. */
  storeAway() {
    if (!this.streaming) this.#status({ redis: false });
  }

  #alive() {
    clearTimeout(this.#lost);
    clearTimeout(this.#silent);
    this.#lost = null;
    this.#silent = setTimeout(() => this.open(), SILENT_MILLIS);
    this.#status({ reached: true, streaming: true });
  }

  #failed(source) {
    if (this.#source !== source) return;
    clearTimeout(this.#silent);
    this.#lost ??= setTimeout(() => this.#status({ reached: false }), LOST_MILLIS);
    if (source.readyState === EventSource.CLOSED) {
      this.#source = null;
      this.#refused();
    }
  }

  /** The answer was no stream: there is none, a login is needed, or the server is just stopping. */
  async #refused() {
    try {
      const response = await fetch("/v1/events", { cache: "no-store", signal: AbortSignal.timeout(2000) });
      response.body?.cancel();
      if (response.status === 401) {
        calls.dispatchEvent(new Event("unauthorized"));
        return;
      }
      if (response.status === 404) {
        clearTimeout(this.#lost);
        this.#status({ reached: true, streaming: false });
        this.#later(0, () => this.#poll());
        this.#later(0, () => this.#health());
        return;
      }
    } catch {
      // not there; again
    }
    this.#later(AGAIN_MILLIS, () => this.open());
  }

  #later(millis, action) {
    this.#timers.push(setTimeout(action, millis));
  }

  #history({ step, samples }) {
    this.#step = step;
    this.#inStep = 1;
    this.points = samples;
    this.#trim();
    if (samples.length > 0) this.dispatchEvent(new Event("history"));
  }

  #sample(sample) {
    heard(sample.at);
    this.latest = sample;
    this.seconds.push(sample);
    const last = this.points.at(-1);
    if (!last || sample.at - last.at >= this.#step) {
      this.points.push(sample);
      this.#inStep = 1;
    } else {
      this.points[this.points.length - 1] = merged(last, sample, ++this.#inStep);
    }
    this.#trim();
    this.#status({ redis: sample.redis });
    this.dispatchEvent(new CustomEvent("sample", { detail: sample }));
  }

  #trim() {
    const at = (this.seconds.at(-1) ?? this.points.at(-1))?.at ?? 0;
    this.points = this.points.filter((point) => point.at > at - HOUR);
    this.seconds = this.seconds.filter((point) => point.at > at - MINUTES);
  }

  #topics(topics) {
    for (const topic of topics) this.topics.set(topic.topic, topic);
    this.dispatchEvent(new CustomEvent("topics", { detail: topics }));
  }

  #status(news) {
    const changed = Object.keys(news).some((key) => this[key] !== news[key]);
    Object.assign(this, news);
    if (changed) this.dispatchEvent(new Event("status"));
  }

  async #poll() {
    try {
      const { topics } = await get("/v1/topics", { limit: 500 });
      const depth = { delayed: 0, ready: 0, reserved: 0, dead: 0 };
      for (const topic of topics) {
        for (const state of Object.keys(depth)) depth[state] += topic[state];
      }
      const changed = topics.filter((topic) => JSON.stringify(topic) !== JSON.stringify(this.topics.get(topic.topic)));
      if (changed.length > 0) this.#topics(changed);
      this.#sample({ at: Date.now(), servers: null, redis: true, rates: null, lateness: null, depth });
    } catch {
      // told by #health
    }
    if (!this.streaming) this.#later(POLL_MILLIS, () => this.#poll());
  }

  async #health() {
    try {
      const response = await fetch("/health/ready", { cache: "no-store", signal: AbortSignal.timeout(2000) });
      const { checks } = await response.json();
      this.#status({ reached: true, redis: checks.every((check) => check.name !== "redis" || check.status === "up") });
    } catch {
      this.#status({ reached: false });
    }
    if (!this.streaming) this.#later(HEALTH_MILLIS, () => this.#health());
  }
}

/** A step's point: means of rates, the worst lateness, the newest depth. */
function merged(point, sample, n) {
  if (!point.rates || !sample.rates) return { ...sample, at: point.at };
  const rates = {};
  for (const [name, value] of Object.entries(sample.rates)) rates[name] = point.rates[name] + (value - point.rates[name]) / n;
  const worst = (name) => {
    const both = [point.lateness?.[name], sample.lateness?.[name]].filter((value) => value !== null && value !== undefined);
    return both.length > 0 ? Math.max(...both) : null;
  };
  return { ...sample, at: point.at, rates, lateness: { p50: worst("p50"), p99: worst("p99") } };
}

export const live = new Live();
