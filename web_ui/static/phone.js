import { hideRepeatedAnswer, listen } from "./actions.js";
import { follow } from "./live.js";

const YEAR = 365 * 24 * 60 * 60;

// Remembers in a cookie at which seat this phone plays, and loads the page laid out for that seat.
function sitAt(seat) {
  document.cookie = `seat=${seat}; path=/; max-age=${seat === "0" ? 0 : YEAR}; samesite=strict`;
  scrollTo(0, 0);
  location.reload();
}

if (document.querySelector("main").classList.contains("pressing")) {
  listen();
  document.addEventListener("click", (event) => {
    const seat = event.target.closest("[data-sit]");
    if (seat) sitAt(seat.dataset.sit);
  });
}
follow({ news: hideRepeatedAnswer });
