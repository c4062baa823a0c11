// The Hardware face of the twin: shows the lights of the table, and sends presses of its drawn buttons.
import { hideRepeatedAnswer, listen, send } from "./actions.js";
import { follow } from "./live.js";
import { followTheme } from "./theme.js";

const SVG = "http://www.w3.org/2000/svg";
const HOLD = 1500;      // milliseconds for which a light that dims or changes is held with reduced motion: no pulse shows
const still = matchMedia("(prefers-reduced-motion: reduce)");
const main = document.querySelector("main");
const drawing = document.querySelector("svg.table");
const pressing = main.classList.contains("pressing");
const halos = [...(drawing?.querySelectorAll(".halos circle") ?? [])];
const lights = [...(drawing?.querySelectorAll("[data-light]") ?? [])].map((lens, place) => ({
  lens,
  halo: halos[place],
  ornament: lens.parentNode.querySelector(".ornament"),
  wall: /^seat\.(\d+)\.wall\.(\d)\.(\d)$/.exec(lens.dataset.light)?.slice(1),
  colour: "",           // as it is drawn
  wanted: "",           // as the table shows it
  held: 0,              // the timer of a change that waits
}));
let hues = [];          // the palette as [letter, hue]
let patterns = {};      // the colours printed on the walls, by seat
let scoring = "";       // where the solo game's scoring tile lies: seat.row.column
let frozen = false;     // the lights stay as they are

// Splits a colour into its level (0 to 1) and its hue at full level, rounded so that few glows are needed.
function hueOf(colour) {
  const parts = [0, 2, 4].map((place) => parseInt(colour.slice(place, place + 2), 16));
  const most = Math.max(...parts);
  return { level: most / 255, hue: most ? parts.map((part) => Math.round((part / most) * 15) * 17) : null };
}

// Returns the glow of a hue; makes it at its first use.
function glowOf(hue) {
  const name = `glow-${hue.join("-")}`;
  if (!document.getElementById(name)) {
    const glow = drawing.querySelector("defs").appendChild(document.createElementNS(SVG, "radialGradient"));
    glow.id = name;
    for (const [offset, opacity] of [[0, 0.9], [0.45, 0.5], [0.7, 0.16], [1, 0]]) {
      const stop = glow.appendChild(document.createElementNS(SVG, "stop"));
      stop.setAttribute("offset", offset);
      stop.setAttribute("stop-color", `rgb(${hue})`);
      stop.setAttribute("stop-opacity", opacity);
    }
  }
  return `url(#${name})`;
}

// Shows the ornament of a lit tile's colour, and the printed one on a dark space of a printed wall.
function showOrnament({ ornament, wall, colour }) {
  if (!ornament || !colour) return;
  const { hue, level } = hueOf(colour);
  const lit = level > 0.2 && hues.find(([, known]) => known.every((part, place) => Math.abs(part - hue[place]) <= 17));
  const print = wall && patterns[wall[0]]?.[wall[1] - 1]?.[wall[2] - 1];
  const coin = wall && wall.join(".") === scoring;
  const href = coin ? "#mark-s" : lit ? `#ink-${lit[0]}` : print ? `#print-${print}` : "";
  if (ornament.getAttribute("href") === href) return;
  ornament.setAttribute("href", href);
  ornament.setAttribute("class", coin ? "ornament" : lit ? "ornament ink" : "ornament printed");
}

function drawLight(light, colour) {
  light.colour = colour;
  const { hue, level } = hueOf(colour);
  light.lens.setAttribute("fill", `#${colour}`);
  light.lens.classList.toggle("lit", level > 0.45);
  if (hue) light.halo.setAttribute("fill", glowOf(hue));
  light.halo.setAttribute("opacity", level.toFixed(2));
  showOrnament(light);
}

// Returns whether a change may be drawn at once with reduced motion: a light that goes on, or gets brighter.
function isCalm(before, after) {
  const [old, fresh] = [hueOf(before), hueOf(after)];
  const alike = old.hue && fresh.hue && old.hue.every((part, place) => Math.abs(part - fresh.hue[place]) <= 34);
  return old.level < 0.05 || (alike && fresh.level >= old.level);
}

