// Tiles that fly from where they lay to where they lie now, and the points of a scoring step.
//
// What lies where is read from the page after each news and compared with what lay there before: the table decides
// where tiles are, this only shows how they came there.
const DURATION = 380;        // milliseconds of a flight; all tiles of a change fly at once
const MOST_TILES = 16;       // more tiles that moved at once are a new deal or a jump: they are shown at once
const SHOW_POINTS = 1100;    // milliseconds for which the points of a scoring step are shown
const still = matchMedia("(prefers-reduced-motion: reduce)");
const SVG = "http://www.w3.org/2000/svg";

let before = null;           // the tiles by group and letter at the last news
let flights = [];
let shownStep = "";
let waiting = false;

const letterOf = (tile) => tile.firstElementChild?.getAttribute("href")?.replace("#tile-", "") ?? "";
const lies = (tile) => !tile.matches(".ghost, .printed, .coin, .coming-tile, .sent");

// Returns where a tile lies: "source 3", "line 1 2" (seat, line), "wall 1 2", "floor 1".
function groupOf(tile) {
  const source = tile.closest("[data-source]");
  if (source) return `source ${source.dataset.source}`;
  const seat = tile.closest("[data-board]")?.dataset.board;
  const line = tile.closest("[data-line]")?.dataset.line;
  if (!seat || line === undefined) return "";
  if (line === "0") return `floor ${seat}`;
  return `${tile.closest(".wall") ? "wall" : "line"} ${seat} ${line}`;
}

// Returns every tile that lies on a source or a board, by group and letter.
function tilesNow() {
  const found = new Map();
  for (const tile of document.querySelectorAll(".offer .tile, .board .tile")) {
    const group = lies(tile) && groupOf(tile);
    if (!group) continue;
    const key = `${group} ${letterOf(tile)}`;
    const box = tile.getBoundingClientRect();
    if (!found.has(key)) found.set(key, []);
    found.get(key).push({ tile, group, letter: letterOf(tile), box: box.width ? box : null });
  }
  return found;
}

// Returns the tiles of `these` that are more than in `those`: the last ones of each group and letter.
function more(these, those) {
  return [...these].flatMap(([key, tiles]) => tiles.slice(0, Math.max(0, tiles.length - (those.get(key)?.length ?? 0))));
}

// Returns for each tile that is new where it comes from: a tile of its colour that is gone, the nearest kin first.
function pairs(gained, lost) {
  const found = [];
  for (const to of gained) {
    const fits = lost.filter((from) => from.letter === to.letter && from.box);
    const kin = fits.filter((from) => to.group.startsWith("wall") && from.group === to.group.replace("wall", "line"));
    const from = kin.at(-1) ?? (to.group.startsWith("wall") ? undefined : fits.find((each) => each.group.startsWith("source")));
    if (!from || !to.box) continue;
    lost.splice(lost.indexOf(from), 1);
    found.push({ from: from.box, to: to.box, tile: to.tile, letter: to.letter });
  }
  return found;
}

function endFlights() {
  for (const flight of flights) flight();
  flights = [];
}

// Flies a copy of a tile from one box to another; the tile itself shows when it has arrived.
function fly({ from, to, tile, letter }) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", "tile flight");
  picture.appendChild(document.createElementNS(SVG, "use")).setAttribute("href", `#tile-${letter}`);
  picture.style.setProperty("--tile", `${to.width}px`);
  document.body.append(picture);
  const at = ({ x, y, width }) => `translate(${x + width / 2 - to.width / 2}px, ${y + width / 2 - to.width / 2}px)`;
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 - Math.min(60, Math.abs(from.x - to.x) / 8), width: (from.width + to.width) / 2 };
  const timing = { duration: DURATION, easing: "cubic-bezier(.3,.1,.25,1)", fill: "forwards" };
  const flight = picture.animate([{ transform: `${at(from)} scale(${from.width / to.width})` }, { transform: `${at(middle)} scale(1.12)` }, { transform: at(to) }], timing);
  const hidden = tile.animate([{ opacity: 0 }, { opacity: 0 }], { duration: DURATION });
  const end = () => {
    hidden.cancel();
    flight.cancel();
    picture.remove();
  };
  flights.push(end);
  flight.finished.then(end, () => {});
}

// Shows the points of a scoring step beside its tile, or beside the floor.
function showStep() {
  const step = document.querySelector('[data-region="step"] p')?.dataset;
  const name = step ? `${step.seat} ${step.row} ${step.column} ${step.points}` : "";
  if (name === shownStep) return;
  shownStep = name;
  const board = step && document.querySelector(`[data-board="${step.seat}"]`);
  if (!board) return;
  const row = board.querySelector(`[data-line="${step.row}"]`);
  const space = Number(step.row) ? row?.querySelector(".wall")?.children[step.column - 1] : row?.querySelector(".steps");
  const box = (space ?? board.querySelector(".score") ?? board).getBoundingClientRect();
  const mark = document.createElement("b");
  mark.className = `gained${step.points.startsWith("+") || step.points === "0" ? "" : " minus"}`;
  mark.textContent = step.points;
  mark.setAttribute("aria-hidden", "true");
  document.body.append(mark);
  const place = `translate(${box.right - 14}px, ${box.top - 20}px)`;
  mark.style.transform = place;
  const rise = still.matches ? [{ opacity: 1 }, { opacity: 1 }] : [{ transform: `${place} scale(.4)`, opacity: 0 }, { transform: `${place} scale(1.15)`, opacity: 1, offset: 0.18 }, { transform: place, opacity: 1, offset: 0.75 }, { transform: `${place} translateY(-14px)`, opacity: 0 }];
  mark.animate(rise, { duration: SHOW_POINTS }).finished.then(() => mark.remove(), () => mark.remove());
}

// Shows what changed since the last news.
function showChange() {
  waiting = false;
  const after = tilesNow();
  const last = before;
  before = after;
  const behind = flights.some(Boolean);
  endFlights();
  showStep();
  if (!last || still.matches || document.hidden) return;
  const gained = more(after, last);
  const found = gained.length <= MOST_TILES ? pairs(gained, more(last, after)) : [];
  if (!behind || found.every(({ tile }) => tile.closest(".wall"))) found.forEach(fly);
}

document.documentElement.classList.toggle("flying", !still.matches);
still.addEventListener("change", () => document.documentElement.classList.toggle("flying", !still.matches));
new MutationObserver(() => {
  if (waiting) return;
  waiting = true;
  queueMicrotask(showChange);
}).observe(document.querySelector(".game"), { subtree: true, childList: true, attributes: true, attributeFilter: ["href", "data-points"] });
addEventListener("resize", () => (before = tilesNow()));
before = tilesNow();
