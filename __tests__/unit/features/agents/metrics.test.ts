import { agentMetrics } from '../../../../src/features/agents/metrics.ts';
import { factsPart, type AgentFacts } from '../../../../src/features/agents/suite/spec.ts';
import type { Step } from '../../../../src/types/answer.ts';
import type { Json } from '../../../../src/types/plain.ts';
import { FACTS as PLAIN } from '../../../stand-ins/agents/facts.ts';
import { sample } from '../../metrics/samples.ts';

const FACTS: AgentFacts = {
  ...PLAIN,
  seconds: null,
  files: [
    { path: 'NOTES.md', kind: 'added' },
    { path: 'src/a.ts', kind: 'changed' },
  ],
  watched: { 'NOTES.md': '- Search', 'old.md': null },
  checks: [
    { name: 'npm test', code: 0, output: 'ok' },
    { name: 'npm run lint', code: 2, output: 'line 1\n2 errors\n' },
    { name: 'sleep', code: null, output: '', timedOut: true },
  ],
  skills: ['release-notes'],
};

const call = (name: string, given = '{}'): Step => ({
  type: 'tool_call',
  name,
  arguments: given,
  result: '',
});

const STEPS = [call('Read', '{"path":"a"}'), call('Bash', '{"command":"npm test"}'), call('Write')];

async function measured(
  uses: string,
  given: Record<string, Json>,
  facts: AgentFacts | null = FACTS,
) {
  const metric = agentMetrics.find(({ name }) => name === uses);
  const parts = facts === null ? [] : [factsPart(facts)];
  const usage = { input_tokens: 100, output_tokens: 20 };
  const answer = sample('Done.', { completion: { parts, steps: STEPS, usage } });
  const context = { name: uses, level: 'Turn', tools: {} } as never;
  return (await metric?.score([answer], given, context))?.[0];
}

describe('metrics of agents', () => {
  test.each(agentMetrics.map((metric) => [metric.name, metric] as const))(
    'give the documented result for the example of %s',
    async (_, { score, example }) => {
      const answer = sample(example.output, { completion: example.completion ?? {} });
      const context = { name: 'x', level: 'Turn', tools: {} } as never;
      const [result] = await score([answer], example.with ?? {}, context);
      expect(result).toMatchObject({ value: example.value, pass: example.pass });
    },
  );

  test.each([
    ['files', { exist: ['NOTES.md'], absent: ['old.md'] }, 1, null],
    ['files', { exist: ['NOTES.md', 'old.md'] }, 0.5, 'old.md does not exist'],
    ['files', { absent: ['NOTES.md'] }, 0, 'NOTES.md exists'],
    ['files', { only_changed: ['NOTES.md', 'src'] }, 1, null],
    ['files', { only_changed: ['*.md'] }, 0, 'src/a.ts was changed'],
    ['files', { contains: { 'NOTES.md': 'Search' } }, 1, null],
    ['files', { contains: { 'NOTES.md': ['Search', 'x'] } }, 0.5, 'NOTES.md does not contain "x"'],
    ['runs', { run: 'npm test' }, 1, null],
    ['runs', { run: 'npm run lint' }, 0, 'npm run lint exits with 2: 2 errors'],
    ['skill_used', { name: 'release-notes' }, 1, null],
    ['skill_used', { name: 'pdf' }, 0, 'uses release-notes'],
    ['skill_used', { none: true }, 0, 'uses release-notes'],
    ['steps', { max: 2 }, 3, '3 tool calls, at most 2 wanted'],
    ['steps', { never: ['Bash: npm test'] }, 3, 'calls Bash: npm test'],
    ['steps', { never: ['Bash: rm', 'WebFetch'] }, 3, null],
    ['steps', { order: ['Read', 'Write'] }, 3, null],
    ['steps', { order: ['Write', 'Read'] }, 3, 'does not call Read after Write'],
    ['run_value', { of: 'tokens' }, 120, null],
    ['run_value', { of: 'files_changed', max: 1 }, 2, '2 files changed, at most 1 wanted'],
  ])('named %s with the parameters %j return the value %d', async (uses, given, value, reason) => {
    expect(await measured(uses, given)).toMatchObject({ value, pass: reason === null, reason });
  });

  const UNKNOWN = { isSkillToolUnknown: true } as const;

  test.each<[string, Record<string, Json>, object, Partial<AgentFacts>?]>([
    ['files', { exist: ['new.md'] }, { status: 'skipped' }],
    ['runs', { run: 'make' }, { status: 'skipped' }],
    ['skill_used', { none: true }, { status: 'ungraded' }, { ...UNKNOWN, skills: [] }],
    ['skill_used', { none: true }, { pass: false }, UNKNOWN],
    ['skill_used', { none: true }, { pass: true }, { skills: [] }],
    ['runs', { run: 'sleep' }, { status: 'error' }],
    ['run_value', { of: 'seconds' }, { status: 'skipped' }],
  ])('named %s with %j give %j if the run lacks data', async (uses, given, result, facts = {}) => {
    expect(await measured(uses, given, { ...FACTS, ...facts })).toMatchObject(result);
  });

  test('report an error if the answer does not come from an agent', async () => {
    expect(await measured('runs', { run: 'make' }, null)).toMatchObject({ status: 'error' });
  });
});
