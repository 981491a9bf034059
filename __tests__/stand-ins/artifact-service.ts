import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { jest } from '@jest/globals';
import { newUpload, put, type Upload } from './blobs.ts';
import { bodyOf, listen } from './loopback.ts';

/**
 * The parts of the runner's artifact service that `@actions/artifact` uses: runs, immutable names,
 * blobs.
 */
export interface ArtifactServer {
  /** The variables that the runner sets for a job of this workflow run. */
  environment(
    run: string,
    job?: string,
  ): Record<'ACTIONS_RUNTIME_TOKEN' | 'ACTIONS_RESULTS_URL' | 'GITHUB_SERVER_URL', string>;
  /** Artifacts of all runs, in upload order. */
  artifacts: { run: string; name: string; body: Buffer; id: number }[];
  methods: string[];
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
  const uploads: (Upload & { run: string; name: string })[] = [];
  const refusals = new Map<string, { status: number; msg: string }>();
  const methods: string[] = [];

  const method = (name: string, ask: Ask): object => {
    const run = ask.workflow_run_backend_id;
    const own = artifacts.filter((artifact) => artifact.run === run);
    const named = own.findLast((artifact) => artifact.name === ask.name);
    switch (name) {
      case 'CreateArtifact': {
        const msg = 'an artifact with this name already exists on the workflow run';
        if (named !== undefined) return { status: 409, msg };
        const at = uploads.push({ run, name: ask.name ?? '', ...newUpload() }) - 1;
        return { ok: true, signed_upload_url: `${url}/upload/${at}?sig=secret` };
      }
      case 'FinalizeArtifact': {
        const done = uploads.findLast((one) => one.run === run && one.name === ask.name);
        if (done === undefined) return { ok: false };
        artifacts.push({ run, name: done.name, body: done.body, id: artifacts.length + 1 });
        return { ok: true, artifact_id: String(artifacts.length) };
      }
      case 'ListArtifacts':
        return {
          artifacts: own
            .filter(({ id }) => [undefined, String(id)].includes(ask.id_filter))
            .map(listed),
        };
      default:
        return { name: ask.name, signed_url: `${url}/blob/${String(named?.id)}.zip?sig=secret` };
    }
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request);
    const at = new URL(request.url ?? '/', url);
    const json = (status: number, value: object): unknown =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (at.pathname.startsWith(PREFIX)) {
      const name = at.pathname.slice(PREFIX.length);
      methods.push(name);
      const refusal = refusals.get(name);
      const said = refusal ?? method(name, JSON.parse(body.toString()) as Ask);
      json('status' in said ? Number(said.status) : 200, said);
    } else if (request.method === 'PUT') {
      put(at, body, uploads[Number(at.pathname.split('/').at(-1))]);
      response.writeHead(201, { etag: '"1"', 'last-modified': new Date(0).toUTCString() }).end();
    } else {
      const found = artifacts.find(({ id }) => at.pathname === `/blob/${id}.zip`);
      const status = found === undefined ? 404 : 200;
      response.writeHead(status, { 'content-type': 'application/zip' }).end(found?.body);
    }
  };
  const { url, close } = await listen(createServer((...given) => void answer(...given)));
  return {
    artifacts,
    methods,
    environment(run, job = 'job') {
      const claims = JSON.stringify({ scp: `Actions.Results:${run}:${job}` });
      return {
        ACTIONS_RUNTIME_TOKEN: `x.${Buffer.from(claims).toString('base64url')}.x`,
        ACTIONS_RESULTS_URL: `${url}/`,
        GITHUB_SERVER_URL: 'https://github.com',
      };
    },
    refuse: (name, status, msg) => void refusals.set(name, { status, msg }),
    close,
  };
}

const listed = ({ run, id, name, body }: ArtifactServer['artifacts'][number]) => ({
  workflow_run_backend_id: run,
  workflow_job_run_backend_id: 'job',
  database_id: String(id),
  name,
  size: String(body.length),
  digest: `sha256:${createHash('sha256').update(body).digest('hex')}`,
});

/**
 * An artifact server for each test of a file. The process belongs to run `run-1`. The library's
 * progress log is discarded.
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
