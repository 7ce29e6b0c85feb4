/** What a page has under way. Ends with the page: nothing writes into one that is gone. */
export class Scope {
  #ends = [];
  #abort = new AbortController();

  get signal() {
    return this.#abort.signal;
  }

  get over() {
    return this.signal.aborted;
  }

  /** Hears an event of `source` as long as the page is there. */
  on(source, name, listener) {
    source.addEventListener(name, listener, { signal: this.signal });
  }

  /** Calls again and again, each time when the last call has ended; not while the page is hidden. */
  every(millis, action) {
    let timer;
    const arm = () => {
      timer = setTimeout(async () => {
        if (!document.hidden) await action();
        if (!this.over) arm();
      }, millis);
    };
    arm();
    this.atEnd(() => clearTimeout(timer));
  }

  /** A function that calls `action` soon, and once for many calls. */
  soon(millis, action) {
    let timer = null;
    this.atEnd(() => clearTimeout(timer));
    return () => {
      timer ??= setTimeout(() => {
        timer = null;
        if (!this.over) action();
      }, millis);
    };
  }

  atEnd(action) {
    if (this.over) action();
    else this.#ends.push(action);
  }

  end() {
    this.#abort.abort();
    this.#ends.splice(0).forEach((action) => action());
  }
}
