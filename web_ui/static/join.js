// The page where a phone picks a seat: follows the table, and remembers the name for the next time.
import { follow } from "./live.js";

const NAME = "azul-name";
const form = document.querySelector("form");
const name = form.elements.name;

name.value ||= localStorage.getItem(NAME) ?? "";
form.addEventListener("submit", (event) => {
  localStorage.setItem(NAME, name.value.trim());
  if (event.submitter?.value || form.elements.pin) return;
  event.preventDefault(); // Return on the phone's keyboard: the seats are next
  name.blur();
});
follow();
