// Keeps a page up to date, and shows when it is not: `data-connection` of the document is `live`, `lost` (the network or
// the pages do not answer) or `hung` (the table does not). Nothing can be pressed while it is not `live`.
import { Feed } from "./feed.js";

const page = document.documentElement.dataset;
const lost = document.getElementById("lost");
const DEADLINE = 4000;           // milliseconds without a heartbeat after which the connection is lost
const NOTICE_AFTER = 1000;       // milliseconds after a page is shown again for which a lost connection is not announced
const CHECK_EVERY = 200;
const WORKER_CHECK = 2000;       // milliseconds between two questions whether the worker runs
const WORKER_DEADLINE = 3500;    // milliseconds without its answer after which the page does without it

const query = `page=${page.page}&lang=${document.documentElement.lang}`;
let handlers = {};
let source = null;               // where news come from: a worker or a feed of this page
let worker = null;
let workerFailed = !window.SharedWorker;
let presence = page.connection === "live" ? "here" : "hung";
let notice = lost.textContent;   // what to do while the table is not here
let heardAt = performance.now();
let shownAt = -Infinity;         // when the page was shown again
let checkedAt = Date.now();
let clock = null;                // the server's: its epoch, and milliseconds ahead of this page's
let startClock;
const clockStarted = new Promise((resolve) => { startClock = resolve; });

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
  const inPlace = old.childNodes.length === fresh.childNodes.length; // no child moves when one before it is of another kind
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
    if (alike(match, child)) {
      if (match === there) there = there.nextSibling;
      else old.insertBefore(match, there);
      morph(match, child);
    } else if (inPlace && there && keyOf(there) === keyOf(child)) {
      const gone = there;
      there = there.nextSibling;
      gone.replaceWith(child);
    } else old.insertBefore(child, there);
  }
  while (there) {
    const gone = there;
    there = there.nextSibling;
    gone.remove();
  }
}

function showNews(news) {
  page.stamp = news.stamp;
  page.asked = news.asked;
  presence = news.presence;
  notice = news.notice;
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

const versionOf = ({ build, layout, seat, language }) => [build, layout, seat, language].join(" ");

// Reloads a page that was built from older files, another layout or in another language, once for each change.
function checkCurrent(hello) {
  const wanted = versionOf(hello);
  if (wanted === versionOf(page)) {
    sessionStorage.removeItem("loaded for"); // the same may be wanted again, such as a seat that is given up twice
    return;
  }
  if (sessionStorage.getItem("loaded for") === wanted) return;
  sessionStorage.setItem("loaded for", wanted);
  stop();
  location.reload();
}

// Takes a heartbeat: everything that the server knew then is shown.
function hear(stamp) {
  const [epoch, milliseconds] = stamp.split(".");
  heardAt = performance.now();
  clock = { epoch, ahead: Number(milliseconds) - heardAt };
  startClock();
  showConnection();
}

// Returns the server's clock at a time of this page, from which the server reads how old an action is; empty until it is known.
export function knownServerTime(at) {
  return clock ? `${clock.epoch}.${Math.floor(at + clock.ahead)}` : "";
}

// Returns the same, once it is known.
export async function serverTime(at) {
  await clockStarted;
  return knownServerTime(at);
}

function showConnection() {
  const now = performance.now();
  const connection = now - heardAt > DEADLINE ? "lost" : presence === "here" ? "live" : "hung";
  if (page.connection !== connection) page.connection = connection;
  const sentence = connection === "lost" ? lost.dataset.lost : notice;
  const announced = connection === "hung" || (connection === "lost" && now - shownAt > NOTICE_AFTER);
  if (lost.hidden === announced) lost.hidden = !announced;
  if (announced && lost.textContent !== sentence) lost.textContent = sentence;
}

// Notices silence. A clock that jumped: the device slept, and what the page shows is old.
function check() {
  const now = Date.now();
  if (now - checkedAt > DEADLINE) heardAt = -Infinity;
  checkedAt = now;
  showConnection();
}

const receivers = {
  hello: checkCurrent,
  beat: hear,
  news: showNews,
  lights: (lights) => handlers.lights?.(lights),
};

// Follows the table through the worker that all tabs of this browser share. A worker that does not answer is done without.
function followByWorker() {
  let answeredAt = performance.now();
  const giveUp = () => {
    if (workerFailed) return;
    workerFailed = true;
    if (source) start();
  };
  try {
    worker ??= new SharedWorker(new URL("worker.js", import.meta.url), { name: "azul", type: "module" });
  } catch {
    workerFailed = true;
    return followByItself();
  }
  worker.onerror = giveUp;
  const { port } = worker;
  port.onmessage = ({ data: { name, data } }) => {
    answeredAt = performance.now();
    if (source) receivers[name]?.(data);
  };
  port.postMessage({ join: true, query, seat: page.seat, stamp: page.stamp });
  const timer = setInterval(() => {
    if (performance.now() - answeredAt > WORKER_DEADLINE) giveUp();
    else port.postMessage({});
  }, WORKER_CHECK / 2);
  return {
    close() {
      clearInterval(timer);
      port.postMessage({ join: false });
    },
  };
}

function followByItself() {
  return new Feed(query, page.stamp, (name, data) => receivers[name]?.(data));
}

function start() {
  stop();
  source = workerFailed ? followByItself() : followByWorker();
}

function stop() {
  source?.close();
  source = null;
}

// Follows the table while the page is visible. Handlers get what is not HTML: `state` and `lights`; `news` is called
// after each change.
export function follow(handle = {}) {
  handlers = handle;
  const look = () => {
    if (document.hidden) return stop();
    shownAt = performance.now();
    checkedAt = Date.now();
    showConnection();
    start();
  };
  document.addEventListener("visibilitychange", look);
  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    heardAt = -Infinity; // the page was frozen, with what it showed then
    look();
  });
  setInterval(check, CHECK_EVERY);
  start();
}
