"use strict";

// Uploaded files become editable text in the form. Session storage preserves the form across reloads.
(() => {
  const form = document.getElementById("launch");
  if (!form) return;
  form.classList.add("scripted");
  const list = document.getElementById("files");
  const plan = document.getElementById("plan");
  const message = document.getElementById("working");
  const start = form.querySelector("[data-start]");
  const preview = form.querySelector("[data-preview]");
  const STORAGE_KEY = "sparring launch";

  const nameOf = (fieldset) => fieldset.querySelector("[name=file_name]");
  const textOf = (fieldset) => fieldset.querySelector("[name=file_text]");
  const fields = () => [...form.querySelectorAll(".fields [name]")];

  const save = () => {
    const files = [...list.children].map((each) => [nameOf(each).value, textOf(each).value]);
    const chosen = fields().map((each) => [each.name, each.value]);
    try {
      sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ files, chosen }));
      message.textContent = "";
    } catch {
      message.textContent = "These files are too large to be kept when the page is reloaded.";
    }
  };

  const add = (name, text) => {
    const made = document.getElementById("file").content.cloneNode(true);
    made.querySelector("[name=file_name]").value = name;
    made.querySelector("[name=file_text]").value = text;
    made.querySelector("[name=file_text]").rows = Math.min(14, Math.max(4, text.split("\n").length));
    list.append(made);
    save();
    return list.lastElementChild;
  };

  const unusedName = (name) => {
    const taken = new Set([...list.children].map((each) => nameOf(each).value));
    if (!taken.has(name)) return name;
    for (let number = 2; ; number += 1) {
      const next = name.replace(/(\.\w+)$/, `-${number}$1`);
      if (!taken.has(next)) return next;
    }
  };

  const template = (id) => document.getElementById(id).content.textContent;

  const addFiles = async (files) => {
    const refused = [];
    for (const file of files) {
      try { add(file.name, await file.text()); } catch { refused.push(file.name); }
    }
    if (refused.length) message.textContent = `Cannot read ${refused.join(", ")}. Drop files, not folders.`;
  };

  const restore = () => {
    const kept = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "{}");
    const named = new URLSearchParams(location.search);
    const fixed = (name) => named.has(name) || (named.has("from") && ["chatbot", "judge"].includes(name));
    for (const [name, value] of (kept.chosen ?? []).filter(([name]) => !fixed(name))) {
      const field = fields().find((each) => each.name === name);
      const offered = field?.options ? [...field.options].some((each) => each.value === value) : field;
      if (offered) field.value = value;
    }
    for (const [name, text] of kept.files ?? []) add(name, text);
  };
  try { restore(); } catch { /* not stored by this page */ }
  const given = document.getElementById("given");
  const there = (each) => textOf(each).value === given.content.textContent;
  if (given && ![...list.children].some(there)) add(unusedName(given.dataset.name), given.content.textContent);

  const chosen = form.querySelector("[data-files]");
  chosen.addEventListener("change", async () => { await addFiles([...chosen.files]); chosen.value = ""; });
  const drop = form.querySelector("[data-drop]");
  for (const kind of ["dragover", "dragenter"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    addFiles([...event.dataTransfer.files]);
  });
  let refresh = 0, previewed = false;
  const changed = () => {
    save();
    clearTimeout(refresh);
    if (!previewed) return;
    plan.replaceChildren();  // outdated
    start.disabled = false;
    if (list.childElementCount) refresh = setTimeout(() => form.requestSubmit(preview), 300);
  };
  form.addEventListener("submit", () => clearTimeout(refresh));
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if ("addFile" in button.dataset) {
      const kind = button.dataset.addFile;
      textOf(add(unusedName(`${kind}.yml`), template(`new-${kind}`))).focus();
    } else if ("example" in button.dataset) {
      add(unusedName("pizza.yml"), template("example"));
      add(unusedName("says_the_price.yml"), template("example-rule"));
      changed();
    } else if ("removeFile" in button.dataset) {
      button.closest("fieldset").remove();
      changed();
    }
  });

  // Problems stand under their lines, with the line before; a click selects the place.
  const select = (area, line, column) => {
    const lines = area.value.split("\n");
    const before = Math.max(0, (column || 1) - 1);
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + before;
    area.focus();
    area.setSelectionRange(start, start + Math.max(1, (lines[line - 1] ?? "").length - before));
    area.scrollTop = Math.max(0, line - 4) * parseFloat(getComputedStyle(area).lineHeight);
  };
  const made = (kind, name, text) => Object.assign(document.createElement(kind), { className: name, textContent: text });
  const explain = (file, problem) => {
    const code = file.querySelector(".code"), at = Number(problem.dataset.line), lines = textOf(file).value.split("\n");
    if (at && code.dataset.last !== problem.dataset.line) {
      if (at > 1) code.append(made("span", "no", at - 1), made("span", "line", lines[at - 2] ?? ""));
      const line = Object.assign(made("button", "line bad", lines[at - 1] || " "), { type: "button" });
      line.addEventListener("click", () => select(textOf(file), at, Number(problem.dataset.column)));
      code.append(made("span", "no", at), line);
    }
    code.dataset.last = problem.dataset.line;
    code.append(made("p", "message", problem.querySelector("span").textContent));
  };
  document.addEventListener("htmx:before:request", () => { message.textContent = "Reading the files…"; });
  document.addEventListener("htmx:after:request", () => { message.textContent = ""; });
  document.addEventListener("htmx:finally:request", () => { message.textContent = ""; });
  document.addEventListener("htmx:after:swap", () => {
    const problems = [...plan.querySelectorAll("[data-problems] [data-file]")];
    problems.sort((one, other) => one.dataset.line - other.dataset.line);
    for (const file of list.children) {
      file.querySelector(".code").replaceChildren();
      for (const each of problems) if (each.dataset.file === nameOf(file).value) explain(file, each);
    }
    previewed = true;
    const wrong = plan.querySelectorAll("[data-problems] li").length;
    start.disabled = wrong > 0;
    message.textContent = wrong ? "Mend the problems to start." : "";
    if (document.activeElement === preview) plan.scrollIntoView({ block: "nearest" });
  });
  if (list.childElementCount) {
    addEventListener("load", () => form.dispatchEvent(new Event("change", { bubbles: true })));
  }
})();
