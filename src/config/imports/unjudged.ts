import { counted } from '../../text/amounts.ts';
import type { JsonMap, Notice, Place } from '../../types/plain.ts';
import { factsOf } from '../../types/vendors.ts';
import { remark, type Draft } from './draft.ts';

/** Names that no metric of an imported file is likely to have. */
const PREFERENCE = 'preference';
const SHOWN = 'shown';

/**
 * Gives the references that nothing judges something to be there for: where a grader is known, head's
 * answer is compared with base's, else it is only shown. Where no reference is judged, the
 * comparison is the suite's and decides; beside judged ones it is advice.
 */
export function judgeTheRest(
  tests: Draft,
  place: Place,
  hasGrader: boolean,
  remarks: Notice[],
): void {
  const references = tests.value['references'];
  if (!Array.isArray(references) || 'metrics' in tests.value) return;
  const bare = (references as JsonMap[]).filter((reference) => !('metrics' in reference));
  if (bare.length === 0) return;
  const alone = bare.length === references.length;
  const metric = hasGrader
    ? { name: PREFERENCE, uses: 'pairwise_preference', ...(alone ? {} : { skip: true }) }
    : { name: SHOWN, uses: 'word_count', skip: true };
  if (alone) {
    tests.value['metrics'] = [metric];
    tests.from(['metrics', 0], place);
  } else for (const reference of bare) reference['metrics'] = [metric];
  const who = `nothing judges the answers to ${counted(bare.length, 'test')}`;
  remarks.push(
    remark(
      place,
      hasGrader
        ? `${who}: the grader compares head's with base's${alone ? ', which decides' : ', which is advice'}`
        : `${who}: they are shown and decide nothing. Name a grader in the settings (grader: ${factsOf('openai').starterModel}, say), and head's are compared with base's`,
    ),
  );
}
