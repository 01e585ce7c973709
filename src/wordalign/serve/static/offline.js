// Keeps all files of the page, so that it works without a network. Another version of the page is another cache: the
// files of two versions are never mixed.

const VERSION = "@VERSION@";
const OURS = `wordalign ${self.registration.scope} `; // two copies of the page may share a host
const CACHE = OURS + VERSION;

self.addEventListener("install", (event) => event.waitUntil(keepAll()));
self.addEventListener("activate", (event) => event.waitUntil(dropOthers().then(() => self.clients.claim())));
self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(kept(event.request));
});

async function keepAll() {
  const cache = await caches.open(CACHE);
  const list = await fetch("files.json", { cache: "no-cache" });
  const { version, files } = await list.clone().json();
  if (version !== VERSION) throw new Error("The page is just being replaced: next time.");
  await cache.put("files.json", list);
  // Each is asked for again, because a browser's own copy may be of another version.
  await cache.addAll(["./", ...Object.keys(files)].map((name) => new Request(name, { cache: "no-cache" })));
}

async function dropOthers() {
  const names = await caches.keys();
  const others = names.filter((name) => name.startsWith(OURS) && name !== CACHE);
  await Promise.all(others.map((name) => caches.delete(name)));
}

async function kept(request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
}
