import { listenToHands, sayOnce } from "./hands.js";
import { follow } from "./live.js";

const YEAR = 365 * 24 * 60 * 60;

// At which seat this phone plays is the phone's own affair; the page is laid out for it anew.
function sitAt(seat) {
  document.cookie = `seat=${seat}; path=/; max-age=${seat === "0" ? 0 : YEAR}; samesite=strict`;
  scrollTo(0, 0);
  location.reload();
}

if (document.querySelector("main").classList.contains("pressing")) {
  listenToHands();
  document.addEventListener("click", (event) => {
    const seat = event.target.closest("[data-sit]");
    if (seat) sitAt(seat.dataset.sit);
  });
}
follow({ news: sayOnce });
