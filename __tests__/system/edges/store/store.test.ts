import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UserError } from '../../../../src/errors.ts';
import { partsOf } from '../../../../src/types/answer.ts';
import type { Completion } from '../../../../src/types/model.ts';
import { said } from '../../../unit/edges/providers/providers-setting.ts';
import { asks, keyOf, ok, setUp, START, type Setting } from '../../../unit/edges/store/setting.ts';

/** The id of an account without permissions. */
const NOBODY = 65_534;

let setting: Setting;
beforeEach(() => void (setting = setUp()));
afterEach(() => setting.remove());

/** Opens the store, makes a call and closes the store, as a run does. */
async function run(
  contents: string[],
  changes: Parameters<Setting['open']>[0] = {},
  reply?: (content: string) => Completion,
) {
  const { store, wrapped, asked } = opened(changes, reply);
  const completions: Completion[] = [];
  for (const content of contents) completions.push(await wrapped(asks(content)));
  store.close();
  return { completions, asked };
}

/** An open store in front of a model. */
function opened(
  changes: Parameters<Setting['open']>[0] = {},
  reply?: (content: string) => Completion,
) {
  const { complete, asked } = setting.model(reply);
  const store = setting.open(changes);
  return { store, asked, wrapped: store.wrap(complete, keyOf) };
}

const matching = (pattern: RegExp) => [expect.stringMatching(pattern)];

function sql(text: string, file = setting.file) {
  const db = new DatabaseSync(file);
  db.exec(text);
  db.close();
}

describe('a stored answer', () => {
  test('is reused by the next run, with the usage and latency of the paid call', async () => {
    expect((await run(['a'])).asked).toEqual(['a']);
    const { completions, asked } = await run(['a']);
    expect(asked).toEqual([]);
    expect(completions).toEqual([ok('re a', { reused: true, stored: true })]);
  });

  test('keeps its tool calls, how it ended and the model that answered', async () => {
    const answer = ok('', {
      parts: partsOf('', [{ name: 'find', arguments: '{"q": 1}' }]),
      usage: null,
      ended: 'other',
      ended_as: 'novel',
    });
    const made = { model: 'model-1-2026-01-01', fingerprint: 'fp_1', at: START };
    await run(['a'], {}, () => ({ ...answer, served: made }) as Completion);
    const stored = { ...answer, served: made, reused: true, stored: true };
    expect((await run(['a'])).completions).toEqual([stored]);
  });

  test('is replaced when the call is repeated', async () => {
    await run(['a']);
    const { store, wrapped } = opened({}, () => ok('later'));
    expect(await wrapped({ ...asks('a'), anew: true })).toEqual(ok('later'));
    store.close();
    expect((await run(['a'])).completions).toEqual([ok('later', { reused: true, stored: true })]);
  });

  test('is not used for another try, message or model', async () => {
    await run(['a']);
    const { store, wrapped, asked } = opened();
    const other = { ...asks('a'), parameters: { temperature: 0 } };
    for (const request of [asks('a', 1), asks('b'), other]) await wrapped(request);
    store.close();
    expect(asked).toHaveLength(3);
  });

  test.each<[string, Completion]>([
    ['an error', { status: 'error', kind: 'server', message: '500' }],
    ['an empty answer', ok(' \n')],
    ['an answer that a filter withheld', ok('I cannot', { ended: 'filtered' })],
  ])('is never %s, so the next run calls the model again', async (_what, completion) => {
    await run(['a'], {}, () => completion);
    expect((await run(['a'], {}, () => completion)).asked).toEqual(['a']);
  });

  test('is shared within the run even if it could not be stored', async () => {
    const { asked, completions } = await run(['a', 'a'], {}, () => ok(''));
    expect(asked).toEqual(['a']);
    expect(completions[1]).toEqual(ok('', { reused: true }));
  });

  test('that the calling code rejects as unusable is reused only within the same run', async () => {
    const ask = async (usable: (output: string) => boolean) => {
      const { store, wrapped, asked } = opened();
      for (const request of [asks('a'), asks('a')]) await wrapped({ ...request, usable });
      store.close();
      return asked.length;
    };
    const [no, yes] = [() => false, () => true];
    expect([await ask(no), await ask(no), await ask(yes), await ask(yes)]).toEqual([1, 1, 1, 0]);
    // A stored answer may also be unusable, for example one from an earlier version.
    expect([await ask((output) => output !== 're a'), await ask(yes)]).toEqual([1, 0]);
  });

  test('leaves no key and no address in the file', async () => {
    await run(['a']);
    const text = readFileSync(setting.file).toString('latin1');
    expect(text).toContain('re a');
    expect(text).not.toMatch(/sk-live|https?:/);
  });
});

