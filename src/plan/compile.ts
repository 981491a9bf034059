import { everyMetric } from '../suite/metrics.ts';
import type { CodePlace, CodeLanguage, Evaluate } from '../types/model.ts';
import type { Place, Problem } from '../types/plain.ts';
import type { PrepareInput } from './prepared.ts';
import type { SuiteComparison } from './suite-run.ts';

interface Code {
  what: string;
  language: CodeLanguage;
  code: string;
  at?: CodePlace;
  place: Place;
}

/**
 * Code of these suites that does not compile, or imports at its top what it cannot have: metrics,
 * roll-ups and prompts. Nothing of it is run.
 */
export async function codeProblems(
  suites: readonly SuiteComparison[],
  { mode, code }: Pick<PrepareInput, 'mode' | 'code'>,
  evaluate: Evaluate,
): Promise<Problem[]> {
  if (code === 'off') return [];
  const used = suites.filter(({ run }) => mode === 'sweep' || run.runs.length > 0);
  const all = used.flatMap((suite) => [
    ...scoringCode(suite),
    // A prompt's packages are the host's, where it may run at all.
    ...(code === 'host' ? promptCode(suite) : []),
  ]);
  const distinct = new Map(all.map((one) => [JSON.stringify([one.place, one.code]), one]));
  const found = await Promise.all([...distinct.values()].map((one) => problemOf(one, evaluate)));
  return found.flat();
}

function scoringCode({ run: { deciding } }: SuiteComparison): Code[] {
  const { tests } = deciding;
  const metrics = everyMetric(tests).flatMap(({ name, source, codeAt: at, place }): Code[] =>
    source.kind !== 'code'
      ? []
      : [{ what: `metric "${name}"`, ...source, ...(at === undefined ? {} : { at }), place }],
  );
  const { rollup } = tests;
  return rollup.kind === 'code'
    ? [...metrics, { ...rollup, what: `metrics_rollup "${rollup.name}"` }]
    : metrics;
}

function promptCode({ run: { suite } }: SuiteComparison): Code[] {
  const written = suite.head?.suite.prompt.code ?? null;
  return written === null ? [] : [{ ...written, code: written.source, what: 'prompt code' }];
}

async function problemOf(
  { what, language, code, at, place }: Code,
  evaluate: Evaluate,
): Promise<Problem[]> {
  const [result] = await evaluate({
    suite: 'compiled',
    side: 'head',
    language,
    code,
    ...(at === undefined ? {} : { at }),
    outputs: [],
    inputs: [{}],
  });
  return result?.status === 'error' ? [{ place, message: `${what}: ${result.message}` }] : [];
}
