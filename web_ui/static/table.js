// The twin: shows the lights as the table has them, and presses its buttons by name.
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

// A colour at its brightest, in steps, so that few glows are needed; and how bright it is, 0 to 1.
function hueOf(colour) {
  const parts = [0, 2, 4].map((place) => parseInt(colour.slice(place, place + 2), 16));
  const most = Math.max(...parts);
  return { level: most / 255, hue: most ? parts.map((part) => Math.round((part / most) * 15) * 17) : null };
}

// The glow of a hue is made when it is first needed.
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

// A lit tile wears the ornament of its colour; a dark space of a printed wall wears the printed one.
function dress({ ornament, wall, colour }) {
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

function shine(light, colour) {
  if (!light || light.colour === colour) return;
  light.colour = colour;
  const { hue, level } = hueOf(colour);
  light.lens.setAttribute("fill", `#${colour}`);
  light.lens.classList.toggle("lit", level > 0.45);
  if (hue) light.halo.setAttribute("fill", glowOf(hue));
  light.halo.setAttribute("opacity", level.toFixed(2));
  dress(light);
}

function showLights({ all, some }) {
  if (all !== undefined) lights.forEach((light, place) => shine(light, all.slice(6 * place, 6 * place + 6) || "000000"));
  else for (const [place, colour] of Object.entries(some)) shine(lights[place], colour);
}

function writeName(text, name) {
  const room = Number(text.dataset.room);
  text.textContent = name;
  text.style.fontSize = `${Math.min(20, Math.max(8, room / (0.56 * name.length || 1))).toFixed(1)}px`;
}

// The tiles of the drawer that lie on the table already.
function showDrawer(told) {
  for (const tile of document.querySelectorAll(".tags [data-tag]")) {
    tile.classList.toggle("used", told.includes(tile.dataset.tag));
    tile.setAttribute("aria-pressed", told.includes(tile.dataset.tag));
  }
}

function showState(state) {
  showDrawer(state.used);
  if (!drawing) return;
  hues = Object.entries(state.palette).map(([letter, rgb]) => [letter, hueOf(rgb.slice(1)).hue]);
  patterns = state.patterns;
  scoring = state.scoring;
  lights.forEach(dress);
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
lights.forEach((light) => shine(light, light.lens.getAttribute("fill").slice(1)));
follow({ state: showState, lights: showLights, news: hideRepeatedAnswer });
