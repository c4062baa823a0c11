// The page where a phone picks a seat: follows the table, and remembers the name for the next time.
import { newId } from "./delivery.js";
import { follow, knownServerTime } from "./live.js";

const NAME = "azul-name";
const form = document.getElementById("joining");
const name = form.elements.name;

// The claim of a seat is delivered as an action is: once, also after two taps, and not late.
function fillIn(field, value) {
  form.elements[field].value = value;
}

name.value ||= localStorage.getItem(NAME) ?? "";
form.addEventListener("submit", (event) => {
  localStorage.setItem(NAME, name.value.trim());
  if (document.documentElement.dataset.connection !== "live") event.preventDefault(); // the page says so
  else if (event.submitter?.value || form.elements.pin) fillIn("made", knownServerTime(performance.now()));
  else {
    event.preventDefault(); // Return on the phone's keyboard: the seats are next
    name.blur();
  }
});
addEventListener("pageshow", () => fillIn("id", newId()));
follow();
