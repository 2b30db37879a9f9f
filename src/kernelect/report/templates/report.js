"use strict";
// Copies a table as tab-separated text. Words that a spreadsheet would take for a formula get an apostrophe.
function cellText(cell) {
  const text = cell.textContent.trim().replace(/\s+/g, " ");
  const number = /^[-+]?[\d.,\s]+(e[-+]?\d+)?(\s*%)?(\s*±.*)?$/i.test(text);
  return /^[=+\-@]/.test(text) && !number ? "'" + text : text;
}

function tableText(table) {
  return Array.from(table.rows, row => Array.from(row.cells, cellText).join("\t")).join("\n");
}

function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "copy-area";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text); // pages opened from a file have no clipboard in some browsers
  }
}

for (const button of document.querySelectorAll("button[data-table]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const done = await copyText(tableText(document.getElementById(button.dataset.table)));
    const words = button.textContent;
    button.textContent = done ? "Copied" : "Not possible here";
    button.focus();
    setTimeout(() => { button.textContent = words; }, 1600);
  });
}
