// Pieces of an exported header, each below its name: $name is the model's, $real its type of numbers.
// Helper functions of numbers first; $suffix tells float from double. A NaN in the first place stays one.

//: min
static inline $real ${name}_min$suffix($real a, $real b) { return b < a ? b : a; }

//: max
static inline $real ${name}_max$suffix($real a, $real b) { return b > a ? b : a; }

//: abs
static inline $real ${name}_abs$suffix($real a) { return a < 0 ? -a : a; }

//: square
static inline $real ${name}_square$suffix($real a) { return a * a; }

//: exp
static inline $real ${name}_exp$suffix($real a) { return $exp(a); }

//: horner
static inline $real ${name}_horner$suffix(const $real *c, int n, $real a) {
  $real total = 0;
  for (int k = 0; k < n; k++) total = total * a + c[k];
  return total;
}

//: floor
static inline $real ${name}_floor$suffix($real a) {
  $real whole;
  if (!(a > ($real)-9e15 && a < ($real)9e15)) return a;
  whole = ($real)(long long)a;
  return whole > a ? whole - 1 : whole;
}

//: log
static inline $real ${name}_log$suffix($real a) {
  $real twos = 0, s, z, total = 0;
  if (!(a > 0)) return a == 0 ? -$huge : ($real)NAN;
  if (a >= $huge) return a;
  for (; a > ($real)4294967296.0; a *= ($real)(1.0 / 4294967296.0)) twos += 32;
  for (; a < ($real)(1.0 / 4294967296.0); a *= ($real)4294967296.0) twos -= 32;
  for (; a > ($real)1.4142135623730951; a *= ($real)0.5) twos += 1;
  for (; a < ($real)0.70710678118654752; a *= 2) twos -= 1;
  s = (a - 1) / (a + 1); /* ln a = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172 */
  z = s * s;
  for (int odd = 23; odd > 0; odd -= 2) total = total * z + 1 / ($real)odd;
  return twos * ($real)0.69314718055994531 + 2 * s * total;
}

//: sqrt
static inline $real ${name}_sqrt$suffix($real a) {
  $real root;
  if (!(a > 0)) return 0;
  if (a >= $huge) return a;
  root = ${name}_exp$suffix(($real)0.5 * ${name}_log$suffix(a));
  return ($real)0.5 * (root + a / root); /* a step of Newton's */
}

//: sin
static inline $real ${name}_sin$suffix($real a) { /* from -pi to pi */
  $real z = a * a, total = 1;
  for (int k = 28; k > 0; k -= 2) total = 1 - total * z / ($real)(k * (k + 1));
  return a * total;
}

//: narrow
static inline float ${name}_narrow(double a) {
  return a > 3e38 ? 3e38f : a < -3e38 ? -3e38f : (float)a;
}

//: code
static inline int ${name}_code(double code, int levels) {
  if (isnan(code)) return levels;
  return code >= 0 && code < levels ? (int)code : levels + 1;
}

//: likeliest
static inline int ${name}_class(const $real *out) {
  int best = 0;
  for (int k = 1; k < $n_outputs; k++) {
    if (out[k] > out[best]) best = k;
  }
  return best;
}

//: threshold
static inline int ${name}_class(const $real *out) {
  return (double)out[$positive] > $threshold ? $positive : $other;
}

//: cost
static inline int ${name}_class(const $real *out) {
  static const double costs[$n_outputs][$n_outputs] = {$costs};
  double least = 0;
  int best = 0;
  for (int k = 0; k < $n_outputs; k++) {
    double expected = 0;
    for (int j = 0; j < $n_outputs; j++) expected += (double)out[j] * costs[j][k];
    if (k == 0 || expected < least) { least = expected; best = k; }
  }
  return best;
}

//: levels
  static const char *const levels$column[] = {$names};
  if (column == $column) { levels = levels$column; count = $count; }

//: level
/* The code of a level of a category column; -1 for a level that the model does not know. */
static inline int ${name}_level(int column, const char *text) {
  const char *const *levels = 0;
  int count = 0;
$levels
  for (int k = 0; k < count; k++) {
    int i = 0;
    while (levels[k][i] && levels[k][i] == text[i]) i++;
    if (levels[k][i] == text[i]) return k;
  }
  return -1;
}

//: words
static inline const char *${name}_$what(int k) {
  static const char *const names[] = {$names};
  return k >= 0 && k < $count ? names[k] : 0;
}

//: test
#ifdef ${upper}_TEST
#include <stdio.h>
int main(void) {
  static const double rows[$n_rows][$n_columns] = {
$rows
  };
  static const double expected[$n_rows][$n_outputs] = {
$outputs
  };
  double worst = 0;
  for (int i = 0; i < $n_rows; i++) {
    $real out[$n_outputs];
    ${name}_predict(rows[i], out);
    for (int j = 0; j < $n_outputs; j++) {
      const double error = (double)out[j] - expected[i][j];
      if (!(error <= worst)) worst = error;
      if (!(-error <= worst)) worst = -error;
    }
  }
  printf("%d rows, largest difference %g\n", $n_rows, worst);
  return worst <= $tolerance ? 0 : 1;
}
#endif