// Draws a light, or with reduced motion waits to see whether it only pulses or blinks.
function setLight(light, colour) {
  if (!light) return;
  light.wanted = colour;
  if (frozen) return;
  clearTimeout(light.held);
  if (light.colour === colour) return;
  if (!still.matches || light.colour === "" || isCalm(light.colour, colour)) drawLight(light, colour);
  else light.held = setTimeout(drawLight, HOLD, light, colour);
}

function showLights({ all, some }) {
  if (all !== undefined) lights.forEach((light, place) => setLight(light, all.slice(6 * place, 6 * place + 6) || "000000"));
  else for (const [place, colour] of Object.entries(some)) setLight(lights[place], colour);
}

function writeName(text, name) {
  const room = Number(text.dataset.room);
  text.textContent = name;
  text.style.fontSize = `${Math.min(20, Math.max(8, room / (0.56 * name.length || 1))).toFixed(1)}px`;
}

// Marks the tiles of the drawer that lie on the table already.
function showDrawer(used) {
  for (const tile of document.querySelectorAll(".tags [data-tag]")) {
    tile.classList.toggle("used", used.includes(tile.dataset.tag));
    tile.setAttribute("aria-pressed", used.includes(tile.dataset.tag));
  }
}

// Shows which buttons do something now; the others are no stops of the keyboard.
function showButtons({ live, dead, labels }) {
  const [alive, broken] = [new Set(live), new Set(dead)];
  for (const button of drawing.querySelectorAll("[data-button]")) {
    const name = button.dataset.button;
    const usable = alive.has(name) && !broken.has(name);
    button.classList.toggle("live", usable);
    button.classList.toggle("dead", broken.has(name));
    if (!pressing) continue;
    button.setAttribute("aria-disabled", String(!usable));
    if (usable) button.setAttribute("tabindex", "0");
    else if (button === document.activeElement) button.setAttribute("tabindex", "-1");
    else button.removeAttribute("tabindex");
    if (labels[name]) button.setAttribute("aria-label", labels[name]);
  }
}

function showState(state) {
  showDrawer(state.used);
  if (!drawing) return;
  hues = Object.entries(state.palette).map(([letter, rgb]) => [letter, hueOf(rgb.slice(1)).hue]);
  patterns = state.patterns;
  scoring = state.scoring;
  frozen = state.lights === "frozen";
  if (!frozen) for (const light of lights) if (light.wanted) setLight(light, light.wanted);
  for (const look of ["dark", "dim"]) drawing.classList.toggle(look, state.lights === look);
  lights.forEach(showOrnament);
  showButtons(state);
  for (const text of drawing.querySelectorAll("[data-name]")) writeName(text, state.names[text.dataset.name] ?? "");
}

// Presses the switch of a drawn button, or gives it the fault that is chosen in the workshop.
async function useButton(button) {
  const name = button.dataset.button;
  const tool = document.querySelector("[name=tool]:checked")?.value ?? "press";
  const part = `button.${name}`;
  if (tool === "press" && button.classList.contains("dead")) return;
  button.classList.add("pressed");
  setTimeout(() => button.classList.remove("pressed"), 180);
  const action = tool === "press" ? { type: "press", button: name, physical: true } : { type: "fault", part, fault: tool, on: true };
  if (await send(action)) return;
  button.classList.add("refused");
  setTimeout(() => button.classList.remove("refused"), 700);
}

// Remembers whether the workshop is open.
function keepBench() {
  const bench = document.getElementById("bench");
  bench.open = sessionStorage.getItem("bench") === "open";
  bench.addEventListener("toggle", () => sessionStorage.setItem("bench", bench.open ? "open" : ""));
}

function closeMenu({ target }) {
  if (!target.closest("#menu")) document.getElementById("menu").open = false;
}

if (pressing) {
  listen();
  drawing?.addEventListener("click", (event) => {
    const button = event.target.closest("[data-button]");
    if (!button) return;
    event.stopPropagation(); // it is a switch of the table, not a button of the page
    useButton(button);
  });
  drawing?.addEventListener("keydown", (event) => {
    const button = event.target.closest("[data-button]");
    if (!button || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) useButton(button);
  });
}
document.addEventListener("click", closeMenu);
followTheme();
keepBench();
showState(JSON.parse(main.dataset.state));
lights.forEach((light) => setLight(light, light.lens.getAttribute("fill").slice(1)));
follow({ state: showState, lights: showLights, news: hideRepeatedAnswer });
