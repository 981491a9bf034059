import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShop, type Shop } from '../../../unit/app/commands/shop.ts';

const keysSent = ({ server }: Shop): unknown[] => [
  ...new Set(server.requests.map(({ headers }) => headers['authorization'])),
];

test('an invalid proxy is reported with the variable that set it', async () => {
  const { evaldiff } = await openShop({ env: { EVALDIFF_PROXY: 'http://proxy' } });
  expect((await evaldiff('plan')).err).toContain('EVALDIFF_PROXY: must have a port');
  expect((await evaldiff('plan', '--proxy', 'https://x')).err).toContain(
    '--proxy: must have a port',
  );
});

describe('the .env file', () => {
  test('supplies only missing keys that the run needs, and reports their names once', async () => {
    const held = await openShop({
      env: { LOCAL_KEY: undefined, EVALDIFF_STORE: undefined, OPENAI_API_KEY: undefined },
    });
    held.repository.write({
      '.env': `LOCAL_KEY="from the file"\nEVALDIFF_STORE=${join(held.repository.directory, 'elsewhere.sqlite')}\nNODE_OPTIONS=--nothing\nOPENAI_API_KEY=\n`,
    });
    const { code, err } = await held.evaldiff('run');
    expect([code, keysSent(held)]).toEqual([0, ['Bearer from the file']]);
    expect(err.split('.env: took LOCAL_KEY\n')).toHaveLength(2);
    expect(err).not.toContain('EVALDIFF_STORE');
    expect(err).not.toContain('from the file');
    expect(held.repository.git('status', '--short', '--ignored')).not.toContain('elsewhere');
  });

  test("causes a notice at its line, without the key, if it misspells a key's name", async () => {
    const held = await openShop({ env: { LOCAL_KEY: undefined } });
    held.repository.write({
      '.env':
        '# LOCAL_KEY is below\nGROQ_API_KEY=\nMISTRAL_API_KEY=x\nexport MISTRAL_API_KEY\nexport LOCAL_KEY: secret-words\n',
      '.gitignore': '.env\n',
    });
    const { err } = await held.evaldiff('run');
    expect(err.match(/^\.env.*/gm)).toEqual([
      '.env:5: gives LOCAL_KEY no value; write LOCAL_KEY=…',
      '.env: took MISTRAL_API_KEY',
    ]);
    expect(err).not.toContain('secret-words');
  });

  test('never overrides variables of the environment', async () => {
    const held = await openShop();
    held.repository.write({ '.env': 'LOCAL_KEY=from-the-file\n', '.gitignore': '.env\n' });
    const { err } = await held.evaldiff('run');
    expect([keysSent(held), err.includes('.env')]).toEqual([['Bearer key-1'], false]);
  });

  test('causes one warning if git would commit its keys, with the line for .gitignore', async () => {
    const warned = async (...argv: string[]): Promise<string[]> => {
      const { err } = await held.evaldiff(...argv);
      return err.match(/\.env: git .*/g) ?? [];
    };
    const held = await openShop();
    held.repository.write({ '.env': 'LOCAL_KEY=from-the-file\n' });
    const uncovered =
      '.env: git does not ignore this file, so a commit may include its keys; add the line ".env" to .gitignore';
    expect([await warned('run'), await warned('diff')]).toEqual([[uncovered], [uncovered]]);
    held.repository.write({ '.gitignore': '.env\n' });
    expect(await warned('run')).toEqual([]);
    held.repository.git('add', '--force', '.env');
    expect(await warned('run')).toEqual([
      expect.stringContaining(
        'git tracks this file, which contains keys; add the line ".env" to .gitignore',
      ),
    ]);
    held.repository.write({ '.env': 'PORT=3000\n' });
    expect(await warned('run')).toEqual([]);
  });

  test('does not stop a run if it cannot be read', async () => {
    const held = await openShop();
    writeFileSync(join(held.repository.directory, '.env'), Buffer.from([0xff, 0xfe, 0, 10, 61]));
    expect((await held.evaldiff('run')).code).toBe(0);
  });
});

describe('the settings file', () => {
  test('is found in a parent folder, up to the root of the checkout, and the run reports this', async () => {
    const held = await openShop();
    held.repository.write({ 'prompts/deeper/notes.txt': '' });
    const { code, out, err } = await held.inFolder('prompts/deeper', 'validate');
    expect([code, out]).toEqual([0, '1 prompt with 4 references: no errors\n']);
    expect(err).toBe('project: ../.. (its settings file was found there)\n');
  });

  test('is read from the nearest parent folder, or only from the folder that --directory names', async () => {
    const held = await openShop();
    held.repository.write({
      'services/chat/evaldiff.yaml': 'n_tries: 1\n',
      'services/chat/prompts/own.yaml':
        'name: own\nmodel: gpt-4o\nprompt: hi\ntests: { metrics: [{ uses: is_json }], references: [{}] }\n',
      'services/chat/src/a.txt': '',
    });
    const nearer = await held.inFolder('services/chat/src', 'validate');
    expect(nearer.out).toBe('1 prompt with 1 reference: no errors\n');
    const named = await held.inFolder('services', 'validate', '--directory', '..');
    expect([named.out, named.err]).toEqual(['1 prompt with 4 references: no errors\n', '']);
  });
});

describe('words from other tools', () => {
  test.each([
    ['eval', 'npx evaldiff run evaluates the files as they are'],
    ['watch', 'npx evaldiff run --watch'],
  ])('%s is an unknown command, and the right one is suggested', async (verb, hint) => {
    const { evaldiff } = await openShop();
    const { code, out, err } = await evaldiff(verb, '--verbose');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(`unknown command '${verb}'\n(${hint}`);
  });

  test.each(['run', 'diff', 'plan', 'noise'])(
    '%s rejects an unknown key before any model call and suggests the right one',
    async (command) => {
      const { evaldiff, server } = await openShop();
      const said = await Promise.all(
        ['refrences=r1', 'refs=r1', 'tag=slow', 'n_trys=3', 'repeat=3'].map((line) =>
          evaldiff(command, line),
        ),
      );
      expect(said.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
      expect(said.map(({ out, err }) => /did you mean "(\w+)"/.exec(`${out}${err}`)?.[1])).toEqual([
        'references',
        'references',
        'tags',
        'n_tries',
        'n_tries',
      ]);
      expect(server.requests).toEqual([]);
    },
  );
});
