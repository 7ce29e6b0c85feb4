// Before the first paint, so that a chosen theme does not flash. A plain script: modules run later.
try {
  const theme = localStorage.getItem("delayq.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // storage is switched off: the system's theme it is
}
