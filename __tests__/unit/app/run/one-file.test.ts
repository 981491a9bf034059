import { runCommits } from '../../../stand-ins/run-commits.ts';
import { treeOf } from '../../config/tree.ts';

const FILE = 'prompts/greet.yaml';

const SUITE = `model: gpt-4o
prompt: Greet {who}.
metrics: [{ uses: contains }]
references:
  - { id: ada, input: { who: Ada }, expected: Ada }
  - { id: bob, input: { who: Bob }, expected: Bob }
`;

async function judged(from: string, to: string) {
  const [base, head] = [SUITE, SUITE.replace(from, to)].map((text) => treeOf({ [FILE]: text }));
  const { result } = await runCommits(base!, head!, [], (asked) => asked);
  const [suite] = result.suites;
  return {
    because: suite?.because,
    ran: suite?.references.map(({ id }) => id),
    lines: result.changes?.flatMap(({ hunks }) =>
      hunks.flatMap(({ lines }) =>
        lines.filter(({ sign }) => sign === 'added').map(({ text }) => text),
      ),
    ),
  };
}

describe('a suite in one file', () => {
  test('runs every reference after a change of its messages, and shows only the changed message', async () => {
    const found = await judged('Greet {who}.\nmetrics', 'Hail {who}.\n# tests\nmetrics');
    expect(found).toEqual({
      because: [{ key: 'messages', file: FILE }],
      ran: ['ada', 'bob'],
      lines: ['prompt: Hail {who}.', '# tests'],
    });
  });

  test('runs one reference after a change of its expected answer', async () => {
    expect(await judged('expected: Bob', 'expected: bob')).toEqual({
      because: [{ key: 'references', file: FILE }],
      ran: ['bob'],
      lines: ['  - { id: bob, input: { who: Bob }, expected: bob }'],
    });
  });

  test('scores every reference again after a change of a metric', async () => {
    expect(await judged('uses: contains', 'uses: exact_match, name: contains')).toMatchObject({
      because: [{ key: 'metrics.contains', file: FILE }],
      ran: ['ada', 'bob'],
    });
  });

  test('runs nothing after a change of a comment among its references', async () => {
    expect((await judged('references:', 'references: # all')).ran).toBeUndefined();
  });
});
