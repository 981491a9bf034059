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
      'skills/pdf/SKILL.md: the skill runs without tools and files: only what it makes a model say is evaluated',
      'skills/pdf/SKILL.md:8: {{twice}} is not carried over: a name in several braces is sent with one pair',
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

  test('leaves out cases with files, without a prompt and without a check, each with its line', async () => {
    const { notices, project } = await read({
      ...settings,
      'skills/pdf/SKILL.md': 'Read.',
      [EVALS]: json(
        [
          { id: 7, prompt: 'a', files: ['in.pdf'], assertions: ['x'] },
          { id: 8 },
          { prompt: 'b' },
          { prompt: 'c', assertions: ['y', {}] },
        ],
        { version: 2 },
      ),
    });
    expect(project.suites[0]?.tests.references).toHaveLength(1);
    expect(notices.map((line) => line.slice(line.indexOf(':') + 1))).toEqual([
      '3: version is not carried over: it is not part of the format',
      expect.stringContaining('the skill runs without tools'),
      '5: the eval 7 is not carried over: it hands files to an agent with tools',
      '15: an eval is not carried over: it has no prompt',
      '18: an eval is not carried over: it has neither checks nor an expected output',
      '21: a check is not carried over: it has no text',
    ]);
  });

  test('without its skill, or as something else, says so', async () => {
    expect(await problemsOf({ [EVALS]: json([]) })).toEqual([
      `${EVALS}: belongs to a skill, and skills/pdf/SKILL.md cannot be read`,
    ]);
    expect(await problemsOf({ [EVALS]: '[1, 2]' })).toEqual([
      `${EVALS}: is not an evals.json of a skill: it has no list of evals`,
    ]);
    expect(await problemsOf({ [EVALS]: '{"evals": [' })).toHaveLength(1);
  });
});
