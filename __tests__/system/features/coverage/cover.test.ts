import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDemoRepository } from '../../../../src/app/commands/demo.ts';
import type { CoverFile } from '../../../../src/features/coverage/cover-file.ts';
import { commandIn, localEndpoint } from '../../../stand-ins/command-line.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { ROOT } from '../../../stand-ins/own-repository.ts';
import { openProject } from '../../../stand-ins/project.ts';
import { fixtureEnvironment, temporaryFolder } from '../../../stand-ins/repository.ts';
import {
  FILE,
  GRADER,
  LINES,
  STATUSES,
  TEST_DRAFTS,
  draftingModel,
  shopFiles,
  shopModel,
} from './planted.ts';

async function open(files = shopFiles(), answer: Script = shopModel) {
  const { repository, server } = await openProject(files, { answer });
  const run = async (...args: string[]) => {
    let [out, err] = ['', ''];
    const { code } = await commandIn(repository.directory, ['cover', ...args], {
      env: localEndpoint(server),
      width: 160,
      out: (text) => (out += text),
      err: (text) => (err += text),
    });
    return { code, out, err };
  };
  const json = async (...args: string[]) => {
    const { out, ...rest } = await run('--format', 'json', ...args);
    const { coverage = [] } = JSON.parse(out) as CoverFile;
    return { ...rest, suite: coverage[0] };
  };
  return { run, json, server, directory: repository.directory };
}

