// Keeps a page up to date: by server-sent events, or by polling where no stream is free.
const page = document.documentElement.dataset;
const lost = document.getElementById("lost");
const POLL_EVERY = 1500;         // milliseconds between polls without a stream
const TRY_STREAM_EVERY = 20;     // polls after which a stream is tried again
const SILENCE = 25000;           // milliseconds without an event after which the stream is opened again

let handlers = {};
let stream = null;
let timer = 0;
let polls = 0;
let etag = "";
let aliveAt = 0;

// Returns whether a stamp is older than another one of the same server process.
function isOlder(stamp, other) {
  const [[epoch, number], [otherEpoch, otherNumber]] = [stamp.split("."), other.split(".")];
  return epoch === otherEpoch && Number(number) < Number(otherNumber);
}

const keyOf = (node) => node.dataset?.button ?? node.dataset?.key ?? "";
const alike = (a, b) => a && a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

// Changes `old` into `fresh` and leaves equal nodes alone: they keep the focus, a press under way, typed text.
function morph(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  morphChildren(old, fresh);
}

function morphChildren(old, fresh) {
  const wanted = new Set([...fresh.children].map(keyOf));
  const known = new Map([...old.children].filter(keyOf).map((child) => [keyOf(child), child]));
  let there = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    while (there && keyOf(there) && !wanted.has(keyOf(there))) {
      const gone = there;
      there = there.nextSibling;
      gone.remove();
    }
    const match = keyOf(child) ? known.get(keyOf(child)) : there;
    if (!alike(match, child)) old.insertBefore(child, there);
    else {
      if (match === there) there = there.nextSibling;
      else old.insertBefore(match, there);
      morph(match, child);
    }
  }
  while (there) {
    const gone = there;
    there = there.nextSibling;
    gone.remove();
  }
}

function showNews(news) {
  for (const [name, html] of Object.entries(news.regions)) {
    const region = document.querySelector(`[data-region="${name}"]`);
    if (!region) continue;
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    const held = region.contains(document.activeElement);
    morphChildren(region, fresh.content);
    if (held && !region.contains(document.activeElement)) region.closest("[tabindex]")?.focus();
  }
  handlers.news?.();
  if (news.state) handlers.state?.(news.state);
}

// Reloads a page that was built from older files or another layout, once for each change. Returns whether the page
// is current.
function checkCurrent(hello) {
  markAlive();
  const wanted = `${hello.build} ${hello.layout} ${hello.seat}`;
  if (wanted === `${page.build} ${page.layout} ${page.seat}` || sessionStorage.getItem("loaded for") === wanted) return true;
  sessionStorage.setItem("loaded for", wanted);
  stop();
  location.reload();
  return false;
}

function markAlive() {
  aliveAt = Date.now();
  lost.hidden = true;
}

function openStream() {
  stop();
  aliveAt = Date.now();
  stream = new EventSource(`/events?page=${page.page}&have=${page.stamp}`);
  stream.addEventListener("hello", (event) => checkCurrent(JSON.parse(event.data)));
  stream.addEventListener("beat", markAlive);
  stream.addEventListener("news", (event) => {
    markAlive();
    page.stamp = event.lastEventId;
    showNews(JSON.parse(event.data));
  });
  stream.addEventListener("lights", (event) => {
    markAlive();
    handlers.lights?.(JSON.parse(event.data));
  });
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) poll();
    else if (Date.now() - aliveAt > POLL_EVERY) lost.hidden = false;
  });
  timer = setInterval(() => Date.now() - aliveAt > SILENCE && openStream(), 5000);
}

async function poll() {
  stop();
  timer = setTimeout(++polls % TRY_STREAM_EVERY ? poll : openStream, POLL_EVERY);
  try {
    const answer = await fetch(`/regions?page=${page.page}`, { headers: etag ? { "If-None-Match": etag } : {}, cache: "no-store" });
    if (answer.status === 200) {
      const all = await answer.json();
      if (isOlder(all.stamp, page.stamp)) return; // a later response, or a stream, was faster
      etag = answer.headers.get("ETag");
      page.stamp = all.stamp;
      if (!checkCurrent(all.hello)) return;
      showNews(all.news);
      if (all.lights) handlers.lights?.(all.lights);
    } else if (answer.status !== 304) throw new Error(answer.statusText);
    markAlive();
  } catch {
    lost.hidden = false;
  }
}

function stop() {
  stream?.close();
  stream = null;
  clearInterval(timer);
  clearTimeout(timer);
}

// Follows the table while the page is visible. Handlers get what is not HTML: `state` and `lights`; `news` is called
// after each change.
export function follow(handle = {}) {
  handlers = handle;
  const look = () => (document.hidden ? stop() : openStream());
  document.addEventListener("visibilitychange", look);
  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => event.persisted && look());
  look();
}
