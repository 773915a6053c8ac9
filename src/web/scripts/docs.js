// The docs: one language in all tabs, old links, "/" for the search, and "Try it". The key is kept only in the input fields.
const LONGEST_SHOWN = 200_000;
const DAY_MS = 86_400_000;

for (const old of [location.hash].filter((hash) => /^#(?:op|schema)-\w+$/.test(hash))) {
  const link = [...document.querySelectorAll(".docs-overview a")].find(({ hash }) => hash === old);
  if (link !== undefined) location.replace(link.href);
}

for (const tab of document.querySelectorAll(".samples > input")) {
  tab.addEventListener("change", () => {
    const top = tab.getBoundingClientRect().top;
    for (const other of document.querySelectorAll(".samples > input")) {
      if (other.value === tab.value) other.checked = true;
    }
    scrollBy(0, tab.getBoundingClientRect().top - top);
  });
}

const search = document.querySelector("#docs-query");
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, select") ?? null;
  if (event.key !== "/" || isTyping !== null || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  search?.focus();
});

const forms = document.querySelectorAll("details.try form");
const keys = [...document.querySelectorAll("input[data-key]")];
for (const key of keys) {
  key.addEventListener("input", () => {
    for (const other of keys) other.value = key.value;
  });
}

for (const form of forms) {
  const details = form.parentElement;
  details.hidden = false;
  details.addEventListener("toggle", () => {
    for (const field of form.querySelectorAll("[data-from]:not([data-filled])")) fill(field);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}

for (const period of document.querySelectorAll("select[data-date]")) {
  const date = document.getElementById(period.dataset.date);
  period.addEventListener("change", () => {
    const time = Date.now() - Number(period.value) * DAY_MS;
    date.value = period.value === "" ? "" : new Date(time).toISOString().slice(0, 10);
  });
  date.addEventListener("input", () => period.value = "");
}

/** Adds a checkbox for each value that a public operation lists. */
async function fill(field) {
  const { from, list, name } = field.dataset;
  field.dataset.filled = "";
  try {
    const response = await fetch(from, { credentials: "omit" });
    for (const { id, name_en } of (await response.json())[list]) field.append(choice(name, id, name_en));
  } catch (error) {
    delete field.dataset.filled;
    field.append(element("p", `${from}: ${error.message}`));
  }
}

function choice(name, value, title) {
  const label = element("label", "", "choice");
  const input = element("input", "");
  Object.assign(input, { type: "checkbox", name, value });
  input.dataset.in = "query";
  const shown = element("span", value);
  label.title = title;
  label.append(input, " ", shown);
  return label;
}

async function send(form) {
  const button = form.querySelector("button");
  const result = form.parentElement.querySelector(".result");
  button.disabled = true;
  result.replaceChildren(element("p", "Sending…"));
  try {
    const request = requestOf(form);
    const started = performance.now();
    const response = await fetch(request.url, request.init);
    const text = await response.text();
    show(result, { request, response, text, duration: Math.round(performance.now() - started) });
  } catch (error) {
    result.replaceChildren(element("p", `No response: ${error.message}`));
  } finally {
    button.disabled = false;
  }
}

function requestOf(form) {
  const headers = {};
  const query = new URLSearchParams();
  let path = form.dataset.path;
  let body;
  for (const field of form.elements) {
    const value = (field.value ?? "").trim();
    if (value === "" || (field.type === "checkbox" && !field.checked)) continue;
    if (field.dataset.key !== undefined) headers.Authorization = `Bearer ${value}`;
    else if (field.dataset.in === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(value));
    else if (field.dataset.in === "query") query.append(field.name, value);
    else if (field.dataset.in === "header") headers[field.name] = value;
    else if (field.dataset.in === "body") {
      headers["Content-Type"] = "application/json";
      body = value;
    }
  }
  const url = query.size === 0 ? path : `${path}?${query}`;
  const init = { method: form.dataset.method, headers, body, cache: "no-store", credentials: "omit" };
  return { url, init };
}

function show(result, { request, response, text, duration }) {
  const line = element("p", "");
  line.append(
    element("code", `${response.status}`, `status s${String(response.status)[0]}`),
    ` ${request.init.method} ${request.url}, ${duration} ms, ${text.length} characters`,
  );
  const headers = element("details", "");
  const names = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  headers.append(element("summary", "Headers"), code(names));
  result.replaceChildren(line, headers, code(readable(text)));
}

function readable(text) {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not JSON: shown unchanged.
  }
  return shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown;
}

function code(text) {
  const made = element("pre", text);
  made.tabIndex = 0;
  return made;
}

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}
