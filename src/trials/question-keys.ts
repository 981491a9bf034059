import type { ReferenceRun, SuiteRun } from '../kernel/plan/suite-run.ts';
import { referenceOn } from '../kernel/select/affected-suite.ts';
import { scoringIdentity } from '../kernel/select/scoring.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { Side } from '../types/plain.ts';
import { questionOf } from './draws.ts';

/** Keys that identify a reference's question and scoring, whatever its draw. Null: not asked. */
export function questionKeys({
  scoring,
}: SuiteRun): (run: ReferenceRun, side: Side) => string | null {
  const answerer = scoring.answerer?.fingerprint ?? null;
  const shared = `${canonicalJson(scoringIdentity(scoring))},${canonicalJson(answerer)}`;
  return ({ affected: reference }, side) => {
    const generation = reference[side];
    if (generation === null || generation.kind === 'impossible') return null;
    const { expected = null } = referenceOn(reference, scoring.side);
    return `[${canonicalJson(questionOf(generation))},${shared},${canonicalJson(expected)}]`;
  };
}
