import type { Seen } from './server.ts';

/** Tokens of one request, by how the vendor's cache treated them. */
interface Counted {
  input: number;
  read: number;
  written: number;
}

interface Arrived {
  counted: Counted;
  /** Makes the parts that this request cached available to later requests. */
  answered(): void;
}

const CHARACTERS_PER_TOKEN = 4;

const tokensOf = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

/** Written from the vendor's documentation, independent of the table in `src/types/vendors`. */
function leastOf(model: string): number {
  if (/^claude-(opus|fable|mythos)-5|^claude-(sonnet|haiku)-5-5/.test(model)) return 512;
  if (/^claude-(sonnet-5$|opus-4-8|sonnet-4)/.test(model)) return 1024;
  return model.startsWith('claude-opus-4-7') ? 2048 : 4096;
}

/**
 * The vendors' prompt caches as documented. Anthropic caches prefixes that end with a mark and are
 * long enough for the model. OpenAI caches any prefix of at least 1,024 tokens, in steps of 128. A
 * prefix is available once the answer to its request begins. Four characters count as a token.
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
        counted: {
          input: Math.max(input, tokens),
          read: there ? tokens : 0,
          written: there ? 0 : tokens,
        },
        answered: () => void kept.add(marked),
      };
    },
  };
}

/** Everything before the last mark, including model and tools; null: no mark. */
function markedIn({ model, body }: Seen) {
  const { tools = null, system = '', messages } = body as Record<string, unknown>;
  const parts = [system, ...(messages as { content: unknown }[]).map(({ content }) => content)];
  const last = parts.findLastIndex((part) => JSON.stringify(part).includes('"cache_control":'));
  if (last === -1) return null;
  const words = parts.slice(0, last + 1).map((part, at) =>
    typeof part === 'string'
      ? part
      : upToMark(part as Block[], at === last)
          .map(({ text, ...block }) => text ?? JSON.stringify({ ...block, cache_control: null }))
          .join(''),
  );
  return JSON.stringify([model, tools, ...words]);
}

type Block = { text?: string; cache_control?: unknown };

function upToMark(blocks: Block[], isLast: boolean) {
  const end = isLast ? blocks.findLastIndex((block) => block.cache_control !== undefined) : -1;
  return end === -1 ? blocks : blocks.slice(0, end + 1);
}

function sharedWith(earlier: readonly string[], text: string) {
  const common = Math.max(0, ...earlier.map((other) => commonLength(other, text)));
  const tokens = Math.floor(common / CHARACTERS_PER_TOKEN / 128) * 128;
  return tokens < 1024 ? 0 : tokens;
}

function commonLength(a: string, b: string) {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
