"use strict";
// One page for all projects: it asks the server and shows what it answers. Names and cells become text, never markup.
(() => {
  const byId = (id) => document.getElementById(id);
  const STEPS = [["data", "Data and fit"], ["report", "Report"], ["predict", "Predict"], ["evaluate", "Evaluate"], ["compare", "Compare"], ["files", "Take home"]];
  const DOING = { fit: "Fitting", predict: "Predicting", evaluate: "Evaluating", export: "Exporting", compare: "Comparing" };
  const ROLES = [
    ["", "as found"], ["number", "number"], ["category", "category"], ["date", "date"], ["use", "use"],
    ["leave out", "leave out"], ["names rows", "names rows"],
    ["group", "group: rows that belong together"], ["time", "time: when it was observed"],
    ["event", "event: 1 if it came, 0 if not yet"], ["weight", "weight of the row"],
  ];
  // What was chosen about one target says nothing about another.
  const OF_TARGET = { task: null, metric: null, class_weight: null, ordered: null, costs: [] };
  const METRICS = {
    classification: ["error", "log-loss", "auc", "average-precision", "brier", "f1"], regression: ["rmse", "mae", "r2"],
  };
  METRICS.count = METRICS.regression;
  METRICS["ordered classification"] = METRICS.classification;

  // A method is called by its machine and kernel, as the options of the command are.
  const MACHINES = {
    auto: "mixture (what Fit makes)", lssvm: "least-squares SVM", svm: "support vector machine", gp: "Gaussian process", rvm: "relevance vectors", basis: "basis search",
  };
  const KERNELS = { rbf: "one width", ard: "one width per column", linear: "linear" };
  function methodWords(name) {
    const [machine, kernel] = name.split(" ");
    if (!(machine in MACHINES)) return name.replace("sklearn ", "");
    return kernel ? `${MACHINES[machine]}, ${KERNELS[kernel] || kernel}` : MACHINES[machine];
  }

  function make(tag, properties, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (name in made && !name.startsWith("aria")) made[name] = value;
      else made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  // What the server refuses comes with one sentence; so does a server that is gone.
  async function ask(address, options) {
    let answer;
    try {
      answer = await fetch(address, options);
    } catch {
      throw new Error("The server does not answer. If it has ended, start kernelect app again: projects are still there.");
    }
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    return found;
  }
  function complain(error) {
    byId("alert").textContent = error ? error.message : "";
    byId("alert").hidden = !error;
  }
  const trying = (work) => async (...given) => {
    complain(null);
    try { return await work(...given); } catch (error) { complain(error); }
  };
  const seconds = (count) => count < 90 ? `${Math.round(count)} s` : `${Math.floor(count / 60)} min ${Math.round(count % 60)} s`;
  const size = (bytes) => bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${Number((bytes / 1e6).toFixed(1))} MB`;

  // A place to drop a file on, or to choose one with mouse or keyboard.
  function dropPlace(title, words, take, small) {
    const input = make("input", { type: "file", "aria-label": title, onchange: () => { if (input.files[0]) take(input.files[0]); input.value = ""; } });
    const place = make("label", { className: small ? "drop small" : "drop" }, make("strong", {}, title), make("span", {}, words), input);
    const over = (on) => (event) => { event.preventDefault(); place.classList.toggle("over", on); };
    place.addEventListener("dragover", over(true));
    place.addEventListener("dragleave", over(false));
    place.addEventListener("drop", (event) => { over(false)(event); if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]); });
    return place;
  }
  let mostBytes = 200e6;
  function send(address, file) {
    if (file.size > mostBytes) throw new Error(`${file.name} has ${size(file.size)}, and at most ${size(mostBytes)} can be sent: fit larger tables with kernelect fit.`);
    const sign = address.includes("?") ? "&" : "?";
    return ask(`${address}${sign}file=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
  }

  function select(label, options, value, change, words) {
    const control = make("select", { onchange: () => change(control.value) },
      ...options.map(([key, text]) => make("option", { value: key, selected: key === (value || "") }, text)));
    return make("div", { className: "field" }, make("label", {}, label, control), words ? make("small", {}, words) : null);
  }
  function grid(title, columns, rows) {
    return make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": title }, make("table", {},
      make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell, place) =>
        place ? make("td", { className: String(cell).length > 40 ? "long" : "" }, cell) : make("th", { scope: "row" }, cell)))))));
  }
  const list = (remarks) => make("ul", { className: "remarks" }, ...remarks.map((remark) => make("li", {}, remark)));
  const card = (title, ...children) => make("section", { className: "card" }, make("h2", {}, title), ...children);

  // All projects.
  async function home() {
    byId("title").textContent = "From a table to predictions";
    byId("lead").textContent = "Choose a table, choose what to predict, read how good the model is, and predict new rows.";
    const begin = trying(async (file) => {
      byId("lead").textContent = `Reading ${file.name} …`;
      try {
        location.href = `/project/${encodeURIComponent((await send("/api/projects", file)).name)}`;
      } finally { byId("lead").textContent = ""; }
    });
    const found = await ask("/api/projects");
    mostBytes = found.most_bytes;
    const rows = found.projects.map((one) => [
      make("a", { href: `/project/${encodeURIComponent(one.name)}` }, one.name), one.target || "–",
      one.state === "running" ? "running" : one.fitted ? "fitted" : "not fitted", one.changed ? new Date(1000 * one.changed).toLocaleString() : "–",
    ]);
    byId("view").replaceChildren(
      dropPlace("Drop a table here, or choose a file", `CSV, Excel, Parquet, Feather, JSON or svmlight, also compressed, up to ${size(mostBytes)}; or a model.kernelect.`, begin),
      card("Projects", rows.length ? grid("Projects", ["project", "predicts", "state", "last change"], rows) : make("p", { className: "empty" }, "There is none yet."),
        make("p", { className: "note" }, `Each is a folder in ${found.folder}, with the files that the commands write.`)));
  }

  // One project.
  const name = location.pathname.startsWith("/project/") ? decodeURIComponent(location.pathname.slice(9)) : null;
  const api = `/api/projects/${encodeURIComponent(name)}`, own = (file) => `/files/${encodeURIComponent(name)}/${file}`;
  let project = null, columns = null, shownStep = "", source = null;

  async function refresh() {
    project = await ask(api);
    const model = project.model;
    document.title = `${name} – kernelect`;
    byId("title").textContent = name;
    byId("lead").textContent = model && model.verdict ? `Predicts “${model.target}”. ${model.verdict}.` : model ? model.error : project.table || "";
    watch(project.job);
  }
  function step() {
    const asked = location.hash.slice(1);
    return STEPS.some(([key]) => key === asked) ? asked : project.model && !project.table ? "predict" : "data";
  }
  const show = trying(async () => {
    shownStep = step();
    for (const link of byId("steps").children) {
      if (link.hash === `#${shownStep}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const parts = { data, report, predict, evaluate, compare, files };
    byId("view").replaceChildren(...await parts[shownStep]());
    byId("view").dataset.step = shownStep;
  });

  // What runs: its line, its time, and how to end it. Events come until it has ended, to every open page.
  function watch(job) {
    const box = byId("job");
    if (job.state === "running" && !source) {
      source = new EventSource(`${api}/events`);
      source.onmessage = (event) => tell(JSON.parse(event.data));
      source.onerror = () => { source.close(); source = null; complain(new Error("The server does not answer. If it has ended, start kernelect app again: projects are still there.")); };
    }
    if (job.state !== "running") box.hidden = true;
    if (job.state === "failed") complain(new Error(job.sentence));
  }
  const words = make("p", {}), time = make("span", { className: "time", "aria-hidden": "true" }), bar = make("progress", { "aria-label": "Progress" });
  const cancel = make("button", { type: "button", onclick: trying(() => ask(`${api}/cancel`, { method: "POST" })) }, "Cancel");
  async function tell(job) {
    const box = byId("job");
    if (job.state === "running") {
      if (box.hidden) { box.replaceChildren(words, time, cancel, bar); box.hidden = false; }
      const line = job.line.replace(/^[^·]*· /, ""), done = /: (\d+) of (\d+)/.exec(line);
      const said = `${DOING[job.kind]}: ${line || "starting"}`;
      if (words.textContent !== said) words.textContent = said;
      time.textContent = seconds(job.seconds) + (job.limit > job.seconds ? `, at most ${seconds(job.limit - job.seconds)} left` : "");
      if (done) { bar.max = Number(done[2]); bar.value = Number(done[1]); } else bar.removeAttribute("value");
      return;
    }
    source.close();
    source = null;
    box.hidden = true;
    await trying(async () => {
      await refresh();
      if (job.state === "done" && job.kind === "fit" && shownStep === "data") { location.hash = "report"; byId("main").focus({ preventScroll: true }); scrollTo(0, 0); }
      else await show();
      if (job.state !== "done") complain(new Error(job.sentence));
    })();
  }
  const begun = (job) => { watch(job); return tell(job); };
  const start = (address) => async () => { await begun(await ask(address, { method: "POST" })); };

  // Columns, roles, what to predict.
  const choose = trying(async (changes) => {
    project.settings = { ...project.settings, ...changes };
    const fitButton = byId("fit");
    fitButton.disabled = true;
    columns = await ask(`${api}/settings`, { method: "PUT", body: JSON.stringify(project.settings) });
    project = await ask(api);
    const active = document.activeElement && document.activeElement.id;
    await show();
    if (active && byId(active)) byId(active).focus();
  });
  async function data() {
    if (!project.table) return [card("No table", make("p", {}, "This project holds a model without its table. Predict and evaluate work; to fit, begin a new project with a table."))];
    columns = await ask(`${api}/columns`).catch((error) => {
      complain(error);
      return columns || { rows: 0, names: [project.settings.target, ...Object.keys(project.settings.roles)], columns: [], remarks: [] };
    });
    const settings = project.settings, task = columns.task;
    const kinds = { classification: "classes", regression: "numbers", count: "counts", survival: "times until an event", "ordered classification": "classes with an order" };
    const labels = columns.classes || [];
    const found = task ? `as found: ${settings.task ? "from the values" : kinds[task] + (labels.length ? ` (${labels.length})` : "")}` : "as found";
    const controls = make("div", { className: "controls" },
      select("Predict", [["", "choose a column"], ...columns.names.map((one) => [one, one])], settings.target, (value) => choose({ ...OF_TARGET, target: value || null, roles: without(settings.roles, value) }), "The column that new rows will lack."),
      select("Kind of answer", [["", found], ["classification", "classes"], ["regression", "numbers"], ["count", "counts (whole numbers from 0)"]], settings.task, (value) => choose({ task: value || null })),
      select("Effort", [["", "balanced"], ["fast", "fast"], ["best", "best"]], settings.effort, (value) => choose({ effort: value || null }), "How many machines are tried and mixed."));
    const listed = (text) => text.split(",").map((one) => one.trim()).filter(Boolean);
    const order = labels.length > 2 || settings.ordered ? typed("ordered", "Order of the classes", "From the lowest to the highest. Empty: they have none.", settings.ordered, (value) => choose({ ordered: value || null }), { placeholder: labels.slice(0, 12).join("<") }) : null;
    const opened = document.querySelector("#view details[open]");
    const sheet = /\.xls[xm]$/i.test(project.table) ? typed("sheet", "Sheet", "Name or number. Empty: the first with cells.", settings.sheet, (value) => choose({ ...OF_TARGET, sheet: value || null, target: null, missing_codes: [], dates: [], roles: {} })) : null;
    const more = make("details", { open: Boolean(opened || settings.sheet || settings.metric || settings.class_weight || settings.time_limit || settings.ordered || settings.costs.length || settings.missing_codes.length || settings.dates.length) }, make("summary", {}, "More choices"), make("div", { className: "controls" },
      sheet,
      typed("limit", "Seconds at most", "Empty: as long as it takes.", settings.time_limit, (value) => choose({ time_limit: value ? Number(value) : null }), { type: "number", min: 1 }),
      select("Figure that counts", [["", "as found"], ...(METRICS[task] || []).map((one) => [one, one])], settings.metric, (value) => choose({ metric: value || null })),
      labels.length ? select("Errors count", [["", "as often as the classes come"], ["balanced", "alike in all classes"]], settings.class_weight, (value) => choose({ class_weight: value || null }), "Alike: if a rare class matters as much as a frequent one.") : null,
      labels.length ? typed("costs", "Costs of errors", "TRUE:PREDICTED=COST, such as yes:no=5 if to miss a yes is five times as bad.", settings.costs.join(", "), (value) => choose({ costs: listed(value) }), { placeholder: "yes:no=5" }) : null,
      order,
      typed("codes", "Cells that mean missing", "In all columns (-999) or in one (age=99).", settings.missing_codes.join(", "), (value) => choose({ missing_codes: listed(value) }), { placeholder: "-999, age=99" }),
      typed("dates", "Forms of dates", "COLUMN=FORM: %d day, %m month, %Y year, %H:%M time.", settings.dates.join(", "), (value) => choose({ dates: listed(value) }), { placeholder: "admitted=%d.%m.%Y" })));
    [...controls.querySelectorAll("select"), ...more.querySelectorAll("select")].forEach((one, place) => { one.id = `choice-${place}`; });
    const fit = make("button", { type: "button", className: "main", id: "fit", disabled: !settings.target || !columns.columns.length, onclick: trying(start(`${api}/fit`)) }, project.model ? "Fit again" : "Fit");
    const table = make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Columns" }, make("table", { className: "columns" },
      make("thead", {}, make("tr", {}, ...["column", "found as", "spread", "values", "missing", "role"].map((one) => make("th", { scope: "col" }, one)))),
      make("tbody", {}, ...columns.columns.map(columnRow))));
    const left = columns.names.length - columns.columns.length;
    return [
      card("What to predict", controls, more, make("div", { className: "foot" }, fit, make("span", { className: "empty" }, settings.target ? "" : "Choose the column to predict first."))),
      card(`${columns.rows} rows, ${columns.names.length} columns`, table, left > 0 && columns.columns.length ? make("p", { className: "note" }, `and ${left} more columns`) : null),
      columns.remarks.length ? card("How the table is read", list(columns.remarks)) : "",
    ];
  }
  function typed(id, label, words, value, change, more) {
    const input = make("input", { type: "text", id, value: value || "", onchange: () => change(input.value.trim()), ...more });
    return make("div", { className: "field" }, make("label", {}, label, input), make("small", {}, words));
  }
  const sheetOf = () => typed("sheet", "Sheet", "Of an Excel file: name or number. Empty: the first with cells.", "", () => {});
  const without = (roles, one) => Object.fromEntries(Object.entries(roles).filter(([key]) => key !== one));
  function columnRow(column, place) {
    const role = make("select", { id: `role-${place}`, "aria-label": `Role of ${column.name}`, disabled: !project.settings.target || column.found === "target",
      onchange: () => choose({ roles: role.value ? { ...project.settings.roles, [column.name]: role.value } : without(project.settings.roles, column.name) }) },
      ...ROLES.map(([key, text]) => make("option", { value: key, selected: key === (project.settings.roles[column.name] || "") }, text)));
    const found = { unused: "left out", target: "to predict" }[column.found] || column.found;
    return make("tr", { className: column.found }, make("th", { scope: "row" }, column.name), make("td", { className: "found" }, found),
      make("td", { className: "picture" }, picture(column.bars)), make("td", { className: "why" }, column.reason ? column.reason : column.words),
      make("td", { className: "missing" }, column.missing ? `${(100 * column.missing).toFixed(column.missing < 0.1 ? 1 : 0)} %` : ""), make("td", { className: "role" }, role));
  }
  function picture(bars) {
    const space = "http://www.w3.org/2000/svg", drawn = document.createElementNS(space, "svg");
    drawn.setAttribute("viewBox", "0 0 84 26");
    drawn.setAttribute("class", "bars-small");
    drawn.setAttribute("aria-hidden", "true");
    const step = 84 / Math.max(bars.length, 4);
    bars.forEach((height, place) => {
      const one = document.createElementNS(space, "rect");
      const drop = { x: place * step, y: 26 - Math.max(1, 25 * height), width: step - 1, height: Math.max(1, 25 * height) };
      for (const [key, value] of Object.entries(drop)) one.setAttribute(key, value.toFixed(2));
      drawn.append(one);
    });
    return drawn;
  }

  const has = (file) => project.files.find((one) => one.name === file);
  const none = (sentence) => [card("Not yet", make("p", {}, sentence))];

  async function report() {
    if (!has("report.html")) return none(project.model ? "This project has a model without a report: kernelect report writes it from the model and its table." : "Fit a model first: its report is shown here.");
    const frame = make("iframe", { title: "Report", src: own("report.html") });
    frame.setAttribute("sandbox", "allow-scripts");
    return [make("div", { className: "frame" }, frame), make("p", { className: "note" }, make("a", { href: own("report.html"), target: "_blank", rel: "noopener" }, "Open the report in a tab of its own"))];
  }

  function options(...pairs) { return pairs.filter(([, value]) => value).map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&"); }

  async function predict() {
    if (!project.model) return none("Fit a model first. Then drop new rows here.");
    const numbers = project.model.task === "regression", job = project.job;
    const interval = numbers ? select("Intervals", [["", "none"], ["0.8", "80 %"], ["0.9", "90 %"], ["0.95", "95 %"]], "", () => {}, "Each holds the true number so often.") : null;
    const reasons = select("Reasons", [["", "none"], ["1", "the strongest"], ["3", "the 3 strongest"], ["5", "the 5 strongest"]], "", () => {}, "What speaks for each prediction."), sheet = sheetOf();
    const fill = make("input", { type: "checkbox", id: "fill" });
    const value = (field) => field ? field.querySelector("select").value : "";
    const take = trying(async (file) => {
      const asked = options(["interval", value(interval)], ["reasons", value(reasons)], ["sheet", byId("sheet").value.trim()], ["fill_missing", fill.checked ? "1" : ""]);
      await begun(await send(`${api}/predict?${asked}`, file));
    });
    const out = [
      dropPlace("Drop rows to predict, or choose a file", `A table with the columns of the model; ${project.model.target} may be missing.`, take, true),
      card("Choices", make("div", { className: "controls" }, ...[interval, reasons, sheet].filter(Boolean)), make("p", {}, make("label", { className: "check", htmlFor: "fill" }, fill, "Columns that the rows lack count as missing cells"))),
    ];
    const made = has("predictions.csv");
    if (made) {
      const [heads, ...rows] = await ask(`${api}/predictions`);
      const short = (cell) => { const number = Number(cell); return cell !== "" && Number.isFinite(number) && /\./.test(cell) ? String(Number(Math.abs(number) < 1e4 ? number.toPrecision(5) : number.toFixed(0))) : cell; };
      out.push(card("Predictions", job.kind === "predict" && job.remarks && job.remarks.length ? list(job.remarks) : null,
        grid("Predictions", ["row", ...heads], rows.map((row, place) => [String(place + 1), ...row.map(short)])),
        make("p", { className: "note" }, rows.length === 20 ? "The first 20 rows are shown. " : "", made.older ? "An earlier model made them: drop the rows again for new ones. " : ""),
        make("div", { className: "foot" }, download("predictions.csv", "Download all as CSV"), download("predictions.xlsx", "Download all as Excel"))));
    }
    return out;
  }
  const download = (file, text) => make("a", { href: `${own(file)}?keep`, download: file }, text);

  async function evaluate() {
    if (!project.model) return none("Fit a model first. Then drop rows whose truth is known here.");
    const by = select("Scores for each value of", [["", "no column"], ...(project.model.columns || []).map((one) => [one, one])], "", () => {});
    const take = trying(async (file) => { await begun(await send(`${api}/evaluate?${options(["by", by.querySelector("select").value], ["sheet", byId("sheet").value.trim()])}`, file)); });
    const out = [
      dropPlace("Drop rows whose truth is known, or choose a file", `A table with ${project.model.target}; not the one that the model was fitted on.`, take, true),
      card("Choices", make("div", { className: "controls" }, by, sheetOf())),
    ];
    const found = project.evaluation;
    if (!found) return out;
    const z = (value) => value === null ? "" : value.toFixed(1).replace("-", "\u2212");
    const older = has("evaluation.json").older;
    const titles = { "as claimed": "As good as claimed", worse: "Worse than claimed", better: "Better than claimed", "not claimed": "Nothing was claimed", "no test": "No test: the model has seen these rows" };
    out.push(card(titles[found.outcome],
      make("p", { className: "say" }, found.headline), make("p", { className: "say" }, found.calibration), older ? make("p", { className: "warn" }, "An earlier model was evaluated: drop the rows again.") : null,
      grid("Scores", ["score", "here", "claimed", "z"], found.scores.map((one) => [one.name, one.here, one.claimed, z(one.z)])),
      make("p", { className: "note" }, "z is the difference in standard errors: above 2 the model is worse here than it claimed."),
      found.remarks.length ? list(found.remarks) : null));
    const drift = found.drift;
    out.push(card(drift.columns.length ? "The rows differ from the training rows" : "Are they like the training rows?", make("p", { className: "say" }, drift.sentence),
      drift.columns.length ? grid("Columns that differ", ["column", "here", "in training"], drift.columns.map((one) => [one.name, one.here, one.before])) : null));
    if (found.groups.length) out.push(card(`By ${found.by}`, grid("Groups", [found.by, "rows", found.main, "z"], found.groups.map((one) => [one.name, String(one.rows), one.words, z(one.z)]))));
    if (found.worst_rows.length) out.push(card("The rows predicted worst", grid("Worst rows", ["row", "observed", "predicted", found.task === "regression" ? "off by" : "probability of the truth"], found.worst_rows.map((one) => [String(one.row), one.observed, one.predicted, one.miss]))));
    return out;
  }

  async function compare() {
    if (!project.settings.target) return none("Choose the column to predict first. Then other methods can be tried on the same table.");
    const found = project.comparison;
    const out = [card("Other methods on this table", make("p", { className: "say" }, "Other machines and kernels, and methods such as a random forest, on the same folds. This takes several times as long as a fit."),
      make("div", { className: "foot" }, make("button", { type: "button", className: "main", onclick: trying(start(`${api}/compare`)) }, found ? "Compare again" : "Compare")))];
    if (!found) return out;
    const score = (one) => one.scores.find((each) => each.name === found.score);
    const behind = (one) => one.difference ? one.difference.words : score(one) ? "the best" : "";
    const rows = found.candidates.map((one) => [methodWords(one.name), (score(one) || { words: one.mark }).words, behind(one), `${one.seconds.toFixed(1)} s`]);
    out.push(card(`Predicting ${found.target}: ${found.folds}`, grid("Methods", ["method", found.score, "behind the best", "time"], rows),
      make("p", { className: "note" }, "± is one standard error. Differences below two of them are noise."), found.remarks.length ? list(found.remarks) : null));
    return out;
  }

  function copied(text, title) {
    const button = make("button", { type: "button", onclick: async () => {
      try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; } catch { button.textContent = "Select it and copy"; }
      setTimeout(() => { button.textContent = "Copy"; }, 1600);
    } }, "Copy");
    return make("div", {}, make("div", { className: "head" }, make("h3", {}, title), button), make("pre", { tabIndex: 0, "aria-label": title }, text));
  }
  async function files() {
    if (!project.model) return none("Fit a model first. Then take model and report home from here.");
    const exported = { c: ["model.h", "C"], onnx: ["model.onnx", "ONNX"], javascript: ["model.js", "JavaScript"] };
    const rows = project.files.map((one) => [download(one.name, one.name), size(one.bytes), one.older ? "made by an earlier model" : ""]);
    const button = (to, words) => make("button", { type: "button", onclick: trying(start(`${api}/export?to=${to}`)) }, words);
    const buttons = Object.entries(exported).map(([to, [, words]]) => button(to, `Export to ${words}`));
    if (project.table) buttons.push(button("report", "Report without rows"));
    const out = [card("Files", grid("Files", ["file", "size", "note"], rows), make("div", { className: "foot" }, ...buttons),
      make("p", { className: "note" }, `They are in ${project.folder}. Exports compute the model's predictions without Python.`))];
    if (project.repeat) out.push(card("How to repeat this", copied(project.repeat.command, "In a terminal"), copied(project.repeat.python, "In Python")));
    return out;
  }

  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => event.preventDefault()); // a file beside the place would replace the page
  if (name === null) trying(home)();
  else {
    byId("steps").append(...STEPS.map(([key, text]) => make("a", { href: `#${key}` }, text)));
    addEventListener("hashchange", show);
    addEventListener("focus", () => { if (project) refresh().catch(complain); }); // another page may have started something
    trying(async () => {
      mostBytes = (await ask("/api/projects")).most_bytes;
      await refresh();
      await show();
      watch(project.job);
    })();
  }
})();
