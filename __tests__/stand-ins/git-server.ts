import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { listen } from './loopback.ts';
import { fixtureEnvironment, type FixtureRepository } from './repository.ts';

/** A git server on loopback that replaces GitHub: one repository at one path. */
interface GitServer {
  url: string;
  /** Path and credentials of every request. */
  requests: { path: string; authorization: string | null }[];
  close(): Promise<void>;
}

/**
 * Serves a repository with git's own `http-backend`; allows filters and single objects. Requires
 * the token as `actions/checkout` sends it.
 */
export async function startGitServer(
  origin: FixtureRepository,
  path: string,
  token: string,
): Promise<GitServer> {
  origin.git('config', 'uploadpack.allowFilter', 'true');
  origin.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  const wanted = `basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  const requests: GitServer['requests'] = [];
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://server');
    const authorization = request.headers.authorization ?? null;
    requests.push({ path: `${pathname}${search}`, authorization });
    if (authorization?.toLowerCase() !== wanted.toLowerCase())
      return void response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="GitHub"' }).end();
    if (!pathname.startsWith(`/${path}/`)) return void response.writeHead(404).end();
    const child = spawn('git', ['http-backend'], {
      env: fixtureEnvironment({
        GIT_PROJECT_ROOT: origin.directory,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname.slice(path.length + 1),
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        REMOTE_USER: 'x-access-token',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      }),
    });
    request.pipe(child.stdin);
    child.stdin.on('error', () => undefined);
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.on('close', () => {
      const answer = Buffer.concat(output);
      const end = answer.indexOf('\r\n\r\n');
      const fields = answer
        .toString('latin1', 0, end)
        .split('\r\n')
        .map((line) => line.split(/: (.*)/s, 2) as [string, string]);
      const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200';
      response.writeHead(
        Number.parseInt(status, 10),
        Object.fromEntries(fields.filter(([name]) => name !== 'Status')),
      );
      response.end(answer.subarray(end + 4));
    });
  });
  return { ...(await listen(server)), requests };
}
