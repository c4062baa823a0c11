// Actions: sends what people do on a page to the table, one action after another.
//
// A button with data-button presses that button of the table. A button or form with data-action sends that JSON
// message; a form adds its fields.
import { serverTime } from "./live.js";

const GIVE_UP = 5000;            // milliseconds after which the page does not wait for an answer any more
const SHOWN_FOR = 6000;          // milliseconds that a refusal is shown: it lies over the board
const FOR_QUESTION = new Set(["press", "select", "choose", "sit", "leave", "options", "start", "hint", "again"]);

const page = document.documentElement.dataset;
const answer = document.getElementById("answer");
let queue = Promise.resolve();
let hiding = 0;

function showAnswer(sentence) {
  answer.textContent = sentence;
  answer.hidden = !sentence;
  clearTimeout(hiding);
  if (sentence) hiding = setTimeout(showAnswer, SHOWN_FOR, "");
}

function flash(selector, mark) {
  for (const button of document.querySelectorAll(selector)) {
    button.classList.add(mark);
    setTimeout(() => button.classList.remove(mark), mark === "refused" ? 700 : 180);
  }
}

const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// Posts an action that was made at a time of this page. The server does it at most once, and not when it is late: its id
// and its time say so. Gives up in time; after that the action is not done any more.
async function post(action, id, made) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), made + GIVE_UP - performance.now());
  try {
    const time = await Promise.race([serverTime(made), new Promise((_, fail) => abort.signal.addEventListener("abort", fail))]);
    const response = await fetch("/action", {
      method: "POST",
      headers: { "Content-Type": "application/json", "Azul-Action": id, "Azul-Made": time },
      body: JSON.stringify(action),
      signal: abort.signal,
    });
    const result = await response.json();
    return { taken: result.taken ?? false, sentence: result.error ?? result.say ?? "" };
  } catch {
    return { taken: false, sentence: document.getElementById("lost").dataset.silent };
  } finally {
    clearTimeout(timer);
  }
}

// A refusal that the page itself shows, now or after later news, is not shown twice.
export function hideRepeatedAnswer() {
  const refusal = document.querySelector("[data-region=turn] .refusal")?.textContent;
  if (refusal && refusal === answer?.textContent) showAnswer("");
}

// Sends an action once all earlier ones are answered: two connections could swap their order. It is for the question that
// the page shows now, and nothing is sent while the page may be out of date. Shows a refusal; returns whether it was taken.
export function send(action) {
  if (page.connection !== "live") {
    flash("#lost", "refused");
    return Promise.resolve(false);
  }
  const made = performance.now();
  const complete = FOR_QUESTION.has(action.type) && page.asked ? { ...action, asked: page.asked } : action;
  const sent = queue.then(async () => {
    const { taken, sentence } = await post(complete, newId(), made);
    showAnswer(taken ? "" : sentence);
    hideRepeatedAnswer();
    return taken;
  });
  queue = sent;
  return sent;
}

// Sends an action and flashes every element that stands for it.
async function perform(action, selector) {
  flash(selector, "pressed");
  if (!(await send(action))) flash(selector, "refused");
}

function press(button) {
  perform({ type: "press", button }, `[data-button="${CSS.escape(button)}"]`);
}

function performAction(json) {
  perform(JSON.parse(json), `[data-action="${CSS.escape(json)}"]`);
}

// Draws a tile as from a real bag: every tile in it has the same chance.
function drawBlindly() {
  const bag = [...document.querySelectorAll("[data-tile]")].flatMap(({ dataset }) => Array(Number(dataset.left)).fill(dataset.tile));
  const letter = bag[Math.floor(Math.random() * bag.length)];
  const tiles = [...document.querySelectorAll(`[data-letter="${letter}"]:not(.used)`)];
  if (tiles.length) performAction(tiles[Math.floor(Math.random() * tiles.length)].dataset.action);
}

async function submit(form) {
  const action = { ...JSON.parse(form.dataset.action), ...Object.fromEntries(new FormData(form)) };
  if (!(await send(action))) return;
  if (form.dataset.clear) form.reset();
  else if (form.contains(document.activeElement)) form.querySelector("button").focus(); // unless the focus has moved on
}

export function listen() {
  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-blind]")) drawBlindly();
    const { button, action } = target.closest("[data-button], button[data-action]")?.dataset ?? {};
    if (button) press(button);
    else if (action) performAction(action);
  });
  document.addEventListener("keydown", (event) => {
    const button = event.target.closest("svg [data-button]");
    if (!button || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    if (!event.repeat) press(button.dataset.button);
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target.closest("form[data-action]");
    if (form) submit(form);
  });
}
