/** Metrics that execute answers, and answers that attack the scoring, in the real sandbox. */
import { createSandbox } from '../../../../src/edges/sandbox/index.ts';
import { ATTACKED_METRICS } from '../../../stand-ins/attacking-answers.ts';
import { metric, project } from '../../../unit/app/run/builders.ts';
import { realSandbox } from '../../metrics/real-sandbox.ts';
import { runPipeline, shop, type Ran } from './pipeline.ts';

type Language = keyof typeof ATTACKED_METRICS;

const exact = (language: Language, line: number) =>
  metric('runs', {
    source: { kind: 'code', language, code: ATTACKED_METRICS[language].runs },
    place: { file: 'prompts/tests/p.yaml', line },
  });

const sides = (language: Language, wording: string) =>
  project(
    ['alpha', 'beta'].map((name) =>
      shop(`${wording} ${name} {q}`, 12, {
        prompt: { name },
        tests: { metrics: [exact(language, 4)] },
      }),
    ),
  );

describe.each(['python', 'javascript'] as const)('answers that attack a %s metric', (language) => {
  const open = new Map<boolean, ReturnType<typeof createSandbox>>();
  beforeAll(() => {
    for (const alone of [false, true])
      open.set(
        alone,
        createSandbox({
          mode: 'sandbox',
          env: {},
          timeoutSeconds: 600,
          time: Date.UTC(2026, 0, 2),
          log: () => undefined,
          alone,
        }),
      );
  });
  afterAll(() => Promise.all([...open.values()].map((sandbox) => sandbox.close())));

  /**
   * Head's first answer about alpha attacks, its other answers about alpha are wrong, and the rest
   * is correct.
   */
  const attacked = (alone: boolean) =>
    runPipeline(
      sides(language, 'Old'),
      sides(language, 'New'),
      (_, question) => {
        if (!question.startsWith('New alpha')) return 'value = 1';
        return question.includes('r00') ? ATTACKED_METRICS[language].attack : 'value = 0';
      },
      { edges: { evaluate: open.get(alone)!.evaluate } },
    );
  const ratesOf = ({ result }: Ran): [string, number | null, number | null][] =>
    result.suites.map(({ name, pass_rate }) => [name, pass_rate.base, pass_rate.head]);

  test('change only their own score if each evaluation is isolated, as for untrusted pull requests', async () => {
    const ran = await attacked(true);
    expect(ran.result.conclusion).toBe('failure');
    expect(ratesOf(ran)).toEqual([
      ['alpha', 1, 0],
      ['beta', 1, 1],
    ]);
  });

  test('change nothing on base or in other suites in pull requests of team members', async () => {
    const ran = await attacked(false);
    expect(ratesOf(ran)).toEqual([
      ['alpha', 1, expect.any(Number)],
      ['beta', 1, 1],
    ]);
  });
});

/** A metric that scores honestly in the first processes. In later ones, it passes every answer. */
const BY_PROCESS = `import os, sys
ids, frame = set(), sys._getframe()
while frame is not None:
    values = list(frame.f_locals.values())
    values += [found for value in values for found in getattr(value, "__dict__", {}).values()]
    ids |= {value for value in values if type(value) is int and value > 1}
    frame = frame.f_back
later = any(os.getpid() - one > 2 for one in ids if one < os.getpid())
metric = 1
result = later or actual == "right"`;

const sandbox = realSandbox();

test('a metric cannot find out from its process whether it scores base or head', async () => {
  const code = metric('honest', { source: { kind: 'code', language: 'python', code: BY_PROCESS } });
  const of = (wording: string) =>
    project([shop(`${wording} {q}`, 12, { tests: { metrics: [code] } })]);
  const { result } = await runPipeline(
    of('Old'),
    of('New'),
    (_, question) => (question.startsWith('Old') ? 'right' : 'wrong'),
    { edges: { evaluate: sandbox.evaluate } },
  );
  expect(result.suites.map(({ pass_rate }) => pass_rate)).toMatchObject([{ base: 1, head: 0 }]);
});
