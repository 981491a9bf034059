import type { Seen } from './server.ts';

/** Tokens of one request, by what the vendor's cache did with them. */
export interface Counted {
  input: number;
  read: number;
  written: number;
}

interface Arrived {
  counted: Counted;
  /** From here on others find what this request left in the cache. */
  answered(): void;
}

const CHARACTERS_PER_TOKEN = 4;

const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

/** Written from the vendor's document, apart from the table in `src/types/vendors`. */
function leastOf(model: string): number {
  if (/^claude-(opus|fable|mythos)-5|^claude-(sonnet|haiku)-5-5/.test(model)) return 512;
  if (/^claude-(sonnet-5$|opus-4-8|sonnet-4)/.test(model)) return 1024;
  return model.startsWith('claude-opus-4-7') ? 2048 : 4096;
}

/**
 * The vendors' prompt caches as their documents have them: Anthropic's keeps what ends with a mark
 * and is long enough for the model, OpenAI's any beginning from 1,024 tokens on, in steps of 128.
 * What a request wrote is there once its answer begins. Four characters are a token.
 */
export function createStoodCache() {
  const kept = new Set<string>();
  const texts: string[] = [];
  return {
    arrive(request: Seen): Arrived {
      const text = `${request.model} ${JSON.stringify(request.messages.map(({ content }) => content))}`;
      const input = tokensOf(text);
      if (request.vendor === 'openai')
        return {
          counted: { input, read: sharedWith(texts, text), written: 0 },
          answered: () => void texts.push(text),
        };
      const marked = markedIn(request);
      const tokens = marked === null ? 0 : tokensOf(marked);
      if (marked === null || tokens < leastOf(request.model))
        return { counted: { input, read: 0, written: 0 }, answered: () => undefined };
      const there = kept.has(marked);
      return {
        counted: { input, read: there ? tokens : 0, written: there ? 0 : tokens },
        answered: () => void kept.add(marked),
      };
    },
  };
}

/** All that stands in front of the last mark, model and tools included; null: there is none. */
function markedIn({ model, body }: Seen): string | null {
  const { tools = null, system = '', messages } = body as Record<string, unknown>;
  const parts = [system, ...(messages as { content: unknown }[]).map(({ content }) => content)];
  const last = parts.findLastIndex((part) => JSON.stringify(part).includes('"cache_control":'));
  if (last === -1) return null;
  const words = parts
    .slice(0, last + 1)
    .map((part) =>
      typeof part === 'string'
        ? part
        : (part as { text: string }[]).map(({ text }) => text).join(''),
    );
  return JSON.stringify([model, tools, ...words]);
}

function sharedWith(earlier: readonly string[], text: string): number {
  const common = Math.max(0, ...earlier.map((other) => commonLength(other, text)));
  const tokens = Math.floor(common / CHARACTERS_PER_TOKEN / 128) * 128;
  return tokens < 1024 ? 0 : tokens;
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
