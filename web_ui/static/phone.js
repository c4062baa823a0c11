// The phone page: the seat of this phone, panels that slide over the board, and play.
import { hideRepeatedAnswer, listen, send } from "./actions.js";
import { follow } from "./live.js";
import { showPlay, startPlay } from "./play.js";
import { followTheme } from "./theme.js";
import { watchTurn } from "./turn.js";

const root = document.documentElement;
const pressing = document.querySelector("main").classList.contains("pressing");

// Gives this phone a seat, or gives up the seat that it has (0), and loads the page laid out for it.
async function sitAt(seat) {
  const mine = Number(root.dataset.seat);
  const action = seat ? { type: "claim", seat } : { type: "release", seat: mine };
  if ((seat || mine) && !(await send(action))) return;
  location.reload();
}

// Opens a panel, or closes the open one with an empty name.
function openPanel(name) {
  const before = root.dataset.panel ?? "";
  if (name && name !== before) root.dataset.panel = name;
  else delete root.dataset.panel;
  for (const tab of document.querySelectorAll("[data-panel]:not(html)")) tab.setAttribute("aria-expanded", tab.hash === `#${root.dataset.panel}`);
  if (root.dataset.panel) document.getElementById(name).querySelector("[data-close]").focus({ preventScroll: true });
  else document.querySelector(`[data-panel][href="#${before}"]`)?.focus({ preventScroll: true });
}

function usePanels(event) {
  const tab = event.target.closest("[data-panel]:not(html)");
  const opened = event.target.closest("[data-open]");
  const rules = event.target.closest("[data-rules]");
  if (rules) rules.href = document.querySelector("[data-region=rules] a")?.href ?? rules.href; // those of this game
  if (tab || event.target.closest("[data-close]")) {
    event.preventDefault();
    openPanel(tab ? tab.hash.slice(1) : "");
  } else if (opened) {
    closeMenu();
    document.getElementById(opened.dataset.open).showModal();
  } else if (!event.target.closest("#menu")) closeMenu();
}

function closeMenu() {
  document.getElementById("menu").open = false;
}

function news() {
  hideRepeatedAnswer();
  showPlay();
}

// Escape closes what lies over the board before it puts tiles back.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Escape" || !(root.dataset.panel || document.getElementById("menu").open)) return;
    event.stopPropagation();
    openPanel("");
    closeMenu();
  },
  true,
);
// A refusal has been read when somebody does something else.
function hideAnswer() {
  const answer = document.getElementById("answer");
  if (answer) answer.hidden = true;
}

document.addEventListener("pointerdown", hideAnswer);
document.addEventListener("click", usePanels);
document.addEventListener("click", (event) => {
  const seat = pressing && event.target.closest("[data-sit]");
  if (seat) sitAt(Number(seat.dataset.sit));
});
for (const tab of document.querySelectorAll("[data-panel]")) tab.setAttribute("aria-expanded", "false");
followTheme();
if (pressing) {
  listen();
  startPlay();
}
watchTurn();
follow({ news });
