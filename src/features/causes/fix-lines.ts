import { diffArrays } from 'diff';
import { withoutMargin } from '../../report/sections/changes.ts';
import {
  code,
  paragraph,
  place,
  strong,
  text,
  type Block,
  type DiffLine,
  type Line,
} from '../../report/sections/document.ts';
import { count, counted, countedTries } from '../../text/amounts.ts';
import type { Cause, Fix } from './result.ts';

export function fixBlocks({ fix, no_fix }: Cause): Block[] {
  if (fix === undefined || fix === null)
    return no_fix === undefined
      ? []
      : [paragraph([strong('No fix is proven'), text(`: ${no_fix}.`)])];
  return [paragraph(fixLine(fix, null)), { kind: 'diff', lines: fixDiff(fix) }];
}

/** `Suggested fix, prompts/support.yaml:7: restores …`; with a suite, for it rather than its place. */
export function fixLine(fix: Fix, suite: string | null): Line {
  const { kind, file, lines } = fix;
  return [
    strong(kind === 'draft' ? 'Suggested fix' : 'Setting it back'),
    ...(suite === null ? [text(', '), place(file, lines.from)] : [text(' for '), code(suite)]),
    text(`: ${fixWords(fix)}.`),
  ];
}

export function fixDiff({ replaced, replacement }: Fix): DiffLine[] {
  const linesOf = (written: string): string[] => (written === '' ? [] : written.split('\n'));
  return withoutMargin(
    diffArrays(linesOf(replaced), linesOf(replacement)).flatMap(({ value, added, removed }) =>
      value.map((line) => ({ sign: added ? 'added' : removed ? 'removed' : 'same', text: line })),
    ),
  );
}

/** `restores 5 of 5 references, 2 tries each, and was not seen to break any of 45 that pass …`. */
export function fixWords({ restores, costs, tries, withheld }: Fix): string {
  const each = `${countedTries(tries)} each`;
  const whose = withheld === true ? ' that it was not written for' : '';
  const of = counted(restores.of, 'reference');
  const restored = `restores ${count(restores.references)} of ${of}${whose}`;
  return costs.of === 0
    ? `${restored}, ${each}; no reference passed every try on both sides, so what it would break is not known`
    : `${restored}, ${each}, and was not seen to break any of ${count(costs.of)} that pass on both sides`;
}
