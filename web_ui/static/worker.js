// The worker that all tabs of a browser share (SharedWorker): one stream for each kind of page and seat. A browser opens
// at most six connections to a server, so that a stream for each tab would leave none for anything else.
//
// A tab joins with what it shows and gets all events from there on. It says every few seconds that it is still there.
import { Feed } from "./feed.js";

const GONE_AFTER = 10000;        // milliseconds without a word after which a tab counts as closed

const shared = new Map();        // by page and seat

const numberOf = (stamp) => Number(stamp.split(".")[1]);
const epochOf = (stamp) => stamp.split(".")[0];

class Shared {
  constructor(query, seat, stamp) {
    this.query = query;
    this.seat = seat;
    this.tabs = new Map();       // ports, and when each was heard last
    this.begin(stamp);
    this.feed = new Feed(query, stamp, (name, data) => this.deliver(name, data));
  }

  // Forgets what came so far: from now on everything since `stamp` is known.
  begin(stamp) {
    this.base = this.stamp = stamp;
    this.latest = {};            // the parts of news besides the regions
    this.regions = new Map();    // HTML, and the number at which it came
    this.colours = "";
  }

  deliver(name, data) {
    if (name === "hello") this.hello = data;
    if (name === "news") this.remember(data);
    if (name === "lights") this.shine(data);
    for (const tab of this.tabs.keys()) tab.postMessage({ name, data });
    this.dropClosedTabs();
  }

  remember({ regions, stamp, ...latest }) {
    if (epochOf(stamp) !== epochOf(this.stamp)) this.begin(`${epochOf(stamp)}.-1`);  // all regions come
    this.stamp = stamp;
    this.latest = { ...this.latest, ...latest };
    for (const [name, html] of Object.entries(regions)) this.regions.set(name, { html, number: numberOf(stamp) });
  }

  shine({ all, some }) {
    if (all !== undefined) this.colours = all;
    for (const [place, colour] of Object.entries(some ?? {})) {
      this.colours = this.colours.slice(0, 6 * place) + colour + this.colours.slice(6 * place + 6);
    }
  }

  join(tab, stamp) {
    this.tabs.set(tab, performance.now());
    if (epochOf(stamp) !== epochOf(this.stamp) || numberOf(stamp) < numberOf(this.base)) {
      this.begin(stamp);
      this.feed.stamp = stamp;
      this.feed.open();
      return;
    }
    const newer = [...this.regions].filter(([, { number }]) => number > numberOf(stamp));
    const regions = Object.fromEntries(newer.map(([name, { html }]) => [name, html]));
    if (this.hello) tab.postMessage({ name: "hello", data: this.hello });
    if (stamp !== this.stamp) tab.postMessage({ name: "news", data: { ...this.latest, regions, stamp: this.stamp } });
    if (this.colours) tab.postMessage({ name: "lights", data: { all: this.colours } });
    if (this.feed.isAlive()) tab.postMessage({ name: "beat", data: this.feed.time() });
  }

  leave(tab) {
    this.tabs.delete(tab);
    if (this.tabs.size) return;
    this.feed.close();
    shared.delete(`${this.query} ${this.seat}`);
  }

  dropClosedTabs() {
    const now = performance.now();
    for (const [tab, heard] of [...this.tabs]) if (now - heard > GONE_AFTER) this.leave(tab);
  }
}

// Returns what the tabs of a page and seat share. Tabs that show another seat of this browser notice it by a new stream.
function findShared(query, seat, stamp) {
  const name = `${query} ${seat}`;
  if (!shared.has(name)) {
    for (const other of shared.values()) if (other.query === query) other.feed.open();
    shared.set(name, new Shared(query, seat, stamp));
  }
  return shared.get(name);
}

self.addEventListener("connect", ({ ports: [tab] }) => {
  let joined = null;
  tab.onmessage = ({ data: { join, query, seat, stamp } }) => {
    if (join === false) {
      joined?.leave(tab);
      joined = null;
    } else if (join) {
      joined = findShared(query, seat, stamp);
      joined.join(tab, stamp);
    } else {
      joined?.tabs.set(tab, performance.now());
      tab.postMessage({ name: "here" });
    }
  };
});
