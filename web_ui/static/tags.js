// The page of tags: its buttons and forms send actions; the page follows the table.
import { listen } from "./actions.js";
import { follow } from "./live.js";

if (document.querySelector("main").classList.contains("pressing")) listen();
follow();
