import { diffArrays } from 'diff';
import { count, counted, inSize } from '../../text/amounts.ts';
import { estimateTokens } from '../../text/estimated-tokens.ts';
import {
  code,
  paragraph,
  place,
  strong,
  withoutMargin,
  type Block,
  type DiffLine,
  type Line,
} from './document.ts';
import type { ProvenFix } from './feature-report.ts';

/** `no_fix`: why there is no fix, as a clause. */
export function fixBlocks({ fix, no_fix }: { fix?: ProvenFix | null; no_fix?: string }): Block[] {
  if (fix === undefined || fix === null)
    return no_fix === undefined ? [] : [paragraph([strong('No fix is proven'), `: ${no_fix}.`])];
  return [paragraph(fixLine(fix, null)), { kind: 'diff', lines: fixDiff(fix) }];
}

const FIX_TITLES: Readonly<Record<ProvenFix['kind'], string>> = {
  draft: 'Suggested fix',
  'set back': 'Putting it back',
  test: 'Suggested test',
  shorter: 'Shorter prompt',
};

export function fixLine(fix: ProvenFix, suite: string | null): Line {
  const { kind, file, lines } = fix;
  return [
    strong(FIX_TITLES[kind]),
    ...(suite === null ? [', ', place(file, lines.from)] : [' for ', code(suite)]),
    `: ${fixWords(fix)}.`,
  ];
}

export function fixDiff({ replaced, replacement }: ProvenFix): DiffLine[] {
  const linesOf = (written: string) => (written === '' ? [] : written.split('\n'));
  return withoutMargin(
    diffArrays(linesOf(replaced), linesOf(replacement)).flatMap(({ value, added, removed }) =>
      value.map((line) => ({ sign: added ? 'added' : removed ? 'removed' : 'same', text: line })),
    ),
  );
}

export function fixWords(fix: ProvenFix): string {
  const { kind, restores, costs, withheld } = fix;
  if (kind === 'shorter') return shorterWords(fix);
  if (kind === 'test')
    return (
      `passes ${count(restores.references)} of ${count(restores.of)} times with the line, and ` +
      `${count(costs.references)} of ${count(costs.of)} times without it`
    );
  const whose = withheld === true ? ' that the grader did not see' : '';
  const fixed = `fixes ${count(restores.references)} of ${counted(restores.of, 'test')}${whose}`;
  return costs.of === 0
    ? `${fixed}; no other test passes on both sides, so what it breaks is not known`
    : `${fixed} and broke none of ${counted(costs.of, 'other')} that passed`;
}

function shorterWords({ replaced, replacement, costs, tries, loss = 1 }: ProvenFix): string {
  const tokens = (text: string) => estimateTokens(text.replaceAll(/^[ \t]+/gm, ''));
  const saved = Math.ceil(tokens(replaced) - tokens(replacement));
  return (
    `saves ${counted(saved, 'token')} a call; broke none of ${counted(costs.of, 'test')} in ` +
    `${count(tries)} tries each; with 95 % certainty, the pass rate falls by at most ` +
    `${inSize(loss)} points`
  );
}
