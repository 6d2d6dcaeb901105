"use strict";

const find = (id) => document.getElementById(id);
const rows = [...document.querySelectorAll("[data-rows] tbody tr")];
const filter = document.querySelector("form.filter");
const whole = new Map();

for (const hidden of document.querySelectorAll("form.filter, button[hidden]")) hidden.hidden = false;

// Remember the theme if the browser allows storage for files.
const storage = { get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
  set: (theme) => { try { localStorage.setItem("theme", theme); } catch { /* storage not allowed */ } } };
if (storage.get() === "dark" || storage.get() === "light") document.documentElement.dataset.theme = storage.get();

const details = (row) => find(row.dataset.of).parentElement;

function words(row) {
  if (!whole.has(row)) whole.set(row, `${row.textContent} ${details(row).textContent}`.toLowerCase());
  return whole.get(row);
}

function applyFilter() {
  const wanted = find("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const value = (id) => find(id)?.value ?? "";
  let count = 0;
  for (const row of rows) {
    const fits = (!value("outcome") || value("outcome").split(" ").includes(row.dataset.outcome))
      && (!value("ending") || value("ending") === row.dataset.ending)
      && (!value("check") || row.dataset.checks.split(" ").includes(value("check")))
      && wanted.every((word) => words(row).includes(word));
    row.hidden = details(row).hidden = !fits;
    count += fits;
  }
  find("count").textContent = count === rows.length ? `${count} conversations` : `${count} of ${rows.length} conversations`;
}

function reveal() {
  let name = "";
  try { name = decodeURIComponent(location.hash.slice(1)); } catch { /* malformed */ }
  const target = find(name);
  const around = target?.closest("details");
  if (!around) return;
  around.hidden = false;
  for (let each = around; each; each = each.parentElement.closest("details")) each.open = true;
  around.scrollIntoView({ block: "start" });
  if (target.classList.contains("turn")) target.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const open = document.activeElement.closest("details.conversation[open]");
  const seen = (stop) => stop.checkVisibility?.() ?? stop.offsetParent !== null;
  const among = open ? open.querySelectorAll(".turn .who > a") : document.querySelectorAll("[data-rows] tbody th a");
  const stops = [...among].filter(seen);
  const at = stops.indexOf(document.activeElement);
  const next = stops[at < 0 ? (step > 0 ? 0 : stops.length - 1) : at + step];
  if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
}

function up() {
  const around = document.activeElement.closest("details.conversation") ?? find(location.hash.slice(1))?.closest("details.conversation");
  const row = around && rows.find((each) => details(each) === around);
  (row?.querySelector("a") ?? find("words"))?.focus();
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  storage.set(root.dataset.theme);
}

// Always print in the light theme.
addEventListener("beforeprint", () => { document.documentElement.dataset.printed = document.documentElement.dataset.theme ?? ""; document.documentElement.dataset.theme = "light"; });
addEventListener("afterprint", () => {
  const { dataset } = document.documentElement;
  if (dataset.printed) dataset.theme = dataset.printed; else delete dataset.theme;
  delete dataset.printed;
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  const link = event.target.closest("a[href^='#']");
  if (link && link.hash === location.hash) reveal();
  if (!button) return;
  if ("themeSwitch" in button.dataset) switchTheme();
  else if ("keys" in button.dataset) find("keys").showModal();
  else if ("open" in button.dataset || "close" in button.dataset)
    for (const row of rows) if (!row.hidden) details(row).open = "open" in button.dataset;
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && event.target === find("words")) event.target.blur();
  if (event.target.closest("input, textarea, select, dialog")) return;
  const keys = { "/": () => find("words")?.focus(), j: () => move(1), k: () => move(-1), u: up, "?": () => find("keys").showModal() };
  if (event.key in keys) { event.preventDefault(); keys[event.key](); }
});

if (filter) {
  filter.addEventListener("input", applyFilter);
  filter.addEventListener("reset", () => setTimeout(applyFilter));
  filter.addEventListener("submit", (event) => event.preventDefault());
  applyFilter();
}
addEventListener("hashchange", () => { reveal(); find(location.hash.slice(1))?.focus?.(); });
reveal();
