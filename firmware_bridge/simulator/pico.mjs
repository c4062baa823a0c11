// The simulated Raspberry Pi Pico: MicroPython for WebAssembly runs the firmware's own files; this file simulates pins,
// strips, readers and the USB line. Started by `firmware_bridge.simulator.process`: commands (close a switch, send a tag)
// arrive as lines of JSON on standard input, reports (bytes of a strip, a reset) leave as JSON on standard output.
//
//     node pico.mjs MICROPYTHON.mjs STAND_IN_FOLDER FLASH_FOLDER BOARD USB_FILE_DESCRIPTOR WATCHDOG
//
// WATCHDOG is a factor for the watchdog's timeout: 1 as on the chip, less for tests.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Worker, isMainThread, workerData } from "node:worker_threads";

const [micropython, standIn, flash, board, descriptor, watchdog] = process.argv.slice(2);
const HANDS = 0, EYES = 1, USB = Number(descriptor);
const RING = 1 << 16;
// Indices of the shared words.
const SIGNAL = 0, LINE_IN = 1, HAND_IN = 3, LINE_OUT = 5, CONNECTED = 7, FED = 8, WATCHDOG = 9, WORDS = 16;
const TRANSMIT_TIMEOUT = 500; // milliseconds that MicroPython waits for a host that does not read

const shared = isMainThread
  ? { words: new SharedArrayBuffer(4 * WORDS), rings: [0, 1, 2].map(() => new SharedArrayBuffer(RING)) }
  : workerData;
const words = new Int32Array(shared.words);

// A ring buffer between two threads: word `at` counts the bytes written, word `at + 1` the bytes read.
class Ring {
  constructor(buffer, at) {
    this.bytes = new Uint8Array(buffer);
    this.at = at;
  }
  get used() {
    return (Atomics.load(words, this.at) - Atomics.load(words, this.at + 1)) >>> 0;
  }
  put(data) {
    let put = Atomics.load(words, this.at);
    for (const byte of data) this.bytes[put++ & (RING - 1)] = byte;
    Atomics.store(words, this.at, put);
    Atomics.notify(words, this.at);
    Atomics.add(words, SIGNAL, 1);
    Atomics.notify(words, SIGNAL);
  }
  peek(index) {
    return this.bytes[(Atomics.load(words, this.at + 1) + index) & (RING - 1)];
  }
  find(byte, limit) {
    const used = Math.min(this.used, limit);
    for (let index = 0; index < used; index++) if (this.peek(index) === byte) return index;
    return -1;
  }
  take(count) {
    const taken = Buffer.alloc(Math.min(count, this.used));
    for (let index = 0; index < taken.length; index++) taken[index] = this.peek(index);
    Atomics.add(words, this.at + 1, taken.length);
    Atomics.notify(words, this.at + 1);
    return taken;
  }
}

const lineIn = new Ring(shared.rings[0], LINE_IN);
const handIn = new Ring(shared.rings[1], HAND_IN);
const lineOut = new Ring(shared.rings[2], LINE_OUT);

const milliseconds = () => Number(process.hrtime.bigint() / 1_000_000n) | 0;
const seconds = () => Number(process.hrtime.bigint()) / 1e9;
const pause = (time) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, time);
const leave = () => process.kill(process.pid, "SIGKILL"); // threads that wait in a read can't be joined

function report(what) {
  try {
    fs.writeSync(EYES, JSON.stringify(what) + "\n");
  } catch {
    leave(); // standard output is closed
  }
}

function end(why) {
  report({ ended: why });
  leave();
}

// --- I/O threads: blocking reads and writes, so that the firmware never blocks --------------------------------

function pump(fd, ring) {
  const buffer = Buffer.alloc(4096);
  for (;;) {
    let count = 0;
    try {
      if (fd === USB) Atomics.store(words, CONNECTED, 1);
      count = fs.readSync(fd, buffer, 0, buffer.length, null);
    } catch (error) {
      if (error.code !== "EIO" && error.code !== "EAGAIN") throw error;
      if (fd === USB) Atomics.store(words, CONNECTED, 0); // no program has the port open
      pause(10);
      continue;
    }
    if (count === 0) return end("hands off");
    while (ring.used + count > RING) pause(1);
    ring.put(buffer.subarray(0, count));
  }
}

