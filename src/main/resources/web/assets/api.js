import { t, has } from "/assets/i18n.js";

const LIMIT_MILLIS = 30000;

/** What the API refused, or what kept it from answering. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? String(status));
    this.status = status;
    this.name = (body.type ?? "").replace("/problems/", "");
    this.title = body.title;
    this.detail = body.detail;
    this.errors = body.errors ?? [];
    this.retryAfter = body.retryAfter;
  }

  /** What to do about it, in the user's language, where we know. */
  get advice() {
    const key = `problem.${this.name}`;
    return has(key) ? t(key) : null;
  }
}

/** Hears `unauthorized` and `store` (detail: whether Redis answered). */
export const calls = new EventTarget();

export function path(...parts) {
  return `/v1/${parts.map(encodeURIComponent).join("/")}`;
}

export function get(url, query, signal) {
  const search = new URLSearchParams(Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== "" && value !== null));
  return call("GET", search.size > 0 ? `${url}?${search}` : url, undefined, signal);
}

/** An answer as it is spelled. */
export function getText(url, signal) {
  return callText("GET", url, undefined, signal);
}

export function post(url, body) {
  return call("POST", url, body);
}

export function put(url, body) {
  return call("PUT", url, body);
}

export function patch(url, body) {
  return call("PATCH", url, body);
}

export function remove(url) {
  return call("DELETE", url);
}

/** Every job page of a listing, until `visit` says that it is enough; at most `pages` of them. True: there were no more. */
export async function eachPage(url, query, pages, visit, signal) {
  let cursor;
  for (let i = 0; i < pages; i++) {
    const page = await get(url, { ...query, cursor }, signal);
    cursor = page.cursor;
    if (visit(page) === false || !cursor) return !cursor;
  }
  return false;
}

async function call(method, url, body, signal) {
  const text = await callText(method, url, body, signal);
  return text === "" ? null : JSON.parse(text);
}

async function callText(method, url, body, signal) {
  const limit = AbortSignal.timeout(LIMIT_MILLIS);
  let response;
  try {
    response = await fetch(url, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, { type: "/problems/out-of-reach", title: t("problem.title.out-of-reach") });
  }
  const text = await response.text();
  if (response.ok) return text;
  const problem = new Problem(response.status, { ...parse(text), retryAfter: response.headers.get("Retry-After") });
  if (problem.status === 401 && url !== "/v1/login") calls.dispatchEvent(new Event("unauthorized"));
  if (problem.name === "store-unavailable") calls.dispatchEvent(new Event("store-away"));
  throw problem;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Whether an error only says that the page it was for is gone. */
export function isAbort(error) {
  return error.name === "AbortError";
}
