import { promisesFeature } from '../../../../src/features/promises/index.ts';
import { promisedNames } from '../../../../src/features/promises/promised.ts';
import { promisesReport } from '../../../../src/features/promises/report.ts';
import { renderJunit } from '../../../../src/report/junit.ts';
import { COMMENT_LEVELS } from '../../../../src/report/sections/detail.ts';
import { NO_LINKS } from '../../../../src/report/sections/document.ts';
import { renderTerminal } from '../../../../src/report/terminal.ts';
import { runCommits } from '../../../stand-ins/run-commits.ts';
import { treeOf } from '../../config/tree.ts';

const IDS = [...'01234567'].map((at) => `t0${at}`);

const suiteOf = (name: string, wording: string, ids: readonly string[]) =>
  `name: ${name}\nmodel: gpt-4o\nvariables: [{ name: q }]\n` +
  `messages: [{ role: user, content: "${wording} {q}" }]\n` +
  'tests:\n  metrics: [{ uses: exact_match }]\n  references:\n' +
  ids.map((id) => `    - { id: ${id}, input: { q: ask ${id} }, expected: good }\n`).join('');

const commitOf = (commit: string, prompts: Record<string, string>) => ({
  ...treeOf({ 'evaldiff.yaml': 'budget: { max_cost_usd: null }\n', ...prompts }),
  commit: commit.repeat(40),
});

const onlySupport = (wording: string, ids = IDS) => ({
  'prompts/support.yaml': suiteOf('support', wording, ids),
});

/**
 * Runs a pull request with this description. On base, `t01`, `t02` and `t09` fail. On head, `t02`
 * fails, and with the wording `worse` also `t04`.
 */
const promised = async (description: string, head = onlySupport('new')) => {
  const [before, after] = [commitOf('b', onlySupport('old')), commitOf('a', head)];
  const reply = (asked: string) =>
    asked.endsWith('t02') || /old ask t0[19]$|worse ask t04$/.test(asked) ? 'bad' : 'good';
  const ran = await runCommits(before, after, [promisesFeature], reply, description);
  const terminal = renderTerminal(ran.result, [promisesReport], { width: 200, colour: false });
  const line = terminal.split('\n').find((each) => each.startsWith('Promised fixes:'));
  return { ...ran, terminal, line };
};

