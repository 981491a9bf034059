/** The value is `digits` × 10^`exponent`. Equal numbers have equal fields. */
export interface Decimal {
  digits: bigint;
  exponent: number;
}

const ZERO: Decimal = { digits: 0n, exponent: 0 };

/**
 * Numbers whose exponents differ by more are not aligned, so that `1e999999999` cannot fill memory.
 */
const MAX_EXPONENT_GAP = 100_000;

export function decimalOf(text: string): Decimal | null {
  const found = /^([-+]?)(\d*)(?:\.(\d+))?(?:[eE]([-+]?\d{1,9}))?$/.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found ?? [];
  const all = whole + fraction;
  if (all === '') return null;
  let end = all.length;
  while (all[end - 1] === '0') end -= 1;
  const digits = BigInt(all.slice(0, end));
  return digits === 0n
    ? ZERO
    : {
        digits: sign === '-' ? -digits : digits,
        exponent: Number(exponent) - fraction.length + all.length - end,
      };
}

export function exactly(number: number): Decimal {
  return decimalOf(String(number)) ?? ZERO;
}

export function decimalText({ digits, exponent }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const plain = String(digits).replace('-', '');
  if (Math.abs(exponent) > 30) return `${sign}${plain}e${exponent}`;
  if (exponent >= 0) return sign + plain + '0'.repeat(exponent);
  const padded = plain.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

export function sameNumber(left: Decimal, right: Decimal): boolean {
  return left.digits === right.digits && left.exponent === right.exponent;
}

function subtract(left: Decimal, right: Decimal): Decimal {
  const negative = { ...right, digits: -right.digits };
  if (right.digits === 0n) return left;
  if (left.digits === 0n) return negative;
  if (Math.abs(left.exponent - right.exponent) > MAX_EXPONENT_GAP)
    return left.exponent > right.exponent ? left : negative;
  const exponent = Math.min(left.exponent, right.exponent);
  const at = (number: Decimal) => number.digits * 10n ** BigInt(number.exponent - exponent);
  return decimalOf(`${String(at(left) - at(right))}e${exponent}`) ?? ZERO;
}

export function absoluteDifference(left: Decimal, right: Decimal): Decimal {
  const { digits, exponent } = subtract(left, right);
  return { digits: digits < 0n ? -digits : digits, exponent };
}

export function isNear(left: Decimal, right: Decimal, tolerance: Decimal): boolean {
  return (
    sameNumber(left, right) || subtract(absoluteDifference(left, right), tolerance).digits <= 0n
  );
}
