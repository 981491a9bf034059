import { describe, expect, test } from '@jest/globals';
import { problemsOf, read } from '../tree.ts';

const EVALS = 'skills/pdf/evals/evals.json';
const SKILL =
  '---\nname: pdf\ndescription: Reads PDFs\n---\n\n# PDF\n\nUse {name} and {{twice}}.\n';

const json = (evals: unknown[], more: Record<string, unknown> = {}) =>
  JSON.stringify({ skill_name: 'pdf', ...more, evals }, null, 1);
const settings = {
  'evaldiff.yaml':
    'grader: gpt-4o\nmodels: { default: { provider: anthropic, model: claude-sonnet-4-5 } }\n',
};

describe('evals/evals.json with SKILL.md', () => {
  test('is read in place: the skill is the system prompt, its checks are a list of statements', async () => {
    const { project, problems, notices } = await read({
      ...settings,
      'skills/pdf/SKILL.md': SKILL,
      [EVALS]: json([
        {
          id: 1,
          prompt: 'Count pages',
          expected_output: 'Three',
          files: [],
          assertions: [
            'says three',
            { name: 'n', check: 'is short' },
            { id: 'x', text: 'is kind' },
          ],
        },
        {
          id: 2,
          name: 'title',
          prompt: 'Title?',
          expected_output: 'Names the title',
          expectations: [],
        },
      ]),
    });
    expect(problems).toEqual([]);
    expect(notices).toEqual([
      `${EVALS}: 2 of 2 cases, 4 of 4 checks carried over; 1 lost: {{twice}}`,
      'skills/pdf/SKILL.md:8: {{twice}} is not carried over: a name in several braces is sent with one pair',
      'skills/pdf/SKILL.md: the skill runs without tools: only what it makes a model say is evaluated',
    ]);
    const [suite] = project.suites;
    expect(suite?.prompt).toMatchObject({
      file: EVALS,
      name: 'pdf',
      model: 'default',
      messages: [
        {
          role: 'system',
          content: '# PDF\n\nUse {{name}} and {{twice}}.',
          place: { file: 'skills/pdf/SKILL.md', line: 6 },
        },
        { role: 'user', content: '{prompt}' },
      ],
    });
    expect(suite?.tests.references).toMatchObject([
      {
        id: '1',
        input: { prompt: 'Count pages' },
        expected: 'Three',
        metrics: [
          {
            name: 'checks',
            source: {
              uses: 'criteria',
              with: { statements: ['says three', 'is short', 'is kind'] },
            },
          },
        ],
      },
      {
        id: 'title',
        input: { prompt: 'Title?' },
        metrics: [
          {
            name: 'as_expected',
            source: { uses: 'llm_rubric', with: { criteria: 'Names the title' } },
          },
        ],
      },
    ]);
  });

  test('leaves out cases without a prompt, shows those without a check, each with its line', async () => {
    const { notices, project } = await read({
      ...settings,
      'skills/pdf/SKILL.md': 'Read.',
      [EVALS]: json(
        [
          { id: 7, prompt: 'a', assertions: ['x'], priority: 1 },
          { id: 8 },
          { prompt: 'b' },
          { prompt: 'c', assertions: ['y', {}] },
        ],
        { owner: 2 },
      ),
    });
    expect(
      project.suites[0]?.tests.references.map(({ input, metrics }) => [
        input['prompt'],
        metrics?.map(({ name, skip }) => [name, skip]),
      ]),
    ).toEqual([
      ['a', [['checks', false]]],
      ['b', [['preference', true]]],
      ['c', [['checks', false]]],
    ]);
    expect(notices.map((line) => line.slice(line.indexOf(':') + 1))).toEqual([
      ' 3 of 4 cases, 2 of 3 checks carried over; 2 lost: an eval, a check',
      '13: an eval is not carried over: it has no prompt',
      '19: a check is not carried over: it has no text',
      '3: owner is not needed',
      ' the skill runs without tools: only what it makes a model say is evaluated',
      '5: priority is not needed',
      "4: nothing judges the answers to 1 test: the grader compares head's with base's, which is advice",
    ]);
  });

  describe('with input files', () => {
    const files = (path: string) =>
      json([
        { id: 'sum', prompt: 'Sum up', files: [path], assertions: ['x'] },
        { id: 'none', prompt: 'Hi', assertions: ['x'] },
      ]);
    const csv = { 'skills/pdf/evals/files/a.csv': 'n\n1\n' };
    const skill = { 'skills/pdf/SKILL.md': 'Read.' };

    test.each(['evals/files/a.csv', 'files/a.csv', 'skills/pdf/evals/files/a.csv'])(
      'gives a model the text of %s, found from the skill, the evals or the root',
      async (path) => {
        const { project, problems } = await read({
          ...settings,
          ...skill,
          ...csv,
          [EVALS]: files(path),
        });
        expect(problems).toEqual([]);
        expect(project.suites[0]?.prompt.messages[1]?.content).toBe('{prompt}{files}');
        expect(
          project.suites[0]?.tests.references.map(({ input, problem }) => [input, problem]),
        ).toEqual([
          [{ prompt: 'Sum up', files: `\n\n<file path="${path}">\nn\n1\n</file>` }, null],
          [{ prompt: 'Hi', files: '' }, null],
        ]);
      },
    );

    test('gives a program their paths, whatever is in them', async () => {
      const { project, problems } = await read({
        'evaldiff.yaml':
          'grader: gpt-4o\nmodels: { default: { provider: program, command: [node, app.mjs] } }\n',
        ...skill,
        'skills/pdf/evals/in.pdf': new Uint8Array([37, 80, 68, 70, 0, 255]),
        [EVALS]: files('evals/in.pdf'),
      });
      expect(problems).toEqual([]);
      expect(project.suites[0]?.tests.references[0]?.input['files']).toBe(
        '\n\nFiles:\nskills/pdf/evals/in.pdf',
      );
    });

    test.each<[string, Record<string, string | Uint8Array>, string, string]>([
      [
        'no text',
        { 'skills/pdf/evals/in.pdf': new Uint8Array([37, 0, 255]) },
        'evals/in.pdf',
        'is not text, and a model is given texts alone',
      ],
      ['a text with a NUL', { 'skills/pdf/evals/in.txt': 'a\0b' }, 'evals/in.txt', 'is not text'],
      [
        'larger than a model is given',
        { 'skills/pdf/evals/in.txt': 'a'.repeat(200_001) },
        'evals/in.txt',
        'has more than 200,000 bytes',
      ],
      ['not there', {}, 'evals/in.txt', 'evals/in.txt is not in the repository'],
      [
        'outside of the repository',
        {},
        '../../../etc/passwd',
        '../../../etc/passwd is not in the repository',
      ],
      ['absolute', {}, '/etc/passwd', '/etc/passwd is not in the repository'],
    ])('a file that is %s loses its case with the reason', async (_, more, path, why) => {
      const { project, notices } = await read({
        ...settings,
        ...skill,
        ...more,
        [EVALS]: files(path),
      });
      expect(project.suites[0]?.tests.references.map(({ id }) => id)).toEqual(['none']);
      expect(notices[0]).toContain(
        '1 of 2 cases, 1 of 2 checks carried over; 1 lost: the eval sum',
      );
      expect(notices[1]).toContain(why);
    });
  });

  test('finds its skill in skills/<name> too, and its cases under that name', async () => {
    const { project, problems } = await read({
      ...settings,
      'skills/pdf/SKILL.md': 'Read.',
      'evals/evals.json': JSON.stringify({
        skill_name: 'pdf',
        cases: [{ prompt: 'a', expectations: ['x'] }],
      }),
    });
    expect(problems).toEqual([]);
    expect(project.suites[0]?.prompt.messages[0]?.content).toBe('Read.');
    expect(project.suites[0]?.tests.references).toHaveLength(1);
  });

  test('without its skill, or as something else, says so', async () => {
    expect(await problemsOf({ [EVALS]: json([]) })).toEqual([
      `${EVALS}: belongs to a skill, and there is no skills/pdf/SKILL.md, no skills/pdf/evals/SKILL.md, no skills/pdf/skills/pdf/SKILL.md, no skills/pdf/.claude/skills/pdf/SKILL.md, no .claude/skills/pdf/SKILL.md`,
    ]);
    expect(await problemsOf({ [EVALS]: '[1, 2]' })).toEqual([
      `${EVALS}: is not an evals.json of a skill: it has no list of evals`,
    ]);
    expect(await problemsOf({ [EVALS]: '{"evals": [' })).toHaveLength(1);
  });
});
