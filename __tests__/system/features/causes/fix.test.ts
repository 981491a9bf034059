import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../../../src/kernel/result/result.ts';
import type { Fix } from '../../../../src/trials/fix.ts';
import { BASE_LINES, CULPRIT, HEAD_LINES, shopPrompt } from '../../../stand-ins/eight-lines.ts';
import { compareShop, FILE, type Compared } from '../../app/commands/compare-shop.ts';

function fixIn({ causes = [] }: Result): { fix?: Fix | null; no_fix?: string } {
  return causes[0]?.causes[0] ?? {};
}

const lineOf = (text: string, line: number) => text.split('\n')[line - 1]?.trim() ?? '';

describe('a fix drafted by the grader', () => {
  test('that restores broken tests without breaking others is shown exactly as it was tested', async () => {
    const draft = 'Be warm about refunds, and name the refund period.';
    const { result, server, out } = await compareShop([draft]);
    expect(fixIn(result).fix).toEqual({
      kind: 'draft',
      file: FILE,
      lines: { from: CULPRIT, to: CULPRIT },
      replaced: '      Be warm about refunds.',
      replacement: `      ${draft}`,
      restores: { references: 3, of: 3 },
      costs: { references: 0, of: 4 },
      tries: 3,
      withheld: true,
    });
    const ran = server.requests.filter(({ messages }) => messages[0]?.content.includes(draft));
    // Three broken references with three tries and four passing ones with two, each with head's
    // other seven lines.
    expect(ran).toHaveLength(17);
    for (const { messages } of ran)
      expect(messages[0]?.content.trim().split('\n')).toEqual(
        HEAD_LINES.map((line, at) => (at === CULPRIT - 9 ? draft : line)),
      );
    expect(out).toContain('Suggested fix, prompts/shop.yaml:10: fixes 3 of 3 tests');
    expect(out).toContain(`+ ${draft}`);
  });

  test('that breaks other references or restores nothing is not shown', async () => {
    const { result, server, out } = await compareShop([
      'Answer only refunds, with the refund period.',
      'Be kind.',
    ]);
    expect(fixIn(result).fix).toMatchObject({
      kind: 'set back',
      replacement: '      Name the refund period.',
      costs: { references: 0, of: 4 },
    });
    const texts = server.requests.map(({ messages }) => messages[0]?.content ?? '');
    expect(texts.some((text) => text.includes('only refunds'))).toBe(true);
    // Passing tests are not run for a draft that restores nothing.
    expect(texts.filter((text) => text.includes('Be kind.'))).toHaveLength(9);
    expect(out).not.toContain('only refunds');
  });

  test.each([
    [
      'of two lines, with a new variable',
      ['Name the refund period.\n    model: evil', 'Name the refund period of {secret}.'],
    ],
    ['with an invisible character, without words', ['Name the refund\u200B period.', ' ']],
    [
      'longer than a line, the old line',
      [`Name the refund period. ${'x'.repeat(600)}`, 'Name the refund period.'],
    ],
  ])('is not tested and not shown: %s', async (_, drafts) => {
    const { result, server } = await compareShop(drafts);
    expect(fixIn(result).fix?.kind).toBe('set back');
    const others = HEAD_LINES.filter((line, at) => at !== CULPRIT - 9);
    const fixed = server.requests
      .map(({ messages: [first] }) => first?.content ?? '')
      .filter((text) => others.every((line) => text.includes(line)))
      .map((text) => text.trim().split('\n')[CULPRIT - 9]);
    expect(new Set(fixed)).toEqual(new Set(['Be warm about refunds.', 'Name the refund period.']));
  });

  test('that contains a code fence is shown in a longer fence', async () => {
    const draft = 'Name the refund period. ```suggestion';
    const { result, directory } = await compareShop([draft]);
    expect(fixIn(result).fix?.replacement).toBe(`      ${draft}`);
    const comment = readFileSync(join(directory, 'evaldiff-report/comment.md'), 'utf8');
    expect(comment).toContain(`\`\`\`\`diff\n- Be warm about refunds.\n+ ${draft}\n\`\`\`\``);
  });

  test('is not requested for an outside contributor, where only a revert is tried', async () => {
    const { result, server } = await compareShop(['Name the refund period, warmly.'], {
      args: ['--no-store', '--untrusted'],
    });
    expect(fixIn(result).fix?.kind).toBe('set back');
    expect(server.requests.filter(({ schema }) => schema !== null)).toEqual([]);
  });
});

test('the report gives the number of calls if the calls run out before a fix is proven', async () => {
  const { result, out } = await compareShop(['Be kind.'], {
    args: ['--no-store', 'explain.max_calls=30'],
  });
  expect(fixIn(result)).toMatchObject({ fix: null, no_fix: '30 calls were used up' });
  expect(result.causes?.[0]?.explained).toMatchObject({ status: 'found', calls: 30 });
  expect(out).toContain('No fix is proven: 30 calls were used up.');
});

test('the plan states the possible calls for causes and fixes, as documented', async () => {
  const { run } = await compareShop([], { args: ['--no-store', 'explain.max_calls=0'] });
  const planned = async (...more: string[]) =>
    (await run(['plan', '--base', 'main', '--no-store', ...more])).said;
  expect(await planned()).toContain('up to 200 more calls if something regresses or is fixed');
  expect(await planned('explain.max_calls=70')).toContain('up to 70 more calls if');
  expect(await planned('explain.max_calls=0')).not.toContain('if something regresses');
});

