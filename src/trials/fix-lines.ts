import { diffArrays } from 'diff';
import { withoutMargin } from '../report/sections/changes.ts';
import {
  code,
  paragraph,
  place,
  strong,
  text,
  type Block,
  type DiffLine,
  type Line,
} from '../report/sections/document.ts';
import { count, counted } from '../text/amounts.ts';
import type { Fix, FixFound } from './fix.ts';

export function fixBlocks({ fix, no_fix }: FixFound): Block[] {
  if (fix === undefined || fix === null)
    return no_fix === undefined
      ? []
      : [paragraph([strong('No fix is proven'), text(`: ${no_fix}.`)])];
  return [paragraph(fixLine(fix, null)), { kind: 'diff', lines: fixDiff(fix) }];
}

export function fixLine(fix: Fix, suite: string | null): Line {
  const { kind, file, lines } = fix;
  return [
    strong(kind === 'draft' ? 'Suggested fix' : 'Putting it back'),
    ...(suite === null ? [text(', '), place(file, lines.from)] : [text(' for '), code(suite)]),
    text(`: ${fixWords(fix)}.`),
  ];
}

export function fixDiff({ replaced, replacement }: Fix): DiffLine[] {
  const linesOf = (written: string) => (written === '' ? [] : written.split('\n'));
  return withoutMargin(
    diffArrays(linesOf(replaced), linesOf(replacement)).flatMap(({ value, added, removed }) =>
      value.map((line) => ({ sign: added ? 'added' : removed ? 'removed' : 'same', text: line })),
    ),
  );
}

export function fixWords({ restores, costs, withheld }: Fix): string {
  const whose = withheld === true ? ' that the grader did not see' : '';
  const fixed = `fixes ${count(restores.references)} of ${counted(restores.of, 'test')}${whose}`;
  return costs.of === 0
    ? `${fixed}; no other test passes on both sides, so what it breaks is not known`
    : `${fixed} and broke none of ${counted(costs.of, 'other')} that passed`;
}
