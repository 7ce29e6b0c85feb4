import { path, post } from "/assets/api.js";
import { h, replace, s, setText } from "/assets/dom.js";
import { compact, duration } from "/assets/format.js";
import { t } from "/assets/i18n.js";
import { jobLink } from "/assets/router.js";
import { button, problemBox } from "/assets/ui.js";

const TOPIC = "demo";
const DELAY_MILLIS = 5000;
const LIMIT_MILLIS = 20000;
const ROUND = 2 * Math.PI * 26;

/**
 * The first minute: one job with a delay of 5 s, pushed over REST and seen to arrive over a WebSocket, where it is acked.
 */
export class Demo {
  element = h("section.card.demo", { "aria-labelledby": "demo-title" });
  running = false;
  #scope;
  #socket = null;
  #timers = [];

  constructor(scope) {
    this.#scope = scope;
    scope.atEnd(() => this.#end());
    this.#offer();
  }

  #offer(problem) {
    replace(
      this.element,
      h("div.demo-text", {}, h("h2", { id: "demo-title" }, t("demo.title")), h("p", {}, t("demo.hint"))),
      problem && problemBox(problem),
      h("div.actions", {}, button(t("demo.push"), () => this.#run(), "primary", "demo-push")),
    );
  }

  #run() {
    this.running = true;
    const ring = s("circle.ring", { cx: 32, cy: 32, r: 26, "stroke-dasharray": ROUND, transform: "rotate(-90 32 32)" });
    const left = s("text.ring-text", { x: 32, y: 38, "text-anchor": "middle" });
    const steps = h("ol.demo-steps", { "aria-live": "polite" });
    this.#view = { ring, left, steps };
    replace(
      this.element,
      h("div.demo-run", {}, s("svg.demo-ring", { viewBox: "0 0 64 64", "aria-hidden": "true" }, s("circle.ring-back", { cx: 32, cy: 32, r: 26 }), ring, left), h("div", {}, h("h2", { id: "demo-title" }, t("demo.running")), steps)),
    );
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/v1/ws`);
    this.#socket = socket;
    const failed = () => this.#fail({ title: t("demo.lost"), errors: [] });
    socket.onopen = () => socket.send(JSON.stringify({ op: "subscribe", topic: TOPIC, prefetch: 10 }));
    socket.onmessage = ({ data }) => this.#hear(JSON.parse(data)).catch((problem) => this.#fail(problem));
    socket.onclose = failed;
    this.#timers.push(setTimeout(failed, LIMIT_MILLIS));
  }
  #view = null;
  #job = null;

  async #hear(message) {
    if (message.op === "subscribed") {
      this.#step(t("demo.subscribed", { topic: TOPIC }));
      const asked = Date.now();
      const job = await post(path("topics", TOPIC, "jobs"), { delay: DELAY_MILLIS, body: { hello: "world" } });
      // the due time is by the server's clock; half way between question and answer it was 5 s ahead
      this.#job = { ...job, dueHere: (asked + Date.now()) / 2 + DELAY_MILLIS };
      this.#step(h("span", {}, t("demo.pushed"), h("a", { href: jobLink(TOPIC, job.id) }, h("code", {}, job.id))));
      this.#count();
    } else if (message.op === "jobs") {
      const arrived = Date.now();
      const jobs = message.jobs.map(({ id, lease }) => ({ id, lease }));
      this.#socket.send(JSON.stringify({ op: "ack", ref: "demo", topic: TOPIC, jobs }));
      if (message.jobs.some((job) => job.id === this.#job?.id)) this.#arrive(arrived);
    } else if (message.op === "acked" && this.#arrived) {
      this.#step(t("demo.acked"));
      this.#done();
    } else if (message.op === "error") {
      throw { ...message.problem, errors: message.problem.errors ?? [] };
    }
  }
  #arrived = false;

  #count() {
    const show = () => {
      if (this.#arrived || !this.#job || this.#scope.over) return;
      const left = Math.max(0, this.#job.dueHere - Date.now());
      setText(this.#view.left, compact(Math.ceil(left / 100) / 10));
      this.#view.ring.setAttribute("stroke-dashoffset", ROUND * (1 - left / DELAY_MILLIS));
      requestAnimationFrame(show);
    };
    show();
  }

  #arrive(at) {
    this.#arrived = true;
    setText(this.#view.left, t("demo.here"));
    this.#view.ring.setAttribute("stroke-dashoffset", 0);
    this.element.classList.add("is-done");
    setText(this.element.querySelector("h2"), t("demo.finished"));
    this.#step(t("demo.arrived", { late: duration(Math.max(0, at - this.#job.dueHere)) }));
  }

  #step(text) {
    this.#view.steps.append(h("li", {}, text));
  }

  #done() {
    this.#end();
    this.#view.steps.after(
      h("div.actions", {}, button(t("demo.again"), () => this.#again(), "primary"), h("a.button", { href: "#/topics" }, t("demo.topics"))),
    );
  }

  #again() {
    this.#arrived = false;
    this.#job = null;
    this.element.classList.remove("is-done");
    this.#run();
  }

  #fail(problem) {
    if (this.#scope.over) return;
    this.#end();
    this.#job = null;
    this.#offer(problem);
  }

  #end() {
    this.running = false;
    this.#timers.splice(0).forEach(clearTimeout);
    if (this.#socket) {
      this.#socket.onclose = null;
      this.#socket.close();
      this.#socket = null;
    }
  }
}
