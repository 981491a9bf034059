import { readFixture } from '../../../../stand-ins/fixture.ts';
import { problemsOf, read } from '../../../config/tree.ts';

const EVALS = 'skills/pdf/evals/evals.json';
const SKILL =
  '---\nname: pdf\ndescription: Reads PDFs\n---\n\n# PDF\n\nUse {name} and {{twice}}.\n';

const json = (evals: unknown[], more: Record<string, unknown> = {}) =>
  JSON.stringify({ skill_name: 'pdf', ...more, evals }, null, 1);
const settings = {
  'evaldiff.yaml':
    'grader: gpt-4o\nmodels: { default: { provider: anthropic, model: claude-sonnet-4-5 } }\n',
};

const PROGRAM = {
  'evaldiff.yaml':
    'grader: gpt-4o\nmodels: { default: { provider: program, command: [node, app.mjs] } }\n',
};
/** Files of a skill with these evals and a grader. */
const skill = (evals: string, more: Record<string, string | Uint8Array> = {}) => ({
  ...settings,
  'skills/pdf/SKILL.md': 'Read.',
  [EVALS]: evals,
  ...more,
});

describe('an evals/evals.json with SKILL.md', () => {
  test('is imported with the skill as system prompt and the checks as statements that a grader judges', async () => {
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
      'skills/pdf/SKILL.md:8: {{twice}} is not converted: a name in several pairs of braces is sent with only one pair',
      'skills/pdf/SKILL.md: the skill runs without tools: only the text of the model is evaluated',
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

  test('drops cases without a prompt, and shows cases without a check', async () => {
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
      '13: an eval is not converted: it has no prompt',
      '19: a check is not converted: it has no text',
      ' the skill runs without tools: only the text of the model is evaluated',
      "4: no metric judges the answers to 1 test: the grader compares head's answers with base's, without affecting the verdict",
    ]);
  });

  describe('with input files', () => {
    const files = (path: string) =>
      json([
        { id: 'sum', prompt: 'Sum up', files: [path], assertions: ['x'] },
        { id: 'none', prompt: 'Hi', assertions: ['x'] },
      ]);
    const csv = { 'skills/pdf/evals/files/a.csv': 'n\n1\n' };

    test.each(['evals/files/a.csv', 'files/a.csv', 'skills/pdf/evals/files/a.csv'])(
      'gives a model the text of %s, relative to the skill, the evals or the root',
      async (path) => {
        const { project, problems } = await read(skill(files(path), csv));
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

    test('gives a program the paths of the files', async () => {
      const pdf = { 'skills/pdf/evals/in.pdf': new Uint8Array([37, 80, 68, 70, 0, 255]) };
      const { project, problems } = await read(
        skill(files('evals/in.pdf'), { ...PROGRAM, ...pdf }),
      );
      expect(problems).toEqual([]);
      expect(project.suites[0]?.tests.references[0]?.input['files']).toBe(
        '\n\nFiles:\nskills/pdf/evals/in.pdf',
      );
    });

    test.each([
      [
        'not text',
        { 'skills/pdf/evals/in.pdf': new Uint8Array([37, 0, 255]) },
        'evals/in.pdf',
        'is not text, and a model only gets texts',
      ],
      ['a text with a NUL', { 'skills/pdf/evals/in.txt': 'a\0b' }, 'evals/in.txt', 'is not text'],
      [
        'too large for a model',
        { 'skills/pdf/evals/in.txt': 'a'.repeat(200_001) },
        'evals/in.txt',
        'has more than 200,000 bytes',
      ],
      ['missing', {}, 'evals/in.txt', 'evals/in.txt is not a file of the repository'],
      [
        'outside the repository',
        {},
        '../../../etc/passwd',
        '../../../etc/passwd is not a file of the repository',
      ],
      [
        'a folder',
        { 'skills/pdf/evals/in/a.txt': 'A' },
        'evals/in',
        'evals/in is not a file of the repository',
      ],
      ['absolute', {}, '/etc/passwd', '/etc/passwd is not a file of the repository'],
    ])('drops a case whose file is %s, with the reason', async (_, more, path, why) => {
      const { project, notices } = await read(skill(files(path), more));
      expect(project.suites[0]?.tests.references.map(({ id }) => id)).toEqual(['none']);
      expect(notices[0]).toContain(
        '1 of 2 cases, 1 of 2 checks carried over; 1 lost: the eval sum',
      );
      expect(notices[1]).toContain(why);
    });
  });

  test('finds the skill in skills/<name> by its skill_name', async () => {
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

  test('reports a missing skill or an invalid file', async () => {
    expect(await problemsOf({ [EVALS]: json([]) })).toEqual([
      `${EVALS}: belongs to a skill, but there is no skills/pdf/SKILL.md, no skills/pdf/evals/SKILL.md, no skills/pdf/skills/pdf/SKILL.md, no skills/pdf/.claude/skills/pdf/SKILL.md, no .claude/skills/pdf/SKILL.md`,
    ]);
    expect(await problemsOf({ [EVALS]: '[1, 2]' })).toEqual([
      `${EVALS}: is not the evals.json of a skill: it has no list of evals`,
    ]);
    expect(await problemsOf({ [EVALS]: '{"evals": [' })).toHaveLength(1);
  });
});

interface Metric {
  uses: string;
  with: Record<string, unknown>;
}

const CHECKS = readFixture('agent-skills/checks.yaml') as {
  assertions: (Metric & { check: unknown })[];
  keys: (Metric & { case: Record<string, unknown> })[];
  dropped: { case: Record<string, unknown>; why: string }[];
};

describe("a skill's check", () => {
  /**
   * The metrics of a case with these keys beside its prompt, and the notices of what is dropped.
   */
  async function judgedBy(said: Record<string, unknown>, file?: string) {
    const { project, problems, notices } = await read(
      skill(file ?? json([{ prompt: 'Say hello.', ...said }])),
    );
    expect(problems).toEqual([]);
    const metrics = project.suites[0]?.tests.references[0]?.metrics ?? [];
    return {
      metrics: metrics.map(({ source }) =>
        source.kind === 'built-in' ? [source.uses, source.with] : [source.kind, null],
      ),
      lost: notices.filter((line) => line.includes('not converted')).map((line) => line),
      sum: notices.find((line) => line.includes('carried over;')) ?? '',
    };
  }

  test.each(CHECKS.assertions)('becomes the equivalent metric: %j', async (row) => {
    const { metrics, lost } = await judgedBy({ assertions: [row.check] });
    expect([lost, metrics]).toEqual([[], [[row.uses, expect.objectContaining(row.with)]]]);
    // A check is negated only if it says so.
    const negates = row.with['negate'] === true;
    expect(JSON.stringify(metrics).includes('"negate":true')).toBe(negates);
  });

  test.each(CHECKS.keys)('under another key becomes the equivalent metric: %j', async (row) => {
    const { metrics, lost } = await judgedBy(row.case);
    expect([lost, metrics]).toEqual([[], [[row.uses, expect.objectContaining(row.with)]]]);
  });

  test.each(CHECKS.dropped)('is dropped and counted if it cannot be read: %j', async (row) => {
    const { lost, sum } = await judgedBy({ assertions: ['is kind'], ...row.case });
    expect(lost).toEqual([expect.stringContaining(row.why)]);
    expect(sum).toContain('1 of 1 case, 1 of 2 checks carried over; 1 lost');
  });

  test("is counted as lost only once if it is dropped and the case's expected_output is judged instead", async () => {
    const odd = { type: 'bash', value: 'x' };
    const { metrics, sum } = await judgedBy({ expected_output: 'Hi', assertions: [odd, odd] });
    expect(metrics).toMatchObject([['llm_rubric', { criteria: 'Hi' }]]);
    expect(sum).toContain('1 of 1 case, 0 of 2 checks carried over; 2 lost');
  });

  test.each<[string, unknown]>([
    ['a list', [{ skills: ['pdf'], query: 'Say hello.', expected_behavior: ['a', 'b'] }]],
    [
      'one case',
      { skills: ['pdf'], query: 'Say hello.', files: [], expected_behavior: ['a', 'b'] },
    ],
    ['evals', { evals: [{ skills: ['pdf'], query: 'Say hello.', expected_behavior: ['a', 'b'] }] }],
  ])('with a query and expected behavior is read from %s', async (_, file) => {
    const { metrics, lost } = await judgedBy({}, JSON.stringify(file));
    expect([lost, metrics]).toEqual([[], [['criteria', { statements: ['a', 'b'] }]]]);
  });

  test('drops its case if it needs several skills or tests whether the skill is chosen', async () => {
    const evals = json([
      { prompt: 'a', assertions: ['x'] },
      { prompt: 'b', assertions: ['x'], skills: ['pdf', 'docx'] },
      { query: 'c', should_trigger: false, assertions: ['x'] },
      { query: 'd', should_trigger: true },
    ]);
    const { notices, problems } = await read(skill(evals));
    expect(problems).toEqual([]);
    expect(notices[0]).toContain('1 of 4 cases, 1 of 3 checks carried over; 3 lost');
  });

  test('is not read from a list of trigger queries, which a notice reports', async () => {
    const query = { query: 'Open it', should_trigger: true };
    const { notices, problems, project } = await read({
      ...settings,
      [EVALS]: JSON.stringify([query, { ...query, should_trigger: false }]),
    });
    expect([problems, project.suites]).toEqual([[], []]);
    expect(notices).toEqual([
      `${EVALS}: 0 of 2 cases carried over; 2 lost: 2 × a trigger query`,
      expect.stringContaining(
        'a trigger query is not converted: the text of the skill is always sent',
      ),
    ]);
  });
});
