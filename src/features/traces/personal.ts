import { isIP } from 'node:net';
import { counted } from '../../text/amounts.ts';

interface PersonalKind {
  label: string;
  /** For the report: singular. */
  name: string;
  pattern: RegExp;
  /** Whether what the pattern finds is of this kind. */
  holds?(text: string): boolean;
}

const plainDigits = (text: string): string => text.replace(/\D/g, '');

const PERSONAL_KINDS: readonly PersonalKind[] = [
  {
    label: 'email',
    name: 'email',
    pattern: /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu,
  },
  {
    label: 'iban',
    name: 'IBAN',
    pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g,
    holds: isIban,
  },
  { label: 'card', name: 'card number', pattern: /\b\d(?:[ -]?\d){12,18}\b/g, holds: isCard },
  {
    label: 'ip',
    name: 'network address',
    pattern: /(?<![\w:.])(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7})(?![\w:])/gi,
    holds: (text) => isIP(text) !== 0 && /\d/.test(text),
  },
  {
    label: 'phone',
    name: 'phone number',
    pattern: /(?<![\w.+-])(?:\+|00?|\()\d[\d ()/.-]{5,20}\d(?!\w)|\b\d{3}[ .-]\d{3}[ .-]\d{4}\b/g,
    holds: (text) => plainDigits(text).length >= 8 && plainDigits(text).length <= 15,
  },
];

/** Equal values get equal placeholders, such as `[email-1]`. */
export function createPersonalData() {
  const seen = PERSONAL_KINDS.map((kind) => ({ ...kind, values: new Map<string, string>() }));
  return {
    hide: (given: string): string =>
      seen.reduce(
        (text, { label, pattern, holds, values }) =>
          text.replace(pattern, (found) => {
            if (holds?.(found) === false) return found;
            const placeholder = values.get(found) ?? `[${label}-${values.size + 1}]`;
            values.set(found, placeholder);
            return placeholder;
          }),
        given,
      ),
    summary(): string {
      const found = seen.filter(({ values }) => values.size > 0);
      const words = found.map(({ name, values }) => counted(values.size, name));
      return words.length === 0 ? 'no personal data found' : words.join(', ');
    },
  };
}

/** Luhn's checksum. */
function isCard(text: string): boolean {
  const sum = [...plainDigits(text)].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** The checksum of ISO 7064: modulo 97, with letters as numbers from 10. */
function isIban(text: string): boolean {
  const plain = text.replaceAll(' ', '');
  const moved = `${plain.slice(4)}${plain.slice(0, 4)}`;
  const rest = [...moved].reduce(
    (left, sign) => Number(`${left}${Number.parseInt(sign, 36)}`) % 97,
    0,
  );
  return rest === 1;
}
