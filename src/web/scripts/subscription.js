// The form of a subscription: checks the URL and previews the events in place, while the form is filled in.
const form = document.getElementById("subscription-form");
const panel = document.getElementById("check");
const button = form.querySelector('button[value="check"]');
let running = null;
let waiting = 0;

/** An id of its own, so that the form itself can still be sent. */
function newFormId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").slice(0, 22);
}

async function check() {
  clearTimeout(waiting);
  running?.abort();
  running = new AbortController();
  const body = new URLSearchParams(new FormData(form));
  body.set("act", "check");
  body.set("form_id", newFormId());
  try {
    const response = await fetch(form.action, {
      method: "POST",
      body,
      headers: { accept: "application/json" },
      signal: running.signal,
    });
    const isResult = response.headers.get("content-type")?.startsWith("application/json");
    if (response.ok && isResult) show(await response.json());
  } catch (error) {
    if (error.name !== "AbortError") panel.hidden = true;
  }
}

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

function show({ url, preview }) {
  const list = element("ul", "");
  for (const { title, language, href, day, dayText, version } of preview.events) {
    const item = element("li", "");
    const details = element("span", "", { class: "soft" });
    details.append(element("time", dayText, { datetime: day }), ` ${version}`);
    item.append(element("a", title, { href, lang: language }), " ", details);
    list.append(item);
  }
  panel.replaceChildren(
    element("h2", panel.dataset.title),
    element("p", url.text, { class: url.isGood ? "good" : "bad" }),
    element("p", `${preview.text} ${preview.last}`),
    list,
  );
  panel.hidden = false;
}

button.addEventListener("click", (event) => {
  event.preventDefault();
  check();
});
form.addEventListener("change", () => {
  clearTimeout(waiting);
  waiting = setTimeout(check, 300);
});
