"use strict";

const announce = (text) => { document.getElementById("told").textContent = text; };

async function copy(text, button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copying not allowed";
  }
  announce(button.textContent);
  setTimeout(() => { button.textContent = label; }, 1500);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("copyLink" in button.dataset) copy(location.href, button);
  else if ("copy" in button.dataset) {
    const from = button.dataset.copy ? document.querySelector(button.dataset.copy) : button.previousElementSibling;
    copy((from.content ?? from).textContent, button);
  } else if ("themeSwitch" in button.dataset) {
    const dark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", document.documentElement.dataset.theme);
  } else if ("keys" in button.dataset) document.getElementById("keys").showModal();
});

// Keys. Each is a shortcut of a visible link, button or field with this `data-key`.
const keysAreOff = () => localStorage.getItem("keys") === "off";
const visible = (each) => each.getClientRects().length > 0;

function move(step) {
  const stops = [...document.querySelectorAll("[data-rows] tbody th a, [data-stop]")].filter(visible);
  const at = stops.indexOf(document.activeElement);
  const next = stops[at < 0 ? (step > 0 ? 0 : stops.length - 1) : at + step];
  if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
}

function nextEvidence() {
  const turns = [...document.querySelectorAll(".turn.hit")];
  const next = turns[(turns.indexOf(document.activeElement) + 1) % turns.length];
  if (!next) return;
  next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "center" });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.matches("input, textarea, select")) event.target.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog[open]")) return;
  if (keysAreOff() && event.key !== "?") return;
  const own = [...document.querySelectorAll(`[data-key="${CSS.escape(event.key)}"]`)].find(visible);
  const others = { j: () => move(1), k: () => move(-1), e: nextEvidence };
  if (own) {
    event.preventDefault();
    if (own.matches("input, textarea, select")) own.focus(); else own.click();
  } else if (event.key in others) { event.preventDefault(); others[event.key](); }
});

document.addEventListener("change", (event) => {
  if ("keysOff" in event.target.dataset) localStorage.setItem("keys", event.target.checked ? "off" : "on");
});
for (const box of document.querySelectorAll("[data-keys-off]")) box.checked = keysAreOff();

// A button that costs something asks first.
const ask = document.getElementById("ask");
let asked = null;
document.addEventListener("submit", (event) => {
  if (!event.target.dataset.confirm || event.target === asked) return;
  event.preventDefault();
  asked = event.target;
  ask.querySelector("p").textContent = asked.dataset.confirm;
  ask.showModal();
});
ask.addEventListener("close", () => {
  if (ask.returnValue === "yes") asked.requestSubmit();
  asked = null;
});

// Filters of lists apply at once.
document.addEventListener("change", (event) => event.target.closest("form[data-auto]")?.requestSubmit());

// Error responses are shown as an alert, never swapped into the page. A 401 reloads the page, which leads to the login.
function showError(text) {
  document.getElementById("trouble")?.remove();
  const alert = document.createElement("p");
  alert.id = "trouble";
  alert.className = "notice bad";
  alert.setAttribute("role", "alert");
  alert.textContent = text;
  (document.getElementById("plan") ?? document.getElementById("main")).prepend(alert);
}

document.addEventListener("htmx:before:request", () => document.getElementById("trouble")?.remove());
document.addEventListener("htmx:after:request", (event) => {
  const { response, text } = event.detail.ctx;
  if (response.status < 400 || response.status === 422) return;
  event.preventDefault();
  if (response.status === 401) { location.reload(); return; }
  let reason = "";
  try { reason = JSON.parse(text).error; } catch {
    reason = new DOMParser().parseFromString(text, "text/html").querySelector("main p")?.textContent;
  }
  showError(reason ? `Request failed: ${reason.replace(/\.$/, "")}.` : `HTTP ${response.status}: see the server log.`);
});
document.addEventListener("htmx:error", (event) => {
  if (event.detail?.ctx) showError("The server does not respond; nothing was changed. Is it running?");
});

document.addEventListener("htmx:sse:error", () => showError("Connection to the server lost. Reconnecting…"));
document.addEventListener("htmx:sse:after:message", () => document.getElementById("trouble")?.remove());

// Pages with a pending result ask for it, and reload once it is there; a finished batch reloads to show its charts.
async function awaitResult() {
  try {
    const text = await (await fetch(location.href, { headers: { accept: "text/html" } })).text();
    const notice = new DOMParser().parseFromString(text, "text/html").querySelector("[data-reload]");
    if (!notice) { location.reload(); return; }
    document.querySelector("[data-reload]").textContent = notice.textContent;
  } catch { /* the server does not respond: the page stays as it is */ }
  setTimeout(awaitResult, 2000);
}
if (document.querySelector("[data-reload]")) setTimeout(awaitResult, 1000);
document.addEventListener("htmx:sse:close", (event) => {
  if (event.target.matches?.("[data-live]") && event.detail.reason === "message") location.reload();
});
