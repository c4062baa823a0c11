// Teaching tags: lessons begun and ended, a card's name, what is to be forgotten; the table does the rest.
import { listenToHands, tell } from "./hands.js";
import { follow } from "./live.js";

// What stands on a button, as the table wants to be told it: "tiles all", "action undo", "back", "end".
function lesson(said) {
  const [kind, ...what] = said.split(" ");
  return { [kind]: what.length ? what.join(" ") : true };
}

function listen() {
  document.addEventListener("click", ({ target }) => {
    const { learn, forget, forgetTiles } = target.closest("button")?.dataset ?? {};
    if (learn) tell("/learn", lesson(learn));
    if (forget) tell("/forget", { tag: forget });
    if (forgetTiles) tell("/forget", { tiles: forgetTiles });
  });
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form.teach");
    if (!form) return;
    event.preventDefault();
    if (await tell("/learn", { player: form.elements.name.value })) form.reset();
  });
}

if (document.querySelector("main").classList.contains("pressing")) {
  listenToHands();
  listen();
}
follow();
