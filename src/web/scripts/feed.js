// The keyboard in the feed: j and k move between events, o opens one, / goes to the search, ? shows this list.
const titles = [...document.querySelectorAll(".rows .row h3 a")];
const search = document.getElementById("search");
const help = document.getElementById("shortcuts");

function move(step) {
  const at = titles.indexOf(document.activeElement);
  const next = titles[at === -1 && step < 0 ? titles.length - 1 : at + step];
  next?.focus();
  next?.closest(".row").scrollIntoView({ block: "nearest" });
}

const acts = {
  j: () => move(1),
  k: () => move(-1),
  o: () => titles.includes(document.activeElement) && document.activeElement.click(),
  "/": () => search.focus(),
  "?": () => help.togglePopover(),
};

document.addEventListener("keydown", (event) => {
  const act = Object.hasOwn(acts, event.key) ? acts[event.key] : null;
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (act === null || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  event.preventDefault();
  act();
});

document.querySelector(".keyboard").hidden = false;
