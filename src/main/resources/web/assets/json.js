/**
 * JSON as text. A body is shown as it was spelled: parsed and written again, large numbers would change.
 */
const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+)/gy;

function* tokens(text) {
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) {
    const at = TOKEN.lastIndex;
    yield { text: found[1], from: at - found[1].length, to: at };
    TOKEN.lastIndex = at;
  }
}

/** The text of a member of the outermost object; undefined if it has none of that name. */
export function member(text, name) {
  const wanted = JSON.stringify(name);
  let depth = 0;
  let from = null;
  let before = null;
  let previous = null;
  for (const token of tokens(text)) {
    if (from !== null && depth === 1 && (token.text === "," || token.text === "}")) return text.slice(from, previous.to);
    if (depth === 1 && token.text === ":" && previous.text === wanted && before.text !== ":") from = token.to;
    if (token.text === "{" || token.text === "[") depth++;
    if (token.text === "}" || token.text === "]") depth--;
    before = previous;
    previous = token;
  }
  return undefined;
}

/** The same JSON with line breaks and two spaces a level. */
export function pretty(text) {
  let out = "";
  let depth = 0;
  let previous = null;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const { text: token } of tokens(text)) {
    const opened = previous === "{" || previous === "[";
    if (token === "}" || token === "]") {
      depth--;
      if (!opened) out += line();
    } else if (opened || previous === ",") {
      out += line();
    }
    out += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth++;
    previous = token;
  }
  return out;
}