describe('an invalid entry', () => {
  test.each([
    ['another model', "UPDATE completions SET model = 'model-2'"],
    ['another text', "UPDATE completions SET body = replace(body, 're a', 'forged')"],
    [
      'another key',
      `UPDATE completions SET key = '${keyOf(asks('b'))}' WHERE key = '${keyOf(asks('a'))}'`,
    ],
    ['no JSON', "UPDATE completions SET body = '{'"],
  ])('with %s is ignored, reported and replaced by a new answer', async (_what, change) => {
    await run(['a']);
    sql(change);
    const { completions } = await run(['a', 'b']);
    expect(completions).toMatchObject([said('re a'), said('re b')]);
    expect(setting.notices).toEqual(
      matching(/store\.sqlite: stored answers with an invalid digest were ignored: 1$/),
    );
    expect((await run(['a', 'b'])).asked).toEqual([]);
  });

  test('in an unexpected format is ignored even if its digest is correct', async () => {
    await run(['a']);
    const body = JSON.stringify({ parts: partsOf('forged'), status: 'pass' });
    const digest = createHash('sha256')
      .update(
        `${keyOf(asks('a'))}\n["model-1",null,${Date.parse('2026-01-02T03:00:00Z')}]\n${body}`,
      )
      .digest('hex');
    sql(`UPDATE completions SET body = '${body}', digest = '${digest}'`);
    expect((await run(['a'])).asked).toEqual(['a']);
  });
});

