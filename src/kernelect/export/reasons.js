// Exact Shapley values of sums of products over inputs, by Gauss-Legendre quadrature; notation as in kernelect.explain.
// The factor of one input: multiplies out[at..at+n-1] by k(x, z_i). Loops of their own, since they take most of the time.
const FACTORS = {
  gaussian: (w, x, z, n, out, at) => {
    for (let i = 0; i < n; i++) out[at + i] *= Math.exp(-w * (x - z[i]) * (x - z[i]));
  },
  codes: (other, x, z, n, out, at) => {
    for (let i = 0; i < n; i++) if (x !== z[i]) out[at + i] *= other;
  },
};

// The factor of one input of a kernel whose profile is a function of sqrt(w) |x - z_i|.
const ofDistance = (profile) => (w, x, z, n, out, at) => {
  const root = Math.sqrt(w);
  for (let i = 0; i < n; i++) out[at + i] *= profile(root * Math.abs(x - z[i]));
};

// A forest as vectors: the boxes of its trees, with a lower and an upper end in every input.
FACTORS.box = (w, x, z, n, out, at) => {
  for (let i = 0; i < n; i++) if (!(x > z.lower[i] && x <= z.upper[i])) out[at + i] = 0;
};
const boxes = (part) => {
  const { n, d, roots, feature, threshold, right } = part;
  const ends = () => Array.from({ length: d }, () => ({
    lower: new Float64Array(n).fill(-Infinity), upper: new Float64Array(n).fill(Infinity),
  }));
  const columns = ends(), used = new Set();
  const down = (node, cuts) => {
    if (feature[node] < 0) {
      for (const [input, side, cut] of cuts) {
        const own = columns[input][side], box = right[node];
        own[box] = side === "lower" ? Math.max(own[box], cut) : Math.min(own[box], cut);
      }
      return;
    }
    const input = feature[node], cut = threshold[node];
    used.add(input);
    down(node + 1, [...cuts, [input, "upper", cut]]);
    down(right[node], [...cuts, [input, "lower", cut]]);
  };
  for (const root of roots) down(root, []);
  return { ...part, columns, terms: [{ scale: 1, factors: [...used].map((input) => ["box", input, 1]) }] };
};

const rules = new Map();
const legendre = (count) => { // nodes and weights on [0, 1]
  if (rules.has(count)) return rules.get(count);
  const nodes = new Float64Array(count), weights = new Float64Array(count);
  for (let u = 0; u < count; u++) {
    let t = Math.cos(Math.PI * (u + 0.75) / (count + 0.5)), slope = 1;
    for (let round = 0; round < 100; round++) {
      let one = 1, two = 0;
      for (let j = 1; j <= count; j++) [one, two] = [((2 * j - 1) * t * one - (j - 1) * two) / j, one];
      slope = count * (t * one - two) / (t * t - 1);
      const step = one / slope;
      t -= step;
      if (Math.abs(step) < 1e-16) break;
    }
    nodes[u] = (t + 1) / 2;
    weights[u] = 1 / ((1 - t * t) * slope * slope);
  }
  rules.set(count, [nodes, weights]);
  return [nodes, weights];
};

// Nodes at which the error is below rounding (Trefethen 2008, theorem 4.5), as in kernelect.explain.quadrature.
const enoughNodes = (present, absent, players, n) => {
  let most = Math.ceil(players / 2);
  if (most <= 6) return Math.max(1, most);
  for (const rho of [4, 10]) {
    const reach = 0.25 * (rho + 1 / rho) - 0.5;
    let largest = 1e-15;
    for (let i = 0; i < n; i++) {
      let product = 1;
      for (let g = 0; g < players; g++) {
        const p = Math.abs(present[g * n + i]), q = Math.abs(absent[g * n + i]);
        product *= Math.max(p, q) + reach * Math.abs(present[g * n + i] - absent[g * n + i]);
      }
      largest = Math.max(largest, product);
    }
    const bound = Math.log(largest / 1e-15 * 32 / 15 / (1 - rho ** -2));
    most = Math.min(most, Math.ceil(bound / (2 * Math.log(rho))));
  }
  return Math.max(1, most);
};

// The vectors' values of every input, one array each.
const byInput = ({ vectors, n, d }) => Array.from({ length: d }, (_, j) => {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = vectors[i * d + j];
  return out;
});

// The factor of one player between values of its inputs and all vectors, into out[at..at+n-1].
const fillFactor = (part, player, values, out, at) => {
  part.columns ??= byInput(part);
  out.fill(1, at, at + part.n);
  for (const [kind, input, width] of player.factors) {
    FACTORS[kind](width, values[input], part.columns[input], part.n, out, at);
  }
};

// What stands in for a player that is absent: its factor averaged over the background.
const fillAbsent = (part, player, background, out, at) => {
  const inputs = [...new Set(player.factors.map((each) => each[1]))];
  const seen = new Map(), rows = background.length / part.d;
  for (let b = 0; b < rows; b++) {
    const values = background.subarray(b * part.d, (b + 1) * part.d);
    const key = inputs.map((input) => values[input]).join();
    if (seen.has(key)) seen.get(key).count += 1;
    else seen.set(key, { values, count: 1 });
  }
  const own = new Float64Array(part.n);
  for (const { values, count } of seen.values()) {
    fillFactor(part, player, values, own, 0);
    for (let i = 0; i < part.n; i++) out[at + i] += own[i] * count / rows;
  }
};

