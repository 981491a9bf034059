import { readFileSync, readdirSync } from 'node:fs';
import { scoreMetric } from '../../../../../src/metrics/index.ts';
import type { Json, JsonMap } from '../../../../../src/types/plain.ts';
import { read } from '../../../../unit/config/tree.ts';
import { onAnswers, sample, tools } from '../../../../unit/metrics/samples.ts';
import { realSandbox } from '../../../metrics/real-sandbox.ts';

const FOLDER = new URL('../../../../../fixtures/promptfoo/', import.meta.url);

interface Row {
  type: string;
  value?: Json;
  threshold?: number;
  pass: string;
}

const MATRIX = JSON.parse(readFileSync(new URL('matrix.json', FOLDER), 'utf8')) as {
  vars: JsonMap;
  answers: string[];
  assertions: Row[];
};

const FILES = Object.fromEntries(
  ['checks', 'values'].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, FOLDER)).map((name) => [
      `${folder}/${name}`,
      readFileSync(new URL(`${folder}/${name}`, FOLDER), 'utf8'),
    ]),
  ),
);

const sandbox = realSandbox();

/** Reads a configuration with one test per assertion. */
async function readAll(rows: readonly Row[]) {
  const { project, problems, notices } = await read({
    ...FILES,
    'promptfooconfig.yaml': JSON.stringify({
      prompts: ['Give an answer'],
      providers: ['openai:gpt-4o'],
      tests: rows.map(({ pass: _, ...assertion }) => ({ vars: MATRIX.vars, assert: [assertion] })),
    }),
  });
  const references = project.suites[0]?.tests.references ?? [];
  return { references, told: [...problems, ...notices].join('\n') };
}

type Carried = Awaited<ReturnType<typeof readAll>>['references'][number];

/** evaldiff's verdicts on every answer: 1, 0, e (error) or - (assertion not imported). */
async function verdicts(reference: Carried | undefined, unread: string) {
  const metric = reference?.metrics?.[0];
  if (reference === undefined || metric === undefined) return { pass: '-', told: unread };
  const scores = await scoreMetric(
    metric,
    MATRIX.answers.map((answer) =>
      sample(answer, {
        input: reference.input,
        messages: [{ role: 'user', content: 'Give an answer' }],
      }),
    ),
    tools({ evaluate: onAnswers(sandbox.evaluate) }),
  );
  return {
    pass: scores.map(({ status }) => ({ pass: '1', fail: '0' })[String(status)] ?? 'e').join(''),
    told: scores.find(({ status }) => status === 'error')?.reason ?? '',
  };
}

const nameOf = ({ type, value, threshold }: Row) => JSON.stringify({ type, value, threshold });

/** Deliberate differences from the migration guide's table. The import reports such assertions. */
const DIFFERENCES: readonly { is: (row: Row) => boolean; row: string }[] = [
  {
    is: ({ type }) => /^(?:gleu|(?:is|contains)-(?:xml|html|sql))$/.test(type),
    row: '| `gleu`, `meteor`, `is-xml`, `is-html`, `is-sql` and their `contains-` |',
  },
  {
    is: ({ type, value }) =>
      type === 'javascript' && /process\.env|crypto\.|performance\./.test(String(value)),
    row: '| packages, I/O modules, `fetch`, `process`, `crypto`, timers in checks; packages, files, `os.environ` in Python |',
  },
];

const types = [...new Set(MATRIX.assertions.map(({ type }) => type))];

describe("promptfoo's own verdicts", () => {
  test.each(types)(
    "on %s equal evaldiff's for every answer, or the difference is reported",
    async (wanted) => {
      const differing: string[] = [];
      const [known, alike] = [true, false].map((is) =>
        MATRIX.assertions.filter(
          (row) =>
            row.type === wanted && DIFFERENCES.some((difference) => difference.is(row)) === is,
        ),
      ) as [Row[], Row[]];
      const { references, told: unread } = await readAll(alike);
      for (const [at, row] of alike.entries()) {
        const { pass, told } = await verdicts(references[at], unread);
        if (pass !== row.pass) differing.push(`${nameOf(row)}\n  ${row.pass}\n  ${pass} ${told}`);
      }
      for (const row of known) {
        const { references: carried, told: why } = await readAll([row]);
        const { pass, told } = await verdicts(carried[0], why);
        if (pass !== '-' || !told.includes(`the assertion ${row.type} is not converted`))
          differing.push(`${nameOf(row)} is not told: ${pass} ${told}`);
      }
      expect(differing).toEqual([]);
    },
  );

  test("that deliberately differ from evaldiff's are listed in the guide", () => {
    const guide = readFileSync(new URL('../../docs/migrate.md', FOLDER), 'utf8').replace(
      / +/g,
      ' ',
    );
    for (const { row } of DIFFERENCES) expect(guide).toContain(row);
    const { assertions, answers } = MATRIX;
    expect(guide).toContain(`${assertions.length} assertions on ${answers.length} answers each`);
  });
});
