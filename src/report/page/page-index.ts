import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { AnchorOf } from '../sections/feature-report.ts';

export function anchorsOf({ suites }: Result, shown: ReadonlySet<ReferenceResult>): AnchorOf {
  let next = 0;
  const anchors = new Map(
    suites.map((suite) => [
      suite,
      new Map(
        suite.references.map((reference): [string, string | null] => {
          next += 1;
          return [reference.id, shown.has(reference) ? `r${String(next)}` : null];
        }),
      ),
    ]),
  );
  return (suite, id) => anchors.get(suite)?.get(id) ?? null;
}
