import { keyProblems } from '../../app/run/key-problems.ts';
import { guardedEdges } from '../../app/run/plan-and-run.ts';
import { planRun } from '../../app/run/plan.ts';
import type { Edges, RunInput } from '../../app/run/record.ts';
import { run as runPlan } from '../../app/run/run.ts';
import { problem } from '../../errors.ts';
import type { Halt } from '../../kernel/plan/halt.ts';
import type { Complete } from '../../types/model.ts';
import type { Notice, Problem } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { HALT_WORDS } from '../../wording/reasons.ts';
import { againOf, drawOf } from './plan.ts';
import type { NoiseResult } from './result.ts';
import { keepNoise } from './store.ts';
import { countComparison, noiseResult, startTally, type NoiseHead } from './tally.ts';

export interface NoiseInput extends Omit<RunInput, 'mode' | 'base' | 'head' | 'failOn' | 'again'> {
  tree: SourceTree;
  runs: number;
}

/** Compares a commit with itself several times, always with new tries. */
export async function measureNoise(
  { tree, runs, ...rest }: NoiseInput,
  edges: Edges,
): Promise<NoiseResult> {
  const tally = startTally();
  const plan = await planRun(
    { ...rest, mode: 'diff', base: tree, head: tree, failOn: null, again: againOf(runs) },
    edges,
  );
  if (!plan.ready) {
    const { result } = plan;
    return noiseResult(noiseHead(result, rest.today), tally, result);
  }
  const { emptyResult } = plan;
  const head = noiseHead(emptyResult, rest.today);
  edges.planned(plan);
  const problems = keyProblems(plan, edges.missingKeys);
  if (problems.length > 0)
    return noiseResult(head, tally, { problems, notices: emptyResult.notices });
  const guarded = guardedEdges(plan, edges, { base: tree, head: tree });
  const haltNow = () => guarded.halted?.() ?? null;
  const notices: Notice[] = [...emptyResult.notices];
  for (let run = 0; run < runs; run += 1) {
    // Offsets the tries, so that each comparison gets new answers and new grades.
    const draw = drawOf(rest.today, run);
    const complete: Complete = (request) =>
      guarded.complete({ ...request, try: request.try + draw });
    const silent = { ...plan, emptyResult: { ...emptyResult, notices: [] } };
    const result = await runPlan(silent, { ...guarded, complete });
    const halt = haltNow();
    if (halt !== null) {
      notices.push({
        kind: 'capped',
        place: null,
        message:
          `${HALT_WORDS[halt.code]}: ${halt.why}; ${tally.judged} of ` +
          `${runs} comparisons were made`,
      });
      // The unfinished comparison does not count, but its cost does.
      tally.usages.push(result.usage);
      break;
    }
    countComparison(tally, result);
  }
  const passed = passedProblems(haltNow());
  const measured = noiseResult(head, tally, { problems: passed, notices });
  if (tally.judged === runs || tally.judged >= ENOUGH)
    keepNoise((await edges.kept?.()) ?? [], measured);
  return measured;
}

/** A measurement that cost more than its cap does not pass. */
function passedProblems(halt: Halt | null): Problem[] {
  return halt?.isPassed === true ? [problem(null, halt.why)] : [];
}

/** A measurement that stopped early is stored only with at least this many comparisons. */
const ENOUGH = 10;

function noiseHead(
  { head, gate, n_tries }: Pick<NoiseHead, 'head' | 'gate' | 'n_tries'>,
  today: string,
): NoiseHead {
  return { head, gate, n_tries, measured_at: today };
}
