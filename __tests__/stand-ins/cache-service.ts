import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { newUpload, put, type Upload } from './blobs.ts';
import { bodyOf, listen } from './loopback.ts';

/**
 * The parts of the runner's cache service, version 2, that `@actions/cache` uses: scopes, immutable
 * entries, and the newest entry by key prefix.
 */
export interface CacheServer {
  url: string;
  /** Saved keys, oldest first, each with the scope of its run. */
  entries(): { scope: string; key: string; bytes: number; body: Buffer }[];
  /** Later requests come from a run with this scope. It reads `scope` first, then `readable`. */
  as(scope: string, readable: readonly string[]): void;
  fail(how: 'nothing' | 'everything' | 'garbage'): void;
  close(): Promise<void>;
}

interface Entry extends Upload {
  scope: string;
  key: string;
  version: string;
  done: boolean;
}

const PREFIX = '/twirp/github.actions.results.api.v1.CacheService/';

export async function startCacheServer(): Promise<CacheServer> {
  const entries: Entry[] = [];
  let scopes = ['refs/heads/main'];
  let failing: 'nothing' | 'everything' | 'garbage' = 'nothing';

  const method = (name: string, ask: Record<string, unknown>): object => {
    const [key, version] = [String(ask['key']), String(ask['version'])];
    const own = entries.findIndex(
      (entry) => entry.scope === scopes[0] && entry.key === key && entry.version === version,
    );
    if (name === 'CreateCacheEntry') {
      if (own >= 0) return { ok: false, message: 'already exists' };
      entries.push({ scope: scopes[0] ?? '', key, version, done: false, ...newUpload() });
      return { ok: true, signed_upload_url: `${url}/blob/${entries.length - 1}?sig=x` };
    }
    if (name === 'FinalizeCacheEntryUpload') {
      if (entries[own] === undefined) return { ok: false };
      entries[own].done = true;
      return { ok: true, entry_id: String(own + 1) };
    }
    const starts = [key, ...((ask['restore_keys'] ?? ask['restoreKeys'] ?? []) as string[])];
    for (const scope of scopes)
      for (const start of starts) {
        const fits = (entry: Entry) => entry.scope === scope && entry.version === version;
        const found = entries.findLastIndex(
          (entry) => entry.done && fits(entry) && entry.key.startsWith(start),
        );
        const signed_download_url = `${url}/blob/${found}`;
        if (found >= 0) return { ok: true, signed_download_url, matched_key: entries[found]?.key };
      }
    return { ok: false };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request);
    const at = new URL(request.url ?? '/', url);
    const entry = entries[Number(at.pathname.split('/').at(-1))];
    const json = (status: number, value: object): unknown =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (failing === 'everything') json(400, { msg: 'no' });
    else if (at.pathname.startsWith(PREFIX)) {
      const ask = JSON.parse(body.toString()) as Record<string, unknown>;
      json(200, method(at.pathname.slice(PREFIX.length), ask));
    }
    // A request to another service of the runner. Without this 404, its client would retry for half
    // a minute.
    else if (request.method === 'POST') json(404, { msg: 'not here' });
    else if (request.method === 'PUT') {
      put(at, body, entry);
      response.writeHead(201, { etag: '"1"', 'last-modified': new Date(0).toUTCString() }).end();
    } else {
      const kept = entry?.body ?? Buffer.alloc(0);
      const data = failing === 'garbage' ? Buffer.from('no archive') : kept;
      response.writeHead(200, { 'content-length': data.length, etag: '"1"' });
      response.end(request.method === 'HEAD' ? undefined : data);
    }
  };
  const { url, close } = await listen(createServer((...given) => void answer(...given)));
  return {
    url,
    entries: () =>
      entries
        .filter(({ done }) => done)
        .map(({ scope, key, body }) => ({ scope, key, bytes: body.length, body })),
    as: (scope, readable) => void (scopes = [scope, ...readable]),
    fail: (how) => void (failing = how),
    close,
  };
}

/**
 * The environment of a job with a GitHub cache on a local server, which the toolkit cannot find
 * itself.
 */
export function cacheEnvironment({ url }: CacheServer): Record<string, string> {
  const claims = Buffer.from(JSON.stringify({ scp: 'Actions.Results:a:b' })).toString('base64url');
  return {
    ACTIONS_CACHE_SERVICE_V2: 'true',
    ACTIONS_RESULTS_URL: `${url}/`,
    ACTIONS_RUNTIME_TOKEN: `x.${claims}.x`,
    GITHUB_SERVER_URL: 'https://acme.ghe.com',
  };
}
