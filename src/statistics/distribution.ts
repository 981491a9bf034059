/** Probabilities of the whole numbers `low`, `low + 1`, …; they sum to 1. */
export interface Distribution {
  low: number;
  mass: Float64Array;
}

/**
 * Tails lighter than this are cut after each convolution. 5,000 items cut at most 10,000 times, so
 * a tail probability is off by less than 1e-35, and sums of thousands of items stay as narrow as
 * their standard deviation asks.
 */
const NEGLIGIBLE = 1e-40;

/** The distribution that is certainly `value`. */
export function certain(value: number): Distribution {
  return { low: value, mass: Float64Array.of(1) };
}

/** The distribution of the sum of two independent whole numbers. */
function convolve(one: Distribution, other: Distribution): Distribution {
  const [long, short] =
    one.mass.length >= other.mass.length ? [one.mass, other.mass] : [other.mass, one.mass];
  const mass = new Float64Array(long.length + short.length - 1);
  short.forEach((weight, shift) => {
    for (let i = 0; i < long.length; i++)
      mass[i + shift] = (mass[i + shift] ?? 0) + weight * (long[i] ?? 0);
  });
  return trim({ low: one.low + other.low, mass });
}

/**
 * The distribution of the sum of `count` independent copies (by repeated squaring); `count` >= 0.
 */
export function times(distribution: Distribution, count: number): Distribution {
  let result = certain(0);
  let square = distribution;
  for (let left = count; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = convolve(result, square);
    if (left > 1) square = convolve(square, square);
  }
  return result;
}

/**
 * The distribution of the sum of all, in pairs of like width: a running sum would cost the square
 * of their number.
 */
export function sumOf(distributions: readonly Distribution[]): Distribution {
  let round = [...distributions];
  while (round.length > 1) {
    const next: Distribution[] = [];
    for (let i = 0; i < round.length; i += 2) {
      const [one, other] = [round[i] ?? certain(0), round[i + 1]];
      next.push(other === undefined ? one : convolve(one, other));
    }
    round = next;
  }
  return round[0] ?? certain(0);
}

/** P(X < x), P(X = x) and P(X > x). */
export function tails(
  { low, mass }: Distribution,
  x: number,
): { below: number; at: number; above: number } {
  let [below, at, above] = [0, 0, 0];
  mass.forEach((probability, i) => {
    if (low + i < x) below += probability;
    else if (low + i === x) at += probability;
    else above += probability;
  });
  return { below, at, above };
}

function trim({ low, mass }: Distribution): Distribution {
  let [start, end] = [0, mass.length];
  for (let cut = mass[start] ?? 1; cut < NEGLIGIBLE; cut += mass[start] ?? 1) start++;
  for (let cut = mass[end - 1] ?? 1; cut < NEGLIGIBLE; cut += mass[end - 1] ?? 1) end--;
  return start === 0 && end === mass.length
    ? { low, mass }
    : { low: low + start, mass: mass.slice(start, end) };
}
