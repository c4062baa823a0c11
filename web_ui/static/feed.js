// One page's news from the server: by server-sent events, or by polling while no stream is free. Runs in the worker
// that the tabs of a browser share, or in a page.
//
// The server sends a heartbeat with its clock every second. When none comes, short requests ask whether the server is
// there; at the first answer the stream is opened again. A connection that the network has dropped without a word would
// not notice for minutes, and a request on it neither: so several are under way, each with a deadline of its own.
const PROBE_AFTER = 1600;        // milliseconds without a heartbeat after which the server is asked
const PROBE_EVERY = 700;         // milliseconds between two such requests
const PROBE_TIMEOUT = 2500;      // milliseconds after which one is given up
const MOST_PROBES = 4;           // at once: a browser opens six connections to a server
const HELD_UP = 3000;            // milliseconds by which a heartbeat may be late; a later one proves nothing
const FRUITLESS = 3;             // streams without a heartbeat, though the server answers, after which the page polls
const POLL_EVERY = 1500;         // milliseconds between polls
const POLL_TIMEOUT = 3000;
const TRY_STREAM_EVERY = 20;     // polls after which a stream is tried again

const probes = new Set();
const waiting = new Set();       // feeds that miss heartbeats
let lastProbe = -Infinity;

// Requests a resource and gives up after some milliseconds; `read` reads the response within that time.
async function request(path, options, timeout, read) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeout);
  try {
    return await read(await fetch(path, { ...options, cache: "no-store", signal: abort.signal }));
  } finally {
    clearTimeout(timer);
  }
}

// Asks the server whether it is there, on behalf of all feeds that miss heartbeats; its answer opens their streams.
async function probe() {
  const now = performance.now();
  if (probes.size >= MOST_PROBES || now - lastProbe < PROBE_EVERY) return;
  lastProbe = now;
  const own = {};
  probes.add(own);
  try {
    await request("/beat", {}, PROBE_TIMEOUT, (response) => response.text());
    for (const feed of [...waiting]) feed.open();
  } catch {
    // not there yet
  } finally {
    probes.delete(own);
  }
}

// Returns whether a stamp is older than another one of the same server process.
function isOlder(stamp, other) {
  const [[epoch, number], [otherEpoch, otherNumber]] = [stamp.split("."), other.split(".")];
  return epoch === otherEpoch && Number(number) < Number(otherNumber);
}

export class Feed {
  // `query` names the page, `stamp` is what it shows. `deliver` gets a name and data: `hello`, `news` with its `stamp`,
  // `lights`, and `beat`: the server's clock as a stamp, when everything before it is delivered.
  constructor(query, stamp, deliver) {
    this.query = query;
    this.stamp = stamp;
    this.deliver = deliver;
    this.etag = "";
    this.polls = 0;
    this.fruitless = 0;
    this.heardAt = -Infinity;
    this.open();
    this.timer = setInterval(() => this.check(), 100);
  }

  open() {
    if (this.fruitless++ >= FRUITLESS) {
      this.fruitless = 0;
      this.poll();
      return;
    }
    this.stop();
    this.epoch = "";             // the first heartbeat of a new connection can't be older than the connection
    this.openedAt = performance.now();
    const stream = new EventSource(`/events?${this.query}&have=${this.stamp}`);
    this.stream = stream;
    stream.addEventListener("hello", (event) => this.deliver("hello", JSON.parse(event.data)));
    stream.addEventListener("news", (event) => {
      this.stamp = event.lastEventId;
      this.deliver("news", { ...JSON.parse(event.data), stamp: this.stamp });
    });
    stream.addEventListener("lights", (event) => this.deliver("lights", JSON.parse(event.data)));
    stream.addEventListener("beat", (event) => this.hear(JSON.parse(event.data)));
    stream.addEventListener("error", () => {
      if (this.stream !== stream) return;
      if (stream.readyState === EventSource.CLOSED) this.poll();  // refused: no stream is free
      else this.lose();
    });
  }

  // Takes a heartbeat. One that was held up on its way, behind others, is no sign of the server now.
  hear(stamp) {
    const [epoch, milliseconds] = stamp.split(".");
    const now = performance.now();
    const ahead = Number(milliseconds) - now;
    if (epoch === this.epoch && ahead < this.ahead - HELD_UP) return;
    this.ahead = epoch === this.epoch ? Math.max(this.ahead - 1, ahead) : ahead; // -1: clocks drift apart
    this.epoch = epoch;
    this.heardAt = now;
    this.fruitless = 0;
    waiting.delete(this);
    this.deliver("beat", this.time());
  }

  // Returns the server's clock now, or a little less, as a stamp.
  time() {
    return `${this.epoch}.${Math.floor(performance.now() + this.ahead)}`;
  }

  isAlive() {
    return Boolean(this.epoch) && performance.now() - this.heardAt < PROBE_AFTER;
  }

  // Closes a broken stream; the next answer of the server opens another one.
  lose() {
    this.stop();
    waiting.add(this);
    probe();
  }

  check() {
    if (this.stream && performance.now() - Math.max(this.heardAt, this.openedAt) > PROBE_AFTER) waiting.add(this);
    if (waiting.has(this)) probe();
  }

  async poll() {
    this.stop();
    const silent = performance.now() - this.heardAt > 2 * POLL_EVERY;
    const next = () => (++this.polls % TRY_STREAM_EVERY ? this.poll() : this.open());
    this.polling = setTimeout(next, silent ? PROBE_EVERY : POLL_EVERY);
    const headers = this.etag ? { "If-None-Match": this.etag } : {};
    try {
      await request(`/regions?${this.query}`, { headers }, POLL_TIMEOUT, async (response) => {
        if (response.status === 200) this.take(await response.json(), response.headers.get("ETag"));
        else if (response.status !== 304) return;
        this.hear(response.headers.get("Azul-Time"));
      });
    } catch {
      // the next poll tries again
    }
  }

  // Delivers the response to a poll, unless a later response or a stream was faster.
  take(all, etag) {
    if (isOlder(all.stamp, this.stamp)) return;
    this.etag = etag;
    this.stamp = all.stamp;
    this.deliver("hello", all.hello);
    this.deliver("news", { ...all.news, stamp: all.stamp });
    if (all.lights) this.deliver("lights", all.lights);
  }

  stop() {
    waiting.delete(this);
    this.stream?.close();
    this.stream = null;
    clearTimeout(this.polling);
  }

  close() {
    this.stop();
    clearInterval(this.timer);
    this.deliver = () => {};
  }
}
