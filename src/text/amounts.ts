export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const MOST_DECIMALS = 6;

/** For example `84.0 %`. Only exact values give `100.0 %` and `0.0 %`. */
export function percent(share: number | null): string {
  return share === null ? '–' : `${inPercent(share)} %`;
}

/** For example `84 %`, with decimals below 1 % and above 99 %. */
export function wholePercent(share: number | null): string {
  return share === null ? '–' : `${inWholePercent(share)} %`;
}

/** For example `84 → 78 %`, with decimals if both would look equal. */
export function wholeRates(base: number | null, head: number | null): string {
  if (base === null) return wholePercent(head);
  if (head === null) return `${wholePercent(base)} → –`;
  const [before, after] = [inWholePercent(base), inWholePercent(head)];
  return before === after && inPercent(base) !== inPercent(head)
    ? `${inPercent(base)} → ${inPercent(head)} %`
    : `${before} → ${after} %`;
}

function inWholePercent(share: number): string {
  const percents = share * 100;
  const isNearAll = percents > 99 && percents < 100;
  return isNearAll || (percents > 0 && percents < 1) ? inPercent(share) : percents.toFixed(0);
}

/** Adds decimals until the two differ, for example `79.97 %` and `80.00 %`. */
export function percentAndLimit(share: number, limit: number): [string, string] {
  const whole = [wholePercent(share), wholePercent(limit)] as const;
  if (whole[0] !== whole[1]) return [...whole];
  for (let decimals = 1; decimals <= MOST_DECIMALS; decimals++) {
    const both = [(share * 100).toFixed(decimals), (limit * 100).toFixed(decimals)] as const;
    if (both[0] !== both[1]) return [`${both[0]} %`, `${both[1]} %`];
  }
  return [percent(share), percent(limit)];
}

export function points(difference: number | null): string {
  return difference === null ? '–' : `${signed(difference)} points`;
}

/** For example `−6.0`. Only exactly zero gives `0.0`. */
export function signed(difference: number): string {
  return withSign(difference, inSize(difference));
}

export function inSize(difference: number): string {
  return inDecimals(Math.abs(difference * 100), (text) => Number(text) !== 0);
}

/** Returns the difference of the rounded percentages, for example `−16.6`. */
export function signedBetween(base: number, head: number): string {
  const difference = pointsApart(base, head);
  const size = Math.abs(difference).toFixed(decimalsBeside(base, head));
  return withSign(difference, difference === 0 ? '0.0' : size);
}

export function pointsApart(base: number, head: number): number {
  return Number((percentage(head) - percentage(base)).toFixed(decimalsBeside(base, head)));
}

function percentage(share: number): number {
  return Number(inPercent(share));
}

export function pointsBetween(base: number | null, head: number | null): string {
  return base === null || head === null ? '–' : `${signedBetween(base, head)} points`;
}

export function pValue(p: number): string {
  return `p ${isSmall(p) ? '' : '= '}${probability(p)}`;
}

export function probability(p: number): string {
  return isSmall(p) ? '< 0.001' : p.toFixed(3);
}

function isSmall(p: number): boolean {
  return p < 0.001;
}

export function twoDecimals(value: number | null): string {
  if (value === null) return '–';
  const size = Math.abs(value).toFixed(2);
  return `${value < 0 && Number(size) !== 0 ? '−' : ''}${size}`;
}

export function meansInWords(base: number | null, head: number | null): string {
  const scale = scaleOf(base, head);
  const word = (value: number | null): string => (value === null ? '–' : withSize(value, scale));
  return base === null ? word(head) : `${word(base)} → ${word(head)}`;
}

export function scaleOf(base: number | null, head: number | null): number {
  return Math.max(Math.abs(base ?? 0), Math.abs(head ?? 0));
}

export function signedValue(difference: number, scale: number): string {
  const word = withSize(difference, scale);
  return difference > 0 && /[1-9]/.test(word) ? `+${word}` : word;
}

function withSize(value: number, scale: number): string {
  const decimals =
    scale >= 100 || scale === 0 ? 0 : scale >= 10 ? 1 : scale >= 0.1 ? 2 : MOST_DECIMALS;
  const size = withDecimals(Math.abs(value), decimals === MOST_DECIMALS ? 0 : decimals, decimals);
  return value < 0 && /[1-9]/.test(size) ? `−${size}` : size;
}

export function formatDollars(cost: number): string {
  if (cost !== 0 && cost < 0.01) return `$${cost.toPrecision(2)}`;
  return `$${withDecimals(cost, 2, 2)}`;
}

/** Cached, because creating one for each number is slow. */
const formatters = new Map<string, Intl.NumberFormat>();

function withDecimals(value: number, least: number, most: number): string {
  const key = `${least} ${most}`;
  const formatter =
    formatters.get(key) ??
    new Intl.NumberFormat('en-US', { minimumFractionDigits: least, maximumFractionDigits: most });
  formatters.set(key, formatter);
  return formatter.format(value);
}

export function cost(amount: number | null): string {
  return amount === null ? 'cost unknown' : formatDollars(amount);
}

export function count(value: number): string {
  // Does not use `toLocaleString` for integers, because loading Node's language tables is slow.
  return Number.isInteger(value)
    ? String(value).replace(/\B(?=(\d{3})+$)/g, ',')
    : value.toLocaleString('en-US');
}

export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

export function countedTries(tries: number): string {
  return `${count(tries)} ${tries === 1 ? 'try' : 'tries'}`;
}

/** For example ` and 2 more`. Empty if all are shown. */
export function andMore(total: number, shown: number): string {
  return total > shown ? ` and ${count(total - shown)} more` : '';
}

export function firstWords(words: readonly string[], most = 10): string {
  return `${words.slice(0, most).join(', ')}${andMore(words.length, most)}`;
}

function inPercent(share: number): string {
  return inDecimals(
    share * 100,
    (text) => (Number(text) !== 0 || share === 0) && (Number(text) !== 100 || share === 1),
  );
}

function inDecimals(value: number, isFaithful: (text: string) => boolean): string {
  for (let decimals = 1; decimals <= MOST_DECIMALS; decimals++) {
    const text = value.toFixed(decimals);
    if (isFaithful(text)) return text;
  }
  return value.toFixed(1);
}

function decimalsBeside(base: number, head: number): number {
  const [before = 1, after = 1] = [base, head]
    .map(inPercent)
    .map((text) => text.length - text.indexOf('.') - 1);
  return Math.max(before, after);
}

function withSign(difference: number, size: string): string {
  if (Number(size) === 0) return size;
  return `${difference < 0 ? '−' : '+'}${size}`;
}

export function tooManyBytes(size: number, limit: number): string {
  return `is ${size} bytes; the limit is ${limit}`;
}

/** For example `84 KB` or `1.2 MB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte');
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(0)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
