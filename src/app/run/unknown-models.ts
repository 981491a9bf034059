import { problem } from '../../errors.ts';
import { keyPlace } from '../../kernel/suite/suite.ts';
import { targetsOf, type Prepared } from '../../money/prepared.ts';
import { modelLabel } from '../../types/model.ts';
import type { Problem } from '../../types/plain.ts';

/**
 * A problem for each of head's prompts whose model does not exist. A sweep over models shows the
 * error of one model beside the results of the others.
 */
export function unknownModels(
  prepared: Prepared,
  missing: ReadonlyMap<string, string>,
  { meantModel }: { meantModel(name: string, others: readonly string[]): string | null },
): Problem[] {
  if (prepared.mode === 'sweep' || missing.size === 0) return [];
  const names = targetsOf(prepared).flatMap((target) =>
    missing.has(modelLabel(target)) ? [] : [target.model],
  );
  const found = prepared.suites.flatMap(({ run: { suite, runs } }): Problem[] => {
    const [target] = runs.flatMap(({ affected: { head } }) =>
      head?.kind === 'request' ? [head.target] : [],
    );
    const message = target === undefined ? undefined : missing.get(modelLabel(target));
    if (suite.head === null || target === undefined || message === undefined) return [];
    const near = meantModel(target.model, names);
    const hint = near === null ? '' : `Did you mean "${near}"? `;
    return [problem(keyPlace(suite.head.suite.prompt, 'model'), `${hint}${message}`)];
  });
  return [...new Map(found.map((each) => [JSON.stringify(each.place), each])).values()];
}