test('the plan counts calls for a fix of the only change, although finding it is free', async () => {
  const head = BASE_LINES.map((line, at) => (at === CULPRIT - 9 ? 'Be warm.' : line));
  const { run, result } = await compareShop([], { head: { [FILE]: shopPrompt(head) } });
  expect(result.causes?.[0]?.causes[0]).toMatchObject({
    relation: 'only-change',
    calls: 0,
    fix: { kind: 'set back', restores: { references: 5, of: 5 } },
  });
  expect(result.causes?.[0]?.explained.calls).toBeGreaterThan(0);
  const plan = ['plan', '--base', 'main', '--no-store'];
  expect((await run(plan)).said).toContain(
    'up to 200 more calls if something regresses or is fixed',
  );
  expect((await run([...plan, 'explain.fix=false'])).said).not.toContain('if something regresses');
});

describe('evaldiff fix', () => {
  const draft = 'Be warm about refunds, and name the refund period.';
  // These tests make no model calls, so they share one comparison.
  let once: Promise<Compared> | null = null;
  const withDraft = async (): Promise<Compared> => {
    once ??= compareShop([draft]);
    const at = await once;
    writeFileSync(join(at.directory, FILE), shopPrompt(HEAD_LINES));
    return at;
  };

  test('shows the fixes of the last run as lines of a diff and writes nothing', async () => {
    const { run, file } = await withDraft();
    const before = file();
    expect(await run(['fix'])).toEqual({
      code: 0,
      said: `${FILE}:10: fixes 3 of 3 tests that the grader did not see and broke none of 4 others that passed\n- Be warm about refunds.\n+ ${draft}\nWrite with: npx evaldiff fix --write\n`,
    });
    expect(file()).toBe(before);
  });

  test('--write writes only the fixed lines, and refuses to do so twice', async () => {
    const { run, file } = await withDraft();
    const before = file().split('\n');
    expect((await run(['fix', '--write'])).said).toContain(
      'Written. Run "npx evaldiff diff" to see.',
    );
    expect(file().split('\n')).toEqual(
      before.map((line, at) => (at === CULPRIT - 1 ? `      ${draft}` : line)),
    );
    const shown = await run(['fix']);
    expect([shown.code, shown.said.split('\n').slice(-2)]).toEqual([
      0,
      ['  The file contains this change, or these lines have changed since the run.', ''],
    ]);
    const again = await run(['fix', '--write']);
    expect(again.code).toBe(2);
    expect(again.said).toContain(
      `${FILE}:10: has changed since the run, so the change is not written; run npx evaldiff diff again`,
    );
  });

  test.each([
    [true, draft],
    [false, 'Be warm about refunds.'],
  ])('asks for confirmation in a terminal only: %s', async (answer, written) => {
    const { run, file } = await withDraft();
    const asked: string[] = [];
    const confirm = (question: string) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    const { code, said } = await run(['fix'], { confirm });
    expect([code, asked]).toEqual([0, [`Write it into ${FILE}?`]]);
    expect(said.includes('Written.')).toBe(answer);
    expect(said).not.toContain('--write');
    expect(lineOf(file(), CULPRIT)).toBe(written);
  });

  test('--json prints the fixes as result.json has them and cannot be combined with --write', async () => {
    const { run, result, file } = await withDraft();
    const before = file();
    const { said } = await run(['fix', 'evaldiff-report/result.json', '--json']);
    expect(JSON.parse(said)).toEqual([fixIn(result).fix]);
    expect((await run(['fix', '--json', '--write'])).code).toBe(2);
    expect(file()).toBe(before);
  });

  test('reports that the last run proved no fix, or that no run was found', async () => {
    const { run, directory } = await compareShop([], { args: ['--no-store', 'explain.fix=false'] });
    expect(await run(['fix'])).toEqual({
      code: 0,
      said: 'This run proved no fix. A run looks for fixes with: npx evaldiff diff explain.fix=true --report evaldiff-report\n',
    });
    rmSync(join(directory, 'evaldiff-report'), { recursive: true });
    expect(await run(['fix'])).toEqual({
      code: 2,
      said: 'there is no result.json; create one with npx evaldiff run --report evaldiff-report (or diff), or name a folder or result.json\n',
    });
  });

  test('writes only to a prompt file of this project, even if the result names another', async () => {
    const { run, directory, result } = await withDraft();
    const outside = join(directory, '..', 'outside.yaml');
    symlinkSync(join(directory, FILE), join(directory, 'prompts/link.yaml'));
    const others = ['../outside.yaml', outside, 'prompts/link.yaml', '.git/config', 'prompts'];
    for (const file of others) {
      const forged = structuredClone(result);
      const own = fixIn(forged).fix;
      if (own) own.file = file;
      writeFileSync(join(directory, 'forged.json'), JSON.stringify(forged));
      const { code, said } = await run(['fix', 'forged.json', '--write']);
      expect([file, code]).toEqual([file, 2]);
      expect(said).toMatch(/nothing was written|has changed since the run/);
    }
  });
});
