// The wall: follows the table, dims while nothing changes, and drifts by some pixels so that nothing burns in.
import { follow } from "./live.js";
import "./flights.js";

const DIM_AFTER = 4 * 60_000;    // milliseconds without a change until the screen dims
const DARK_AFTER = 30 * 60_000;  // and until it is almost dark
const DRIFT_EVERY = 60_000;      // milliseconds between two steps of the drift
const DRIFT = [[0, 0], [3, 1], [5, 3], [3, 5], [0, 4], [-3, 5], [-5, 3], [-3, 1], [0, -2], [3, -4], [0, -5], [-3, -3]];
const still = matchMedia("(prefers-reduced-motion: reduce)");
const screen = document.getElementById("screen");
let timers = [];
let step = 0;

function wake() {
  timers.forEach(clearTimeout);
  screen.classList.remove("dim", "night");
  timers = [setTimeout(() => screen.classList.add("dim"), DIM_AFTER), setTimeout(() => screen.classList.add("night"), DARK_AFTER)];
}

function drift() {
  const [x, y] = still.matches ? [0, 0] : DRIFT[step++ % DRIFT.length];
  screen.style.translate = `${x}px ${y}px`;
}

setInterval(drift, DRIFT_EVERY);
wake();
follow({ news: wake });
