const STEPS = 400;

/**
 * P(T <= t) of Student's law with `freedom` degrees (>= 1): with T = √freedom · tan θ the density
 * becomes cos^(freedom − 1) θ on (−π/2, π/2), which Simpson's rule integrates to eight digits.
 */
export function studentCdf(t: number, freedom: number): number {
  const density = (angle: number): number => Math.max(0, Math.cos(angle)) ** (freedom - 1);
  const upTo = Math.atan(t / Math.sqrt(freedom));
  return integral(density, -Math.PI / 2, upTo) / integral(density, -Math.PI / 2, Math.PI / 2);
}

function integral(value: (x: number) => number, from: number, to: number): number {
  const width = (to - from) / STEPS;
  let sum = value(from) + value(to);
  for (let i = 1; i < STEPS; i++) sum += (i % 2 === 1 ? 4 : 2) * value(from + i * width);
  return (sum * width) / 3;
}