function transmit() {
  for (;;) {
    const put = Atomics.load(words, LINE_OUT);
    if (lineOut.used === 0) {
      Atomics.wait(words, LINE_OUT, put, 50);
    } else {
      const data = lineOut.take(4096);
      if (Atomics.load(words, CONNECTED)) {
        try {
          fs.writeSync(USB, data);
        } catch (error) {
          if (error.code !== "EIO") throw error;
        }
      }
    }
    const timeout = Atomics.load(words, WATCHDOG);
    if (timeout && milliseconds() - Atomics.load(words, FED) > timeout) end("watchdog");
  }
}

// --- The chip ----------------------------------------------------------------------------------------------

const LOOKS = { crossing: 3, pin: 40 }; // reads of the pins that must see a switch before it changes again ...
const OFF = 0.03; // ... and the seconds for which it must be open before that: less counts as bouncing
const OUT = 1, OPEN_DRAIN = 2, PULL_UP = 1, CONTROL_C = 3;

class Chip {
  constructor() {
    this.pins = Array.from({ length: 30 }, () => ({ mode: -1, pull: 0, high: true }));
    this.closed = new Map(); // "row,column" or "pin" -> its pins
    this.moved = new Map(); // the same, after a change -> how often it must be read before the next change
    this.moves = []; // queued changes of switches
    this.tags = new Map(); // pin of a reader -> bytes in transmission, each with its time
    this.transfers = new Map();
    this.heard = Atomics.load(words, LINE_IN);
    this.memory = 0;
    this.rest = "";
  }

  hands() {
    if (handIn.used > 0) {
      const lines = (this.rest + handIn.take(RING).toString()).split("\n");
      this.rest = lines.pop();
      for (const line of lines) this.hand(JSON.parse(line));
    }
    if (this.moves.length > 0) this.moves = this.moves.filter((does) => !this.move(does));
  }
  // Change a switch, unless the firmware has not yet read its last change: on a busy machine this process may have
  // been suspended, which never happens on a chip.
  move(does) {
    const key = does.switch.join();
    if (this.moved.has(key)) return false;
    const looks = does.switch.length === 2 ? LOOKS.crossing : LOOKS.pin;
    this.moved.set(key, { pins: does.switch, looks, rest: does.closed ? 0 : OFF, from: 0 });
    if (does.closed) this.closed.set(key, does.switch);
    else this.closed.delete(key);
    report({ switch: does.switch, closed: does.closed, at: seconds() });
    return true;
  }
  hand(does) {
    if ("switch" in does) {
      this.moves.push(does);
    } else if ("reader" in does) {
      const sent = this.tags.get(does.reader) ?? [];
      let at = Math.max(seconds(), sent.length ? sent[sent.length - 1].at : 0);
      for (const byte of Buffer.from(does.data, "hex")) {
        at += 10 / does.baud;
        sent.push({ byte, at });
      }
      this.tags.set(does.reader, sent);
    } else if ("hang" in does) {
      for (;;) pause(1000);
    } else if ("stop" in does) {
      end("stop");
    }
  }

  pinsIn() {
    this.hands();
    for (const [key, moved] of this.moved) {
      if (moved.pins.length === 2 && !this.low(moved.pins[0])) continue; // not visible in this read
      moved.from ||= seconds() + moved.rest;
      if (seconds() >= moved.from && --moved.looks === 0) this.moved.delete(key);
    }
    let word = 0;
    this.pins.forEach((pin, number) => {
      const driven = pin.mode === OUT || pin.mode === OPEN_DRAIN;
      if (driven ? pin.high : pin.pull === PULL_UP) word |= 1 << number;
    });
    for (const pins of this.closed.values()) {
      if (pins.length === 1) word &= ~(1 << pins[0]);
      else if (this.low(pins[0])) word &= ~(1 << pins[1]); // a diode: the row pulls the column low, not vice versa
    }
    return word & 0x3fffffff;
  }
  low(number) {
    return this.pins[number].mode === OPEN_DRAIN && !this.pins[number].high;
  }

  received(pin, most) {
    if (this.pins[pin].mode === OUT) return []; // the chip drives the line
    const waiting = this.tags.get(pin) ?? [];
    const now = seconds();
    let count = 0;
    while (count < Math.min(most, waiting.length) && waiting[count].at <= now) count++;
    return waiting.splice(0, count).map(({ byte }) => byte);
  }

