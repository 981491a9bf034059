import { openProject } from '../../../stand-ins/project.ts';

interface Side {
  /** Numbers of the references, by prompt. */
  [prompt: string]: number[];
}

const HAS = '[{ name: has, uses: contains, with: { value: Oslo } }]';

const filesOf = (side: Side, metrics: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(side).flatMap(([name, ids]) => [
      [
        `prompts/${name}.yaml`,
        `name: ${name}\nmodel: m\ndefaults: [tests/${name}]\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "${name}: {q}" }]\n`,
      ],
      [
        `prompts/tests/${name}.yaml`,
        `metrics: ${metrics[name] ?? HAS}\nreferences:\n${ids.map((id) => `  - { id: r${id}, input: { q: "question ${id}" } }\n`).join('')}`,
      ],
    ]),
  );

/** Compares two states of a project. The model answers prompts `b` and `c` wrongly. */
async function compared(base: Side, head: Side, metrics: Record<string, string> = {}) {
  const { repository, evaldiff } = await openProject(
    {
      'evaldiff.yaml': 'models:\n  m: { provider: openai, endpoint: local, model: model-1 }\n',
      ...filesOf(base, metrics),
    },
    {
      width: 200,
      answer: ({ messages }) => ({ text: messages[0]?.content.startsWith('a') ? 'Oslo' : 'Rome' }),
    },
  );
  for (const name of Object.keys(base))
    if (!(name in head))
      repository.git('rm', '-q', `prompts/${name}.yaml`, `prompts/tests/${name}.yaml`);
  repository.write(filesOf(head, metrics));
  return evaldiff('diff', '--base', 'HEAD', '--no-store');
}

describe('a reference that moves to another suite', () => {
  const [MANY, FEW] = [
    [1, 2, 3, 4, 5, 6, 7, 8],
    [11, 12],
  ];
  test.each([
    ['alone', { a: MANY, b: FEW }, { a: MANY.slice(1), b: [1, ...FEW] }],
    ['with others', { a: MANY, b: FEW }, { a: MANY.slice(4), b: [...MANY.slice(0, 4), ...FEW] }],
    ['into a new suite', { a: MANY }, { a: MANY.slice(4), c: MANY.slice(0, 4) }],
    ['from a suite that is removed', { a: MANY, b: FEW }, { b: [...MANY, ...FEW] }],
  ])("is compared with its old suite's answers on base: %s", async (_, base, head) => {
    const { code, out } = await compared(base, head);
    expect(code).toBe(1);
    expect(out).toMatch(/Regressed: ([bc])\n+\1:? .*tests? broke/);
    expect(out).toContain('Cause not looked for: tests were moved here from the prompt a.');
    expect(out).not.toContain('removed');
  });

  test('is also listed as removed if the other suite scores differently', async () => {
    const { out } = await compared(
      { a: MANY, b: FEW },
      { a: MANY.slice(1), b: [1, ...FEW] },
      { b: '[{ name: says, uses: contains, with: { value: R } }]' },
    );
    expect(out).toContain('Deleted: 1 test (r1)');
  });

  test('runs nothing if both suites have the same prompt and scoring', async () => {
    const { code, out } = await compared(
      { a: MANY, ab: FEW },
      { a: MANY.slice(1), ab: [1, ...FEW] },
    );
    expect(code).toBe(0);
    expect(out).not.toContain('removed');
  });
});
