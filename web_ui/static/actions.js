// Actions: sends what people do on a page to the table, one action after another.
//
// A button with data-button presses that button of the table. A button or form with data-action sends that JSON
// message; a form adds its fields.
import { deliver } from "./delivery.js";
import { serverTime } from "./live.js";

const SHOWN_FOR = 6000;          // milliseconds that a refusal is shown: it lies over the board
const FOR_QUESTION = new Set(["press", "select", "choose", "sit", "leave", "options", "start", "hint", "again"]);

const page = document.documentElement.dataset;
const answer = document.getElementById("answer");
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

// A refusal that the page itself shows, now or after later news, is not shown twice.
export function hideRepeatedAnswer() {
  const refusal = document.querySelector("[data-region=turn] .refusal")?.textContent;
  if (refusal && refusal === answer?.textContent) showAnswer("");
}

// Sends an action after all earlier ones. It is for the question that the page shows now, and nothing is sent while the
// page may be out of date. Shows a refusal; returns whether it was taken.
export async function send(action) {
  if (page.connection !== "live") {
    flash("#lost", "refused");
    return false;
  }
  const complete = FOR_QUESTION.has(action.type) && page.asked ? { ...action, asked: page.asked } : action;
  const { taken, silent, sentence } = await deliver(complete, serverTime);
  showAnswer(silent ? document.getElementById("lost").dataset.silent : taken ? "" : sentence);
  hideRepeatedAnswer();
  return taken;
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