describe('promised fixes', () => {
  test('are reported as kept or not kept, after enough tries to decide', async () => {
    const { result, line } = await promised('Makes it better.\n\nFixes: t01 t02\n');
    expect(result.promises?.references).toEqual([
      {
        path: 'prompts/support.yaml',
        suite: 'support',
        id: 't01',
        status: 'kept',
        variant: { model: 'gpt-4o', parameters: {} },
        base: { passes: 0, tries: expect.any(Number) },
        head: { passes: expect.any(Number), tries: expect.any(Number) },
      },
      expect.objectContaining({
        id: 't02',
        status: 'not-kept',
        base: { passes: 0, tries: 5 },
        head: { passes: 0, tries: 5 },
      }),
    ]);
    expect(line).toBe('Promised fixes: 1 of 2 kept (t01); t02 is not fixed: 0 of 5 → 0 of 5.');
  });

  test('report a test as broken if the pull request breaks it', async () => {
    const { result, line } = await promised('Fixes: t04', onlySupport('worse'));
    expect(result.promises?.references).toMatchObject([{ id: 't04', status: 'broke' }]);
    expect(line).toMatch(
      /^Promised fixes: 0 of 1 kept; t04 failed on head: (\d+) of \1 → 0 of \d+\.$/,
    );
  });

  test('that are not kept do not fail the run', async () => {
    const { result } = await promised('Fixes: t02');
    expect(result.conclusion).toBe('success');
  });

  test('cause no extra tries if the pull request does not promise any', async () => {
    const { result, requests } = await promised('Fixes #12. See t02.');
    expect(result.promises).toBeUndefined();
    const asked = requests.filter(({ messages: [first] }) => first?.content.endsWith('t02'));
    expect(asked).toHaveLength(4);
  });

  test('count as not kept if the test passes on base too or is deleted', async () => {
    const left = onlySupport('new', IDS.slice(0, 7));
    expect((await promised('Fixes: t03, t07', left)).line).toMatch(
      /^Promised fixes: 0 of 2 kept; t03 also passes on base: \d of \d → \d of \d; t07 is deleted\.$/,
    );
  });

  test('for a new test or suite count as kept if the test passes', async () => {
    const { line } = await promised('Fixes: t09', onlySupport('new', [...IDS, 't09']));
    expect(line).toBe('Promised fixes: 1 of 1 kept (t09).');
    const two = { ...onlySupport('old'), 'prompts/tags.yaml': suiteOf('tags', 'new', ['a1']) };
    expect((await promised('Fixes: a1', two)).line).toBe('Promised fixes: 1 of 1 kept (a1).');
  });

  test('are reported as not run if nothing that their tests depend on changed', async () => {
    const { line } = await promised('Fixes: t01', onlySupport('old'));
    expect(line).toBe(
      'Promised fixes: 0 of 1 kept; t01 did not run: nothing it depends on changed.',
    );
  });

  test('apply to every suite that has the test id, unless the description names a suite', async () => {
    const two = { ...onlySupport('new'), 'prompts/tags.yaml': suiteOf('tags', 'new', ['t01']) };
    const ofSuites = async (description: string) =>
      (await promised(description, two)).result.promises?.references.map(({ suite }) => suite);
    expect(await ofSuites('Fixes: t01')).toEqual(['support', 'tags']);
    expect(await ofSuites('Fixes: tags/t01')).toEqual(['tags']);
    expect(await ofSuites('Fixes: support › t01')).toEqual(['support']);
    expect((await promised('Fixes: t01', two)).terminal).toContain('tags › t01');
  });

  test('with an unknown id are reported with the nearest id', async () => {
    const { line } = await promised('Fixes: t01 t2');
    expect(line).toBe(
      'Promised fixes: 1 of 1 kept (t01); t2 is not the id of a test (did you mean t02?).',
    );
    expect((await promised('Fixes: the login of new users')).line).toBeUndefined();
  });

  test('are JUnit test cases; those not kept are marked as skipped', async () => {
    const { result } = await promised('Fixes: t01 t02');
    const xml = renderJunit(result, [promisesReport]);
    expect(xml).toContain('<testcase name="t01" classname="promised fixes"/>');
    expect(xml).toMatch(
      /<testcase name="t02" classname="promised fixes">\s+<skipped type="unmet" message="is not fixed: 0 of 5 → 0 of 5">/,
    );
  });

  test('show names from a hostile pull request description as code', async () => {
    const { result } = await promised('Fixes: t01 <img/onerror=x> @everyone');
    const level = COMMENT_LEVELS[0];
    if (level === undefined) throw new TypeError('there are levels');
    const blocks = promisesReport.sections?.why?.(result, level, { reports: [], links: NO_LINKS });
    expect(JSON.stringify(blocks)).toContain('{"kind":"code","text":"<img/onerror=x>"');
  });
});

describe('promisedNames', () => {
  test.each([
    ['Fixes: t05 t12', [['t05', 't12']]],
    ['- **Fixes:** t05, t12.', [['t05', 't12']]],
    ['fixes: `two words`, a › b', [['two words', 'a›b']]],
    ['Fixes: #12, o/r#3 https://github.com/o/r/issues/4', []],
    ['This Fixes: t05', []],
    ['<!-- Fixes: t05', []],
  ])('parses %j', (description, names) => {
    expect(promisedNames(description)).toEqual(names);
  });

  test('returns at most thirty names in short time', () => {
    const many = `Fixes: ${'a '.repeat(20_000)}\n`.repeat(2);
    expect(promisedNames(many).flat()).toHaveLength(30);
    expect(promisedNames(`Fixes: ${' '.repeat(60_000)}›`)).toEqual([]);
  });
});
