/** P(Z <= z) of the standard normal law: ½ erfc(−z/√2). Absolute error below 1e-14. */
export function normalCdf(z: number): number {
  return erfc(-z / Math.SQRT2) / 2;
}

/** The z with P(Z <= z) = p, by Halley's iteration on `normalCdf`; ±Infinity at 0 and 1. */
export function normalQuantile(p: number): number {
  if (p <= 0) return -Infinity;
  if (p >= 1) return Infinity;
  if (p > 0.5) return -normalQuantile(1 - p);
  let z = p < 0.02 ? -0.9 * Math.sqrt(-2 * Math.log(p)) : 2.5 * (p - 0.5);
  for (let i = 0; i < 60; i++) {
    const newton = (normalCdf(z) - p) * Math.sqrt(2 * Math.PI) * Math.exp((z * z) / 2);
    const step = newton / (1 + (z * newton) / 2);
    z -= Math.abs(step) > 1 ? Math.sign(step) : step;
    if (Math.abs(step) < 1e-14) break;
  }
  return z;
}

/**
 * Complementary error function: the power series of erf near 0, the continued fraction of erfc in
 * the tail.
 */
function erfc(x: number): number {
  if (x < 0) return 2 - erfc(-x);
  if (x >= 2.5) {
    let fraction = 0;
    for (let k = 120; k >= 1; k--) fraction = k / 2 / (x + fraction);
    return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
  }
  let [term, sum] = [x, x];
  for (let n = 1; n < 100; n++) {
    term *= (-x * x) / n;
    const part = term / (2 * n + 1);
    sum += part;
    if (Math.abs(part) < 1e-18) break;
  }
  return 1 - (2 / Math.sqrt(Math.PI)) * sum;
}
