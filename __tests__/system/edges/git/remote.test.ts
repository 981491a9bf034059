import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filePathsBelow } from '../../../../scripts/entries-below.ts';
import { configuredAddress, serverAddress } from '../../../../src/edges/git/remote.ts';
import { startGitServer } from '../../../stand-ins/git-server.ts';
import {
  bareOrigin,
  createRepository,
  fixtureEnvironment,
  temporaryFolder,
} from '../../../stand-ins/repository.ts';
import { gitAfter, using } from './opened-repository.ts';

const TOKEN = 'ghs_tokenOfThisRun0123456789abcdef';
const SECRET = Buffer.from(`x-access-token:${TOKEN}`).toString('base64');

describe('the remote of a workflow', () => {
  test('is sent the token, which appears in no command-line argument and no file', async () => {
    const source = createRepository();
    const head = source.commit('one', { 'a.yaml': 'a\n' });
    const server = await startGitServer(bareOrigin(source), 'acme/prompts', TOKEN);
    const seen = join(temporaryFolder(), 'arguments');
    const bin = gitAfter(`printf '%s\\n' "$PWD $*" >> '${seen}'`);
    const workspace = temporaryFolder('workspace');
    await using(
      workspace,
      async (opened, temporary) => {
        await opened.ensureCommit(head, { side: 'head' });
        expect(await opened.text(head, 'a.yaml')).toBe('a\n');
        const files = filePathsBelow(temporary).map((path) => join(temporary, path));
        expect(files.length).toBeGreaterThan(3);
        for (const path of files) {
          const text = readFileSync(path, 'latin1');
          expect(text.includes(TOKEN) || text.includes(SECRET)).toBe(false);
        }
      },
      fixtureEnvironment({ PATH: bin, http_proxy: '', no_proxy: '*' }),
      serverAddress(server.url, 'acme/prompts', TOKEN),
    ).finally(() => server.close());
    const commands = readFileSync(seen, 'utf8');
    expect(commands).not.toContain(TOKEN);
    expect(commands).not.toContain(SECRET);
    // Every git process starts outside the workspace and gets its repository as an argument.
    for (const line of commands.trimEnd().split('\n')) {
      expect(line.startsWith(workspace)).toBe(false);
      expect(line).toMatch(/ -c safe\.bareRepository=explicit /);
      expect(line).toMatch(/ --git-dir=\S+store\.git /);
    }
    expect(server.requests.every(({ authorization }) => authorization !== null)).toBe(true);
  });

  test('has an address made of server and repository, and sends the token to that server only', () => {
    const { url, settings } = serverAddress('https://github.example/', 'acme/prompts', TOKEN);
    expect(url).toBe('https://github.example/acme/prompts');
    expect(settings).toContainEqual([
      'http.https://github.example/.extraheader',
      `AUTHORIZATION: basic ${SECRET}`,
    ]);
    expect(settings).toContainEqual(['http.followRedirects', 'false']);
    expect(serverAddress('https://github.example', 'acme/prompts', '').settings).toEqual([
      ['credential.helper', ''],
      ['http.followRedirects', 'false'],
    ]);
  });
});

describe('the remote that a checkout configures', () => {
  test.each([
    [{ b: 'https://b', origin: 'https://o' }, 'https://o'],
    [{ b: 'https://b', a: 'https://a' }, 'https://a'],
    [{ origin: '../other.git' }, '/work/other.git'],
    [{ origin: 'git@host:a/b.git' }, 'git@host:a/b.git'],
    [{ origin: '/abs/path.git' }, '/abs/path.git'],
  ])('is chosen from the configured remotes %j: %s', (remotes, url) => {
    const settings = Object.entries(remotes).map(
      ([name, value]) => [`remote.${name}.url`, value] as [string, string],
    );
    expect(configuredAddress(settings, '/work/project')?.url).toBe(url);
  });

  test("has its connection settings applied to evaldiff's own remote", () => {
    const kept: [string, string][] = [
      ['http.https://o/.extraheader', 'X: y'],
      ['url.ssh://o/.insteadof', 'https://o/'],
    ];
    const settings: [string, string][] = [
      ['remote.origin.url', 'https://o'],
      ['remote.origin.proxy', 'http://proxy'],
      ['remote.other.proxy', 'http://other'],
      ...kept,
    ];
    expect(configuredAddress(settings, '/work')?.settings).toEqual([
      ['remote.evaldiff.proxy', 'http://proxy'],
      ...kept,
    ]);
    expect(configuredAddress([], '/work')).toBeNull();
  });
});
