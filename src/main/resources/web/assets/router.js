/** Pages by the hash: `#/topics/order/jobs/1001?x=y`. */
const PATTERNS = [];

/** @param pattern such as `/topics/:topic` */
export function route(pattern, page) {
  PATTERNS.push({ parts: pattern.split("/").slice(1), page });
}

/** Where a hash leads to; null if nowhere. */
export function resolve(hash) {
  const [path, search] = (hash.replace(/^#/, "") || "/").split("?");
  let parts;
  try {
    parts = path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return null;
  }
  for (const pattern of PATTERNS) {
    const params = match(pattern.parts, parts);
    if (params) return { page: pattern.page, params, query: new URLSearchParams(search) };
  }
  return null;
}

function match(pattern, parts) {
  if (pattern.length !== parts.length) return null;
  const params = {};
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i].startsWith(":")) params[pattern[i].slice(1)] = parts[i];
    else if (pattern[i] !== parts[i]) return null;
  }
  return params;
}

export function link(...parts) {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

export function topicLink(topic, state) {
  return state ? `${link("topics", topic)}?state=${state}` : link("topics", topic);
}

export function jobLink(topic, id) {
  return link("topics", topic, "jobs", id);
}

export function go(hash) {
  location.hash = hash;
}
