import { isIP } from 'node:net';
import { counted } from '../../../text/amounts.ts';

const PERSONAL: Readonly<Record<string, RegExp>> = {
  email: /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu,
  IBAN: /\b[A-Z]{2}\d{2}(?= ?[A-Z\d]{4})/gi,
  card: /\b\d(?:[ -]?\d){12,18}\b/g,
  IP: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w)|(?<![\w:.])(?=[a-f:]{0,38}\d)(?:[\da-f]{0,4}:){2,7}[\da-f]{1,4}(?!\w|\.\d|:\w)/gi,
  // At least eight digits; or ten that are neither a time in seconds nor a fraction.
  phone:
    /(?<![\w+-]|\d\.)(?!\d{1,2}([./-])\d{1,2}\1\d{4}\b)(?=(?:[^\w\n]{0,3}\d){8})(?:\+|00?|\()\d[\d ()/.-]{5,20}\d(?!\w)|\b(?!1\d{9}|(?<=\d\.)\d{10})\d{3}[ .-]?\d{3}[ .-]?\d{4}\b/g,
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
      kinds.reduce((text, { name, pattern, seen }) => {
        const hidden = (found: string): string => {
          if (own.includes(found) || !isPersonal(name, found)) return found;
          const placeholder = seen.get(found) ?? `[${name}-${seen.size + 1}]`;
          seen.set(found, placeholder);
          return placeholder;
        };
        return name === 'IBAN'
          ? replaceIbans(text, pattern, hidden)
          : text.replace(pattern, (found) => hidden(found));
      }, given),
    summary: (): string => kinds.map(({ name, seen }) => counted(seen.size, name)).join(', '),
  };
}

const IBAN = /^[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?(?![A-Z\d])/i;

/** In characters, with spaces. */
const LONGEST_IBAN = 42;

/** `starts`: what each of them begins with. One may follow another after a space. */
function replaceIbans(text: string, starts: RegExp, hidden: (found: string) => string): string {
  let [done, from] = ['', 0];
  for (const { index } of text.matchAll(starts)) {
    const found = index < from ? '' : startingIban(text.slice(index, index + LONGEST_IBAN));
    if (found === '') continue;
    done += text.slice(from, index) + hidden(found);
    from = index + found.length;
  }
  return done + text.slice(from);
}

/** Without words that follow it. Empty if no checksum is right. */
function startingIban(text: string): string {
  const groups = (IBAN.exec(text)?.[0] ?? '').split(' ');
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
