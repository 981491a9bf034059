/** An axis spans at least this much, so that noise does not look like a landslide. */
const LEAST_SPAN = 0.2;
const STEP = 0.1;
const NEAR = 1e-9;

/**
 * From where to where an axis of shares goes: an even number of whole tenths around all of them,
 * within 0–1.
 */
export function shareSpan(shares: readonly number[]): { floor: number; ceiling: number } {
  if (shares.length === 0) return { floor: 0, ceiling: 1 };
  const most = shares.reduce((a, b) => Math.max(a, b));
  const least = shares.reduce((a, b) => Math.min(a, b));
  let floor = Math.floor(Math.max(0, least) / STEP + NEAR);
  let ceiling = Math.ceil(Math.min(1, most) / STEP - NEAR);
  while (ceiling - floor < LEAST_SPAN / STEP - NEAR || (ceiling - floor) % 2 !== 0) {
    if (floor > 0) floor -= 1;
    else ceiling += 1;
  }
  return { floor: floor / 10, ceiling: ceiling / 10 };
}
