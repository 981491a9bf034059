import { taskOf } from '../../../../src/features/agents/suite/spec.ts';
import { readSuites } from './read-suites.ts';

const EVALS = JSON.stringify({
  skill_name: 'release-notes',
  evals: [
    {
      id: 1,
      prompt: 'Write the notes of the attached changes.',
      files: ['evals/files/changes.csv'],
      expectations: ['The notes name every change.'],
    },
    { id: 2, prompt: 'Write the notes of 2.0.', expected_output: 'Notes with a heading' },
    { id: 3, query: 'We release tomorrow. Tell our users.', should_trigger: true },
    { id: 4, query: 'What is 2 + 2?', should_trigger: false },
    { id: 5, prompt: 'Write the notes.', files: ['nowhere.csv'], expectations: ['Short.'] },
  ],
});

const SKILL = 'skills/release-notes';

const AGENT = 'grader: gpt-4o\nagent: { agent: claude-code, model: claude-sonnet-4-5 }\n';

const readEvals = (settings: string, more: Record<string, string> = {}) =>
  readSuites({
    'evaldiff.yaml': settings,
    'app.js': 'x',
    [`${SKILL}/SKILL.md`]: '---\nname: release-notes\ndescription: Notes.\n---\nBe brief.',
    [`${SKILL}/evals/evals.json`]: EVALS,
    [`${SKILL}/evals/files/changes.csv`]: 'a,b',
    ...more,
  });

describe("a skill's evals.json", () => {
  test('becomes tasks for the agent that the settings name', async () => {
    const { suites, spec, problems } = await readEvals(AGENT);
    expect(problems).toEqual([]);
    const [suite] = suites;
    expect(suite?.prompt.name).toBe('release-notes');
    const tasks = suite?.tests.references ?? [];
    expect(tasks.map(({ id, input }) => [id, taskOf(input)])).toEqual([
      [
        '1',
        {
          task: 'Write the notes of the attached changes.',
          files: { 'evals/files/changes.csv': `${SKILL}/evals/files/changes.csv` },
        },
      ],
      ['2', { task: 'Write the notes of 2.0.' }],
    ]);
    expect(tasks.map(({ metrics }) => metrics?.map(({ name }) => name))).toEqual([
      ['checks'],
      ['as_expected'],
    ]);
    expect(spec?.workspace).toMatchObject({
      from: '',
      skills: { '.claude/skills/release-notes': SKILL },
      hide: [`${SKILL}/evals`],
    });
  });

  test('has a trigger test for each trigger query: does the agent choose the skill?', async () => {
    const { suites } = await readEvals(AGENT);
    expect(suites[1]?.tests.references.map(({ id, input }) => [id, taskOf(input).trigger])).toEqual(
      [
        ['3', 'release-notes'],
        ['4', null],
      ],
    );
  });

  test.each([
    [
      'a case whose file is missing',
      {},
      'the eval 5 is not converted: its file nowhere.csv is not',
    ],
    ['a key of the file', { threshold: 0.8 }, 'threshold is not converted: it may decide'],
    [
      'how much it carries over',
      {},
      '4 of 5 cases, 2 of 3 checks carried over; 1 lost: the eval 5',
    ],
    ['trigger queries, unless an agent runs them', {}, null],
  ])('reports %s', async (_, keys, message) => {
    const evals = JSON.stringify({ ...JSON.parse(EVALS), ...keys });
    const { project } = await readEvals(AGENT, { [`${SKILL}/evals/evals.json`]: evals });
    const said = project.notices.map((notice) => notice.message).join('\n');
    if (message === null) expect(said).not.toContain('would choose it is not tested');
    else expect(said).toContain(message);
  });

  test('uses the workspace and limits of the agent in the settings', async () => {
    const { spec, problems } = await readEvals(
      `grader: gpt-4o
agent:
  agent: codex@0.171.0
  model: gpt-5.4
  workspace: { hide: [secret.md], setup: [make] }
  limits: { turns: 5 }
`,
      { 'secret.md': 'x' },
    );
    expect(problems).toEqual([]);
    expect(spec).toMatchObject({
      agent: 'codex',
      limits: { turns: 5 },
      workspace: {
        skills: { '.agents/skills/release-notes': SKILL },
        hide: [`${SKILL}/evals`, 'secret.md'],
        setup: { run: ['make'], network: 'off' },
      },
    });
  });

  test('becomes a prompt if the settings name no agent', async () => {
    const { suites, problems } = await readEvals(
      'grader: gpt-4o\nmodels: { default: { provider: openai, model: gpt-4o } }\n',
    );
    expect(problems).toEqual([]);
    expect(suites).toHaveLength(1);
    expect(suites[0]?.prompt.messages[0]?.content).toContain('Be brief.');
  });

  test.each([
    ['agent: { agent: claude, model: gpt-4o }', 'agent.agent must be one of claude-code'],
    ['agent: { agent: codex }', 'agent: "model" is missing'],
    ['agent: { agent: codex, model: sonet }', 'model: no vendor has a model "sonet"'],
    ['agent: codex', 'agent must be a map'],
  ])('with the setting %s is an error', async (settings, message) => {
    const { problems } = await readEvals(`grader: gpt-4o\n${settings}\n`);
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toContain('evaldiff.yaml');
  });
});
