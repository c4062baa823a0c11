import { hideRepeatedAnswer, listen, send } from "./actions.js";
import { follow } from "./live.js";
import { watchTurn } from "./turn.js";

// Gives this phone a seat, or its seat back (0), and loads the page laid out for it.
async function sitAt(seat) {
  const mine = Number(document.documentElement.dataset.seat);
  const action = seat ? { type: "claim", seat } : { type: "release", seat: mine };
  if ((seat || mine) && !(await send(action))) return;
  scrollTo(0, 0);
  location.reload();
}

if (document.querySelector("main").classList.contains("pressing")) {
  listen();
  document.addEventListener("click", (event) => {
    const seat = event.target.closest("[data-sit]");
    if (seat) sitAt(Number(seat.dataset.sit));
  });
}
watchTurn();
follow({ news: hideRepeatedAnswer });
