import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { Side } from '../../types/plain.ts';
import { hostedModelName } from './outdated.ts';

/**
 * Returns `base by a, head by b` if both sides requested the same model name, but different models
 * answered.
 */
export function describeServedModels({ suite: { base, head }, runs }: SuiteRun): string | null {
  const [before, after] = [base, head].map((side) => {
    const target = side?.variant.target ?? null;
    return target === null ? null : hostedModelName(target);
  });
  if (before === null || before !== after) return null;
  const served = (side: Side) =>
    [
      ...new Set(
        runs.flatMap((run) => run[side].flatMap(({ byHead }) => byHead.served?.model ?? [])),
      ),
    ]
      .sort()
      .join(', ');
  const by = served('base');
  const other = served('head');
  return by === '' || other === '' || by === other ? null : `base by ${by}, head by ${other}`;
}
