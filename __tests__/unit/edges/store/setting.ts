import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestKey } from '../../../../src/app/session/request-key.ts';
import type { StoreOptions } from '../../../../src/edges/store/connection.ts';
import { openStore, type Store } from '../../../../src/edges/store/index.ts';
import { ownAnswer, partsOf } from '../../../../src/types/answer.ts';
import type { Complete, Completion, Request, OkCompletion } from '../../../../src/types/model.ts';
import { requestTo, says } from '../providers/providers-setting.ts';

export const START = Date.parse('2026-01-02T03:04:05Z');
/** Stored timestamps are rounded down to the hour. */
const HOUR = Date.parse('2026-01-02T03:00:00Z');
export const keyOf = (request: Request): string =>
  requestKey(request, (text) => createHash('sha256').update(text).digest('hex'));

export const ok = (output: string, changes: Partial<OkCompletion> = {}): Completion => ({
  status: 'ok',
  ...ownAnswer(partsOf(output)),
  served: { model: 'model-1', fingerprint: null, at: HOUR },
  usage: { input_tokens: 5, output_tokens: 2 },
  latency_ms: 12,
  reused: false,
  ...changes,
});
export const asks = (content: string, attempt = 0): Request =>
  requestTo('openai', { messages: says(content), try: attempt });

export interface Setting {
  folder: string;
  file: string;
  notices: string[];
  open(changes?: Partial<StoreOptions>): Store;
  model(reply?: (content: string) => Completion): { complete: Complete; asked: string[] };
  remove(): void;
}

export function setUp(): Setting {
  const folder = mkdtempSync(join(tmpdir(), 'evaldiff-store-'));
  const file = join(folder, 'state', 'store.sqlite');
  const notices: string[] = [];
  return {
    folder,
    file,
    notices,
    open: (changes = {}) =>
      openStore({
        file,
        maxBytes: 1e9,
        now: () => START,
        access: 'read-write',
        secret: null,
        notice: (line) => notices.push(line),
        ...changes,
      }),
    model(reply = (content) => ok(`re ${content}`)) {
      const asked: string[] = [];
      return {
        asked,
        complete: async ({ messages }) => {
          const content = messages[0]?.content ?? '';
          asked.push(content);
          return reply(content);
        },
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
