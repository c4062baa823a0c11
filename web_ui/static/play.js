// The board as the control: takes tiles and places them by tapping, dragging and keys.
//
// A tap on tiles lifts them here at once and tells the table; a tap on a line or the floor places them. What each
// choice would bring is in the page already (data-offers), so that it shows without waiting. The table decides: what
// it refuses goes back.
import { send } from "./actions.js";

const SVG = "http://www.w3.org/2000/svg";
const DRAG_FROM = 8;      // pixels that a pointer moves before tiles are dragged
const NEWS_WITHIN = 1500; // milliseconds after the table's answer in which its news must show what was done

// What was done here and is not shown by the table yet: the tiles in hand ("3r", or "" for none), and the line on
// which they were put (0: the floor).
let done = null;
let drag = null;
let justDragged = false;

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const shown = (selector) => all(selector).filter((element) => element.getClientRects().length);
const offer = () => document.querySelector(".offer[data-offers]");
const handOfTable = () => offer()?.dataset.hand ?? "";
const hand = () => done?.hand ?? handOfTable();
const placing = () => done?.line !== undefined;

// Returns what the tiles in hand would bring, by line.
function targetsOf(taken) {
  const given = offer()?.dataset.offers;
  if (!given || !taken) return new Map();
  const { of, sets } = JSON.parse(given);
  return new Map((sets[of[taken]] ?? []).map(([line, placed, floor, fills, points, cost, sends]) => [line, { line, placed, floor, fills, points, cost, sends }]));
}

// --- What the page shows -----------------------------------------------------------------------------------------

function pictureOf(letter, mark) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", `tile ${mark}`);
  picture.appendChild(document.createElementNS(SVG, "use")).setAttribute("href", `#tile-${letter}`);
  return picture;
}

function note(kind, text) {
  const mark = document.createElement("b");
  mark.className = kind;
  mark.textContent = text;
  return mark;
}

// Shows which tiles are lifted.
function showHand() {
  const taken = hand();
  for (const tile of all("[data-take]")) {
    const lifted = tile.dataset.take === taken;
    tile.classList.toggle("lifted", lifted);
    tile.classList.toggle("gone", lifted && placing());
    if (tile.matches("button")) tile.setAttribute("aria-pressed", lifted);
  }
  for (const source of all(".offer[data-offers] [data-source]")) source.classList.toggle("held", taken !== "" && source.dataset.source === taken[0]);
}

// Shows on each line and on the floor what the tiles in hand would bring there.
function showTargets() {
  for (const ghost of all(".coming-tile")) ghost.remove();
  for (const put of all(".put")) {
    const place = put.parentNode;
    const target = targetsOf(hand()).get(Number(put.dataset.line));
    const here = placing() ? done.line === target?.line : true;
    place.classList.toggle("target", Boolean(target) && here && !placing());
    place.classList.toggle("filling", Boolean(target?.fills) && here);
    place.classList.toggle("placing", placing() && here && Boolean(target));
    put.disabled = !target || placing();
    const gain = place.querySelector(".gain");
    gain.replaceChildren();
    if (!target || !here) continue;
    if (target.line) showOnLine(place, gain, target);
    else showOnFloor(place, gain, target);
  }
}

function showOnLine(row, gain, { placed, floor, fills, points, sends }) {
  const letter = hand()[1];
  const free = all(".line > .space", row);
  for (const space of free.slice(free.length - placed)) space.append(pictureOf(letter, "coming-tile"));
  if (fills && points !== null) {
    gain.append(note("plus", `+${points}`));
    row.querySelector(`.wall .space use[href="#faint-${letter}"]`)?.closest(".space").append(pictureOf(letter, "coming-tile on-wall"));
  }
  if (floor) gain.append(note("falls", `↓${floor}`));
  for (const sent of sends) gain.append(pictureOf(sent, "coming-tile sent"));
}

