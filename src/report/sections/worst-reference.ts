import { countsForVerdict, failingMetrics } from '../../kernel/result/counts.ts';
import type { SideResult, ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { meanOrNull } from '../../kernel/statistics/sums.ts';
import { namedNumber } from '../../metrics/objects.ts';
import { count } from '../../text/amounts.ts';
import type { Score } from '../../types/metric.ts';
import { isOfPrompt, numberInWords } from '../../wording/figures.ts';
import type { Detail } from './detail.ts';
import { code, type Block, type Line } from './document.ts';
import { evidence } from './evidence.ts';
import { titledFace } from './faces.ts';
import { sharedFailures, worstOf, type Failure } from './failures.ts';
import type { Reports } from './feature-report.ts';
import { entriesWithStatus, fallOf, type ReferenceEntry } from './order.ts';
import { suiteName } from './phrases.ts';
import { brokenOf, passCounts, opensWorst } from './references.ts';

interface ShownTest {
  /** For example `What it did:`. */
  title: string;
  reference: ReferenceResult;
  /** After the test's name. */
  words: Line;
}

/** Shows one test with both answers: the one that best explains the verdict. */
export function worstReference(result: Result, detail: Detail, reports: Reports): Block[] {
  if (!opensWorst(result, detail)) return [];
  const shown =
    fellUnderBase(result) ??
    worstBroken(result, reports) ??
    fellByMetric(result) ??
    firstFixed(result, reports) ??
    movedMost(result);
  if (shown === null) return [];
  const { title, reference, words } = shown;
  return evidence([...titledFace(title, reference), ...words], reference, detail, reports);
}

function worstBroken(result: Result, reports: Reports): ShownTest | null {
  const broken = brokenOf(result, reports);
  const shown = broken.length > 0 ? broken : perhapsBroken(result, reports);
  const found = worstOf(sharedFailures(shown, reports));
  if (found === null) return null;
  const { worst, failure, others } = found;
  const isOneOfSeveral = new Set(broken.map(({ suite }) => suite)).size > 1;
  return {
    title: broken.length > 0 ? 'What it did:' : 'What fell most:',
    reference: worst.reference,
    words: [
      ...(isOneOfSeveral ? [' of ', ...suiteName(worst.suite, result.suites)] : []),
      `, ${passCounts(worst.reference, worst.suite)}`,
      ...(others === 0 ? [] : [`; ${count(others)} more `, ...commonCause(failure)]),
    ],
  };
}

function firstFixed(result: Result, reports: Reports): ShownTest | null {
  const [fixed] = entriesWithStatus(result, reports, 'fixed');
  if (fixed === undefined) return null;
  const { reference, suite } = fixed;
  const words = [`, ${passCounts(reference, suite)}`];
  return { title: 'What it did:', reference, words };
}

function fellUnderBase({ suites, scoring }: Result): ShownTest | null {
  const found = suites
    .filter(({ reason }) => reason?.by === 'scoring')
    .flatMap((suite) =>
      scoring
        .filter(isOfPrompt(suite))
        .flatMap(({ fell = [] }) => fell.map((fall) => ({ suite, fall }))),
    );
  const [first] = found;
  const reference = first?.suite.references.find(({ id }) => id === first.fall.id);
  if (first === undefined || reference === undefined) return null;
  const { base_try, head_try, scores } = first.fall;
  const more = found.length - 1;
  const others = more === 0 ? '' : `; ${count(more)} more also failed under base's scoring`;
  return {
    title: 'What it did:',
    reference: {
      ...reference,
      base: sideUnderBase(reference.base, base_try, { outcome: 'pass', scores: [] }),
      head: sideUnderBase(reference.head, head_try, { outcome: 'fail', scores }),
    },
    words: [`, under base's scoring pass → fail${others}`],
  };
}

function sideUnderBase(
  side: SideResult | null,
  index: number,
  judged: Pick<SideResult['tries'][number], 'outcome' | 'scores'>,
): SideResult | null {
  const tries = (side?.tries ?? []).filter((tryResult) => tryResult.try === index);
  return side === null
    ? null
    : { ...side, tries: tries.map((tryResult) => ({ ...tryResult, ...judged })) };
}

/** Shows where one metric dropped most, if the pass rate hides the drop. */
function fellByMetric({ suites }: Result): ShownTest | null {
  const suite = suites.find(
    ({ verdict, reason }) => verdict === 'regressed' || reason?.by === 'metric',
  );
  const metric = suite?.reason?.metrics[0];
  if (suite === undefined || metric === undefined) return null;
  const [most] = suite.references
    .filter(countsForVerdict)
    .flatMap((reference) => {
      const base = triesByMetric(reference.base, metric);
      const head = triesByMetric(reference.head, metric);
      return base.judged === 0 || head.judged === 0 || head.failed.length === 0
        ? []
        : [
            {
              reference,
              base,
              head,
              fall: base.passed.length / base.judged - head.passed.length / head.judged,
            },
          ];
    })
    .sort((a, b) => b.fall - a.fall);
  if (most === undefined || most.fall <= 0) return null;
  const { reference, base, head } = most;
  return {
    title: 'What fell most:',
    reference: {
      ...reference,
      base: reference.base && { ...reference.base, tries: base.passed },
      head: reference.head && { ...reference.head, tries: head.failed },
    },
    words: [
      ', ',
      code(metric),
      ` passes ${count(base.passed.length)} of ${count(base.judged)} → ` +
        `${count(head.passed.length)} of ${count(head.judged)}`,
    ],
  };
}

function triesByMetric(side: SideResult | null, metric: string) {
  const withStatus = (status: Score['status']) =>
    (side?.tries ?? []).filter(({ scores }) =>
      scores.some((score) => score.metric === metric && score.status === status),
    );
  const passed = withStatus('pass');
  const failed = withStatus('fail');
  return { passed, failed, judged: passed.length + failed.length };
}

function movedMost({ suites }: Result): ShownTest | null {
  const [found] = suites.flatMap((suite) =>
    failingMetrics(suite).flatMap((metric) => ({ suite, metric })),
  );
  if (found === undefined) return null;
  const { suite, metric } = found;
  const way = metric.better === 'lower' ? 1 : -1;
  const [most] = suite.references
    .filter(countsForVerdict)
    .flatMap((reference) => {
      const base = metricMean(reference.base, metric.name);
      const head = metricMean(reference.head, metric.name);
      return base === null || head === null ? [] : [{ reference, base, head }];
    })
    .sort((a, b) => way * (b.head - b.base - (a.head - a.base)));
  if (most === undefined) return null;
  const { reference, base, head } = most;
  const words = numberInWords(metric.name, { ...metric.values, base, head });
  return { title: 'What moved most:', reference, words: [`, ${words}`] };
}

function metricMean(side: SideResult | null, metric: string): number | null {
  return meanOrNull((side?.tries ?? []).flatMap(({ scores }) => namedNumber(scores, metric) ?? []));
}

function perhapsBroken(result: Result, reports: Reports): ReferenceEntry[] {
  if (result.outcome.kind !== 'inconclusive') return [];
  return entriesWithStatus(result, reports, 'inconclusive', 'flaky').filter(
    ({ suite, reference }) =>
      suite.verdict === 'inconclusive' && countsForVerdict(reference) && fallOf(reference) > 0,
  );
}

function commonCause({ metric, reason }: Failure): Line {
  if (metric !== null) return reason === null ? ['failed ', code(metric), ' too'] : ['similar'];
  return [reason === null ? 'failed too' : 'failed with the same error'];
}
