import type { Evaluations } from '../../kernel/result/result.ts';
import { createRandom, shuffle } from '../../kernel/statistics/random.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type { CodeJob, CodeResult, Evaluate } from '../../types/model.ts';
import type { Notice, Place } from '../../types/plain.ts';

const REPEAT_EVERY = 10;

/** A busy machine may cause these errors. */
const LOAD_ERRORS = /^(?:took longer|used more|was not run)/;

interface Repeats {
  evaluate: Evaluate;
  found(): { made: Evaluations; notices: Notice[] };
}

/**
 * Scores must not vary, nor depend on the order or on the side (base or head). To check this, some
 * evaluations are repeated: in a new process, in another order and as the other side. If a score
 * differs, all further results of that code are errors.
 */
export function repeatedEvaluate(evaluate: Evaluate, seed: string): Repeats {
  const made: Evaluations = { made: 0, repeated: 0, differing: 0 };
  const notices: Notice[] = [];
  const stateful = new Map<string, CodeResult>();
  const jobs = new Map<string, number>();

  const repeat = async (
    job: CodeJob,
    scores: NonNullable<CodeJob['scores']>,
    results: CodeResult[],
  ): Promise<CodeResult[]> => {
    const own = JSON.stringify([job.suite, job.side, scores, job.language, job.code]);
    const earlier = jobs.get(own) ?? 0;
    jobs.set(own, earlier + 1);
    const drawn = drawSample([...job.inputs.entries()], `${seed} ${own} ${String(earlier)}`);
    const again = await evaluate({
      ...job,
      side: job.side === 'base' ? 'head' : 'base',
      fresh: true,
      inputs: drawn.map(([, input]) => input),
    });
    const differing = drawn.filter(([index], position) =>
      isDifferentResult(results[index], again[position]),
    );
    made.made += results.length;
    made.repeated += drawn.length;
    made.differing += differing.length;
    if (differing.length > 0 && !stateful.has(own)) {
      const message = keepsState(scores.place);
      stateful.set(own, { status: 'error', cause: 'sandbox', message });
      notices.push({ kind: 'error', place: scores.place, message: `${scores.what} ${message}` });
    }
    const error = stateful.get(own);
    return error === undefined ? results : results.map(() => error);
  };

  return {
    async evaluate(job) {
      const results = await evaluate(job);
      const { scores } = job;
      return scores === undefined || results.length === 0
        ? results
        : await repeat(job, scores, results);
    },
    found: () => ({ made, notices }),
  };
}

/** Skips the first item, because nothing before it could leave state that changes its score. */
function drawSample<T>(all: readonly T[], seed: string): T[] {
  const wanted = Math.max(1, Math.round(all.length / REPEAT_EVERY));
  const later = all.length === 1 ? all : all.slice(1);
  return shuffle(later, createRandom(seed)).slice(0, wanted);
}

function isDifferentResult(first: CodeResult | undefined, second: CodeResult | undefined): boolean {
  if (first === undefined || second === undefined) return false;
  if (
    [first, second].some((result) => result.status === 'error' && LOAD_ERRORS.test(result.message))
  )
    return false;
  if (first.status === 'ok' && second.status === 'ok')
    return canonicalJson(first.values) !== canonicalJson(second.values);
  return first.status !== second.status;
}

function keepsState({ file, line }: Place): string {
  return (
    `keeps state or depends on the side (${file}:${String(line)}): ` +
    'the same answer got a different score when it was scored again, in a fresh process, ' +
    "as the other side's. " +
    "Compute the score from the answer alone: do not run the answer in the metric's own " +
    'process, do not change what later evaluations see, ' +
    'do not read the clock, and seed random numbers, for example with random.seed(0)'
  );
}
