// On one's own turn: the title and the icon of the page change, the phone vibrates once, and a sound plays if wanted.
//
// The page has an element data-region="mine", which holds data-my-turn (the title) while its player is to act. A
// checkbox data-sound, anywhere, switches the sound; it is off until somebody switches it on. Browsers allow
// vibration and sound only after a touch, and while the page is open.
const SOUND = "azul-sound";
const NOTES = [660, 880];        // hertz, one after another
const NOTE = 0.16;               // seconds
const LOUD = 0.12;
const BUZZ = 200;                // milliseconds

let audio = null;

const wanted = () => localStorage.getItem(SOUND) === "on";

function play() {
  if (!wanted() || audio?.state !== "running") return;
  NOTES.forEach((hertz, at) => {
    const [from, tone, volume] = [audio.currentTime + at * NOTE, audio.createOscillator(), audio.createGain()];
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(0, from);
    volume.gain.linearRampToValueAtTime(LOUD, from + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, from + NOTE);
    tone.connect(volume).connect(audio.destination);
    tone.start(from);
    tone.stop(from + NOTE);
  });
}

// Opens the sound device, which browsers allow in answer to a touch or a key only.
function openSound() {
  if (!wanted() || !window.AudioContext) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume();
}

function showSwitch() {
  for (const box of document.querySelectorAll("[data-sound]")) {
    box.checked = wanted();
    const label = box.closest("[hidden]");
    if (label && window.AudioContext) label.hidden = false;
  }
}

// Marks the page, and tells the player once when the turn comes; a page that is loaded during the turn stays quiet.
function watch(mine) {
  const [title, icon] = [document.title, document.querySelector("link[rel=icon]")];
  const quiet = icon.getAttribute("href");
  const loud = quiet.replace(/icon\.svg$/, "icon-turn.svg");
  let before = null;
  const look = () => {
    const turn = mine.querySelector("[data-my-turn]")?.dataset.myTurn ?? "";
    if (turn === before) return;
    document.title = turn || title;
    icon.setAttribute("href", turn ? loud : quiet);
    if (turn && before === "") {
      if (navigator.userActivation?.hasBeenActive ?? true) navigator.vibrate?.(BUZZ);
      play();
    }
    before = turn;
  };
  new MutationObserver(look).observe(mine, { childList: true, subtree: true, attributes: true });
  look();
}

// Starts watching; does nothing on a page without the region.
export function watchTurn() {
  const mine = document.querySelector('[data-region="mine"]');
  if (mine) watch(mine);
  showSwitch();
  document.addEventListener("change", ({ target }) => {
    if (!target.matches?.("[data-sound]")) return;
    localStorage.setItem(SOUND, target.checked ? "on" : "off");
    openSound();
    if (target.checked) setTimeout(play, 50);
  });
  for (const touch of ["pointerup", "keydown"]) document.addEventListener(touch, openSound, { passive: true });
}
