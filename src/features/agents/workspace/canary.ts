import { secretSpellings } from '../../../text/redact.ts';

/** In the environment of agents. Its value opens nothing; its only use is to be noticed. */
export const CANARY_NAME = 'EVALDIFF_CANARY_API_KEY';

/** Returns whether a text or file shows the canary, as it is or encoded. */
export function canarySpotter(canary: string | null): (content: string | Uint8Array) => boolean {
  if (canary === null) return () => false;
  const spellings = [...new Set(secretSpellings(canary))];
  return (content) => {
    const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1');
    return spellings.some((spelling) => text.includes(spelling));
  };
}

/** For a stream: also finds a canary that two pieces share. */
export function streamSpotter(canary: string | null): (piece: string) => boolean {
  const spots = canarySpotter(canary);
  // Encodings are at most six times as long.
  const overlap = (canary?.length ?? 0) * 6;
  let last = '';
  return (piece) => {
    const text = last + piece;
    last = overlap === 0 ? '' : text.slice(-overlap);
    return spots(text);
  };
}
