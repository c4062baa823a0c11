// The page of settings: its buttons send what they change; the brightness follows the slider while it moves.
import { listen, send } from "./actions.js";
import { follow } from "./live.js";
import { followTheme } from "./theme.js";

const EVERY = 150;               // milliseconds between two changes of the brightness that are sent at least

const slider = () => document.getElementById("brightness");
let sending = false;
let moving = false;              // the slider is held

function showBrightness() {
  document.querySelector(".slider output").textContent = `${slider().value} %`;
}

// Sends the brightness while the slider moves, the last one always, never two at once.
async function sendBrightness() {
  if (sending) return;
  sending = true;
  for (let sent = ""; sent !== slider().value;) {
    sent = slider().value;
    if (!(await send({ type: "settings", brightness: Number(sent) / 100 }))) break;
    await new Promise((resolve) => setTimeout(resolve, EVERY));
  }
  sending = false;
}

// Shows a brightness that was changed elsewhere, unless the slider is held here.
function followBrightness() {
  if (!slider() || moving || sending) return;
  slider().value = slider().getAttribute("value");
  showBrightness();
}

if (document.querySelector("main").classList.contains("pressing")) {
  document.querySelector("fieldset.hands").disabled = false;
  listen();
  document.addEventListener("input", ({ target }) => {
    if (target.id !== "brightness") return;
    moving = true;
    showBrightness();
    sendBrightness();
  });
  document.addEventListener("change", ({ target }) => {
    if (target.id === "brightness") moving = false;
  });
}
followTheme();
follow({ news: followBrightness });
