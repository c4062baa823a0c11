// The twin: shows the lights of the table, and sends presses of its drawn buttons.
import { hideRepeatedAnswer, listen } from "./actions.js";
import { follow } from "./live.js";

const SVG = "http://www.w3.org/2000/svg";
const main = document.querySelector("main");
const drawing = document.querySelector("svg.table");
const pressing = main.classList.contains("pressing");
const halos = [...(drawing?.querySelectorAll(".halos circle") ?? [])];
const lights = [...(drawing?.querySelectorAll("[data-light]") ?? [])].map((lens, place) => ({
  lens,
  halo: halos[place],
  ornament: lens.parentNode.querySelector(".ornament"),
  wall: /^seat\.(\d+)\.wall\.(\d)\.(\d)$/.exec(lens.dataset.light)?.slice(1),
  colour: "",
}));
let hues = [];          // the palette as [letter, hue]
let patterns = {};      // the colours printed on the walls, by seat
let scoring = "";       // where the solo game's scoring tile lies: seat.row.column

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

function setLight(light, colour) {
  if (!light || light.colour === colour) return;
  light.colour = colour;
  const { hue, level } = hueOf(colour);
  light.lens.setAttribute("fill", `#${colour}`);
  light.lens.classList.toggle("lit", level > 0.45);
  if (hue) light.halo.setAttribute("fill", glowOf(hue));
  light.halo.setAttribute("opacity", level.toFixed(2));
  showOrnament(light);
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

function showState(state) {
  showDrawer(state.used);
  if (!drawing) return;
  hues = Object.entries(state.palette).map(([letter, rgb]) => [letter, hueOf(rgb.slice(1)).hue]);
  patterns = state.patterns;
  scoring = state.scoring;
  lights.forEach(showOrnament);
  const live = new Set(state.live);
  for (const button of drawing.querySelectorAll("[data-button]")) {
    const name = button.dataset.button;
    button.classList.toggle("live", live.has(name));
    if (pressing && state.labels[name]) button.setAttribute("aria-label", state.labels[name]);
  }
  for (const text of drawing.querySelectorAll("[data-name]")) writeName(text, state.names[text.dataset.name] ?? "");
}

if (pressing) listen();
showState(JSON.parse(main.dataset.state));
lights.forEach((light) => setLight(light, light.lens.getAttribute("fill").slice(1)));
follow({ state: showState, lights: showLights, news: hideRepeatedAnswer });
