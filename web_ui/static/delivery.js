// Delivery: posts actions, one after another, so that each is done at most once and never late; see web_ui/delivery.py.
const GIVE_UP = 5000;            // milliseconds after which a page does not wait for an answer any more

let queue = Promise.resolve();

export const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// Posts an action with a random id and the time at which it was made. Gives up in time; after that it is not done any more.
async function post(action, made, serverTime, keepalive) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), made + GIVE_UP - performance.now());
  try {
    const time = await Promise.race([serverTime(made), new Promise((_, fail) => abort.signal.addEventListener("abort", fail))]);
    const response = await fetch("/action", {
      method: "POST",
      headers: { "Content-Type": "application/json", "Azul-Action": newId(), "Azul-Made": time },
      body: JSON.stringify(action),
      signal: abort.signal,
      keepalive,
    });
    const result = await response.json();
    return { taken: result.taken ?? false, sentence: result.error ?? result.say ?? "" };
  } catch {
    return { taken: false, silent: true };
  } finally {
    clearTimeout(timer);
  }
}

// Sends an action that is made now, once all earlier ones are answered: two connections could swap their order. Returns
// whether it was taken and the sentence that says why not, or `silent` if no answer came. `serverTime` returns the server's
// clock at a time of this page, perhaps later.
export function deliver(action, serverTime) {
  const made = performance.now();
  const sent = queue.then(() => post(action, made, serverTime, false));
  queue = sent;
  return sent;
}

// Sends an action at once, while the page is left: nothing more can wait for anything.
export function deliverOnLeaving(action, serverTime) {
  post(action, performance.now(), serverTime, true);
}

// --- The server's clock, for a page that does not follow the table ---

const CLOCK_KEPT = 30000;        // milliseconds after which it is asked for again: clocks drift, and devices sleep
let clock = null;                // its epoch, milliseconds ahead of this page's, and when it was asked for

function read({ epoch, ahead }, at) {
  return `${epoch}.${Math.floor(at + ahead)}`;
}

// Returns the server's clock at a time of this page; asks the server where that is not known.
export async function askServerTime(at) {
  if (!clock || Math.abs(Date.now() - clock.askedAt) > CLOCK_KEPT) {
    const response = await fetch("/beat", { cache: "no-store" });
    const [epoch, milliseconds] = (await response.text()).split(".");
    clock = { epoch, ahead: Number(milliseconds) - performance.now(), askedAt: Date.now() };
  }
  return read(clock, at);
}

// Returns the same without asking; without a time the server takes an action for one that is made when it comes.
export function lastServerTime(at) {
  return clock ? read(clock, at) : "";
}

// Lets the server be asked again: it may have been restarted.
export function forgetServerTime() {
  clock = null;
}
