/** What this browser remembers between visits; nothing if its storage is switched off. */
export function recall(key) {
  try {
    return localStorage.getItem(`delayq.${key}`);
  } catch {
    return null;
  }
}

export function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(`delayq.${key}`);
    else localStorage.setItem(`delayq.${key}`, value);
  } catch {
    // it holds for this visit
  }
}
