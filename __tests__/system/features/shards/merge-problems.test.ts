import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storeOf } from '../../../stand-ins/kept.ts';
import { startModelServer, type ModelServer } from '../../../stand-ins/models/server.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { promptSaying, openShop, type Shop } from '../../../unit/app/commands/shop.ts';

/** Shared by all tests, because its address is part of every shard. */
let server: ModelServer;
let shop: Shop;
beforeAll(async () => {
  server = await startModelServer({ answer: () => ({ text: 'Yes, 5' }) });
});
beforeEach(async () => {
  server.requests.length = 0;
  shop = await openShop({ references: 6, server });
});
afterAll(async () => {
  await server.close();
});

const FOLDERS = ['evaldiff-shard-1-of-2', 'evaldiff-shard-2-of-2'] as const;
const at = (...path: string[]) => join(shop.repository.directory, ...path);

async function bothShards(...more: string[]) {
  for (const shard of ['1/2', '2/2'])
    expect(await shop.evaldiff('run', '--shard', shard, ...more)).toMatchObject({ code: 0 });
}

let parts: string | null = null;

/** Evaluates both shards once and copies them for each test. */
async function givenShards() {
  if (parts === null) {
    await bothShards();
    parts = temporaryFolder('parts');
    for (const folder of FOLDERS) cpSync(at(folder), join(parts, folder), { recursive: true });
  } else for (const folder of FOLDERS) cpSync(join(parts, folder), at(folder), { recursive: true });
}

type Manifest = Record<string, unknown> & {
  files: Record<string, { bytes: number; sha256: string }>;
  counts: Record<string, number>;
};

const LEAST = 'WHERE key = (SELECT min(key) FROM completions)';

const put = (folder: string, name: string, data: string | Uint8Array) =>
  writeFileSync(at(folder, name), data);

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(at(folder, 'manifest.json'), 'utf8')) as Manifest;

const editManifest = (folder: string, changes: Partial<Manifest>) =>
  put(folder, 'manifest.json', JSON.stringify({ ...manifestOf(folder), ...changes }));

