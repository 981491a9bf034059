import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The runner's cache service, version 2, as far as `@actions/cache` speaks to it: scopes, immutable
 * entries, newest by start of key.
 */
export interface CacheServer {
  url: string;
  /** Keys saved so far with the scope of the run that did, oldest first. */
  entries(): { scope: string; key: string; bytes: number }[];
  /**
   * Requests from here on come from a run with this scope, which reads this one and then
   * `readable`.
   */
  as(scope: string, readable: readonly string[]): void;
  /** What the service does wrong from here on. */
  fail(how: 'nothing' | 'everything' | 'garbage'): void;
  close(): Promise<void>;
}

interface Entry {
  scope: string;
  key: string;
  version: string;
  body: Buffer;
  done: boolean;
}

const PREFIX = '/twirp/github.actions.results.api.v1.CacheService/';

export async function startCacheServer(): Promise<CacheServer> {
  const entries: Entry[] = [];
  const blocks = new Map<string, Map<string, Buffer>>();
  let scopes = ['refs/heads/main'];
  let failing: 'nothing' | 'everything' | 'garbage' = 'nothing';

  const method = (name: string, ask: Record<string, unknown>): object => {
    const key = String(ask['key']);
    const version = String(ask['version']);
    if (name === 'CreateCacheEntry') {
      if (
        entries.some(
          (entry) => entry.scope === scopes[0] && entry.key === key && entry.version === version,
        )
      )
        return { ok: false, message: 'already exists' };
      entries.push({ scope: scopes[0] ?? '', key, version, body: Buffer.alloc(0), done: false });
      return { ok: true, signed_upload_url: `${url}/blob/${entries.length - 1}?sig=x` };
    }
    if (name === 'FinalizeCacheEntryUpload') {
      const index = entries.findIndex(
        (kept) => kept.scope === scopes[0] && kept.key === key && kept.version === version,
      );
      const entry = entries[index];
      if (entry === undefined) return { ok: false };
      entry.done = true;
      return { ok: true, entry_id: String(index + 1) };
    }
    const starts = [key, ...((ask['restore_keys'] ?? ask['restoreKeys'] ?? []) as string[])];
    for (const scope of scopes) {
      for (const start of starts) {
        const found = entries.findLastIndex(
          (entry) =>
            entry.done &&
            entry.scope === scope &&
            entry.version === version &&
            entry.key.startsWith(start),
        );
        if (found >= 0)
          return {
            ok: true,
            signed_download_url: `${url}/blob/${found}`,
            matched_key: entries[found]?.key,
          };
      }
    }
    return { ok: false };
  };

  const upload = (index: number, at: URL, body: Buffer): void => {
    const entry = entries[index];
    if (entry === undefined) return;
    const own = blocks.get(at.pathname) ?? new Map<string, Buffer>();
    blocks.set(at.pathname, own);
    const part = at.searchParams.get('comp');
    if (part === 'block') own.set(at.searchParams.get('blockid') ?? '', body);
    else if (part === 'blocklist')
      entry.body = Buffer.concat(
        [...body.toString().matchAll(/<Latest>([^<]*)<\/Latest>/g)].map(
          ([, id]) => own.get(id ?? '') ?? Buffer.alloc(0),
        ),
      );
    else entry.body = body;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const at = new URL(request.url ?? '/', url);
    if (failing === 'everything') {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"msg": "no"}');
    } else if (at.pathname.startsWith(PREFIX)) {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          JSON.stringify(
            method(
              at.pathname.slice(PREFIX.length),
              JSON.parse(body.toString()) as Record<string, unknown>,
            ),
          ),
        );
    } else if (request.method === 'POST') {
      // Another of the runner's services: without an answer that is final, its client would wait
      // half a minute for one.
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"msg": "not here"}');
    } else if (request.method === 'PUT') {
      upload(Number(at.pathname.split('/').at(-1)), at, body);
      response.writeHead(201, { etag: '"1"', 'last-modified': new Date(0).toUTCString() }).end();
    } else {
      const data =
        failing === 'garbage'
          ? Buffer.from('no archive')
          : (entries[Number(at.pathname.split('/').at(-1))]?.body ?? Buffer.alloc(0));
      response
        .writeHead(200, { 'content-length': data.length, etag: '"1"' })
        .end(request.method === 'HEAD' ? undefined : data);
    }
  };
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    entries: () =>
      entries
        .filter(({ done }) => done)
        .map(({ scope, key, body }) => ({ scope, key, bytes: body.length })),
    as(scope, readable) {
      scopes = [scope, ...readable];
    },
    fail(how) {
      failing = how;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