describe('an unusable store file', () => {
  const ENDLESS =
    "DROP TABLE completions; CREATE VIEW completions AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS key, 'm' AS model, '' AS body, '' AS digest, 1 AS bytes, 0 AS used FROM n";
  const TRIGGER =
    'CREATE TRIGGER gone AFTER INSERT ON completions BEGIN DELETE FROM completions; END';
  const overwrite = (file: string, from: number, bytes: Buffer) =>
    writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, from), bytes]));

  test.each<[string, (file: string) => void]>([
    ['no database', (file) => writeFileSync(file, 'garbage '.repeat(2000))],
    ['a short text', (file) => writeFileSync(file, 'x')],
    ['cut in the middle', (file) => writeFileSync(file, readFileSync(file).subarray(0, 6000))],
    ['overwritten after its head', (file) => overwrite(file, 100, Buffer.alloc(20_000, 7))],
    ['of endless rows', () => sql(ENDLESS)],
    ['altered by its own triggers', () => sql(TRIGGER)],
    ['without its table', () => sql('DROP TABLE completions; CREATE TABLE other (a)')],
  ])('that is %s is set aside with a notice, and a new one is created', async (_what, damage) => {
    await run(['a', 'b', 'c'].map((letter) => letter.repeat(3000)));
    damage(setting.file);
    const { completions } = await run(['a']);
    expect(completions).toEqual([ok('re a')]);
    expect(setting.notices).toEqual(
      matching(
        /store\.sqlite: damaged \(.*\); it was renamed to .*store\.sqlite\.damaged-\d+, and a new one was created$/,
      ),
    );
    expect(existsSync(`${setting.file}.damaged-${START}`)).toBe(true);
    expect((await run(['a'])).asked).toEqual([]);
  });

  test('that breaks during the run causes only a notice', async () => {
    await run(Array.from({ length: 200 }, (_, index) => `${index}`.repeat(300)));
    const { store, wrapped, asked } = opened();
    const { length } = readFileSync(setting.file);
    overwrite(setting.file, 4096, Buffer.alloc(length - 4096, 255));
    for (const content of ['a', '5'.repeat(300), 'a'])
      expect((await wrapped(asks(content))).status).toBe('ok');
    store.close();
    expect(asked.filter((content) => content === 'a')).toHaveLength(1);
    expect(setting.notices.join('\n')).toContain('it was renamed');
    expect((await run(['a'])).asked).toEqual([]);
  });

  test('of an earlier evaldiff is set aside with a notice, and a new one is created', async () => {
    await run(['a']);
    sql('PRAGMA user_version = 1');
    expect((await run(['a'])).asked).toEqual(['a']);
    expect(setting.notices).toEqual(
      matching(
        /store\.sqlite: was written by an earlier version of evaldiff and is not read; it was renamed to .*store\.sqlite\.older-\d+, and a new one was created$/,
      ),
    );
    expect((await run(['a'])).asked).toEqual([]);
  });

  test('of an earlier evaldiff is not read if nothing may be written', async () => {
    await run(['a']);
    sql('PRAGMA user_version = 1');
    const { asked } = await run(['a'], { access: 'read' });
    expect(asked).toEqual(['a']);
    expect(setting.notices).toEqual(
      matching(/was written by an earlier version of evaldiff and is not read; it is not used$/),
    );
  });

  test('of a newer version is rejected with advice', async () => {
    await run(['a']);
    sql('PRAGMA user_version = 4');
    const before = readFileSync(setting.file);
    expect(() => setting.open()).toThrow(UserError);
    expect(() => setting.open()).toThrow(
      /store\.sqlite: has store version 4; this evaldiff knows 3\. Update evaldiff, or remove the file; or name another file with --store\.$/,
    );
    expect(readFileSync(setting.file).equals(before)).toBe(true);
  });

  test('of another program is not touched', () => {
    setting.open().close();
    const other = join(dirname(setting.file), 'other.sqlite');
    sql('CREATE TABLE accounts (id)', other);
    expect(() => setting.open({ file: other })).toThrow(
      /is a database of another program, and was not changed/,
    );
  });

  test('that is a device or a folder is not touched', () => {
    expect(() => setting.open({ file: '/dev/null' })).toThrow(
      /^\/dev\/null: is not a regular file, and was not changed; or name another file with --store\.$/,
    );
    expect(() => setting.open({ file: setting.folder })).toThrow(
      /is not a regular file, and was not changed/,
    );
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test('whose folder cannot be created is reported once', async () => {
    writeFileSync(join(setting.folder, 'plain'), '');
    const file = join(setting.folder, 'plain', 'store.sqlite');
    const { asked, completions } = await run(['a', 'a'], { file });
    expect(asked).toEqual(['a']);
    expect(completions[1]).toEqual(ok('re a', { reused: true }));
    expect(setting.notices).toEqual(matching(/no further answers are stored/));
  });
});

describe('a store file that cannot be written', () => {
  test('still serves its answers after a failed write', async () => {
    await run(['a', 'b']);
    // The header now says that a later SQLite version wrote the file.
    const file = readFileSync(setting.file);
    file[18] = 3;
    writeFileSync(setting.file, file);
    expect((await run(['new', 'a', 'new', 'b'])).asked).toEqual(['new']);
    expect(setting.notices).toEqual(matching(/readonly database; no further answers are stored$/));
  });

  test('in a read-only folder still serves its answers', async () => {
    await run(['a', 'b']);
    chmodSync(setting.folder, 0o755);
    chmodSync(setting.file, 0o444);
    chmodSync(dirname(setting.file), 0o555);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      expect((await run(['a', 'new', 'b'])).asked).toEqual(['new']);
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(dirname(setting.file), 0o755);
    }
    expect(setting.notices).toEqual(matching(/no further answers are stored/));
  });

  test('because another process has locked it still serves its answers, but stores none', async () => {
    await run(['a']);
    const holder = new DatabaseSync(setting.file);
    holder.exec('BEGIN IMMEDIATE');
    expect((await run(['a', 'b', 'c', 'b'], { busyMs: 1 })).asked).toEqual(['b', 'c']);
    holder.exec('ROLLBACK');
    holder.close();
    expect((await run(['a', 'b'])).asked).toEqual(['b']);
    expect(setting.notices).toEqual(matching(/database is locked; no further answers are stored$/));
  });
});

