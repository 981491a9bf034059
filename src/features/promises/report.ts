import type { Result } from '../../kernel/result/result.ts';
import type { Detail } from '../../report/sections/detail.ts';
import {
  code,
  group,
  joinLines,
  paragraph,
  strong,
  table,
  text,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { count } from '../../text/amounts.ts';
import { variantWords } from '../../wording/variants.ts';
import type { PromisedReference, PromisesResult } from './result.ts';

export const promisesReport: FeatureReport = {
  sections: { why: promises },
  hasContent: ({ promises: own }) => own !== undefined,
  cases: ({ promises: { references } = NONE }) => ({
    name: 'promised fixes',
    cases: references.map((promise) => ({
      name: nameParts(promise, references).join(' › '),
      unmet: promise.status === 'kept' ? null : statusWords(promise),
    })),
  }),
};

const NONE: PromisesResult = { references: [], unknown: [] };

const MOST_OPEN = 3;

function promises({ promises: own }: Result, { collapsedItems }: Detail): Block[] {
  if (own === undefined) return [];
  const { references } = own;
  const rows = references
    .slice(0, collapsedItems)
    .map((promise) => [
      nameLine(promise, references),
      [text(`${promise.status === 'kept' ? '✓' : '✗'} ${statusWords(promise)}`)],
    ]);
  return [
    paragraph([strong('Promised fixes'), text(': '), ...summaryLine(own), text('.')]),
    ...(references.length < 2
      ? []
      : group([text('Promised fixes')], table(['Test', 'Base → head'], rows))),
  ];
}

/** `1 of 2 kept; t12 still fails: 0 of 6 → 1 of 6`. */
function summaryLine({ references, unknown }: PromisesResult): Line {
  const open = references.filter(({ status }) => status !== 'kept');
  const more = open.length - MOST_OPEN;
  const kept = `${count(references.length - open.length)} of ${count(references.length)} kept`;
  const parts: Line[] = [
    ...(references.length === 0 ? [] : [[text(kept)]]),
    ...open
      .slice(0, MOST_OPEN)
      .map((promise) => [...nameLine(promise, references), text(` ${statusWords(promise)}`)]),
    ...(more > 0 ? [[text(`${count(more)} more not kept`)]] : []),
    ...unknown
      .slice(0, MOST_OPEN)
      .map(({ name, nearest }) => [
        ...[code(name), text(' is not the id of a test')],
        ...(nearest === null ? [] : [text(' (did you mean '), code(nearest), text('?)')]),
      ]),
  ];
  return joinLines(parts, '; ');
}

/** The id; its suite and variant only where another promise has the same id. */
function nameParts(promise: PromisedReference, all: readonly PromisedReference[]): string[] {
  const same = all.filter(({ id }) => id === promise.id);
  const isOfSuite = ({ path, suite }: PromisedReference): boolean =>
    path === promise.path && suite === promise.suite;
  const { suite, variant, id } = promise;
  const words = variant === null ? '' : variantWords(variant);
  const hasVariants = words !== '' && same.filter(isOfSuite).length > 1;
  return [...(same.every(isOfSuite) ? [] : [suite]), ...(hasVariants ? [words] : []), id];
}

function nameLine(promise: PromisedReference, all: readonly PromisedReference[]): Line {
  return joinLines(
    nameParts(promise, all).map((part) => [code(part)]),
    ' › ',
  );
}

const STATUS_WORDS: Readonly<Record<PromisedReference['status'], string>> = {
  kept: 'is fixed',
  'not-kept': 'still fails',
  unclear: 'has too few tries to say',
  'passed-before': 'passes on base, too',
  unaffected: 'did not run, because nothing it depends on changed',
  deleted: 'is deleted',
};

function statusWords({ status, base, head }: PromisedReference): string {
  const sides = [base, head].flatMap((side) =>
    side === null ? [] : `${count(side.passes)} of ${count(side.tries)}`,
  );
  return [STATUS_WORDS[status], ...(sides.length === 0 ? [] : [sides.join(' → ')])].join(': ');
}
