import { calls } from "/assets/api.js";
import { h } from "/assets/dom.js";
import { live } from "/assets/events.js";
import { t } from "/assets/i18n.js";
import { resolve, route } from "/assets/router.js";
import { Scope } from "/assets/scope.js";
import { mayLook, refreshSession, session } from "/assets/session.js";
import { shell } from "/assets/shell.js";
import { heading, problemBox, tick } from "/assets/ui.js";
import { connectionsPage } from "/assets/pages/connections.js";
import { deadPage } from "/assets/pages/dead.js";
import { jobPage } from "/assets/pages/job.js";
import { loginPage } from "/assets/pages/login.js";
import { overviewPage } from "/assets/pages/overview.js";
import { serversPage } from "/assets/pages/servers.js";
import { topicPage } from "/assets/pages/topic.js";
import { topicsPage } from "/assets/pages/topics.js";

route("/", { name: "overview", show: overviewPage });
route("/topics", { name: "topics", show: topicsPage });
route("/topics/:topic", { name: "topics", show: topicPage });
route("/topics/:topic/jobs/:id", { name: "topics", show: jobPage });
route("/dead", { name: "dead", show: deadPage });
route("/connections", { name: "connections", show: connectionsPage });
route("/servers", { name: "servers", show: serversPage });

const HIDDEN_MILLIS = 10000;

let scope = new Scope();
let shown = null;

/** Shows the page of the hash, or the login if that comes first. */
function show() {
  scope.end();
  scope = new Scope();
  document.querySelectorAll("dialog").forEach((open) => open.close());
  if (!mayLook()) {
    live.close();
    shell.bare();
    loginPage(shell.main, scope, entered);
    document.title = t("title", { page: t("login.title") });
    return;
  }
  const found = resolve(location.hash);
  shell.full(found?.page.name);
  shell.main.replaceChildren();
  if (found) {
    found.page.show(shell.main, found, scope);
  } else {
    shell.main.append(heading(t("nowhere.title"), h("p.sub", {}, t("nowhere.hint"))));
  }
  document.title = t("title", { page: shell.main.querySelector("h1")?.textContent ?? t("nav.overview") });
  // whoever navigates by keyboard or ear begins at the new page's heading
  if (shown !== null && shown !== location.hash) {
    scrollTo(0, 0);
    shell.main.focus({ preventScroll: true });
  }
  shown = location.hash;
}

function entered() {
  live.open();
  show();
}

/**
 * A browser has six connections to a server, for all its tabs and the pages it keeps to go back to; each stream holds
 * one. So only pages that are looked at have theirs.
 */
function streamOnlyWhileSeen() {
  let timer;
  addEventListener("pagehide", () => live.close());
  addEventListener("pageshow", (event) => event.persisted && mayLook() && live.open());
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => live.close(), HIDDEN_MILLIS);
    else if (mayLook() && !live.isOpen) live.open();
  });
}

async function start() {
  shell.build(show);
  try {
    await refreshSession();
  } catch (problem) {
    shell.bare();
    shell.main.replaceChildren(problemBox(problem, () => location.reload()));
    return;
  }
  addEventListener("hashchange", show);
  live.addEventListener("status", () => shell.status());
  calls.addEventListener("store-away", () => live.storeAway());
  calls.addEventListener("unauthorized", async () => {
    if (!mayLook()) return;
    await refreshSession().catch(() => {});
    // a session that has ended; without logins a 401 would be asked for again and again
    if (session.login && !mayLook()) show();
  });
  setInterval(() => tick(shell.main), 1000);
  streamOnlyWhileSeen();
  if (mayLook()) live.open();
  show();
}

start();
