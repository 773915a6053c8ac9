// "Try it": sends a form's request to this server and shows the response. The key is kept only in the input fields.
"use strict";

const LONGEST_SHOWN = 200_000;

for (const details of document.querySelectorAll("details.try")) details.hidden = false;

const narrow = globalThis.matchMedia("(max-width: 60rem)");
const contents = document.querySelector("nav details");
contents.open = !narrow.matches;
narrow.addEventListener("change", () => contents.open = !narrow.matches);

const keys = [...document.querySelectorAll("input[data-key]")];
for (const key of keys) {
  key.addEventListener("input", () => {
    for (const other of keys) other.value = key.value;
  });
}

for (const form of document.querySelectorAll("details.try form")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
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
    const value = field.value.trim();
    if (value === "") continue;
    if (field.dataset.key !== undefined) headers.Authorization = `Bearer ${value}`;
    else if (field.dataset.in === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(value));
    else if (field.dataset.in === "query") query.set(field.name, value);
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
  headers.append(element("summary", "Headers"), element("pre", names));
  result.replaceChildren(line, headers, element("pre", readable(text)));
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

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}
