// What hands do on a page: press buttons, tell drawn tiles, show tags, save names; one after another, in order.
const answer = document.getElementById("answer");
let doings = Promise.resolve();

function say(sentence) {
  answer.textContent = sentence;
  answer.hidden = !sentence;
}

function flash(selector, mark) {
  for (const button of document.querySelectorAll(selector)) {
    button.classList.add(mark);
    setTimeout(() => button.classList.remove(mark), mark === "refused" ? 700 : 180);
  }
}

// What can't be sent is told by the page's own notice that the connection is gone, and by nothing else.
async function post(path, message) {
  try {
    const reply = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(message),
    });
    const told = await reply.json();
    return { taken: told.taken ?? false, sentence: told.error ?? told.say ?? "" };
  } catch {
    document.getElementById("lost").hidden = false;
    return { taken: false, sentence: "" };
  }
}

// Does it once all that hands did before is done; on two connections the later could be the first there.
export function inTurn(doing) {
  doings = doings.then(doing);
  return doings;
}

// What a page's element says of what it does, as the table wants to be told it.
function message(kind, value) {
  return { [kind]: kind === "plug" ? value === "true" : value };
}

// A refusal that the page says anyway, now or by later news, is not said twice.
export function sayOnce() {
  const told = document.querySelector("[data-region=turn] .refusal")?.textContent;
  if (told && told === answer?.textContent) say("");
}

// Tells the table something, and says what it refuses.
export async function tell(path, message) {
  const { taken, sentence } = await post(path, message);
  say(taken ? "" : sentence);
  sayOnce();
  return taken;
}

function act(kind, value) {
  const selector = `[data-${kind}="${CSS.escape(value)}"]`;
  flash(selector, "pressed");
  inTurn(async () => {
    const path = kind === "button" ? "/press" : `/${kind}`;
    if (!(await tell(path, message(kind, value)))) flash(selector, "refused");
  });
}

// As a hand in the bag would: every tile that the bag holds is as likely as any other.
function drawBlindly() {
  const bag = [...document.querySelectorAll("[data-tile]")].flatMap(({ dataset }) => Array(Number(dataset.left)).fill(dataset.tile));
  const letter = bag[Math.floor(Math.random() * bag.length)];
  const tags = [...document.querySelectorAll(`[data-letter="${letter}"]:not(.used)`)];
  if (tags.length) act("tag", tags[Math.floor(Math.random() * tags.length)].dataset.tag);
}

function doingOf(element) {
  const kind = ["button", "tile", "tag", "plug", "hint"].find((each) => element?.dataset[each]);
  return kind && [kind, element.dataset[kind]];
}

export function listenToHands() {
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-blind]")) drawBlindly();
    const doing = doingOf(event.target.closest("[data-button], [data-tile], [data-tag], [data-plug], [data-hint]"));
    if (doing) act(...doing);
  });
  document.addEventListener("keydown", (event) => {
    const button = event.target.closest("svg [data-button]");
    if (!button || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    if (!event.repeat) act("button", button.dataset.button);
  });
  document.addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target.closest(".names form");
    if (!form) return;
    const named = { seat: Number(form.dataset.key), name: form.elements.name.value };
    const { taken, sentence } = await inTurn(() => post("/name", named));
    say(taken ? "" : sentence);
    if (taken && form.contains(document.activeElement)) form.querySelector("button").focus(); // unless they have moved on
  });
}
