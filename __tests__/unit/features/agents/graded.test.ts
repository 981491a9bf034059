import { factsPart, type AgentFacts } from '../../../../src/features/agents/suite/spec.ts';
import { scoreMetric } from '../../../../src/metrics/index.ts';
import { materialsOf } from '../../../../src/metrics/rubric.ts';
import { answerText } from '../../../../src/report/answers/text.ts';
import type { Part } from '../../../../src/types/answer.ts';
import { sample } from '../../metrics/samples.ts';

const PARTS: Part[] = [
  { type: 'text', text: 'Done.' },
  { type: 'file', path: 'NOTES.md', diff: '+# Search' },
];
const facts = factsPart({ turns: 1 } as AgentFacts);
const step = { type: 'tool_call', name: 'Bash', arguments: '{}', result: '' } as const;
const run = sample('Done.', { completion: { parts: [...PARTS, facts], steps: [step, step] } });
const program = sample('Done.', { completion: { parts: PARTS, steps: [step, step] } });

test("graders see an agent's task, last message and changed files", () => {
  const material = materialsOf(run, 'Turn');
  expect(material.input).toBe('user: What is asked?');
  for (const text of [material.content, material.completion, material.conversation])
    expect(text).toMatch(/Done\.\n\nChanged files:\nNOTES\.md\n\+# Search$/);
});

test("graders see only the answer's text if the program is not an agent", () => {
  expect(materialsOf(program, 'Turn').completion).toBe('Done.');
});

test.each([
  [run, 2],
  [program, 0],
])(
  'tool-call metrics count the steps of agents, but not of other programs',
  async (answer, value) => {
    const source = { kind: 'built-in', uses: 'count_tool_calls', with: {} } as const;
    const metric = {
      name: 'calls',
      source,
      level: 'Turn' as const,
      threshold: null,
      depends_on: [],
    };
    const place = { file: 'a.yaml', line: 1 };
    const [score] = await scoreMetric({ ...metric, skip: false, place }, [answer], {} as never);
    expect(score?.value).toBe(value);
  },
);

test("the answer's text contains the agent's last message and changed files, but no other facts of the run", () => {
  expect(answerText(run.completion)).toBe('Done.\nNOTES.md\n+# Search');
});
