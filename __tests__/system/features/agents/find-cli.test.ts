import {
  chmodSync,
  existsSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { findCli } from '../../../../src/features/agents/rows/find-cli.ts';
import { agentRow } from '../../../../src/features/agents/rows/index.ts';
import { versionFault } from '../../../../src/features/agents/rows/versions.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';

const VERSION = '0.171.0';

let root: string;

beforeEach(() => {
  root = realpathSync(temporaryFolder('cli'));
  chmodSync(root, 0o755);
});

const at = (...path: string[]) => join(root, ...path);

function write(path: string, text: string, mode = 0o644) {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
  chmodSync(at(path), mode);
}

/** Creates the files of the Codex CLI as npm installs it. */
function install(folder: string, version: string) {
  const name = `${folder}/node_modules/@openai/codex`;
  write(`${name}/package.json`, JSON.stringify({ name: '@openai/codex', version }));
  write(`${name}/bin/codex.js`, '#!/usr/bin/env node\n', 0o755);
  mkdirSync(at(`${folder}/node_modules/.bin`), { recursive: true });
  symlinkSync('../@openai/codex/bin/codex.js', at(`${folder}/node_modules/.bin/codex`));
}

function find(env: Record<string, string> = {}) {
  const PATH = `${at('tools')}:/usr/bin:/bin`;
  const tools = { project: at('project'), env: { PATH, ...env } };
  return findCli(agentRow('codex'), VERSION, tools);
}

const found = (folder: string) => ({
  bin: [realpathSync(process.execPath), at(folder, 'node_modules/@openai/codex/bin/codex.js')],
  version: VERSION,
  folders: [at(folder, 'node_modules'), dirname(realpathSync(process.execPath))],
});

describe("the search for an agent's pinned CLI", () => {
  test("uses the project's own installation", async () => {
    install('project', VERSION);
    expect(await find()).toEqual(found('project'));
  });

  test('uses the installation on PATH if the project has another version', async () => {
    install('project', '0.100.0');
    install('global', VERSION);
    expect(await find({ PATH: at('global/node_modules/.bin') })).toEqual(found('global'));
  });

  test.each([
    ['is not there', () => undefined, 'is not installed from npm, and'],
    [
      'has another version',
      () => install('project', '0.100.0'),
      'is not installed from npm (found 0.100.0 in ',
    ],
  ])('says how to install it if it %s, and installs nothing', async (_, prepare, why) => {
    prepare();
    write('tools/npm', `#!/bin/sh\ntouch '${at('npm-ran')}'\n`, 0o755);
    expect(await find()).toEqual({
      problem: expect.stringMatching(
        /^codex 0\.171\.0 .+ before evaldiff, .+: npm install --global @openai\/codex@0\.171\.0$/,
      ),
    });
    expect(await find()).toEqual({ problem: expect.stringContaining(why) });
    expect(existsSync(at('npm-ran'))).toBe(false);
  });

  test.each(['project/node_modules/.bin', 'tools'])(
    'never starts a program in %s that is not of the npm package',
    async (folder) => {
      write(
        `${folder}/codex`,
        `#!/bin/sh\ntouch ${at('ran')}; echo "codex-cli ${VERSION}"\n`,
        0o755,
      );
      expect(await find()).toEqual({
        problem: expect.stringContaining('is not installed from npm'),
      });
      expect(existsSync(at('ran'))).toBe(false);
    },
  );
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
