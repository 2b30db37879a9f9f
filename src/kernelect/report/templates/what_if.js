"use strict";
// What if: the controls' cells go into the model of this page, and prediction and reasons come out.
(() => {
  const { controls, rows, players, band, survival, years, explained, own, signed, shown } = JSON.parse(document.getElementById("what-if-facts").textContent);
  const byId = (id) => document.getElementById(id);
  const OTHER = "\u0000other", DAY = 86400000;
  const fields = controls.map((_, place) => {
    const field = document.querySelector(`[data-control="${place}"]`);
    return {
      field, entry: byId(`wi-${place}`), gap: byId(`wi-${place}-missing`),
      slider: field.querySelector("input[type=range]"), printed: field.querySelector(".printed"),
    };
  });
  let row = [];
  const halfTyped = new Set(); // places of fields that hold no number

  // The same words as in the rest of the page: significant digits, thousands set apart but for years, no zeros behind
  // what matters.
  function number(value, digits, years) {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size < 1e-4 || size >= 1e9) return value.toExponential(digits - 1).replace(/^-/, "\u2212");
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
    const [whole, rest] = value.toFixed(decimals).split(".");
    const trimmed = (rest || "").replace(/0+$/, "");
    return whole.replace("-", "\u2212").replace(/\B(?=(\d{3})+$)/g, years ? "" : "\u202f") + (trimmed ? "." + trimmed : "");
  }
  // Numbers that are read beside each other: with the decimals that the largest of them has.
  function alike(values) {
    const largest = Math.max(...values.map(Math.abs));
    const plus = (value, words) => (value > 0 ? "+" : "") + words;
    if (!(largest >= 1e-4 && largest < 1e9)) return values.map((value) => plus(value, number(value, 3)));
    const decimals = Math.max(0, 2 - Math.floor(Math.log10(largest)));
    return values.map((value) => {
      const [whole, rest] = Math.abs(value).toFixed(decimals).split(".");
      const words = whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") + (rest ? "." + rest : "");
      return (value < 0 && Number(words) !== 0 ? "\u2212" : "+") + words;
    });
  }
  const percent = (share) => (100 * share).toFixed(1) + "\u00a0%";

  function words(place, digits = 6) {
    const cell = row[place], control = controls[place];
    if (cell === null) return "(missing)";
    if (control.kind === "date") return new Date(cell * DAY).toISOString().slice(0, 10);
    if (control.kind === "number") return number(cell, digits, control.years);
    const level = kernelectModel.columns[place].levels.indexOf(cell);
    return level < 0 ? "(any other)" : control.levels[level];
  }

  function put(place, from) {
    const { entry, gap, slider, printed } = fields[place], cell = row[place], control = controls[place];
    if (control.kind === "category") {
      const level = kernelectModel.columns[place].levels.indexOf(cell);
      entry.value = cell === null ? "missing" : level < 0 ? "other" : String(level);
    } else {
      if (gap) gap.checked = cell === null;
      for (const part of [entry, slider]) if (part) part.disabled = cell === null;
      if (cell !== null && from !== entry) entry.value = control.kind === "date" ? words(place) : String(Number(cell.toPrecision(7)));
      if (cell !== null && slider && from !== slider) slider.value = String(cell);
      if (slider) slider.setAttribute("aria-valuetext", words(place));
    }
    printed.textContent = words(place);
  }

  function take(place, from) {
    const { entry, gap, slider } = fields[place], control = controls[place];
    halfTyped.delete(place);
    if (control.kind === "category") {
      const levels = kernelectModel.columns[place].levels;
      row[place] = entry.value === "missing" ? null : entry.value === "other" ? OTHER : levels[Number(entry.value)];
    } else if (gap && gap.checked) {
      row[place] = null;
    } else {
      const text = from === slider ? slider.value : entry.value;
      const value = control.kind === "date" && from !== slider ? Date.parse(text) / DAY : Number(text);
      if (text === "" || !Number.isFinite(value)) {
        halfTyped.add(place);
        show();
        return;
      }
      row[place] = control.whole && from === slider ? Math.round(value) : value;
    }
    put(place, from);
    show();
  }

  function item(name, amount, share, against) {
    const line = document.createElement("li");
    for (const [kind, text] of [["name", name], ["track", ""], ["amount", amount]]) {
      const part = document.createElement("span");
      part.className = kind;
      part.textContent = text;
      line.append(part);
    }
    const fill = document.createElement("span");
    fill.className = against ? "fill against" : "fill";
    fill.style.width = `${100 * share}%`;
    line.children[1].append(fill);
    return line;
  }

  function show() {
    const said = kernelectModel.predict(row);
    const answer = said.values ? number(said.values[0], 4, years) : shown[said.place];
    if (byId("wi-answer").textContent !== answer) byId("wi-answer").textContent = answer;
    if (band) {
      byId("wi-band").textContent = said.interval.map((end) => number(end, 4, years)).join(" to ");
    }
    if (survival) drawSurvival(said.values[0], said.interval);
    if (said.probabilities) {
      byId("wi-shares").replaceChildren(...said.probabilities.map((share, k) => item(shown[k], percent(share), share)));
    }
    const outside = controls.filter((control, place) => {
      const reach = control.high - control.low, slack = 1e-9 * reach; // sliders round
      return control.kind !== "category" && row[place] !== null
        && Math.abs(row[place] - control.low - reach / 2) > reach / 2 + slack;
    }).map((control) => control.name);
    const doubts = [...halfTyped].map((place) => `${controls[place].name} is empty: the prediction is still that for ${words(place)}.`);
    if (outside.length) doubts.push(`Beyond all rows of the table in ${outside.join(", ")}: the prediction is a guess.`);
    byId("wi-outside").hidden = !doubts.length;
    byId("wi-outside").textContent = doubts.join(" ");
    if (explained) explain(said);
  }

  function time(t) {
    return Math.exp(between(t, own.heights, own.knots, true));
  }

  // Effects add up on the scale of the model: the target's own way from the base to the row is split in proportion.
  const back = {
    log: [Math.exp, Math.exp],
    log1p: [Math.expm1, Math.exp],
    sqrt: [(t) => t * t - own.more, (t) => 2 * t],
    times: [time, (t) => (time(t + 1e-6) - time(t - 1e-6)) / 2e-6],
  };
  function inOwnUnits(base, effects) {
    if (!own) return effects;
    const [way, slope] = back[own.name], step = effects.reduce((sum, effect) => sum + effect, 0);
    const factor = Math.abs(step) < 1e-8 ? slope(base[0]) : (way(base[0] + step) - way(base[0])) / step;
    return effects.map((effect) => factor * effect);
  }

  // The median and both ends tell place and deviation on the scale on which all survival functions have one form.
  function between(x, from, to, beyond) {
    let k = from.findIndex((one) => x < one);
    if (k <= 0 && !beyond) return k < 0 ? to[to.length - 1] : to[0];
    k = Math.min(Math.max(k < 0 ? from.length - 1 : k, 1), from.length - 1);
    return to[k - 1] + ((to[k] - to[k - 1]) * (x - from[k - 1])) / (from[k] - from[k - 1]);
  }
  function drawSurvival(median, [low, high]) {
    const score = (time) => between(Math.log(time), survival.knots, survival.heights, true);
    const unit = (score(high) - score(low)) / (survival.high - survival.low), middle = score(median);
    const known = unit > 0 && Number.isFinite(unit) && Number.isFinite(middle);
    const shares = known ? survival.scores.map((at) => between((at - middle) / unit, survival.at, survival.later, false)) : [];
    const points = shares.map((share, k) => [(300 * (k + 1)) / shares.length, 120 * (1 - share)]);
    byId("wi-survival").setAttribute("points", known ? ["0,0", ...points.map((each) => each.map((one) => one.toFixed(1)).join())].join(" ") : "");
  }

  let waiting = null;
  function explain(said) {
    clearTimeout(waiting);
    if (kernelectModel.prepare()) { // in pieces, so that the page answers in between
      byId("wi-reasons").setAttribute("aria-busy", "true");
      waiting = setTimeout(() => explain(said));
      return;
    }
    byId("wi-reasons").setAttribute("aria-busy", "false");
    const place = said.probabilities && !signed ? said.place : 1;
    const found = kernelectModel.explain(row);
    const effects = inOwnUnits(found.base, found.values.map((values) => (
      values.length > 1 ? values[place] : place === 0 ? -values[0] : values[0]
    )));
    const order = effects.map((_, j) => j).sort((a, b) => Math.abs(effects[b]) - Math.abs(effects[a]));
    const largest = Math.abs(effects[order[0]]) || 1;
    const listed = order.filter((j) => effects[j] !== 0).slice(0, 7);
    const name = (j) => (players[j].length === 1
      ? `${controls[players[j][0]].name} = ${words(players[j][0], 4)}` : kernelectModel.players[j]);
    const rest = order.filter((j) => effects[j] !== 0).slice(7).reduce((sum, j) => sum + effects[j], 0);
    const parts = listed.map((j) => [name(j), effects[j]]).concat(rest !== 0 ? [["all other columns", rest]] : []);
    const amounts = alike(parts.map(([, effect]) => effect));
    byId("wi-reasons").replaceChildren(...parts.map(([said, effect], k) => (
      item(said, amounts[k], Math.min(1, Math.abs(effect) / largest), effect < 0)
    )));
  }

  function start() {
    row = [...rows[Number(byId("wi-row").value)]];
    halfTyped.clear();
    controls.forEach((_, place) => put(place, null));
    show();
  }

  fields.forEach(({ entry, gap, slider }, place) => {
    for (const part of [entry, gap, slider]) if (part) part.addEventListener("input", () => take(place, part));
  });
  byId("wi-row").addEventListener("change", start);
  byId("wi-reset").addEventListener("click", start);
  document.querySelector("form.controls").addEventListener("submit", (event) => event.preventDefault());
  start();
})();
