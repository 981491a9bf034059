import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { findCli, versionFault } from '../../../../src/features/agents/rows/find-cli.ts';
import { agentRow } from '../../../../src/features/agents/rows/index.ts';

const VERSION = '0.171.0';

let root: string;
let said: string[];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'cli-')));
  said = [];
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (...path: string[]): string => join(root, ...path);

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
  chmodSync(at(path), mode);
}

/** Creates the files of the Codex CLI as npm installs it. */
function install(folder: string, version: string): void {
  const name = `${folder}/node_modules/@openai/codex`;
  write(`${name}/package.json`, JSON.stringify({ name: '@openai/codex', version }));
  write(`${name}/bin/codex.js`, '#!/usr/bin/env node\n', 0o755);
  mkdirSync(at(`${folder}/node_modules/.bin`), { recursive: true });
  symlinkSync('../@openai/codex/bin/codex.js', at(`${folder}/node_modules/.bin/codex`));
}

/** Creates a fake `npm` that records its environment and copies `from` to its `--prefix`. */
function standInNpm(script: string): void {
  write('tools/npm', `#!/bin/sh\nenv > '${at('npm-env')}'\n${script}\n`, 0o755);
}

const find = (env: Record<string, string> = {}, row = agentRow('codex')) =>
  findCli(row, VERSION, {
    project: at('project'),
    cache: at('cache'),
    env: { PATH: `${at('tools')}:/usr/bin:/bin`, ...env },
    say: (line) => said.push(line),
  });

const found = (folder: string) => ({
  bin: [realpathSync(process.execPath), at(folder, 'node_modules/@openai/codex/bin/codex.js')],
  version: VERSION,
  folders: [at(folder, 'node_modules'), dirname(realpathSync(process.execPath))],
});

describe("the search for an agent's pinned CLI", () => {
  test("uses the project's own installation", async () => {
    install('project', VERSION);
    expect(await find()).toEqual(found('project'));
    expect(said).toEqual([]);
  });

  test('uses the installation on PATH if the project has another version', async () => {
    install('project', '0.100.0');
    install('global', VERSION);
    expect(await find({ PATH: at('global/node_modules/.bin') })).toEqual(found('global'));
  });

  test('installs the CLI once with npm, which does not get the API keys', async () => {
    install('registry', VERSION);
    standInNpm(`cp -a '${at('registry')}/.' "$3"`);
    install('project', '0.100.0');
    expect(await find({ OPENAI_API_KEY: 'sk-secret' })).toEqual(found(`cache/codex-${VERSION}`));
    expect(said).toEqual([
      `Installing codex ${VERSION} from npm (found 0.100.0 in ${at('project/node_modules/.bin')}).`,
    ]);
    expect(readFileSync(at('npm-env'), 'utf8')).not.toContain('sk-secret');
    rmSync(at('npm-env'));
    expect(await find()).toEqual(found(`cache/codex-${VERSION}`));
    expect(existsSync(at('npm-env'))).toBe(false);
    expect(readdirSync(at('cache'))).toEqual([`codex-${VERSION}`]);
  });

  test('reports the reason and the fix if npm cannot install the CLI', async () => {
    standInNpm('echo "npm error 404 Not Found" >&2; exit 1');
    expect(await find()).toEqual({
      problem:
        `codex ${VERSION} is missing, and npm could not install it: npm error 404 Not Found. ` +
        `Install it in an earlier step: npm install --global @openai/codex@${VERSION}`,
    });
    expect(readdirSync(at('cache'))).toEqual([]);
  });

  test('finds the version of a CLI that is not an npm package by running it', async () => {
    write('tools/codex', `#!/bin/sh\necho "codex-cli ${VERSION}"\n`, 0o755);
    expect(await find()).toEqual({
      ...{ bin: [at('tools/codex')], version: VERSION, folders: [at('tools')] },
    });
    // The sandbox must not be able to read the user's home.
    expect(await find({ HOME: at('tools/me') })).toMatchObject({ folders: [at('tools/codex')] });
  });
});

describe('the version of an agent', () => {
  test.each([
    ['codex', VERSION, null],
    [
      'codex',
      '0.9.3',
      `codex 0.9.3 is too old: evaldiff needs ${agentRow('codex').npm?.oldest} or newer; write \`agent: codex@${VERSION}\``,
    ],
    ['codex', 'latest', `"latest" is not a version of codex; write \`agent: codex@${VERSION}\``],
    ['command', '1.0.0', 'command has no version; write only `command`'],
  ] as const)('is accepted or rejected with a fix: %s@%s', (name, version, message) => {
    expect(versionFault(agentRow(name), version)).toBe(message);
  });
});
