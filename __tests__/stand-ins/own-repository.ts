import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KeyPair } from './certificate.ts';
import { listen } from './loopback.ts';
import { fixtureEnvironment, temporaryFolder } from './repository.ts';
import { tunnelProxy } from './tunnel-proxy.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const WHO = ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid'];

export function gitAt(folder: string, ...args: string[]): string {
  return execFileSync('git', [...WHO, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: fixtureEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/**
 * A bare repository, as on a server, whose branch `main` has this work tree's files in one commit.
 */
export function ownRepository(): string {
  const bare = join(temporaryFolder('own'), 'evaldiff.git');
  gitAt(ROOT, 'init', '--quiet', '--bare', '--initial-branch', 'main', bare);
  const place = ['--git-dir', bare, '--work-tree', ROOT];
  gitAt(ROOT, ...place, 'add', '--all');
  gitAt(ROOT, ...place, 'commit', '--quiet', '--message', 'Everything');
  return bare;
}

/** The npm package of a clone, as `npm pack` makes it. Returns the tarball's path. */
export function packed(clone: string): string {
  const folder = temporaryFolder('packed');
  const args = ['pack', '--silent', '--pack-destination', folder];
  const name = execFileSync('npm', args, {
    cwd: clone,
    encoding: 'utf8',
    env: fixtureEnvironment(),
  });
  return join(folder, name.trim().split('\n').at(-1) ?? '');
}

interface Registry {
  host: string;
  /** Requests for anything but the package. */
  refused: string[];
  close(): Promise<void>;
}

/**
 * The registry's host. Sandboxes reach it through their proxy, which they do not use for
 * `localhost`. Other systems than Linux have no sandbox, and only one loopback address.
 */
export const REGISTRY_HOST = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';

/** An npm registry on loopback that has only one package, from this tarball. */
export async function startRegistry(tarball: string, pair: KeyPair): Promise<Registry> {
  const bytes = readFileSync(tarball);
  const manifest = JSON.parse(
    execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }),
  ) as { name: string; version: string };
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const file = `/${manifest.name}/-/${manifest.name}-${manifest.version}.tgz`;
  const refused: string[] = [];
  const server = https.createServer(pair, (request, response) => {
    if (request.url === file) return void response.end(bytes);
    if (request.url !== `/${manifest.name}`) {
      refused.push(`${request.method ?? ''} ${request.url ?? ''}`);
      return void response.writeHead(404).end('{}');
    }
    const dist = { tarball: `https://${request.headers.host ?? ''}${file}`, integrity };
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        name: manifest.name,
        'dist-tags': { latest: manifest.version },
        versions: { [manifest.version]: { ...manifest, dist } },
      }),
    );
  });
  const { port, close } = await listen(server, REGISTRY_HOST);
  return { host: `${REGISTRY_HOST}:${port}`, refused, close };
}

export const GITHUB_HOSTS = ['github.com', 'codeload.github.com'];

interface GitHubArchives {
  /** The address of the proxy. */
  proxy: string;
  close(): Promise<void>;
}

/** Without the tests, whose files npm would unpack each time and which nobody runs there. */
function archiveOf(bare: string, commit: string, archives: Map<string, Buffer>) {
  const format = ['archive', '--format=tar.gz', '--prefix=evaldiff-copy/'];
  const args = [...format, commit, '.', ':(exclude)__tests__'];
  const archive = execFileSync('git', args, { cwd: bare, maxBuffer: 1 << 28 });
  archives.set(commit, archive);
  return archive;
}

/**
 * GitHub's archives of one repository, by tag or commit, behind a proxy. As on GitHub, the first
 * address redirects to a second host.
 */
export async function startGitHubArchives(
  repository: string,
  bare: string,
  pair: KeyPair,
): Promise<GitHubArchives> {
  const archives = new Map<string, Buffer>();
  const server = https.createServer(pair, (request, response) => {
    const { host } = request.headers;
    const [, ref = ''] =
      new RegExp(`^/${repository}/(?:archive/([^/]+)\\.tar\\.gz|tar\\.gz/([^/]+))$`)
        .exec(request.url ?? '')
        ?.filter((part) => part !== undefined) ?? [];
    try {
      const commit = gitAt(bare, 'rev-parse', '--verify', `${ref}^{commit}`);
      if (host === 'github.com') {
        const location = `https://codeload.github.com/${repository}/tar.gz/${ref}`;
        return void response.writeHead(302, { location }).end();
      }
      response.end(archives.get(commit) ?? archiveOf(bare, commit, archives));
    } catch {
      response.writeHead(404).end();
    }
  });
  const open = await listen(server);
  const closing: (() => void)[] = [];
  const proxy = tunnelProxy((request) => {
    const host = request.url?.split(':')[0] ?? '';
    request.url = `${host}:${open.port}`;
    return GITHUB_HOSTS.includes(host) ? 200 : 403;
  }, closing);
  const { url, close } = await listen(proxy);
  return {
    proxy: url,
    async close() {
      for (const end of closing) end();
      await close();
      await open.close();
    },
  };
}
