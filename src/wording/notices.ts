import { counted, firstWords } from '../text/amounts.ts';

/** Reports that show the errors themselves omit this notice. */
export const ENDED_IN_ERROR = 'had tries that ended in an error; those are not counted';

export const OF_REFERENCES = {
  added: 'added by this change',
  removed: 'removed by this change and no longer run',
  edited: 'edited by this change',
  unskipped: 'no longer skipped by this change',
  skipped: 'marked skip: run and shown, but not part of the verdict',
  newlySkipped: 'newly skipped by this change',
  error: ENDED_IN_ERROR,
  ungraded: 'had tries without a readable grade; those are not counted',
} as const;

const MOST_IDS = 20;

export function namedReferences(suite: string, ids: readonly string[], what: string): string {
  return `${suite}: ${counted(ids.length, 'test')} ${what}: ${firstWords(ids, MOST_IDS)}`;
}

/** @param answerer a model that base's settings do not define. Null: the default model. */
export function headOnly(why: { answerer: string | null } | 'variable'): string {
  if (why === 'variable')
    return 'could be run on head only: base has no value for a variable of its prompt';
  const model = why.answerer === null ? 'its model' : `the model "${why.answerer}"`;
  return `could be run on head only: base's settings do not define ${model}`;
}

export function servedByOthers(served: string): string {
  return `base and head were answered by different models: ${served}`;
}

export function replacedModel(
  model: string,
  { before, now, tries }: { before: readonly string[]; now: readonly string[]; tries: number },
): string {
  const were = tries === 1 ? 'was' : 'were';
  return (
    `${model} is answered by ${now.join(', ')} now; ${counted(tries, 'stored answer')} of ` +
    `${before.join(', ')} ${were} asked again`
  );
}

export function rollupSeesSkipped(rollup: string): string {
  return `the custom roll-up "${rollup}" also gets skipped tries, so skip does not change its verdict`;
}
