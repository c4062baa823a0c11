import { listenToHands } from "./hands.js";
import { follow } from "./live.js";

if (document.querySelector("main").classList.contains("pressing")) listenToHands();
follow();
