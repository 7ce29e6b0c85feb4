const SVG = "http://www.w3.org/2000/svg";

/**
 * An element: `h("button.quiet", { onclick }, text)`. Strings become text nodes and nothing else, so whatever a topic or
 * an id holds shows as it is.
 */
export function h(spec, props, ...children) {
  return fill(make(spec, (tag) => document.createElement(tag)), props, children);
}

/** The same for SVG. */
export function s(spec, props, ...children) {
  return fill(make(spec, (tag) => document.createElementNS(SVG, tag)), props, children);
}

function make(spec, create) {
  const [tag, ...classes] = spec.split(".");
  const element = create(tag);
  element.classList.add(...classes);
  return element;
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.classList.add(...[].concat(value).filter(Boolean));
    else if (name === "value") element.value = value;
    else if (name === "href" && !/^[#/]/.test(value)) throw new Error(`href ${value}`);
    else element.setAttribute(name, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(9)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

export function replace(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

/** Sets a text only where it differs: a screen reader and the renderer need not look again. */
export function setText(element, text) {
  const wanted = String(text);
  if (element.textContent !== wanted) element.textContent = wanted;
}
