// The lobby, questions and sheets: dialogs that show a hidden part of a region, and what is done there.
import { send } from "./actions.js";

const NAME = "azul-name"; // under which this browser keeps the name of its player
const stored = (() => {
  try {
    return localStorage;
  } catch {
    return { getItem: () => null, setItem() {} }; // storage may be forbidden
  }
})();

let sheet = null;    // the open dialog of the lobby
let question = null; // the dialog of the table's question
let opener = {};     // data of the button that opened the sheet

const lobby = () => document.querySelector(".lobby");

// --- Dialogs ---------------------------------------------------------------------------------------------

function newDialog(title) {
  const dialog = document.createElement("dialog");
  dialog.className = "sheet";
  dialog.setAttribute("aria-label", title);
  document.body.append(dialog);
  return dialog;
}

function source(name) {
  return document.querySelector(`[data-sheet="${CSS.escape(name)}"]`);
}

// Fills the sheet from its hidden part of the region; keeps a field in which somebody types.
function fill(dialog, name) {
  const from = source(name);
  const busy = dialog.contains(document.activeElement) && document.activeElement.matches("input");
  if (dialog.made === from.outerHTML || busy) return;
  const focused = document.activeElement?.dataset?.key;
  const held = dialog.contains(document.activeElement);
  dialog.made = from.outerHTML;
  const header = document.createElement("header");
  const title = document.createElement("h2");
  title.textContent = opener.title || from.dataset.title;
  title.tabIndex = -1;
  title.autofocus = true; // not the field: on a phone that would open the keyboard
  const shut = document.createElement("button");
  shut.type = "button";
  shut.className = "shut";
  shut.textContent = "×";
  shut.setAttribute("aria-label", lobby().dataset.shut);
  shut.addEventListener("click", () => dialog.close());
  header.append(title, shut);
  const body = from.cloneNode(true);
  body.hidden = false;
  delete body.dataset.sheet;
  for (const list of body.querySelectorAll("[data-list]")) {
    const copy = source(list.dataset.list).cloneNode(true);
    for (const button of copy.querySelectorAll("[data-bot]")) {
      button.setAttribute("aria-pressed", String(button.dataset.bot === list.dataset.bot));
      button.dataset.seat = list.dataset.seat;
    }
    list.append(...copy.childNodes);
  }
  if (opener.mode && opener.mode !== "dtc") for (const program of body.querySelectorAll("li:has(.program)")) program.remove();
  const field = body.querySelector("[data-taking=sit] [name=name]");
  if (field && !field.value && lobby().querySelector(".mine") === null) field.value = stored.getItem(NAME) ?? "";
  dialog.replaceChildren(header, body);
  if (held && focused) dialog.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function open(button) {
  const name = button.dataset.shows;
  if (!source(name)) return;
  opener = { mode: button.dataset.mode ?? "", title: button.dataset.title ?? "" };
  sheet = newDialog(source(name).dataset.title);
  sheet.shows = name;
  fill(sheet, name);
  sheet.addEventListener("close", () => {
    sheet.remove();
    sheet = null;
  });
  sheet.addEventListener("click", (event) => event.target === sheet && sheet.close()); // on its backdrop
  sheet.showModal();
  if (matchMedia("(pointer: fine)").matches) sheet.querySelector("input")?.select();
}

// Keeps the dialogs as the table is: others may have answered, or begun the game.
function follow() {
  if (sheet && !source(sheet.shows)) sheet.close();
  else if (sheet) fill(sheet, sheet.shows);
  const asked = document.querySelector("[data-region=question] .question:not(.note)");
  if (question && question.shows !== asked?.dataset.question) {
    question.remove(); // also closes it
    question = null;
  }
  if (asked && !question) ask(asked);
}

function ask(asked) {
  sheet?.close();
  question = newDialog(asked.querySelector("h2").textContent);
  question.setAttribute("role", "alertdialog");
  question.shows = asked.dataset.question;
  question.append(asked.cloneNode(true));
  const { escape } = asked.dataset;
  question.addEventListener("cancel", (event) => {
    event.preventDefault();
    if (escape) question.querySelector(`[data-button="${escape}"]`)?.click();
  });
  question.showModal();
}

// --- What is done in the lobby ---------------------------------------------------------------------------

// Sends actions one after another; stops at the first that is refused.
async function sendAll(actions) {
  for (const action of actions) if (!(await send(action))) return false;
  return true;
}

// Gives this phone a seat, with its player's name if one is given, and loads the page laid out for it.
async function playAt(seat, name = "") {
  const { page, seat: own } = document.documentElement.dataset;
  if (page !== "phone" || own === String(seat)) return;
  if (await send({ type: "claim", seat: Number(seat), ...(name && { name }) })) location.reload();
}

const person = (seat, name = "") => ({ type: "sit", seat, bot: "", ...(name && { name }) });

function first() {
  const chosen = document.querySelector(".starters :checked")?.value;
  return chosen ? Number(chosen) : null;
}

// A game against an opponent: the person sits, the opponent opposite, and it begins.
async function playAgainst(bot) {
  const { me, rival, seated } = lobby().dataset;
  const mode = opener.mode || (bot in { calm: 1, greedy: 1, strong: 1, master: 1 } ? "" : "dtc");
  const actions = [
    ...(seated === "1" ? [] : [person(Number(me), stored.getItem(NAME) ?? "")]),
    { type: "sit", seat: Number(rival), bot },
    ...(mode ? [{ type: "options", mode }] : []),
    { type: "start", first: null },
  ];
  sheet.close();
  if (await sendAll(actions)) playAt(me);
}

async function playSolo() {
  const { me, seated } = lobby().dataset;
  const sits = seated === "1" || me === "0" ? [] : [person(Number(me), stored.getItem(NAME) ?? "")];
  sheet.close();
  if ((await sendAll([...sits, { type: "options", mode: "solo" }, { type: "start", first: null }])) && sits.length) playAt(me);
}

async function sit(form, mine) {
  const seat = Number(form.dataset.seat);
  const name = form.elements.name.value.trim();
  sheet.close();
  if (!mine) return void send({ ...person(seat), name });
  stored.setItem(NAME, name);
  playAt(seat, name);
}

function click({ target }) {
  const button = target.closest("button");
  if (!button) return;
  if (button.dataset.shows !== undefined) open(button);
  else if (button.dataset.start !== undefined) send({ type: "start", first: first() });
  else if (button.dataset.solo !== undefined) playSolo();
  else if (button.dataset.bot !== undefined && button.dataset.seat) {
    const { bot, seat } = button.dataset;
    sheet?.close();
    send({ type: "sit", seat: Number(seat), bot });
  } else if (button.dataset.bot !== undefined) playAgainst(button.dataset.bot);
  else if (sheet?.contains(button) && button.matches(".quiet")) sheet.close();
  else if (button.dataset.boards !== undefined) toggleBoards(button);
  else if (button.dataset.hide !== undefined) button.closest(".lesson-step").hidden = true;
}

// Shows the boards under the result, or the result again.
function toggleBoards(button) {
  const hidden = document.documentElement.toggleAttribute("data-boards-shown");
  button.setAttribute("aria-pressed", String(hidden));
}

document.addEventListener("click", click);
document.addEventListener("submit", (event) => {
  if (!event.target.matches(".sitting")) return;
  event.preventDefault();
  sit(event.target, event.submitter?.value === "1");
});
for (const region of document.querySelectorAll("[data-region=lobby], [data-region=question]")) {
  new MutationObserver(follow).observe(region, { subtree: true, childList: true, attributes: true, characterData: true });
}
follow();