/** Updates the file's hash, as a forger would. */
function seal(folder: string, name: string) {
  const data = readFileSync(at(folder, name));
  const own = { bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') };
  editManifest(folder, { files: { ...manifestOf(folder).files, [name.split('.')[0]!]: own } });
}

function editAnswers(folder: string, sql: string) {
  const db = new DatabaseSync(at(folder, 'answers.sqlite'));
  db.exec(sql);
  db.close();
}

/** Merges both folders and checks that no model is called. */
async function merged(...argv: string[]) {
  const asked = shop.server.requests.length;
  const { code, out, err } = await shop.evaldiff(
    'merge',
    ...(argv.length === 0 ? FOLDERS : argv),
    '--store',
    'merged.sqlite',
  );
  expect(shop.server.requests).toHaveLength(asked);
  expect([code, out]).toEqual([2, '']);
  return err;
}

const [FIRST, SECOND] = FOLDERS;
const answersOf = (folder: string): Buffer => readFileSync(at(folder, 'answers.sqlite'));

describe('a shard', () => {
  test.each([
    ...['5/4', '0/3', 'a/b', '1', '1/300', ''].map((shard): [string[], string] => [
      ['--shard', shard],
      '--shard: must be i/n',
    ]),
    [
      ['--shard-to', 'part'],
      '--shard-to: sets the folder of one part; also set --shard i/n, like 2/4',
    ],
    [
      ['--shard', '1/2', '--report', 'out'],
      '--report: a shard has no report; use it with evaldiff merge',
    ],
    [
      ['--shard', '1/2', '--results', 'out.csv'],
      '--results: a shard has no report; use it with evaldiff merge',
    ],
  ])('with the options %j is refused before any paid call', async (argv, message) => {
    const { code, err } = await shop.evaldiff('run', ...argv);
    expect([code, shop.server.requests.length]).toEqual([2, 0]);
    expect(err).toContain(message);
  });

  test('does not overwrite other files, but replaces its earlier result', async () => {
    mkdirSync(at('mine'));
    writeFileSync(at('mine', 'notes.txt'), 'mine');
    const { code, err } = await shop.evaldiff('run', '--shard', '1/2', '--shard-to', 'mine');
    expect(code).toBe(2);
    expect(err).toMatch(
      /--shard-to: .*mine holds other files \(notes\.txt\); choose another folder/,
    );
    await bothShards();
    await bothShards();
    expect(await shop.evaldiff('merge', ...FOLDERS)).toMatchObject({ code: 0 });
  });

  test('is refused if models use batches, because sharding does not make batches faster', async () => {
    shop.repository.write({
      'evaldiff.yaml': 'transport: batch\n',
      'prompts/ask.yaml':
        'name: ask\nmodel: gpt-4o\ndefaults: [tests/ask]\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "{q}" }]\n',
    });
    const { code, err } = await shop.evaldiff('run', '--shard', '1/2');
    expect([code, shop.server.requests.length]).toEqual([2, 0]);
    expect(err).toBe(
      'shard: calls of gpt-4o use transport: batch. Shards do not speed up batches, because a job only waits for the vendor. Run the sweep without shard, or set transport: direct.\n',
    );
  });

  test("reports errors in the project's files like an unsharded sweep", async () => {
    shop.repository.write({ 'prompts/ask.yaml': 'name: ask\n' });
    const { code, err } = await shop.evaldiff('run', '--shard', '1/2');
    expect(code).toBe(2);
    expect(err).toContain('prompts/ask.yaml');
  });
});

describe('a merge is refused with advice when', () => {
  test("a shard is missing, and the advice lists the shard's references", async () => {
    await givenShards();
    expect(manifestOf(SECOND).counts['references']).toBe(3);
    expect(await merged(FIRST)).toMatch(
      /shard 2\/2 is missing: it omits 3 references \(ask: r\d, ask: r\d, ask: r\d\)\. Run it, and pass its folder too\./,
    );
  });

  test("a shard's result appears twice", async () => {
    await givenShards();
    expect(await merged(...FOLDERS, SECOND)).toContain(
      'shard 2/2 exists twice. Evaluate each part in one job only.',
    );
  });

  test('the sweep was split differently', async () => {
    await givenShards();
    await shop.evaldiff('run', '--shard', '3/3');
    expect(await merged(...FOLDERS, 'evaldiff-shard-3-of-3')).toContain(
      'these parts come from sweeps with different shard counts: shard 1/2, shard 2/2, shard 3/3. Every job needs the same n in shard: i/n.',
    );
  });

  test('the shards used different files', async () => {
    await shop.evaldiff('run', '--shard', '1/2');
    shop.repository.write(promptSaying('Please answer: {q}'));
    await shop.evaldiff('run', '--shard', '2/2');
    expect(await merged()).toContain(
      'shard 1/2 planned a different sweep from the merge: its prompts, tests, rubrics or settings differ. Give every job of the sweep, the merge included, the same commit',
    );
  });

  test('the shards were run with different options', async () => {
    await shop.evaldiff('run', '--shard', '1/2', '--max-calls', '100');
    await shop.evaldiff('run', '--shard', '2/2', 'n_tries=1');
    const err = await merged();
    expect(err).toContain(
      'shard 1/2 and the merge differ in max-calls: "100" and not set. Give every job of the sweep the same --max-calls.',
    );
    expect(err).toContain(
      'shard 2/2 and shard 1/2 differ in overrides: "n_tries=1" and not set. Give every job of the sweep the same key=value.',
    );
    // Even if the merge's own caps are too low for its plan.
    for (const [name, value] of [
      ['max-calls', '1'],
      ['max-cost', '0.000001'],
    ] as const)
      expect(await merged(...FOLDERS, `--${name}`, value)).toContain(
        `shard 2/2 and the merge differ in ${name}: not set and "${value}". Give every job of the sweep the same --${name}.`,
      );
  });

  test.each([
    [
      ['--endpoint', 'other=http://127.0.0.1:9/v1'],
      'endpoints: "local \\([0-9a-f]{16}\\)" and "local \\([0-9a-f]{16}\\), other \\([0-9a-f]{16}\\)". Give every job of the sweep the same --endpoint.',
    ],
    [['--code', 'off'], 'code: "sandbox" and "off". Give every job of the sweep the same --code.'],
    [
      ['--code-env', 'LANG'],
      'code-env: not set and "LANG". Give every job of the sweep the same --code-env.',
    ],
    [
      ['--config', './evaldiff.yaml'],
      'config: "evaldiff.yaml" and "./evaldiff.yaml". Give every job of the sweep the same --config.',
    ],
  ])('the merge has other options: %j', async (argv, message) => {
    await givenShards();
    const err = await merged(...FOLDERS, ...argv);
    for (const shard of ['1/2', '2/2'])
      expect(err).toMatch(new RegExp(`^shard ${shard} and the merge differ in ${message}`, 'm'));
  });

  test.each(['n_tries=\u001b[2J', '= no key \u001b[2J', 'unknown.key=\u001b[2J'])(
    "a shard's overrides are invalid: %j",
    async (overrides) => {
      await givenShards();
      for (const folder of FOLDERS)
        editManifest(folder, {
          inputs: { ...(manifestOf(folder)['inputs'] as object), overrides },
        });
      const asked = shop.server.requests.length;
      const { code, out, err } = await shop.evaldiff('merge', ...FOLDERS);
      expect([code, shop.server.requests.length]).toEqual([2, asked]);
      expect(out + err).toContain(`overrides: ${overrides.replace('\u001b', '\\u{1b}')}: `);
      expect(out + err).not.toContain('\u001b');
    },
  );

  test('only overrides are given', async () => {
    expect(await merged('n_tries=1')).toBe('merge: name the folders of all parts\n');
  });

  test('the shards ran on another commit, trust level or version', async () => {
    await givenShards();
    editManifest(FIRST, { head: 'a'.repeat(40) });
    editManifest(SECOND, { evaldiff: '0.9.0' });
    const err = await merged();
    expect(err).toContain(
      `shard 1/2 and the merge differ in commit: "${'a'.repeat(40)}" and "uncommitted files". Give every job of the sweep the same commit.`,
    );
    expect(err).toMatch(
      /shard 2\/2 and the merge differ in evaldiff version: "0\.9\.0" and "\d+\.\d+\.\d+"\. Give every job of the sweep the same evaldiff version\./,
    );
    editManifest(FIRST, { head: 'worktree', trust: 'untrusted' });
    expect(await merged()).toContain(
      'shard 1/2 and the merge differ in trust level: "untrusted" and "member".',
    );
  });

  test.each<[string, (folder: string) => void, string]>([
    [
      'a file was cut',
      (folder) => put(folder, 'answers.sqlite', answersOf(folder).subarray(0, 5000)),
      'is damaged: answers.sqlite is not what shard 1/2 wrote. Run that shard again.',
    ],
    [
      'lines were added',
      (folder) => appendFileSync(at(folder, 'others.jsonl'), '{}\n'),
      'is damaged: others.jsonl',
    ],
    [
      'a file is missing',
      (folder) => rmSync(at(folder, 'others.jsonl')),
      'is not a part of a sweep, which has exactly the files',
    ],
    [
      'an unexpected file is there',
      (folder) => put(folder, '..run.sh', ''),
      'is not a part of a sweep, which has exactly the files',
    ],
    [
      'a file is a link',
      (folder) => {
        renameSync(at(folder, 'others.jsonl'), at('elsewhere'));
        symlinkSync(at('elsewhere'), at(folder, 'others.jsonl'));
      },
      'others.jsonl is not a regular file.',
    ],
    [
      'a manifest is too large',
      (folder) => put(folder, 'manifest.json', ' '.repeat(1024 * 1024 + 1)),
      'manifest.json is 1048577 bytes; the limit is 1048576.',
    ],
    [
      'a manifest is not JSON',
      (folder) => put(folder, 'manifest.json', '{"part_version": 1'),
      'manifest.json is not the manifest of a part (field part_version: ',
    ],
    [
      'a manifest is of another version',
      (folder) => editManifest(folder, { part_version: 2 }),
      'manifest.json is not the manifest of a part (field part_version: ',
    ],
    [
      'a manifest lies about its place',
      (folder) => editManifest(folder, { shard: { index: 3, count: 2 } }),
      'manifest.json is not the manifest of a part (field shard: is outside the sweep).',
    ],
    [
      'a manifest has more to say',
      (folder) => editManifest(folder, { __proto__x: 1 }),
      'manifest.json is not the manifest of a part',
    ],
    [
      'the folder is none',
      (folder) => rmSync(at(folder), { recursive: true }),
      'evaldiff-shard-1-of-2 is not a folder that can be read.',
    ],
  ])('%s', async (_what, harm, message) => {
    await givenShards();
    harm(FIRST);
    const err = await merged();
    expect(err).toContain(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  test.each<[string, (folder: string) => void, string]>([
    [
      'a database of another program',
      (folder) => {
        rmSync(at(folder, 'answers.sqlite'));
        editAnswers(folder, 'CREATE TABLE a (b)');
      },
      'shard 1/2 cannot be used (answers.sqlite: is a database of another program). Run that shard again.',
    ],
    [
      'a store of a newer version',
      (folder) => editAnswers(folder, 'PRAGMA user_version = 9'),
      'shard 1/2 cannot be used (answers.sqlite: has store version 9; this evaldiff knows 3).',
    ],
    [
      'no database',
      (folder) => put(folder, 'answers.sqlite', 'garbage '.repeat(100)),
      'shard 1/2 cannot be used (answers.sqlite: is not a database).',
    ],
    [
      'an answer that was altered',
      (folder) =>
        editAnswers(folder, `UPDATE completions SET body = replace(body, 'Yes', 'No!') ${LEAST}`),
      'shard 1/2 cannot be used (only 5 of 6 answers match their key).',
    ],
  ])('a forged shard result contains %s', async (_what, forge, message) => {
    await givenShards();
    forge(FIRST);
    seal(FIRST, 'answers.sqlite');
    expect(await merged()).toContain(message);
  });

  test('a forged shard result has an invalid line', async () => {
    await givenShards();
    put(FIRST, 'others.jsonl', '{"key": "k", "completion": {"status": "ok"}}\n');
    seal(FIRST, 'others.jsonl');
    expect(await merged()).toContain(
      'shard 1/2 cannot be used (others.jsonl: line 1 is not an answer). Run that shard again.',
    );
  });
});

describe('a merge', () => {
  test.each([
    ["uses the shards' overrides", ['n_tries=1'], []],
    ['accepts overrides like run', ['n_tries=1'], ['n_tries=1']],
    ['uses a sweep of the shards', ['n_tries=1', 'temperature=0,0.7'], []],
    ['uses a filter of the shards', ['references=r1,r2,r3'], []],
    ['uses a gate setting of the shards', ['n_tries=1', 'gate.min_pass_rate=0.5'], []],
  ])('%s', async (_what, overrides, given) => {
    await bothShards(...overrides);
    const whole = await shop.result('run', ...overrides);
    const asked = shop.server.requests.length;
    const { code, out, err } = await shop.evaldiff('merge', ...FOLDERS, ...given, '--json');
    expect([code, err]).toEqual([0, expect.stringContaining('2 shards made')]);
    expect(shop.server.requests).toHaveLength(asked);
    const { suites } = JSON.parse(out) as typeof whole;
    expect(suites).toEqual(whole.suites);
  });

  test('takes a folder whose name contains an equals sign as a folder', async () => {
    await givenShards();
    renameSync(at(SECOND), at('n_tries=1'));
    expect(await shop.evaldiff('merge', FIRST, 'n_tries=1')).toMatchObject({ code: 0 });
  });
});

describe('answers in merged shard results', () => {
  test("are stored in the project's own store for later runs, even if a shard is missing", async () => {
    for (const shard of ['1/2', '2/2']) await shop.evaldiff('run', '--shard', shard, '--no-store');
    expect(shop.server.requests).toHaveLength(12);
    expect(await shop.evaldiff('merge', FIRST)).toMatchObject({ code: 2 });
    const { usage } = await shop.result('run');
    expect(usage).toMatchObject({ calls: 6, reused: 6 });
  });

  test('cause an error that names the store, not a shard, if the store cannot be written', async () => {
    await givenShards();
    writeFileSync(at('plain'), '');
    const { code, err } = await shop.evaldiff('merge', ...FOLDERS, '--store', 'plain/store.sqlite');
    expect(code).toBe(2);
    expect(err).toMatch(
      /plain\/store\.sqlite: the answers of shard 2\/2 could not be stored, .* Free space or use another file \(--store/,
    );
    expect(err).not.toContain('Run that shard again');
    expect((await shop.evaldiff('merge', ...FOLDERS, '--no-store')).code).toBe(0);
  });

  test('are not stored if no store is wanted', async () => {
    await bothShards();
    copyFileSync(storeOf(shop.repository.directory).file, at('before.sqlite'));
    const { code, err } = await shop.evaldiff('merge', ...FOLDERS, '--no-store');
    expect(code).toBe(0);
    expect(err).toContain('2 shards made 12 model calls, 0 reused');
    expect(readFileSync(storeOf(shop.repository.directory).file)).toEqual(
      readFileSync(at('before.sqlite')),
    );
  });
});
