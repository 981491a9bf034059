import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import {
  code,
  group,
  joinLines,
  paragraph,
  strong,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import { fixBlocks } from '../../report/sections/fixes.ts';
import { groupByEqualKey, suiteIdentity } from '../../report/sections/order.ts';
import { count, counted } from '../../text/amounts.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import { causeLine, openLine, proofWords, trialFigures, type Effect } from './cause-lines.ts';
import type { Cause, SuiteCauses } from './result.ts';

const OPEN_FINDINGS = 3;
const MAX_FINDING_SUITES = 3;

export function causes(result: Result): Block[] {
  const all = findingBlocks(result);
  const folded = all.slice(OPEN_FINDINGS);
  return [
    ...all.slice(0, OPEN_FINDINGS).flat(),
    ...group(counted(folded.length, 'more cause'), folded.flat()),
  ];
}

export function fixCauses(result: Result): Block[] {
  return (result.fixed_by ?? [])
    .flatMap((suite) => suite.causes.map((cause) => ({ suite, cause })))
    .slice(0, OPEN_FINDINGS)
    .map(({ suite, cause }) =>
      paragraph(causeLine(cause, suite, nameIn(suite, cause, result), 'fix')),
    );
}

function nameIn(
  { path, suite }: SuiteCauses,
  cause: Cause | null,
  { suites, scoring }: Result,
): Line {
  const isScored = scoring.some((change) => change.path === path && change.name === suite);
  return [
    ...(cause?.relation === 'only-change' && isScored ? [' of the prompt'] : []),
    ...(suites.length > 1 ? [' in ', code(suite)] : []),
  ];
}

export function causeFigures({ causes: all = [], fixed_by: fixes = [] }: Result): Line[] {
  return [...figureLines(all, 'fall'), ...figureLines(fixes, 'fix')];
}

function figureLines(all: readonly SuiteCauses[], effect: Effect): Line[] {
  const word = effect === 'fall' ? 'Cause' : 'Fix';
  return all.flatMap((suite) =>
    suite.causes
      .filter(({ relation }) => relation !== 'only-change')
      .map((cause) => [
        ...[`${word} in `, code(suite.suite), ': '],
        trialFigures(cause, suite, effect),
      ]),
  );
}

function findingBlocks(result: Result): Block[][] {
  const { causes: all = [], suites } = result;
  const order = suitesWorstFirst(suites).map(suiteIdentity);
  const rankOf = ({ path, suite: name, variant }: SuiteCauses) =>
    order.indexOf(suiteIdentity({ path, name, variant }));
  const sorted = [...all].sort((a, b) => rankOf(a) - rankOf(b));
  return groupByEqualKey(sorted.flatMap(findings), ({ key }) => key).map(
    ([{ suite, cause }, ...others]) => {
      const named = nameIn(suite, cause, result);
      return cause === null
        ? [paragraph([...openLine(suite, named), ...sameLine(others)])]
        : [
            paragraph([...causeLine(cause, suite, named), ...sameLine(others)]),
            ...fixBlocks(cause),
          ];
    },
  );
}

interface SuiteFinding {
  suite: SuiteCauses;
  cause: Cause | null;
  /** Suites get the same key if the same change has the same effect on them. */
  key: string;
}

function findings(suite: SuiteCauses): SuiteFinding[] {
  const { reason, calls } = suite.explained;
  if (suite.causes.length === 0)
    return reason === null
      ? []
      : [{ suite, cause: null, key: JSON.stringify([reason, calls === 0]) }];
  return suite.causes.map((cause) => {
    const units = cause.units.map(({ kind, name, base_text, head_text }) => [
      kind,
      name,
      base_text,
      head_text,
    ]);
    const { relation, fix } = cause;
    return {
      suite,
      cause,
      key: JSON.stringify([relation, units, proofWords(cause, suite), fix]),
    };
  });
}

function sameLine(others: readonly SuiteFinding[]): Line {
  if (others.length === 0) return [];
  const shown = others.slice(0, MAX_FINDING_SUITES).map(({ suite }) => [code(suite.suite)]);
  const more = others.length - shown.length;
  return [
    ` The same in ${counted(others.length, 'more suite')}: `,
    ...joinLines(shown, ', '),
    more === 0 ? '.' : ` and ${count(more)} more.`,
  ];
}

export function referenceCauses(
  { id, status }: Pick<ReferenceResult, 'id' | 'status'>,
  suite: SuiteCauses,
): Block[] {
  const own = causesFor(id, suite);
  if (own.length > 0)
    return own.flatMap((cause) => [
      paragraph(causeLine(cause, suite, [])),
      ...(cause.relation === 'only-change' ? [] : [paragraph(trialFigures(cause, suite))]),
      ...fixBlocks(cause),
    ]);
  const tried = suite.explained.unexplained.includes(id);
  if (!tried && status !== 'regressed' && status !== 'fell') return [];
  if (suite.causes.length === 0) {
    const line = openLine(suite, []);
    return line.length === 0 ? [] : [paragraph(line)];
  }
  if (tried) return [paragraph([strong('Cause'), ' not found: no change explains this test.'])];
  return [
    paragraph([strong('Cause'), ' of other tests, not tried on this one:']),
    ...suite.causes.map((cause) => paragraph(causeLine(cause, suite, []))),
  ];
}

export function causesFor(id: string, { causes: all }: SuiteCauses): Cause[] {
  return all.filter(({ references }) => references.some((reference) => reference.id === id));
}

export function causesIn(
  suites: readonly SuiteResult[],
  { causes: all = [] }: Pick<Result, 'causes'>,
): SuiteCauses[] {
  const keys = new Set(suites.map(suiteIdentity));
  return all.filter(({ path, suite, variant }) =>
    keys.has(suiteIdentity({ path, name: suite, variant })),
  );
}