const totals = (part) => { // sums of the coefficients, one per output
  const out = new Float64Array(part.k);
  for (let i = 0; i < part.n; i++) for (let o = 0; o < part.k; o++) out[o] += part.coefficients[i * part.k + o];
  return out;
};

class Products { // scale * sum_i c_i prod_j k_j(x_j, z_ij)
  constructor(part, term, background) {
    Object.assign(this, { part, term, background, players: null });
  }

  prepare(base) {
    const { part, term } = this, found = new Map();
    for (const [kind, input, width] of term.factors) {
      const owner = part.owners[input];
      if (!found.has(owner)) found.set(owner, { owner, factors: [] });
      found.get(owner).factors.push([kind, input, width]);
    }
    this.players = [...found.values()];
    this.absent = new Float64Array(this.players.length * part.n);
    this.players.forEach((player, g) => fillAbsent(part, player, this.background, this.absent, g * part.n));
    for (let i = 0; i < part.n; i++) {
      let product = term.scale;
      for (let g = 0; g < this.players.length; g++) product *= this.absent[g * part.n + i];
      for (let o = 0; o < part.k; o++) base[o] += product * part.coefficients[i * part.k + o];
    }
  }

  add(values, out) {
    const { part: { n, k, coefficients }, term, players, absent } = this, count = players.length;
    if (!count) return;
    const present = new Float64Array(count * n);
    players.forEach((player, g) => fillFactor(this.part, player, values, present, g * n));
    const [nodes, weights] = legendre(enoughNodes(present, absent, count, n)), m = nodes.length;
    const before = new Float64Array(count * m), behind = new Float64Array(m), factors = new Float64Array(count * m);
    for (let i = 0; i < n; i++) {
      before.set(weights, 0);
      for (let g = 0; g < count; g++) {
        const q = absent[g * n + i], delta = present[g * n + i] - q;
        for (let u = 0; u < m; u++) {
          const f = factors[g * m + u] = q + nodes[u] * delta;
          if (g < count - 1) before[(g + 1) * m + u] = before[g * m + u] * f;
        }
      }
      behind.fill(1);
      for (let g = count - 1; g >= 0; g--) {
        let inner = 0;
        for (let u = 0; u < m; u++) {
          inner += before[g * m + u] * behind[u];
          behind[u] *= factors[g * m + u];
        }
        const phi = term.scale * (present[g * n + i] - absent[g * n + i]) * inner, owner = players[g].owner;
        for (let o = 0; o < k; o++) out[owner * k + o] += phi * coefficients[i * k + o];
      }
    }
  }
}

class Inner { // scale * sum_i c_i (offset + sum_j slopes_j (x_j - m_j)(z_ij - m_j))
  constructor(part, term, background) {
    Object.assign(this, { part, term, background });
  }

  prepare(base) {
    const { part, term, background } = this, { n, d, k, vectors, coefficients } = part, rows = background.length / d;
    this.slopes = new Float64Array(d * k);
    this.means = new Float64Array(d);
    for (let b = 0; b < rows; b++) for (let j = 0; j < d; j++) this.means[j] += background[b * d + j] / rows;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < d; j++) {
        const z = term.scale * term.slopes[j] * (vectors[i * d + j] - term.centre[j]);
        for (let o = 0; o < k; o++) this.slopes[j * k + o] += z * coefficients[i * k + o];
      }
    }
    const sums = totals(part);
    for (let o = 0; o < k; o++) {
      base[o] += term.scale * term.offset * sums[o];
      for (let j = 0; j < d; j++) base[o] += this.slopes[j * k + o] * (this.means[j] - term.centre[j]);
    }
  }

  add(values, out) {
    const { part: { d, k, owners } } = this;
    for (let j = 0; j < d; j++) {
      for (let o = 0; o < k; o++) out[owners[j] * k + o] += this.slopes[j * k + o] * (values[j] - this.means[j]);
    }
  }
}

const explainer = ({ parts, backgrounds, intercept, players }) => {
  const base = Float64Array.from(intercept), k = base.length;
  const summands = parts.flatMap((part) => part.terms.map((term) => ({
    view: part.view, terms: new (term.factors ? Products : Inner)(part, term, backgrounds[part.view]),
  })));
  let done = 0;
  const prepare = () => { // one more summand; tells whether there is another
    if (done < summands.length) summands[done++].terms.prepare(base);
    return done < summands.length;
  };
  const explain = (row) => {
    while (prepare());
    const out = new Float64Array(players.length * k), given = inputs(row);
    for (const { view, terms } of summands) terms.add(given[view], out);
    const values = players.map((_, j) => Array.from(out.subarray(j * k, (j + 1) * k)));
    return { base: Array.from(base), values };
  };
  return { prepare, explain };
};
