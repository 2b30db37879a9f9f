"use strict";
// A threshold on the probability of one class: what is found and missed, and what that costs.
(() => {
  const { probability, truth } = JSON.parse(document.getElementById("facts").textContent).threshold;
  const byId = (id) => document.getElementById(id);
  const percent = (share) => (Number.isFinite(share) ? (100 * share).toFixed(1) + "\u00a0%" : "\u2013");
  const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const positives = truth.reduce((sum, one) => sum + one, 0), rows = truth.length;

  function counted(at) {
    let flagged = 0, hits = 0;
    probability.forEach((share, row) => {
      if (share >= at) { flagged += 1; hits += truth[row]; }
    });
    return { flagged, hits, missed: positives - hits, alarms: flagged - hits };
  }
  const costs = () => [byId("th-miss"), byId("th-alarm")].map((field) => Math.max(0, Number(field.value) || 0));
  const cost = ({ missed, alarms }) => { const [miss, alarm] = costs(); return miss * missed + alarm * alarms; };

  function show() {
    const at = Number(byId("th-at").value), now = counted(at), perHundred = 100 * cost(now) / rows;
    byId("th-words").textContent = percent(at);
    byId("th-at").setAttribute("aria-valuetext", percent(at));
    byId("th-found").textContent = percent(now.hits / positives);
    byId("th-right").textContent = percent(now.hits / now.flagged);
    byId("th-missed").textContent = `${grouped(now.missed)} of ${grouped(positives)}`;
    byId("th-alarms").textContent = `${grouped(now.alarms)} of ${grouped(rows - positives)}`;
    byId("th-cost").textContent = perHundred < 100 ? perHundred.toPrecision(3) : grouped(Math.round(perHundred));
  }

  byId("th-best").hidden = false;
  byId("th-best").addEventListener("click", () => {
    let best = 0.5;
    for (let step = 0; step <= 200; step++) {
      const difference = cost(counted(step / 200)) - cost(counted(best));
      if (difference < 0 || (difference === 0 && Math.abs(step / 200 - 0.5) < Math.abs(best - 0.5))) best = step / 200;
    }
    byId("th-at").value = String(best);
    show();
  });
  for (const id of ["th-at", "th-miss", "th-alarm"]) byId(id).addEventListener("input", show);
  show();
})();
