import { createHash } from 'node:crypto';
import type { AskedModel } from '../../types/model.ts';
import { cachesFrom } from '../../types/passports.ts';
import type { Ask } from './vendors/vendor.ts';

interface Mark {
  /** How many leading messages the cached prefix contains. */
  messages: number | null;
  done(answered: boolean): void;
}

const NO_MARK: Mark = { messages: null, done: () => undefined };

/** A low estimate, because trying to cache a prefix that is too short costs nothing. */
const BYTES_PER_TOKEN = 4;

/**
 * Writing a prefix to the vendor's cache costs 25 % more than sending it; reading it costs at most
 * a tenth. So the second request with a prefix writes it, and later ones read it.
 */
export function createPrefixes() {
  const states = new Map<string, 'seen' | 'writing' | 'written'>();
  return {
    mark(ask: Ask, target: AskedModel): Mark {
      const least = cachesFrom(target);
      if (least === null || 'cache_control' in ask.parameters) return NO_MARK;
      for (const { messages, key } of cacheablePrefixes(ask, least * BYTES_PER_TOKEN).reverse()) {
        const state = states.get(key);
        if (state === 'written') return { ...NO_MARK, messages };
        if (state === 'seen') {
          states.set(key, 'writing');
          const done = (answered: boolean) => {
            states.set(key, answered ? 'written' : 'seen');
          };
          return { messages, done };
        }
        if (state === undefined) states.set(key, 'seen');
      }
      return NO_MARK;
    },
  };
}

function cacheablePrefixes({ messages, ...others }: Ask, leastBytes: number) {
  const first = messages.findIndex(({ role }) => role !== 'system');
  // The vendor would move a later system message to the front, which changes the prefix.
  if (messages.slice(first).some(({ role }) => role === 'system')) return [];
  const shared = messages.slice(0, -1);
  const bytes = shared.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  if (bytes < leastBytes) return [];
  const hash = createHash('sha256').update(JSON.stringify(others));
  const found: { messages: number; key: string }[] = [];
  let length = 0;
  for (const [index, { role, content, metadata: _, ...more }] of shared.entries()) {
    length += Buffer.byteLength(content);
    hash.update(JSON.stringify([role, content, more]));
    const count = index + 1;
    const isCall = 'tool_calls' in more || role === 'tool';
    if (count >= first && length >= leastBytes && (content.trim() !== '' || isCall))
      found.push({ messages: count, key: hash.copy().digest('base64') });
  }
  return found;
}
