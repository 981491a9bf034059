import { isIP } from 'node:net';
import { counted } from '../../../text/amounts.ts';

const PERSONAL: Readonly<Record<string, RegExp>> = {
  email: /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu,
  // The country's letters, check digits, and at least six more digits.
  IBAN: /\b[A-Z]{2}\d{2}(?=(?:[A-Z ]*\d){6})(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g,
  card: /\b\d(?:[ -]?\d){12,18}\b/g,
  IP: /(?<![\w:.])(?=\S*\d)(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7})(?![\w:])/gi,
  // At least eight digits.
  phone:
    /(?<![\w.+-])(?=(?:[^\w\n]{0,3}\d){8})(?:\+|00?|\()\d[\d ()/.-]{5,20}\d(?!\w)|\b\d{3}[ .-]\d{3}[ .-]\d{4}\b/g,
};

/** Equal values get equal placeholders, such as `[email-1]`. Text of `own` is not personal. */
export function createPersonalData(own: string) {
  const kinds = Object.entries(PERSONAL).map(([name, pattern]) => ({
    name,
    pattern,
    seen: new Map<string, string>(),
  }));
  return {
    hide: (given: string): string =>
      kinds.reduce(
        (text, { name, pattern, seen }) =>
          text.replace(pattern, (found) => {
            if (own.includes(found) || !isPersonal(name, found)) return found;
            const placeholder = seen.get(found) ?? `[${name}-${seen.size + 1}]`;
            seen.set(found, placeholder);
            return placeholder;
          }),
        given,
      ),
    summary: (): string => kinds.map(({ name, seen }) => counted(seen.size, name)).join(', '),
  };
}

/** For cards: Luhn's checksum. */
function isPersonal(name: string, text: string): boolean {
  if (name === 'IP') return isIP(text) !== 0;
  if (name !== 'card') return true;
  const digits = text.replace(/\D/g, '').split('').reverse().map(Number);
  const sum = digits.reduce(
    (total, digit, at) => total + (at % 2 === 0 ? digit : (digit * 2) % 9 || digit),
    0,
  );
  return sum % 10 === 0;
}
