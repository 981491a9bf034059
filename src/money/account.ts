/** A sum of money with a cap. Amounts are in US dollars. A cap of null means no limit. */
export interface Account {
  cap: number | null;
  spent: number;
  /** Reserved for calls that may have been paid for, but whose reply does not say how much. */
  unknown: number;
  reserved: number;
  open: number;
}

/** Far below a cent, so that the rounding of sums does not refuse a call that fits exactly. */
const ROUNDING_USD = 1e-9;

export function createAccount(cap: number | null, spent = 0): Account {
  return { cap, spent, unknown: 0, reserved: 0, open: 0 };
}

export function roomIn({ cap, spent, unknown, reserved }: Account): number {
  return cap === null ? Number.POSITIVE_INFINITY : cap - spent - unknown - reserved + ROUNDING_USD;
}

export function isPassed({ cap, spent }: Account): boolean {
  return cap !== null && spent > cap + ROUNDING_USD;
}
