import type { Halt, Unmade } from '../plan/halt.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import { counted } from '../text/amounts.ts';
import type { WaitingBatches } from '../types/model.ts';
import { decide } from './gate.ts';
import type { Decision, GateInput } from './outcome.ts';

/**
 * The conclusion of a run that was ended early. A regression that the tries so far show stands;
 * without one there is no verdict, for the tries that are missing could have shown it. Tries that
 * were not made are not errors of the run. What a batch still holds is neither missing nor red:
 * another run picks it up.
 */
export function decideHalted(input: GateInput, halt: Halt, unmade: Unmade): Decision {
  const rest = decide({ ...input, suites: withoutUnmade(input.suites, unmade) });
  const unjudged = rest.outcome.kind === 'not-judged';
  const planned = triesOf(input.suites);
  const made = planned - unmade.tries;
  const why = `${halt.title}: ${halt.why}; ${String(made)} of ${String(planned)} tries were made`;
  if (!unjudged && input.suites.some(({ verdict }) => verdict === 'regressed'))
    return { ...rest, reasons: [...rest.reasons, `${why}, which is enough for this verdict.`] };
  const ended = { halt: halt.title, why, made, planned };
  if (halt.waiting !== undefined) {
    const met = made === 0 ? [] : rest.reasons;
    return {
      outcome: { kind: 'waiting', ...ended },
      reasons: [`${why}.`, heldWords(halt.waiting), ...met],
    };
  }
  return {
    outcome: { kind: 'ended-early', ...ended },
    reasons: [`${why}, which is not enough for a verdict.`, ...(unjudged ? rest.reasons : [])],
  };
}

function heldWords({ ids, requests }: WaitingBatches): string {
  const named = `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`;
  return `${counted(requests, 'request')} ${requests === 1 ? 'is' : 'are'} with the vendor in ${named}: paid for once, and picked up by the next run.`;
}

function triesOf(suites: readonly SuiteResult[]): number {
  return suites.reduce(
    (sum, { references }) =>
      sum +
      references.reduce(
        (own, { base, head }) => own + (base?.tries.length ?? 0) + (head?.tries.length ?? 0),
        0,
      ),
    0,
  );
}

/** Removes as many tries in error as were never made; the gate only counts them, so any will do. */
function withoutUnmade(suites: readonly SuiteResult[], { tries, grades }: Unmade): SuiteResult[] {
  let [answers, scored] = [tries, grades];
  const keep = ({ outcome, error }: { outcome: string; error: string | null }): boolean => {
    if (outcome !== 'error') return true;
    if (error !== null) return (answers -= 1) < 0;
    return (scored -= 1) < 0;
  };
  const side = <T extends SuiteResult['references'][number]['base']>(one: T): T =>
    one === null ? one : { ...one, tries: one.tries.filter(keep) };
  return suites.map((suite) => ({
    ...suite,
    references: suite.references.map((reference) => ({
      ...reference,
      base: side(reference.base),
      head: side(reference.head),
    })),
  }));
}
