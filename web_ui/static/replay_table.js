// A replay at the table: its position on the lights, and a game for practice from it.
import { askServerTime, deliver, deliverOnLeaving, forgetServerTime, lastServerTime } from "./delivery.js";
import { currentStep, onStep } from "./replay.js";

const replay = document.getElementById("replay");
const number = Number(replay.dataset.number);
const answer = document.getElementById("answer");
const showing = document.getElementById("show");
const practice = document.getElementById("practice");
let sending = false;
let latest = null; // the message to send after the present one

function say(sentence) {
  answer.textContent = sentence;
  answer.hidden = !sentence;
}

// Sends a message to the table; returns whether it was taken, and shows why not.
async function send(message) {
  const { taken, silent, sentence } = await deliver(message, askServerTime);
  if (!taken) forgetServerTime();
  say(silent ? replay.dataset.noAnswer : taken ? "" : sentence);
  return taken;
}

function isShowing() {
  return showing.getAttribute("aria-pressed") === "true";
}

// Shows a step on the table. While the table answers, only the latest step waits.
async function show(step) {
  latest = step;
  if (sending) return;
  sending = true;
  while (latest !== null && isShowing()) {
    const next = latest;
    latest = null;
    if (!(await send({ type: "show", number, step: next }))) showing.setAttribute("aria-pressed", "false");
  }
  sending = false;
}

showing.addEventListener("click", () => {
  const on = !isShowing();
  showing.setAttribute("aria-pressed", String(on));
  if (on) show(currentStep());
  else send({ type: "show" });
});

onStep((step) => {
  if (isShowing()) show(step);
});

addEventListener("pagehide", () => {
  if (isShowing()) deliverOnLeaving({ type: "show" }, lastServerTime);
});

practice.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { seat, bot } = Object.fromEntries(new FormData(practice));
  const others = [...practice.querySelectorAll("[name=seat] option")].map(({ value }) => value).filter((each) => each !== seat);
  const bots = Object.fromEntries(others.map((each) => [each, bot]));
  showing.setAttribute("aria-pressed", "false");
  if (await send({ type: "practice", number, step: currentStep(), bots })) location.assign(replay.dataset.back);
});

for (const control of [showing, ...practice.querySelectorAll("button")]) control.disabled = false;
