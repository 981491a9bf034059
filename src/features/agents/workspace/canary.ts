import { secretSpellings } from '../../../text/redact.ts';

/**
 * This variable is in the environment of agents. Its value gives no access; it only shows where it
 * was copied.
 */
export const CANARY_NAME = 'EVALDIFF_CANARY_API_KEY';

/** Returns whether a text or file contains the canary, plain or encoded. */
export function canarySpotter(canary: string | null): (content: string | Uint8Array) => boolean {
  if (canary === null) return () => false;
  const spellings = [...new Set(secretSpellings(canary))];
  return (content) => {
    const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1');
    return spellings.some((spelling) => text.includes(spelling));
  };
}
