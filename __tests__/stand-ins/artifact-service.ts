import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, jest } from '@jest/globals';

/**
 * The runner's artifact service, as far as `@actions/artifact` speaks to it: runs, immutable names,
 * blobs.
 */
export interface ArtifactServer {
  /** What the runner sets for a job of this workflow run. */
  environment(
    run: string,
    job?: string,
  ): Record<'ACTIONS_RUNTIME_TOKEN' | 'ACTIONS_RESULTS_URL' | 'GITHUB_SERVER_URL', string>;
  /** Of every run, in the order of upload. */
  artifacts: { run: string; name: string; body: Buffer; id: number }[];
  /** Names of methods that were called. */
  methods: string[];
  /** The next calls of a method are refused so. */
  refuse(method: string, status: number, message: string): void;
  close(): Promise<void>;
}

interface Ask {
  workflow_run_backend_id: string;
  name?: string;
  id_filter?: string;
}

const PREFIX = '/twirp/github.actions.results.api.v1.ArtifactService/';

export async function startArtifactServer(): Promise<ArtifactServer> {
  const artifacts: ArtifactServer['artifacts'] = [];
  const uploads = new Map<
    string,
    { run: string; name: string; blocks: Map<string, Buffer>; body: Buffer }
  >();
  const refusals = new Map<string, { status: number; message: string }>();
  const methods: string[] = [];

  const method = (name: string, ask: Ask): object | { status: number; msg: string } => {
    const { workflow_run_backend_id: run } = ask;
    const key = `${String(uploads.size)}`;
    const own = artifacts.filter((artifact) => artifact.run === run);
    switch (name) {
      case 'CreateArtifact':
        if (own.some((artifact) => artifact.name === ask.name))
          return {
            status: 409,
            msg: 'an artifact with this name already exists on the workflow run',
          };
        uploads.set(key, { run, name: ask.name ?? '', blocks: new Map(), body: Buffer.alloc(0) });
        return { ok: true, signed_upload_url: `${url}/upload/${key}?sig=secret` };
      case 'FinalizeArtifact': {
        const done = [...uploads.values()].findLast(
          (one) => one.run === run && one.name === ask.name,
        );
        if (done === undefined) return { ok: false };
        artifacts.push({ run, name: done.name, body: done.body, id: artifacts.length + 1 });
        return { ok: true, artifact_id: String(artifacts.length) };
      }
      case 'ListArtifacts':
        return {
          artifacts: own
            .filter(({ id }) => ask.id_filter === undefined || String(id) === ask.id_filter)
            .map(({ id, name: of, body }) => ({
              workflow_run_backend_id: run,
              workflow_job_run_backend_id: 'job',
              database_id: String(id),
              name: of,
              size: String(body.length),
              digest: `sha256:${createHash('sha256').update(body).digest('hex')}`,
            })),
        };
      default:
        return {
          name: ask.name,
          signed_url: `${url}/blob/${String(own.findLast((artifact) => artifact.name === ask.name)?.id)}.zip?sig=secret`,
        };
    }
  };

  const upload = (at: URL, body: Buffer): void => {
    const open = uploads.get(at.pathname.split('/').at(-1) ?? '');
    if (open === undefined) return;
    const part = at.searchParams.get('comp');
    if (part === 'block') open.blocks.set(at.searchParams.get('blockid') ?? '', body);
    else if (part === 'blocklist')
      open.body = Buffer.concat(
        [...body.toString().matchAll(/<Latest>([^<]*)<\/Latest>/g)].map(
          ([, id]) => open.blocks.get(id ?? '') ?? Buffer.alloc(0),
        ),
      );
    else open.body = body;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const at = new URL(request.url ?? '/', url);
    const json = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (at.pathname.startsWith(PREFIX)) {
      const name = at.pathname.slice(PREFIX.length);
      methods.push(name);
      const refusal = refusals.get(name);
      if (refusal !== undefined) {
        json(refusal.status, { code: 'refused', msg: refusal.message });
        return;
      }
      const said = method(name, JSON.parse(body.toString()) as Ask);
      json('status' in said ? said.status : 200, said);
    } else if (request.method === 'PUT') {
      upload(at, body);
      response.writeHead(201, { etag: '"1"', 'last-modified': new Date(0).toUTCString() }).end();
    } else {
      const found = artifacts.find(({ id }) => at.pathname === `/blob/${String(id)}.zip`);
      response
        .writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/zip' })
        .end(found?.body);
    }
  };
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    artifacts,
    methods,
    environment: (run, job = 'job') => ({
      ACTIONS_RUNTIME_TOKEN: `x.${Buffer.from(JSON.stringify({ scp: `Actions.Results:${run}:${job}` })).toString('base64url')}.x`,
      ACTIONS_RESULTS_URL: `${url}/`,
      GITHUB_SERVER_URL: 'https://github.com',
    }),
    refuse: (name, status, message) => {
      refusals.set(name, { status, message });
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

/**
 * A server of artifacts for each test of a file, in whose run `run-1` the process is. The library
 * tells the log of its progress, which nobody reads here.
 */
export function artifactServerPerTest(): () => ArtifactServer {
  const before = { ...process.env };
  let server: ArtifactServer;
  beforeEach(async () => {
    server = await startArtifactServer();
    Object.assign(process.env, server.environment('run-1'));
    jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    process.env = { ...before };
    await server.close();
  });
  return () => server;
}