  look() {
    this.hands();
    const now = seconds();
    for (const [channel, transfer] of this.transfers) {
      if (transfer.until > now) continue;
      this.transfers.delete(channel);
      const after = Buffer.from(transfer.read());
      const data = transfer.data.toString("hex");
      report({ strip: transfer.pin, data, at: transfer.until, torn: !after.equals(transfer.data) });
    }
    const put = Atomics.load(words, LINE_IN);
    let until = null;
    while (this.heard !== put) {
      const character = lineIn.bytes[this.heard & (RING - 1)];
      this.heard = (this.heard + 1) | 0;
      if (character === CONTROL_C) until = this.heard;
    }
    if (until !== null && this.interrupt) this.interrupt((until - Atomics.load(words, LINE_IN + 1)) >>> 0);
  }
  wait(time) {
    this.look();
    const signal = Atomics.load(words, SIGNAL);
    if (lineIn.used === 0 && handIn.used === 0) Atomics.wait(words, SIGNAL, signal, time);
    this.look();
  }
}

// --- MicroPython -------------------------------------------------------------------------------------------

const NOT_FLASH = new Set([".", "..", "dev", "proc", "tmp", "home", "lib", "stand_in"]);

function copyIn(fsInside, from, to) {
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const inside = to + "/" + entry.name;
    if (entry.isDirectory()) {
      fsInside.mkdir(inside);
      copyIn(fsInside, path.join(from, entry.name), inside);
    } else fsInside.writeFile(inside, fs.readFileSync(path.join(from, entry.name)));
  }
}

function copyOut(fsInside, from, to) {
  fs.mkdirSync(to, { recursive: true });
  const names = fsInside.readdir(from || "/").filter((name) => from || !NOT_FLASH.has(name));
  for (const name of fs.readdirSync(to)) {
    if (!names.includes(name)) fs.rmSync(path.join(to, name), { recursive: true });
  }
  for (const name of names.filter((name) => name !== "." && name !== "..")) {
    const inside = from + "/" + name, outside = path.join(to, name);
    if (fsInside.isDir(fsInside.stat(inside).mode)) copyOut(fsInside, inside, outside);
    else keep(outside, Buffer.from(fsInside.readFile(inside)));
  }
}

// Files are replaced atomically, as in the chip's flash memory: the power may fail at any time.
function keep(file, data) {
  if (fs.existsSync(file) && data.equals(fs.readFileSync(file))) return;
  fs.writeFileSync(file + ".new", data);
  fs.renameSync(file + ".new", file);
}

function send(data) {
  const limit = milliseconds() + TRANSMIT_TIMEOUT;
  while (lineOut.used + data.length > RING && milliseconds() < limit) pause(1);
  if (lineOut.used + data.length <= RING) lineOut.put(data);
}

