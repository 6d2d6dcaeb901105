"use strict";

// Files stand in the form as text that can be mended here, and survive a reload of the page.
(() => {
  const form = document.getElementById("launch");
  if (!form) return;
  const list = document.getElementById("files");
  const KEPT = "sparring files";

  const keep = () => {
    const files = [...list.children].map((each) => [
      each.querySelector("[name=file_name]").value, each.querySelector("[name=file_text]").value,
    ]);
    try { sessionStorage.setItem(KEPT, JSON.stringify(files)); } catch { /* too long to keep */ }
  };

  const add = (name, text) => {
    const made = document.getElementById("file").content.cloneNode(true);
    made.querySelector("[name=file_name]").value = name;
    made.querySelector("[name=file_text]").value = text;
    list.append(made);
    keep();
  };

  const take = async (files) => {
    for (const file of files) add(file.name, await file.text());
  };

  try { for (const [name, text] of JSON.parse(sessionStorage.getItem(KEPT) ?? "[]")) add(name, text); } catch { /* none */ }

  const chosen = form.querySelector("[data-files]");
  chosen.addEventListener("change", async () => { await take(chosen.files); chosen.value = ""; });
  const drop = form.querySelector("[data-drop]");
  for (const kind of ["dragover", "dragenter"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    take(event.dataTransfer.files);
  });
  form.addEventListener("input", keep);
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if ("addFile" in button.dataset) add("scenario.yml", "");
    if ("example" in button.dataset) add("pizza.yml", document.getElementById("example").content.textContent);
    if ("removeFile" in button.dataset) { button.closest("fieldset").remove(); keep(); }
  });

  // What is wrong with a file is said beside it too; a click leads to the place.
  const place = (area, line, column) => {
    const lines = area.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + Math.max(0, (column || 1) - 1);
    area.focus();
    area.setSelectionRange(start, start + Math.max(1, (lines[line - 1] ?? "").length - Math.max(0, (column || 1) - 1)));
    area.scrollTop = Math.max(0, line - 4) * parseFloat(getComputedStyle(area).lineHeight);
  };
  const words = document.getElementById("working");
  document.addEventListener("htmx:before:request", () => { words.textContent = "Reading the files…"; });
  document.addEventListener("htmx:after:request", () => { words.textContent = ""; });
  document.addEventListener("htmx:after:swap", () => {
    for (const each of list.querySelectorAll(".problems")) each.replaceChildren();
    for (const problem of document.querySelectorAll("[data-problems] [data-file]")) {
      const file = [...list.children].find((each) => each.querySelector("[name=file_name]").value === problem.dataset.file);
      if (!file) continue;
      const item = document.createElement("li");
      const go = document.createElement("button");
      go.type = "button";
      go.textContent = problem.textContent.trim();
      go.addEventListener("click", () => {
        place(file.querySelector("textarea"), Number(problem.dataset.line) || 1, Number(problem.dataset.column));
      });
      item.append(go);
      file.querySelector(".problems").append(item);
    }
  });
})();
