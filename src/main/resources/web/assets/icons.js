import { s } from "/assets/dom.js";

const PATHS = {
  overview: ["M3 12h4l3-8 4 16 3-8h4"],
  topics: ["M12 3 3 8l9 5 9-5-9-5Z", "m3 12.500 9 5 9-5", "m3 17 9 5 9-5"],
  dead: ["M3 13h5l1.500 3h5L16 13h5", "M5.500 5h13L21 13v6H3v-6L5.500 5Z", "m10 7.500 4 3.500m0-3.500-4 3.500"],
  connections: ["M9 7V3m6 4V3", "M6 7h12v4a6 6 0 0 1-12 0V7Z", "M12 17v4"],
  servers: ["M4 4h16v7H4z", "M4 13h16v7H4z", "M8 7.500h.01M8 16.500h.01M12 7.500h4M12 16.500h4"],
  theme: ["M12 3a9 9 0 1 0 0 18Z", "M12 3a9 9 0 0 1 0 18"],
  lang: ["M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z", "M3 12h18", "M12 3c5 5 5 13 0 18c-5-5-5-13 0-18Z"],
  out: ["M10 4H4v16h6", "M14 8l4 4-4 4M18 12H9"],
  copy: ["M9 9h11v11H9z", "M5 15H4V4h11v1"],
  search: ["M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Z", "m16 16 5 5"],
  warn: ["M12 4 2.500 20h19L12 4Z", "M12 10v5m0 2.500v.01"],
  check: ["m5 12.500 4.500 4.500L19 7"],
  back: ["m14 6-6 6 6 6"],
};

/** Decoration only: what it stands for is said in words beside it. */
export function icon(name) {
  return s(
    "svg.icon",
    { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    PATHS[name].map((d) => s("path", { d })),
  );
}
