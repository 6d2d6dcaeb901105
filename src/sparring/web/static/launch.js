"use strict";

// Files stand in the form as text that can be mended here. The whole form survives a reload of the page.
(() => {
  const form = document.getElementById("launch");
  if (!form) return;
  form.classList.add("scripted");
  const list = document.getElementById("files");
  const plan = document.getElementById("plan");
  const words = document.getElementById("working");
  const KEPT = "sparring launch";

  const named = (fieldset) => fieldset.querySelector("[name=file_name]");
  const said = (fieldset) => fieldset.querySelector("[name=file_text]");
  const fields = () => [...form.querySelectorAll(".fields [name]")];

  const keep = () => {
    const files = [...list.children].map((each) => [named(each).value, said(each).value]);
    const chosen = fields().map((each) => [each.name, each.value]);
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({ files, chosen }));
      words.textContent = "";
    } catch {
      words.textContent = "These files are too long to survive a reload of this page.";
    }
  };

  const add = (name, text) => {
    const made = document.getElementById("file").content.cloneNode(true);
    made.querySelector("[name=file_name]").value = name;
    made.querySelector("[name=file_text]").value = text;
    made.querySelector("[name=file_text]").rows = Math.min(14, Math.max(4, text.split("\n").length));
    list.append(made);
    keep();
    return list.lastElementChild;
  };

  const free = (name) => {
    const taken = new Set([...list.children].map((each) => named(each).value));
    if (!taken.has(name)) return name;
    for (let number = 2; ; number += 1) {
      const next = name.replace(/(\.\w+)$/, `-${number}$1`);
      if (!taken.has(next)) return next;
    }
  };

  const written = (id) => document.getElementById(id).content.textContent;

  const take = async (files) => {
    const refused = [];
    for (const file of files) {
      try { add(file.name, await file.text()); } catch { refused.push(file.name); }
    }
    if (refused.length) words.textContent = `Cannot be read: ${refused.join(", ")}. Drop files, not folders.`;
  };

  const restore = () => {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
    for (const [name, value] of kept.chosen ?? []) {
      const field = fields().find((each) => each.name === name);
      const offered = field?.options ? [...field.options].some((each) => each.value === value) : field;
      if (offered) field.value = value;
    }
    for (const [name, text] of kept.files ?? []) add(name, text);
  };
  try { restore(); } catch { /* what was kept is not ours */ }

  const chosen = form.querySelector("[data-files]");
  chosen.addEventListener("change", async () => { await take([...chosen.files]); chosen.value = ""; });
  const drop = form.querySelector("[data-drop]");
  for (const kind of ["dragover", "dragenter"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    take([...event.dataTransfer.files]);
  });
  const changed = () => {
    keep();
    if (plan.querySelector("[data-plan]")) plan.replaceChildren();  // it is of what was there before
  };
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if ("addFile" in button.dataset) {
      const kind = button.dataset.addFile;
      said(add(free(`${kind}.yml`), written(`new-${kind}`))).focus();
    } else if ("example" in button.dataset) {
      add(free("pizza.yml"), written("example"));
      add(free("says_the_price.yml"), written("example-rule"));
      changed();
    } else if ("removeFile" in button.dataset) {
      button.closest("fieldset").remove();
      changed();
    }
  });

  // What is wrong with a file is said beside it too; a click leads to the place.
  const place = (area, line, column) => {
    const lines = area.value.split("\n");
    const before = Math.max(0, (column || 1) - 1);
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + before;
    area.focus();
    area.setSelectionRange(start, start + Math.max(1, (lines[line - 1] ?? "").length - before));
    area.scrollTop = Math.max(0, line - 4) * parseFloat(getComputedStyle(area).lineHeight);
  };
  document.addEventListener("htmx:before:request", () => { words.textContent = "Reading the files…"; });
  document.addEventListener("htmx:after:request", () => { words.textContent = ""; });
  document.addEventListener("htmx:finally:request", () => { words.textContent = ""; });
  document.addEventListener("htmx:after:swap", () => {
    for (const each of list.querySelectorAll(".problems")) each.replaceChildren();
    for (const problem of plan.querySelectorAll("[data-problems] [data-file]")) {
      const file = [...list.children].find((each) => named(each).value === problem.dataset.file);
      if (!file) continue;
      const item = document.createElement("li");
      const go = document.createElement("button");
      go.type = "button";
      go.textContent = problem.textContent.trim();
      go.addEventListener("click", () => {
        place(said(file), Number(problem.dataset.line) || 1, Number(problem.dataset.column));
      });
      item.append(go);
      file.querySelector(".problems").append(item);
    }
    plan.scrollIntoView({ block: "nearest" });
  });
})();
