import { isIP } from 'node:net';
import { counted } from '../../../text/amounts.ts';

const PERSONAL: Readonly<Record<string, RegExp>> = {
  email: /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu,
  IBAN: /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/gi,
  card: /\b\d(?:[ -]?\d){12,18}\b/g,
  IP: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w)|(?<![\w:.])(?=[a-f:]{0,38}\d)(?:[\da-f]{0,4}:){2,7}[\da-f]{1,4}(?!\w|\.\d|:\w)/gi,
  // At least eight digits; or ten that are neither a time in seconds nor a fraction.
  phone:
    /(?<![\w+-]|\d\.)(?=(?:[^\w\n]{0,3}\d){8})(?:\+|00?|\()\d[\d ()/.-]{5,20}\d(?!\w)|\b(?!1\d{9}|(?<=\d\.)\d{10})\d{3}[ .-]?\d{3}[ .-]?\d{4}\b/g,
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
          text.replace(pattern, (match) => {
            const found = name === 'IBAN' ? startingIban(match) : match;
            if (own.includes(found) || !isPersonal(name, found)) return match;
            const placeholder = seen.get(found) ?? `[${name}-${seen.size + 1}]`;
            seen.set(found, placeholder);
            return placeholder + match.slice(found.length);
          }),
        given,
      ),
    summary: (): string => kinds.map(({ name, seen }) => counted(seen.size, name)).join(', '),
  };
}

/** Without words that follow it. Empty if no checksum is right. */
function startingIban(text: string): string {
  const groups = text.split(' ');
  while (groups.length > 0 && !isIban(groups.join(''))) groups.pop();
  return groups.join(' ');
}

function isIban(code: string): boolean {
  const moved = code.replace(/^(.{4})(.*)/, '$2$1');
  const digits = moved.replace(/[A-Z]/gi, (letter) => `${parseInt(letter, 36)}`);
  return code.length >= 15 && BigInt(digits) % 97n === 1n;
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
