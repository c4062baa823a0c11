// Keeps a page as the table is: news by a stream, or by asking again and again where no stream is free.
const page = document.documentElement.dataset;
const lost = document.getElementById("lost");
const ASK_EVERY = 1500;          // milliseconds between questions without a stream
const TRY_STREAM_EVERY = 20;     // questions after which a stream is tried again
const SILENCE = 25000;           // milliseconds after which a stream that says nothing is opened anew

let hear = {};
let stream = null;
let timer = 0;
let questions = 0;
let etag = "";
let heardAt = 0;

// Whether a stamp is from before another of the same server.
function isOlder(stamp, other) {
  const [[epoch, number], [otherEpoch, otherNumber]] = [stamp.split("."), other.split(".")];
  return epoch === otherEpoch && Number(number) < Number(otherNumber);
}

const keyOf = (node) => node.dataset?.button ?? node.dataset?.key ?? "";
const alike = (a, b) => a && a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

// Makes `old` look like `fresh` and leaves alone what is equal: the focus, a press under way, what is being typed.
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

function show(news) {
  for (const [name, html] of Object.entries(news.regions)) {
    const region = document.querySelector(`[data-region="${name}"]`);
    if (!region) continue;
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    const held = region.contains(document.activeElement);
    morphChildren(region, fresh.content);
    if (held && !region.contains(document.activeElement)) region.closest("[tabindex]")?.focus();
  }
  hear.news?.();
  if (news.state) hear.state?.(news.state);
}

// A page that was made from other parts than the server has now loads itself again, once for each such change;
// until then it shows nothing more. Returns whether the page is current.
function greet(hello) {
  heard();
  const wanted = `${hello.build} ${hello.layout} ${hello.seat}`;
  if (wanted === `${page.build} ${page.layout} ${page.seat}` || sessionStorage.getItem("loaded for") === wanted) return true;
  sessionStorage.setItem("loaded for", wanted);
  stop();
  location.reload();
  return false;
}

function heard() {
  heardAt = Date.now();
  lost.hidden = true;
}

function openStream() {
  stop();
  heardAt = Date.now();
  stream = new EventSource(`/events?page=${page.page}&have=${page.stamp}`);
  stream.addEventListener("hello", (event) => greet(JSON.parse(event.data)));
  stream.addEventListener("beat", heard);
  stream.addEventListener("news", (event) => {
    heard();
    page.stamp = event.lastEventId;
    show(JSON.parse(event.data));
  });
  stream.addEventListener("lights", (event) => {
    heard();
    hear.lights?.(JSON.parse(event.data));
  });
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) ask();
    else if (Date.now() - heardAt > ASK_EVERY) lost.hidden = false;
  });
  timer = setInterval(() => Date.now() - heardAt > SILENCE && openStream(), 5000);
}

async function ask() {
  stop();
  timer = setTimeout(++questions % TRY_STREAM_EVERY ? ask : openStream, ASK_EVERY);
  try {
    const answer = await fetch(`/regions?page=${page.page}`, { headers: etag ? { "If-None-Match": etag } : {}, cache: "no-store" });
    if (answer.status === 200) {
      const all = await answer.json();
      if (isOlder(all.stamp, page.stamp)) return; // it was overtaken by a later answer, or by a stream
      etag = answer.headers.get("ETag");
      page.stamp = all.stamp;
      if (!greet(all.hello)) return;
      show(all.news);
      if (all.lights) hear.lights?.(all.lights);
    } else if (answer.status !== 304) throw new Error(answer.statusText);
    heard();
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

// Follows the table while the page can be seen; `handlers` are told what is no HTML: state and lights.
export function follow(handlers = {}) {
  hear = handlers;
  const look = () => (document.hidden ? stop() : openStream());
  document.addEventListener("visibilitychange", look);
  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => event.persisted && look());
  look();
}
