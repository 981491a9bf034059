import type { ErrorKind } from '../../../types/model.ts';

const MAX_REPLY_CHARS = 20_000_000;

interface RelayOptions {
  secrets: readonly string[];
  finish(text: string): Promise<string | null>;
  fail(kind: ErrorKind, message: string): void;
  closed(): void;
}

interface Relay {
  body: AsyncIterable<string>;
  drain(): Promise<void>;
  close(): void;
}

export function relayOf(response: Response, options: RelayOptions): Relay {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const guard = keyGuard(options.secrets);
  let text = '';
  let isClosed = false;
  const lose = (kind: ErrorKind, message: string): never => {
    if (!isClosed) options.fail(kind, message);
    throw new Error(message);
  };
  async function* read(): AsyncGenerator<string> {
    for (let isOver = reader === undefined; !isOver;) {
      const next = await reader?.read().catch(() => lose('network', 'the reply was cut off'));
      isOver = next?.done !== false;
      const piece = guard(next?.value ?? null) ?? lose('reply', 'the reply contained the API key');
      text += piece;
      if (text.length > MAX_REPLY_CHARS) return lose('reply', 'the reply is too large');
      if (isOver) {
        const flaw = isClosed ? null : await options.finish(text);
        if (flaw !== null) return lose('reply', flaw);
      }
      if (piece !== '') yield piece;
    }
  }
  const body = read();
  const close = (): void => {
    isClosed = true;
    options.closed();
    reader?.cancel().catch(() => undefined);
  };
  return {
    body,
    close,
    async drain() {
      try {
        while ((await body.next()).done !== true);
      } catch {
        // `fail` has already recorded the error.
      } finally {
        close();
      }
    },
  };
}

/**
 * Returns null if the streamed text contains a secret. Holds back the end of a piece if a secret
 * may begin there. Pass null last.
 */
function keyGuard(secrets: readonly string[]): (piece: string | null) => string | null {
  let held = '';
  return (piece) => {
    const text = held + (piece ?? '');
    if (secrets.some((secret) => text.includes(secret))) return null;
    const end = piece === null ? 0 : startOfSecret(text, secrets);
    held = text.slice(text.length - end);
    return text.slice(0, text.length - end);
  };
}

function startOfSecret(text: string, secrets: readonly string[]): number {
  const longest = Math.max(0, ...secrets.map((secret) => secret.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--)
    if (secrets.some((secret) => secret.startsWith(text.slice(-length)))) return length;
  return 0;
}