// In solo one of several tiles that fall goes to the penalty row, which is the floor of the action board.
function showOnFloor(row, gain, { floor, cost, sends }) {
  const letter = hand()[1];
  const free = all(".step > .space", row);
  const penalties = row.matches(".penalty");
  const marker = hand()[0] === "0" && document.querySelector(".stack.marker:not(.none)") ? ["m"] : [];
  const stay = floor - [...sends].filter((sent) => sent === letter).length;
  const letters = penalties ? [...sends] : [...marker, ...Array(stay).fill(letter)];
  for (const [place, each] of letters.slice(0, free.length).entries()) free[place].append(pictureOf(each, "coming-tile"));
  if (cost) gain.append(note("minus", `−${cost}`));
  for (const sent of penalties ? letters.slice(free.length) : sends) gain.append(pictureOf(sent, "coming-tile sent"));
}

// Shows the hand again after news: forgets what was done here once the table shows it.
export function showPlay() {
  if (done && (placing() ? !shown(`[data-take="${done.hand}"]`).length : handOfTable() === done.hand)) done = null;
  if (!offer()) done = null;
  showHand();
  showTargets();
  document.documentElement.classList.toggle("in-hand", hand() !== "");
}

// --- What people do ----------------------------------------------------------------------------------------------

// Does something here at once, tells the table, and takes it back if the table refuses.
async function perform(change, action) {
  const mine = (done = change);
  showPlay();
  const taken = await send(action);
  if (done !== mine) return;
  if (taken) setTimeout(() => done === mine && forget(), NEWS_WITHIN);
  else forget();
}

function forget() {
  done = null;
  showPlay();
}

function lift(taken) {
  if (placing()) return;
  const [source, colour] = taken;
  perform({ hand: taken }, { type: "select", source: Number(source), colour });
}

function putBack() {
  if (hand() && !placing()) perform({ hand: "" }, { type: "select" });
}

function place(line) {
  const taken = hand();
  if (placing() || !targetsOf(taken).has(line)) return;
  perform({ hand: taken, line }, { type: "choose", choice: `${taken}${line || "f"}` });
}

// Makes a choice that is no draft: a column, a square, a penalty tile.
async function choose(button) {
  button.classList.add("picked");
  if (!(await send({ type: "choose", choice: button.dataset.choose }))) button.classList.remove("picked");
}

// Points at the tiles where somebody taps a line with nothing in hand.
function nudge() {
  const found = offer();
  found?.classList.add("nudged");
  setTimeout(() => found?.classList.remove("nudged"), 600);
}

function tap(event) {
  if (justDragged) return;
  const tile = event.target.closest("[data-take]");
  const put = event.target.closest(".put");
  const choice = event.target.closest("[data-choose]");
  if (tile && offer()) {
    if (tile.dataset.take === hand()) putBack();
    else lift(tile.dataset.take);
  } else if (put) place(Number(put.dataset.line));
  else if (choice) choose(choice);
  else if (!hand() && event.target.closest("[data-acting] :is(.row, .floor)")?.querySelector(".put")) nudge();
}

// --- Dragging ----------------------------------------------------------------------------------------------------

const placeUnder = ({ clientX, clientY }) => document.elementFromPoint(clientX, clientY)?.closest("[data-acting] :is(.row, .floor)");

function grip(event) {
  const tile = event.button === 0 && event.isPrimary && event.target.closest("[data-take]");
  if (!tile || !offer() || placing()) return;
  drag = { tile, taken: tile.dataset.take, x: event.clientX, y: event.clientY, pointer: event.pointerId, picture: null, over: null };
}

function beginDrag() {
  const tiles = all(`[data-take="${drag.taken}"] .tile`, drag.tile.closest("[data-source]"));
  const size = tiles[0].getBoundingClientRect().width;
  drag.picture = document.createElement("div");
  drag.picture.className = "dragged";
  drag.picture.style.setProperty("--tile", `${size * 1.15}px`);
  drag.picture.append(...tiles.map(() => pictureOf(drag.taken[1], "")));
  document.body.append(drag.picture);
  document.documentElement.classList.add("dragging");
  if (hand() !== drag.taken) lift(drag.taken);
}

