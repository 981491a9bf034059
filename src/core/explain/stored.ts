import { pinnedFor } from '../../config/attributes-file.ts';
import { rateReference } from '../../qualeval/affinity.ts';
import type { Completion, Request } from '../../types.ts';
import type { ComparedLane } from '../compare/verdict.ts';
import { isExplainable, type ExplainPlan } from './explain-plan.ts';
import { byReferences } from './references.ts';

export interface StoredTools {
  /** Whether an answer lies in a store. */
  stored(request: Request): boolean;
  /** As the run itself draws delimiters; absent: its questions are not known beforehand. */
  random?: ((purpose: string) => string) | undefined;
}

/**
 * The calls about attributes less the ratings that earlier runs have paid for. Only those of chosen
 * attributes are known beforehand; without this a pull request on a large suite would be refused
 * for calls that nobody makes.
 */
export async function withoutStored(
  explaining: ExplainPlan | null,
  lanes: readonly ComparedLane[],
  mode: 'diff' | 'sweep',
  { stored, random }: StoredTools,
): Promise<ExplainPlan | null> {
  if (
    explaining === null ||
    explaining.grader === null ||
    explaining.pinned === null ||
    explaining.calls.certain === 0 ||
    random === undefined
  )
    return explaining;
  const { grader, pinned, calls } = explaining;
  let known = 0;
  const look = (request: Request): Promise<Completion> => {
    if (stored(request)) known += 1;
    return Promise.resolve({ status: 'error', kind: 'aborted', message: 'only looked for' });
  };
  for (const {
    references,
    lanes: [first],
  } of byReferences(lanes.filter((lane) => isExplainable(lane, mode)))) {
    const attributes = first === undefined ? [] : pinnedFor(pinned, first.run.lane.path);
    if (attributes.length === 0) continue;
    for (const reference of references)
      await rateReference(reference, attributes, { grader, random, complete: look });
  }
  return { ...explaining, calls: { ...calls, certain: Math.max(0, calls.certain - known) } };
}
