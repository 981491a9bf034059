import { secretPattern } from '../../../text/redact.ts';
import type { ErrorKind } from '../../../types/model.ts';
import type { TakeRoom } from './terms.ts';

const MAX_REPLY_CHARS = 20_000_000;

interface RelayOptions {
  secrets: readonly string[];
  take: TakeRoom;
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
  const hasRoom = (piece: string): boolean =>
    options.take(piece.length) && text.length <= MAX_REPLY_CHARS;
  async function* read(): AsyncGenerator<string> {
    for (let isOver = reader === undefined; !isOver;) {
      const next = await reader?.read().catch(() => lose('network', 'the reply was cut off'));
      isOver = next?.done !== false;
      const piece = guard(next?.value ?? null) ?? lose('reply', 'the reply contained the API key');
      text += piece;
      if (!hasRoom(piece)) return lose('reply', 'the reply is too large');
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

/** In characters, at most: several backslashes, and `&amp;amp;amp;#x0000073;`. */
const MAX_ESCAPED = 32;

/**
 * Returns null if the streamed text contains a secret in any form. Holds back the end of an
 * incomplete line, because a secret may begin there. Pass null last.
 */
function keyGuard(secrets: readonly string[]): (piece: string | null) => string | null {
  const pattern = secretPattern(secrets);
  const most = MAX_ESCAPED * Math.max(0, ...secrets.map((secret) => secret.length));
  let held = '';
  return (piece) => {
    const text = held + (piece ?? '');
    if (pattern !== null && text.search(pattern) >= 0) return null;
    const line = text.length - text.lastIndexOf('\n') - 1;
    const end = text.length - (piece === null ? 0 : Math.min(line, most));
    held = text.slice(end);
    return text.slice(0, end);
  };
}