describe('evaldiff cover', () => {
  test('finds the planted lines, and asks nothing again', async () => {
    const { run, json, server } = await open();
    const stored = ['--store', 'kept.sqlite'];
    const { suite, code, err } = await json(...stored);
    expect(code).toBe(0);
    expect(suite).toMatchObject({ path: FILE, suite: 'shop', scope: 'prompt', reason: null });
    expect(suite?.lines.map(({ unit }) => unit.head_text)).toEqual(LINES);
    expect(suite?.lines.map(({ status }) => status)).toEqual(STATUSES);
    expect(suite?.lines[1]?.reference).toMatch(/^refund-/);
    expect(suite?.lines[2]).toMatchObject({ with: 3, unit: { lines: { from: 11 } } });
    expect(suite?.unsteady).toEqual([]);
    const asked = server.requests.length;
    expect(suite?.calls).toBe(asked - 8 * 3);
    expect(err).toContain('up to 192 calls without some of the lines');

    const again = await run(...stored);
    expect(server.requests).toHaveLength(asked);
    expect(again.out).toContain('Tested lines of shop: 3 of 6 lines held, 1 untested (');
    expect(again.out).toContain('untested: answers change without it, no test fails');
    expect(again.out).toMatch(/Name the refund period\. +held by refund-/);
    expect(again.out).toMatch(/Be polite\. +no effect seen in \d+ answers \(\d+ tokens a call\)/);

    const badge = { schemaVersion: 1, label: 'prompt lines held', message: '3 of 6' };
    expect(JSON.parse((await run(...stored, '--format', 'badge')).out)).toMatchObject(badge);
    const { out: lcov } = await run(...stored, '--format', 'lcov');
    expect(lcov).toContain(
      `SF:${FILE}\nDA:9,0\nDA:10,1\nDA:11,1\nDA:12,1\nDA:13,0\nDA:14,0\nend_of_record\n`,
    );
  });

  test('says what was not settled if coverage.max_calls is reached', async () => {
    const { json } = await open();
    const { suite } = await json('shop', 'coverage.max_calls=12', '--no-store');
    expect(suite).toMatchObject({ calls: 12, reason: '12 calls were used up' });
    expect(suite?.lines.some(({ status }) => status === 'unsettled')).toBe(true);
    expect(suite?.lines.some(({ status }) => status === 'idle')).toBe(false);
  });

  test('makes no call if the budget does not suffice', async () => {
    const { run, server } = await open(shopFiles('budget: { max_calls: 30 }\n'));
    const { code, err } = await run();
    expect(code).toBe(2);
    expect(err.replaceAll(/\s+/g, ' ')).toContain(
      'This run would make 216 model calls (24 answers for 8 references of 1 prompt + 0 grader ' +
        'calls + up to 192 calls without some of the lines); the limit is 30 (budget.max_calls in evaldiff.yaml:3). Nothing was sent.',
    );
    expect(server.requests).toHaveLength(0);
  });

  test('says that tests which never pass hold nothing', async () => {
    const { json, server } = await open(shopFiles(), () => ({ text: 'no' }));
    const { suite } = await json();
    expect(suite?.unsteady).toHaveLength(8);
    expect(suite).toMatchObject({
      calls: 0,
      reason: 'no test passes in half of its tries, so none can hold a line',
    });
    expect(new Set(suite?.lines.map(({ status }) => status))).toEqual(new Set(['unsettled']));
    expect(server.requests).toHaveLength(24);
  });

  test('examines a prompt of one line, and never sends an empty message', async () => {
    const { json, server } = await open(shopFiles('', ['Name the refund period, and 9 to 5.']));
    const { suite } = await json();
    expect(suite?.lines).toMatchObject([{ status: 'held', with: null }]);
    expect(
      server.requests.every(({ messages }) => messages.every(({ content }) => content !== '')),
    ).toBe(true);
  });

  test('drafts a test for an untested line, which passes with it and fails without it', async () => {
    const { run, json, server, directory } = await open(
      shopFiles(GRADER),
      draftingModel(TEST_DRAFTS),
    );
    const stored = ['--draft', '--store', 'kept.sqlite'];
    const { suite, code } = await json(...stored);
    expect(code).toBe(0);
    const tests = 'prompts/tests/shop.yaml';
    const added = '  - { input: { question: "Who are you?" }, expected: "Ada" }';
    expect(suite?.lines.map(({ fix, no_fix }) => fix ?? no_fix)).toEqual([
      ...[undefined, undefined, undefined, undefined],
      expect.objectContaining({
        kind: 'test',
        file: tests,
        replacement: expect.stringContaining(`\n${added}`) as unknown,
        restores: { references: 4, of: 4 },
        costs: { references: 0, of: 4 },
      }),
      undefined,
    ]);
    const asked = server.requests.length;
    const before = readFileSync(join(directory, tests), 'utf8');
    const shown = await run(...stored);
    expect(shown.out).toContain('passes 4 of 4 times with the line, and 0 of 4 times without it');
    expect(shown.out).toContain('Write with: npx evaldiff cover --draft --apply');
    expect(readFileSync(join(directory, tests), 'utf8')).toBe(before);
    await run(...stored, '--apply');
    expect(server.requests).toHaveLength(asked);
    expect(readFileSync(join(directory, tests), 'utf8')).toBe(`${before}${added}\n`);
    const { suite: held } = await json('--store', 'kept.sqlite');
    expect(held?.lines[4]).toMatchObject({ status: 'held' });
  });

  test('shows no test that its trial contradicts, and needs a grader', async () => {
    const wrong = draftingModel(TEST_DRAFTS.slice(0, 2));
    const { suite } = await (await open(shopFiles(GRADER), wrong)).json('--draft', '--no-store');
    expect(suite?.lines[4]).toMatchObject({
      ...{ status: 'untested', fix: null },
      no_fix: 'no draft passes with the line and fails without it',
    });
    const { err, code } = await (await open()).run('--draft');
    expect(code).toBe(2);
    expect(err).toContain('coverage.draft needs a grader; set grader: { model: … }');
  });

  test('says why a prompt has no lines to examine', async () => {
    const code =
      'name: shop\nmodel: quiz-model\ndefaults: [tests/shop]\nvariables: [{ name: question }]\ncode: |\n  output = "30 days, 9 to 5"\n';
    const { run } = await open({ ...shopFiles(), [FILE]: code });
    const { out, code: ended } = await run('--code', 'host');
    expect(ended).toBe(2);
    expect(out).toContain('not examined, because the prompt is code');
  });

  test('settles what it can of 400 lines', async () => {
    const filler = Array.from({ length: 394 }, (_, i) => `Remark number ${i}.`);
    const { json } = await open(shopFiles('', [...LINES, ...filler]));
    const { suite } = await json('coverage.max_calls=60');
    expect(suite?.lines).toHaveLength(400);
    expect(suite?.lines[1]?.status).toBe('held');
    expect(suite?.calls).toBeLessThanOrEqual(60);
  });
});

test("the demo's prompt has lines that are held, one untested line and lines without effect", async () => {
  const directory = temporaryFolder('demo');
  makeDemoRepository(join(ROOT, 'fixtures/demo'), directory);
  execFileSync('git', ['switch', '--quiet', 'main'], { cwd: directory });
  const args = ['cover', 'support', '--code', 'host', '--no-store', '--format', 'json'];
  const { out } = await commandIn(directory, args, { env: fixtureEnvironment() });
  const [suite] = (JSON.parse(out) as CoverFile).coverage ?? [];
  expect(suite?.lines.map(({ status }) => status)).toEqual([
    ...['idle', 'idle', 'held', 'held', 'held', 'held', 'idle', 'untested'],
  ]);
});
