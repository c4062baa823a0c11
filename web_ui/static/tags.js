// Teaching tags: lessons begun and ended, a card's name, what is to be forgotten; the table does the rest.
import { inTurn, listenToHands, tell } from "./hands.js";
import { follow } from "./live.js";

// What stands on a button, as the table wants to be told it: "tiles all", "action undo", "back", "end".
function lesson(said) {
  const [kind, ...what] = said.split(" ");
  return { [kind]: what.length ? what.join(" ") : true };
}

function listen() {
  document.addEventListener("click", ({ target }) => {
    const { learn, forget, forgetTiles } = target.closest("button")?.dataset ?? {};
    if (learn) inTurn(() => tell("/learn", lesson(learn)));
    if (forget) inTurn(() => tell("/forget", { tag: forget }));
    if (forgetTiles) inTurn(() => tell("/forget", { tiles: forgetTiles }));
  });
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form.teach");
    if (!form) return;
    event.preventDefault();
    const player = form.elements.name.value;
    if (await inTurn(() => tell("/learn", { player }))) form.reset();
  });
}

if (document.querySelector("main").classList.contains("pressing")) {
  listenToHands();
  listen();
}
follow();
