import {
  countsForVerdict,
  isNew,
  isNewFailing,
  isNewUnproven,
} from '../../kernel/result/counts.ts';
import type { Result } from '../../kernel/result/result.ts';
import { counted } from '../../text/amounts.ts';
import type { Detail } from './detail.ts';
import { group, list, paragraph, type Block, type Line, moreBlock } from './document.ts';
import { evidence } from './evidence.ts';
import { testNames, titledFace } from './faces.ts';
import type { Reports } from './feature-report.ts';
import { fallOf, referenceEntries, type ReferenceEntry } from './order.ts';
import { lacksPasses, passWords, suiteName } from './phrases.ts';
import { brokenOf, opensWorst } from './references.ts';

const OPEN_NEW = 2;

interface NewTests {
  open: ReferenceEntry[];
  folded: ReferenceEntry[];
  unproven: ReferenceEntry[];
  passing: ReferenceEntry[];
}

function newTests(result: Result, detail: Detail, reports: Reports): NewTests {
  const all = referenceEntries(result.mode === 'sweep' ? [] : result.suites).filter(
    ({ suite, reference }) => isNew(reference, suite) && countsForVerdict(reference),
  );
  const failing = all
    .filter(({ suite, reference }) => isNewFailing(reference, suite))
    .sort((a, b) => fallOf(b.reference) - fallOf(a.reference));
  const isFree = opensWorst(result, detail) && brokenOf(result, reports).length === 0;
  const open = isFree ? Math.min(OPEN_NEW, detail.answers) : 0;
  return {
    open: failing.slice(0, open),
    folded: failing.slice(open),
    unproven: all.filter(({ suite, reference }) => isNewUnproven(reference, suite)),
    passing: all.filter(
      ({ suite, reference }) => !isNewFailing(reference, suite) && !isNewUnproven(reference, suite),
    ),
  };
}

export function newFailures(result: Result, detail: Detail, reports: Reports): Block[] {
  return newTests(result, detail, reports).open.flatMap((entry) =>
    newEvidence(entry, result, detail, reports),
  );
}

function newEvidence(
  { suite, reference }: ReferenceEntry,
  { suites }: Result,
  detail: Detail,
  reports: Reports,
): Block[] {
  const title: Line = [
    ...titledFace('New, fails:', reference),
    ...(suites.length < 2 ? [] : [' of ', ...suiteName(suite, suites)]),
    `, ${passWords(reference.head)}`,
  ];
  return evidence(title, { ...reference, base: null }, detail, reports);
}

export function otherNew(result: Result, detail: Detail, reports: Reports): Block[] {
  const { open, folded, unproven, passing } = newTests(result, detail, reports);
  const shown = folded.slice(0, detail.answers);
  const title = open.length > 0 ? 'more new test' : 'new test';
  const rest = folded.length + unproven.length + passing.length;
  return rest === 0
    ? []
    : group(counted(rest, title), [
        ...shown.flatMap((entry) => newEvidence(entry, result, detail, reports)),
        ...moreBlock(folded.length, shown.length, 'that fail'),
        ...(unproven.length === 0
          ? []
          : [paragraph(['Failed some tries: ', ...namesOf(unproven, detail), '.'])]),
        ...(passing.length === 0
          ? []
          : [
              paragraph([
                passing.some(({ reference: { head } }) => head !== null && !lacksPasses(head))
                  ? 'Pass: '
                  : '',
                ...namesOf(passing, detail),
                '.',
              ]),
            ]),
      ]);
}

function namesOf(entries: readonly ReferenceEntry[], { collapsedItems: items }: Detail): Line {
  const references = entries.map(({ reference }) => reference);
  return testNames(references, Math.max(1, items));
}

export function deletedTests({ suites, mode }: Result, detail: Detail): Block[] {
  const entries = referenceEntries(mode === 'sweep' ? [] : suites).filter(
    ({ reference }) => reference.status === 'removed',
  );
  // All variants of a prompt have the same tests, so each test is listed once.
  const gone = [
    ...new Map(
      entries.map((entry) => [JSON.stringify([entry.suite.path, entry.reference.id]), entry]),
    ).values(),
  ];
  const isCritical = ({ reference }: ReferenceEntry) => reference.tags.includes('critical');
  const bySuite = [...Map.groupBy(gone, ({ suite }) => suite.name)];
  return group(
    counted(gone.length, 'deleted test'),
    list(
      bySuite.map(([name, own]): Line => {
        const critical = own.filter(isCritical);
        const others = own.filter((entry) => !isCritical(entry));
        return [
          `${name}: `,
          ...(critical.length === 0 ? [] : [...namesOf(critical, detail), ' (critical)']),
          critical.length > 0 && others.length > 0 ? '; ' : '',
          ...(others.length === 0 ? [] : namesOf(others, detail)),
        ];
      }),
    ),
  );
}