async function start() {
  let memory;
  const instantiate = WebAssembly.instantiate;
  WebAssembly.instantiate = async (...given) => {
    const made = await instantiate(...given);
    memory = Object.values((made.instance ?? made).exports).find((it) => it instanceof WebAssembly.Memory);
    return made;
  };
  const { loadMicroPython } = await import(pathToFileURL(micropython));
  const python = await loadMicroPython({
    heapsize: 192 * 1024, // as on an RP2040; it grows here, and `memory` reports the live bytes
    pystack: 8 * 1024,
    linebuffer: false,
    stdout: (data) => send(Buffer.from(data)),
    stderr: (data) => send(Buffer.from(data)),
  });
  WebAssembly.instantiate = instantiate;
  const bytes = (address, count) => new Uint8Array(memory.buffer, address, count);
  const chip = new Chip();
  const save = () => copyOut(python.FS, "", flash);
  Atomics.store(words, WATCHDOG, 0);
  python.registerJsModule("pico", {
    board,
    pins_in: () => chip.pinsIn(),
    pin: (number, mode, pull, high) => {
      const pin = chip.pins[number];
      if (mode >= 0) pin.mode = mode;
      if (pull >= 0) pin.pull = pull;
      if (high >= 0) pin.high = high === 1;
    },
    ready: () => lineIn.used > 0,
    wait: (time) => chip.wait(time),
    line: (address, most) => {
      const found = lineIn.find(10, most);
      const count = found >= 0 ? found + 1 : lineIn.used >= most ? most : 0;
      bytes(address, count).set(lineIn.take(count));
      return count;
    },
    take: (address, most) => {
      const taken = lineIn.take(most);
      bytes(address, taken.length).set(taken);
      return taken.length;
    },
    write: (address, count) => send(Buffer.from(bytes(address, count))),
    received: (pin, address, most) => {
      const data = chip.received(pin, most);
      bytes(address, data.length).set(data);
      return data.length;
    },
    waiting: (pin) => (chip.tags.get(pin) ?? []).filter(({ at }) => at <= seconds()).length,
    transfer: (channel, pin, address, count, time) => {
      const read = () => bytes(address, count);
      chip.transfers.set(channel, { pin, read, data: Buffer.from(read()), until: seconds() + time });
    },
    busy: (channel) => {
      chip.look();
      return chip.transfers.has(channel);
    },
    watchdog: (timeout) => {
      Atomics.store(words, FED, milliseconds());
      Atomics.store(words, WATCHDOG, Math.round(timeout * Number(watchdog)));
    },
    feed: () => Atomics.store(words, FED, milliseconds()),
    watched: () => Atomics.load(words, WATCHDOG) > 0,
    memory: (used) => {
      if (used > chip.memory + 1024) report({ memory: (chip.memory = used) });
    },
    microseconds: () => Number((process.hrtime.bigint() / 1000n) & 0x3fffffffn),
    random: () => Math.floor(Math.random() * 256),
    save,
    reset: end,
  });
  chip.interrupt = (count) => {
    if (count <= lineIn.used) lineIn.take(count); // as on the chip: earlier input is discarded
    python._module._mp_sched_keyboard_interrupt();
  };
  copyIn(python.FS, flash, "");
  python.FS.mkdir("/stand_in");
  copyIn(python.FS, standIn, "/stand_in");
  python.runPython("import sys\nsys.path.insert(0, '/')\nsys.path.insert(0, '/stand_in')\nimport stand_in_for_pico\n");
  return { python, chip, save };
}

// Run `main.py`, which may run forever. MicroPython for WebAssembly collects garbage only between calls from
// JavaScript, so the stand-in of the watchdog raises CollectGarbage now and then, and `main.py` is called again where
// it was.
const GO_ON = "try:\n    app.run()\nexcept KeyboardInterrupt:\n    app.stop()\n";
const MEMORY = "import gc, pico\npico.memory(gc.mem_alloc())\n";

function runMain(python) {
  let source = python.FS.readFile("/main.py", { encoding: "utf8" });
  for (;;) {
    try {
      python.runPython(source);
      return;
    } catch (error) {
      if (error.type !== "CollectGarbage") {
        send(Buffer.from(String(error.message ?? error).replaceAll("\n", "\r\n")));
        return;
      }
    }
    python.runPython(MEMORY);
    source = GO_ON;
  }
}

// The prompt, until Ctrl-D restarts MicroPython; returns true in raw mode, where `main.py` is not run.
function prompt({ python, chip, save }, raw) {
  let before = "";
  const type = (character) => {
    before = (before + String.fromCharCode(character)).slice(-3);
    if (raw && before === "\x05A\x01") {
      send(Buffer.from("R\x00")); // no paste mode: it would block inside MicroPython
      python.replProcessChar(CONTROL_C); // discard the input
      return 0;
    }
    return python.replProcessChar(character);
  };
  python.replInit();
  if (raw) type(1);
  report({ prompt: true });
  chip.interrupt = null;
  for (;;) {
    chip.wait(5);
    const typed = lineIn.take(RING);
    for (const character of typed) {
      if (character === 1) raw = true;
      if (character === 2) raw = false;
      if (type(character)) {
        save();
        return raw;
      }
    }
    if (typed.length) save(); // files may have been moved or removed
  }
}

async function live() {
  for (let raw = false, first = true; ; first = false) {
    const pico = await start();
    report({ started: board });
    if (!first) send(Buffer.from("MPY: soft reboot\r\n"));
    if (!raw && pico.python.FS.analyzePath("/main.py").exists) {
      runMain(pico.python);
    }
    raw = prompt(pico, raw);
  }
}

if (isMainThread) {
  for (const job of ["line", "hands", "transmit"]) {
    new Worker(new URL(import.meta.url), { workerData: { ...shared, job }, argv: process.argv.slice(2) });
  }
  live().catch((error) => {
    process.stderr.write(String(error.stack ?? error) + "\n");
    end("fault");
  });
} else if (workerData.job === "line") pump(USB, lineIn);
else if (workerData.job === "hands") pump(HANDS, handIn);
else transmit();