function pull(event) {
  if (!drag || event.pointerId !== drag.pointer) return;
  if (!drag.picture) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_FROM) return;
    beginDrag();
  }
  event.preventDefault();
  drag.picture.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -70%)`;
  const over = placeUnder(event);
  if (over === drag.over) return;
  drag.over?.classList.remove("over");
  over?.classList.add("over");
  drag.over = over;
}

function endDrag() {
  drag?.picture?.remove();
  drag?.over?.classList.remove("over");
  document.documentElement.classList.remove("dragging");
  drag = null;
}

function drop(event) {
  if (!drag || event.pointerId !== drag.pointer) return;
  if (drag.picture) {
    justDragged = true; // the click that follows belongs to this drag
    setTimeout(() => (justDragged = false));
    const line = placeUnder(event)?.dataset.line;
    if (line !== undefined && targetsOf(hand()).has(Number(line))) place(Number(line));
    else putBack();
  }
  endDrag();
}

// --- Keys --------------------------------------------------------------------------------------------------------

const takeable = (source) => [...new Set(shown("button[data-take]").map(({ dataset }) => dataset.take))].filter((taken) => source === undefined || taken[0] === source);

// Lifts the next tiles of a list after those in hand.
function liftNext(list, step = 1) {
  if (!list.length) return;
  const at = list.indexOf(hand());
  lift(list[at < 0 ? (step > 0 ? 0 : list.length - 1) : (at + step + list.length) % list.length]);
}

// Chooses a colour by its key: at the source of the tiles in hand, else at the next source that has it.
function liftColour(key) {
  const keys = offer().dataset.keys;
  const letter = keys[2 * [...keys].filter((_, place) => place % 2 === 0).indexOf(key) + 1];
  const has = (list) => list.filter((taken) => taken[1] === letter);
  const here = hand() ? has(takeable(hand()[0])) : [];
  liftNext(here.length && here[0] !== hand() ? here : has(takeable()));
}

// Makes the choice of a number: a column of the first tile that is due, a penalty tile.
function chooseNumber(digit) {
  const choices = shown("[data-choose]");
  const row = (token) => token.slice(0, token.lastIndexOf(" "));
  const found = choices.filter(({ dataset }) => dataset.choose === `${row(choices[0].dataset.choose)} ${digit}`);
  if (found.length) choose(found[0]);
}

function pressed(name) {
  const button = shown(`button[data-button="${name}"]:enabled, button.${name}:enabled`)[0];
  button?.click();
  return Boolean(button);
}

// Does what a key means. Returns whether it means anything now.
function useKey(key) {
  if (key === "?") return openKeys();
  if (key === "u") return pressed("undo");
  if (key === "h") return pressed("hint");
  if (key === "Enter") return pressed("main") || pressed("ok");
  if (!offer()) {
    if (!/^[1-7]$/.test(key) || !shown("[data-choose]").length) return false;
    chooseNumber(key);
    return true;
  }
  if (key === "Escape") putBack();
  else if (/^[0-9]$/.test(key) && !(hand() && /[1-5]/.test(key))) liftNext(takeable(key));
  else if (/^[1-5]$/.test(key)) place(Number(key));
  else if (key === "f") place(0);
  else if (key === "ArrowRight" || key === "ArrowLeft") liftNext(takeable(hand() ? hand()[0] : undefined), key === "ArrowLeft" ? -1 : 1);
  else if ([...offer().dataset.keys].some((known, place) => place % 2 === 0 && known === key)) liftColour(key);
  else return false;
  return true;
}

function openKeys() {
  const keys = document.getElementById("keys");
  keys?.showModal();
  return Boolean(keys);
}

function pressKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  if (event.repeat && !event.key.startsWith("Arrow")) return;
  if (event.key === "Enter" && event.target.closest("button, a, summary, [role=button]")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (useKey(key)) event.preventDefault();
}

// Begins to take part: makes the buttons of the board and the offer work, which are dead without scripts.
export function startPlay() {
  for (const hands of all("fieldset.hands")) hands.disabled = false;
  document.addEventListener("click", tap);
  document.addEventListener("pointerdown", grip);
  document.addEventListener("pointermove", pull);
  document.addEventListener("pointerup", drop);
  document.addEventListener("pointercancel", endDrag);
  document.addEventListener("keydown", pressKey);
  showPlay();
}
