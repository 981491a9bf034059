import { LongNumber } from '../../types/exact-json.ts';
import { decimalOf, type Decimal } from './decimal.ts';
import { MINUS } from './normalise.ts';

export interface Numeral {
  text: string;
  value: Decimal | null;
}

export const decimalMarks = ['point', 'comma'] as const;

type DecimalMark = (typeof decimalMarks)[number];

/** Non-breaking spaces, which may occur inside a number. */
const FIXED = '\\u00a0\\u2007\\u2009\\u202f';

export const JOINS = '·٫٬´ʼ′\u00ad\u2008\u200a\u200b\u2060';

const CURRENCY = `\\p{L}{0,3}\\\\?\\p{Sc}|[A-Z]{3}|(?:Rs|kr|Fr)\\.?|zł|Kč|Ft`;

/**
 * A hyphen after a letter, digit, bracket or `%` is not a minus sign, unless the letters are a
 * currency code.
 */
const NUMERAL = new RegExp(
  `(?:(?:(?<![\\p{L}\\p{N}%‰°)\\]])|(?<=(?<![\\p{L}\\p{N}])(?<code>[A-Z]{3})))` +
    `(?<sign>[${MINUS}+＋±])[${FIXED}]?(?:(?:${CURRENCY})[ ${FIXED}]?)?)?` +
    '(?<body>(?:(?<![\\p{L}\\p{N}.])\\.)?\\p{Nd}+' +
    `(?:(?:[.,'’_${JOINS}${FIXED}]| (?=\\p{Nd}{3}(?!\\p{Nd})))\\p{Nd}+)*)` +
    `(?<exponent>[eE][-+−]?\\d+)?(?<odd>[ ${FIXED}]?[¼-¾⅐-⅞]|\\p{No}|\\^\\{?[-+−]?\\p{Nd}+\\}?)?`,
  'gu',
);

/** Currency codes that are also words, as in `TOP-10`. */
const CURRENCY_WORDS = new Set(['ALL', 'CUP', 'TOP', 'TRY']);

/** `$1,024.50` is 1024.5; `3-5` is 3 and 5; `3,14` is ambiguous. */
export function numbersIn(text: string, mark?: DecimalMark): Numeral[] {
  return [...text.matchAll(NUMERAL)].flatMap((found) => {
    const { code, sign = '', body = '', exponent = '', odd } = found.groups ?? {};
    const isSign =
      code === undefined ||
      (Intl.supportedValuesOf('currency').includes(code) && !CURRENCY_WORDS.has(code));
    const entries = odd === undefined && sign !== '±' ? entriesIn(body, mark) : [null];
    return entries.map((plain, index): Numeral => {
      const minus = index === 0 && isSign && sign !== '' && MINUS.includes(sign) ? '-' : '';
      const power = index === entries.length - 1 ? exponent.replace('−', '-') : '';
      return {
        text: plain === null || entries.length === 1 ? found[0] : `${minus}${plain}${power}`,
        value: plain === null ? null : decimalOf(`${minus}${plain}${power}`),
      };
    });
  });
}

/** Matches `1,024.5` and `1,00,000`, in which the comma cannot be the decimal mark. */
const WITH_POINT = new RegExp(
  `^(?:[1-9]\\d{0,2}([,'’_ ${FIXED}])\\d{3}(?:\\1\\d{3})*|[1-9]\\d?(?:,\\d\\d)+,\\d{3}|\\d*)(?:\\.\\d+)?$`,
);

/** Matches `1.234,5` and `1.234.567`, in which the point cannot be the decimal mark. */
const WITH_COMMA = new RegExp(
  `^[1-9]\\d{0,2}(?:([.'’_ ${FIXED}])\\d{3}(?:\\1\\d{3})*,\\d+|(?:\\.\\d{3}){2,})$`,
);

function entriesIn(written: string, mark: DecimalMark | undefined): (string | null)[] {
  const body =
    mark === 'comma' ? written.replace(/[.,]/g, (letter) => (letter === '.' ? ',' : '.')) : written;
  const isUnclear = mark === undefined && written.includes(' ');
  if (WITH_POINT.test(body)) return [isUnclear ? null : body.replace(/[^\d.]/g, '')];
  if (WITH_COMMA.test(body)) {
    const isClear = mark === undefined && !isUnclear;
    return [isClear ? body.replace(/[^\d,]/g, '').replace(',', '.') : null];
  }
  const parts = written.split(new RegExp(`[ ${FIXED}]`));
  if (parts.length > 1) return parts.flatMap((part) => entriesIn(part, mark));
  return isList(written.split(','), mark) ? written.split(',') : [null];
}

function isList(entries: readonly string[], mark: DecimalMark | undefined): boolean {
  const entry = mark === 'comma' ? /^(?:0|[1-9]\d*)$/ : /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
  const [first = ''] = entries;
  const isPair = mark === 'point' || (mark === undefined && first.includes('.'));
  return (
    entries.length > (isPair ? 1 : 2) &&
    entries.every((text) => entry.test(text)) &&
    !entries.some(
      (text, index) => /^\d{3}\b/.test(text) && /^[1-9]\d{0,2}$/.test(entries[index - 1] ?? ''),
    )
  );
}

export function jsonNumber(value: unknown): Decimal | null {
  return typeof value === 'number' || value instanceof LongNumber ? decimalOf(String(value)) : null;
}

export function onlyNumber(value: unknown): Decimal | null {
  if (typeof value !== 'string') return jsonNumber(value);
  const [only, ...others] = numbersIn(value);
  return others.length === 0 ? (only?.value ?? null) : null;
}
