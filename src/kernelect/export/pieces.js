// Pieces of an exported constant, each below its name. Those of cells are in every one, the others where they are called.

//: cells
const missing = (cell) => cell === null || cell === undefined || Number.isNaN(cell);
const number = (cell) => (missing(cell) || cell === "" ? NaN : Number(cell));
const code = (levels, cell) => {
  const found = missing(cell) ? levels.length : levels.indexOf(String(cell));
  return found < 0 ? levels.length + (cell === "" ? 0 : 1) : found;
};

//: square
const square = (a) => a * a;

//: horner
const horner = (c, n, a) => { let t = 0; for (let k = 0; k < n; k++) t = t * a + c[k]; return t; };

//: unpack
const unpack = (text, Kind, values) => {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at);
  const found = new Kind(bytes.buffer);
  return Float64Array.from(found, values === undefined ? (each) => each : (each) => values[each]);
};
