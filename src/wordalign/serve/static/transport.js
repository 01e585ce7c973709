// How the page without a service reaches an aligner: in a worker beside it, in this browser. It stands in the place of
// page/transport.js and has the same exports; the worker answers as the service would.

export const WHERE_TEXTS_GO = "Texts stay in this browser.";

export const CARRIES = false;

export class ServiceError extends Error {
  constructor(message, status = 0, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const waiting = new Map(); // number of a request -> { resolve, reject }
let asked = 0;
let told = () => {};
let worker = null;

export function whileLoading(tell) {
  told = tell;
}

// There is nobody to identify oneself to.
export function setToken() {}

export function request(address, { body, signal } = {}) {
  worker ??= startedWorker();
  const number = ++asked;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    waiting.set(number, { resolve, reject });
    signal?.addEventListener("abort", () => {
      waiting.delete(number);
      reject(signal.reason);
    });
    worker.postMessage({ number, address, body });
  });
}

function startedWorker() {
  const started = new Worker(new URL("../worker.js", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data: { number, answer, error, loading, ready } }) => {
    if (loading !== undefined) told(loading);
    if (ready) keepForOffline();
    const { resolve, reject } = waiting.get(number) ?? {};
    waiting.delete(number);
    if (error) reject?.(new ServiceError(error.message, error.status));
    else resolve?.(answer);
  });
  started.addEventListener("error", () => {
    for (const { reject } of waiting.values()) {
      reject(new ServiceError("The files of this page cannot all be loaded. Is this browser up to date?"));
    }
    waiting.clear();
    worker = null;
  });
  return started;
}

// From now on the page needs no network. Only when everything is loaded, so that nothing is loaded twice at once.
function keepForOffline() {
  navigator.serviceWorker?.register(new URL("../offline.js", import.meta.url)).catch(() => {
    // A browser that keeps nothing, as private windows do: the page works, but not offline.
  });
}
