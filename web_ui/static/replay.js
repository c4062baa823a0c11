// Replay of a past game: steps forward and back without loading the page again.
//
// The server sends all positions once, as parts that many steps share. Until they are there the links of the page
// work as without scripts.
const replay = document.getElementById("replay");
const number = Number(replay.dataset.number);
const steps = Number(replay.dataset.steps);
const range = replay.querySelector("input[type=range]");
const auto = replay.querySelector("[data-auto]");
const curve = document.querySelector("svg.curve");
const AUTO_STEP = 1400; // milliseconds
let step = Number(replay.dataset.step);
let positions = null;
let wanted = null; // a step that was asked for before the positions came
let timer = 0;
const listeners = [];

// Calls a function with every step that is shown from now on.
export function onStep(listener) {
  listeners.push(listener);
}

export function currentStep() {
  return step;
}

function setText(selector, text) {
  const element = replay.querySelector(selector);
  if (element.textContent !== text) element.textContent = text;
}

function address(to) {
  const url = new URL(location);
  url.searchParams.set("step", to);
  url.hash = "replay";
  return url;
}

function setLeap(name, to) {
  const link = replay.querySelector(`[data-leap=${name}]`);
  if (to < 0 || to > steps || to === step) {
    link.removeAttribute("href");
    link.setAttribute("role", "link"); // a link without an address has none
    link.setAttribute("aria-disabled", "true");
  } else {
    link.href = address(to);
    link.removeAttribute("role");
    link.removeAttribute("aria-disabled");
  }
}

function markCurve() {
  const { left, perStep } = curve?.dataset ?? {};
  curve?.querySelector(".now").setAttribute("x", Number(left) + step * Number(perStep) - 2);
}

function show(to) {
  const next = Math.max(0, Math.min(steps, to));
  if (!positions) {
    wanted = next;
    return;
  }
  if (next === step) return;
  const [before, after] = [positions.steps[step], positions.steps[next]];
  positions.names.forEach((name, at) => {
    if (before.parts[at] === after.parts[at]) return;
    replay.querySelector(`[data-part="${name}"]`).innerHTML = positions.parts[after.parts[at]];
  });
  step = next;
  setText("[data-text]", after.text);
  setText("[data-round]", after.round);
  setText("[data-step-number]", `${step} / ${steps}`);
  range.value = step;
  range.setAttribute("aria-valuetext", after.text);
  setLeap("first", 0);
  setLeap("back", step - 1);
  setLeap("forward", step + 1);
  setLeap("last", steps);
  markCurve();
  if (step === steps) stop();
  clearTimeout(show.later);
  show.later = setTimeout(() => history.replaceState(null, "", address(step)), 300); // browsers limit its rate
  for (const listener of listeners) listener(step);
}

function stop() {
  clearInterval(timer);
  timer = 0;
  auto.setAttribute("aria-label", replay.dataset.play);
  auto.classList.remove("running");
}

function startOrStop() {
  if (timer) return stop();
  if (step === steps) show(0);
  timer = setInterval(() => show(step + 1), AUTO_STEP);
  auto.setAttribute("aria-label", replay.dataset.pause);
  auto.classList.add("running");
}

const KEYS = {
  ArrowLeft: () => step - 1,
  ArrowRight: () => step + 1,
  Home: () => 0,
  End: () => steps,
};

document.addEventListener("keydown", (event) => {
  const to = KEYS[event.key];
  if (!to || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input:not([type=range]), select, textarea")) return;
  event.preventDefault();
  stop();
  show(wanted === null ? to() : wanted + to() - step);
});

range.addEventListener("input", () => {
  stop();
  show(Number(range.value));
});

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const leap = event.target.closest("[data-leap][href], a[data-step]");
  if (!leap || !positions) return;
  event.preventDefault();
  stop();
  show(Number(new URL(leap.href).searchParams.get("step")));
  if (leap.dataset.step) replay.scrollIntoView({ block: "start" });
});

curve?.addEventListener("click", (event) => {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(curve.getScreenCTM().inverse());
  stop();
  show(Math.round((point.x - Number(curve.dataset.left)) / Number(curve.dataset.perStep)));
});

replay.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
auto.addEventListener("click", startOrStop);

const response = await fetch(`/history/${number}/steps`).catch(() => null);
if (response?.ok) {
  positions = await response.json();
  if (positions.steps.length === steps + 1) {
    auto.disabled = false;
    document.documentElement.dataset.replay = "ready";
    if (wanted !== null) show(wanted);
  } else {
    location.reload(); // the game has gone on
  }
}