describe('a store opened for reading', () => {
  test('serves its answers and writes nothing', async () => {
    await run(['a']);
    const before = readFileSync(setting.file);
    const { asked } = await run(['a', 'b', 'b'], { access: 'read' });
    expect(asked).toEqual(['b']);
    expect(readFileSync(setting.file).equals(before)).toBe(true);
    expect(setting.notices).toEqual([]);
  });

  test('finds nothing in a missing or damaged file and creates or renames nothing', async () => {
    expect((await run(['a'], { access: 'read' })).asked).toEqual(['a']);
    expect(readdirSync(setting.folder)).toEqual([]);
    const file = join(setting.folder, 'bad.sqlite');
    writeFileSync(file, 'garbage');
    expect((await run(['a'], { access: 'read', file })).asked).toEqual(['a']);
    expect(setting.notices).toEqual(matching(/bad\.sqlite: is not a database; it is not used$/));
    expect(readdirSync(setting.folder)).toEqual(['bad.sqlite']);
  });
});

test('two stores can be combined: answers of the shared, read-only store are also used and not copied', async () => {
  await run(['shared']);
  const lower = join(setting.folder, 'lower.sqlite');
  copyFileSync(setting.file, lower);
  const base = setting.open({ file: lower, access: 'read' });
  const own = setting.open({ file: join(setting.folder, 'own.sqlite') });
  const { complete, asked } = setting.model();
  const wrapped = own.wrap(base.wrap(complete, keyOf), keyOf);
  for (const content of ['shared', 'new', 'new']) await wrapped(asks(content));
  expect(asked).toEqual(['new']);
  expect(own.stats()).toMatchObject({ entries: 1, written: 1, found: 1 });
  expect(base.stats()).toMatchObject({ entries: 1, written: 0, found: 1 });
  own.close();
  base.close();
});

describe('the size limit', () => {
  const text = (index: number) => `${index}:`.padEnd(1000, 'x');
  const texts = (count: number) => Array.from({ length: count }, (_, index) => text(index));

  test('evicts the least recently used answers first', async () => {
    let time = START;
    const now = () => (time += 1000);
    await run(texts(20), { now });
    await run([text(0)], { now });
    await run([text(20)], { now, maxBytes: 10_000 });
    const store = setting.open();
    const { entries, bytes } = store.stats();
    expect(entries).toBeLessThan(10);
    expect(bytes).toBeLessThanOrEqual(10_000);
    const has = [0, 1, 20].map((index) => store.has(keyOf(asks(text(index)))));
    expect(has).toEqual([true, false, true]);
    store.close();
  });

  test('applies during a run, and the file shrinks', async () => {
    await run(texts(300), { maxBytes: 50_000 });
    const store = setting.open();
    expect(store.stats().bytes).toBeLessThanOrEqual(50_000);
    store.close();
    expect(readFileSync(setting.file).length).toBeLessThan(150_000);
  });

  test('does not affect pruning, which can remove all answers', async () => {
    await run(['old'], { now: () => START });
    await run(['new'], { now: () => START + 5000 });
    const store = setting.open();
    expect(store.stats()).toMatchObject({
      entries: 2,
      oldest: START,
      newest: START + 5000,
      models: [{ model: 'openai model-1', entries: 2 }],
    });
    expect(store.prune({ maxBytes: 0 })).toBe(2);
    expect(store.stats()).toMatchObject({ entries: 0, bytes: 0, oldest: null });
    store.close();
  });
});

test('a copy of the store is one complete file that another run can read', async () => {
  await run(['a']);
  const store = setting.open();
  await store.wrap(setting.model().complete, keyOf)(asks('b'));
  const copy = join(setting.folder, 'copy.sqlite');
  expect(store.copyTo(copy)).toBe(true);
  store.close();
  const copies = readdirSync(setting.folder).filter((name) => name.startsWith('copy'));
  expect(copies).toEqual(['copy.sqlite']);
  expect((await run(['a', 'b'], { file: copy })).asked).toEqual([]);
});

test('two processes can write to one file without losing an answer', async () => {
  const both = [opened(), opened()];
  await Promise.all([both[0]!.wrapped(asks('a')), both[1]!.wrapped(asks('b'))]);
  for (const { store } of both) store.close();
  expect((await run(['a', 'b'])).asked).toEqual([]);
});
