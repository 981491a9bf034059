import { code, joinLines, paragraph, strong, type Line } from '../../report/sections/document.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { count } from '../../text/amounts.ts';
import { variantWords } from '../../wording/variants.ts';
import type { PromisedReference, PromisesResult } from './result.ts';

export const promisesReport: FeatureReport = {
  sections: {
    why: ({ promises }) =>
      promises === undefined
        ? []
        : [paragraph([strong('Promised fixes'), ': ', ...summaryLine(promises), '.'])],
  },
  hasContent: ({ promises }) => promises !== undefined,
  cases: ({ promises }) => ({
    name: 'promised fixes',
    cases: (promises?.references ?? []).map((promise, _, all) => ({
      name: nameOf(promise, all),
      unmet: promise.status === 'kept' ? null : promiseWords(promise),
    })),
  }),
};

const MAX_NAMED_PROMISES = 5;

/** For example `1 of 2 kept (t05); t12 is not fixed: 0 of 6 → 1 of 6`. */
function summaryLine({ references: all, unknown }: PromisesResult): Line {
  const kept = all.filter(({ status }) => status === 'kept');
  const names = kept.slice(0, MAX_NAMED_PROMISES).map((promise) => [code(nameOf(promise, all))]);
  const open = all.filter((promise) => !kept.includes(promise));
  const more = open.length - MAX_NAMED_PROMISES;
  const parts: Line[] = [
    ...(all.length === 0 ? [] : [[`${count(kept.length)} of ${count(all.length)} kept`]]),
    ...open
      .slice(0, MAX_NAMED_PROMISES)
      .map((promise) => [code(nameOf(promise, all)), ` ${promiseWords(promise)}`]),
    ...(more > 0 ? [[`${count(more)} more not kept`]] : []),
    ...unknown
      .slice(0, MAX_NAMED_PROMISES)
      .map(({ name, nearest }) => [
        ...[code(name), ' is not the id of a test'],
        ...(nearest === null ? [] : [' (did you mean ', code(nearest), '?)']),
      ]),
  ];
  if (names.length > 0) parts[0]?.push(' (', ...joinLines(names, ', '), ')');
  return joinLines(parts, '; ');
}

function nameOf(promise: PromisedReference, all: readonly PromisedReference[]): string {
  const { path, variant, id } = promise;
  const others = all.filter((other) => other !== promise && other.id === id);
  if (others.length === 0) return id;
  const isVaried = variant !== null && others.some((other) => other.path === path);
  return `${promise.suite}${isVaried ? ` [${variantWords(variant)}]` : ''} › ${id}`;
}

const PROMISE_WORDS: Readonly<Record<PromisedReference['status'], string>> = {
  kept: 'is fixed',
  'not-kept': 'is not fixed',
  broke: 'failed on head',
  unclear: 'has too few tries',
  'passed-before': 'also passes on base',
  unaffected: 'did not run: nothing it depends on changed',
  deleted: 'is deleted',
};

function promiseWords({ status, base, head }: PromisedReference): string {
  const sides = [base, head].flatMap((side) =>
    side === null ? [] : `${count(side.passes)} of ${count(side.tries)}`,
  );
  return [PROMISE_WORDS[status], ...(sides.length === 0 ? [] : [sides.join(' → ')])].join(': ');
}
