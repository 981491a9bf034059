import type { SuiteComparison } from '../../../src/kernel/plan/suite-run.ts';
import { DEFAULT_GATE } from '../../../src/kernel/suite/gate-settings.ts';
import { answerCalls } from '../../../src/money/answer-calls.ts';
import { scoring, tests } from '../app/run/builders.ts';

const request = (side: string, provider = 'openai') => ({
  kind: 'request',
  fingerprint: side,
  target: { provider },
});

let made = 0;

/** A suite with only the fields that planning of tries reads. */
function comparison(
  references: number,
  {
    provider = 'openai',
    kind = 'adaptive',
    critical = 0,
    mostCalls,
  }: { provider?: string; kind?: string; critical?: number; mostCalls?: number } = {},
) {
  made += 1;
  const own = String(made);
  const compared = Array.from({ length: references }, (_, i) => ({
    affected: {
      reference: { id: `r${i}`, tags: i < critical ? ['critical'] : [], n_tries: null },
      base: request(`base ${own} ${i}`, provider),
      head: request(`head ${own} ${i}`, provider),
    },
    base: [],
    head: [],
  }));
  return {
    run: {
      scoring: {
        ...scoring(tests()),
        answerer: mostCalls === undefined ? null : { mostCalls, fingerprint: 'dialogue' },
      },
      baseScoring: null,
      runs: compared,
    },
    policy: kind === 'adaptive' ? { kind } : { kind, tries: 3 },
    gate: DEFAULT_GATE,
    compared,
    steady: new Set(),
    awaited: new Set(),
  } as unknown as SuiteComparison;
}

/** The plan has two tries a side, or one from 100 references on. */
const callsOf = (...suites: SuiteComparison[]) => {
  const references = suites.reduce((sum, { compared }) => sum + compared.length, 0);
  const tries = references < 100 ? 2 : 1;
  return answerCalls({
    suites,
    next: () => (run) => new Map(run.runs.map((_, index) => [index, tries])),
    plan: {
      prompt_calls: 2 * tries * references,
    } as unknown as Parameters<typeof answerCalls>[0]['plan'],
  });
};

describe('the most calls for answers', () => {
  test('assume at most 40 tries per suspicious reference and nine per other reference', () => {
    expect(callsOf(comparison(50))!.most).toBe(10 * 2 * 40 + 40 * 2 * 9);
    expect(callsOf(comparison(50), comparison(300))!.most).toBe(35 * 2 * 40 + 315 * 2 * 9);
  });

  test('with fixed tries vary only because failed critical references get up to 40 tries each', () => {
    const one = comparison(20, { kind: 'fixed', critical: 2 });
    expect(callsOf(one)!.most).toBe(20 * 2 * 2 + 2 * 2 * 37);
  });

  test('of dialogues include all turns and evaluator calls', () => {
    const plain = callsOf(comparison(20))!;
    const dialogues = callsOf(comparison(20, { mostCalls: 10 }))!;
    expect(dialogues.most).toBe(10 * plain.most);
    expect(callsOf(comparison(20, { mostCalls: 10, provider: 'replay' }))!.most).toBe(80);
  });

  test('equal the plan if answers are recorded, and are null if the number of tries is fixed', () => {
    const recorded = callsOf(comparison(20, { provider: 'replay' }))!;
    expect(recorded).toEqual({ most: 80 });
    expect(callsOf(comparison(20, { kind: 'fixed' }))).toBeNull();
  });
});
