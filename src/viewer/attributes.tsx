import type { ComponentChildren } from 'preact';
import { attributesWorstFirst } from '../report/sections/order.ts';
import { change, rates, signedInterval } from '../report/sections/phrases.ts';
import { count, counted, meansInWords, percent } from '../text/amounts.ts';
import { Blocks, Chip, wrapped, DataTable } from './blocks.tsx';
import type { AttributeData } from './data.ts';
import { Bar, IntervalPlot } from './plots.tsx';
import { useReport } from './report.ts';
import { isOfSuite, type TestRow } from './tests.ts';

const KIND_TITLES = {
  domain: 'Domains: what inputs are about',
  subtask: 'Sub-tasks: skills that the answers need',
} as const;

/** Attributes, conversations and what else features say of groups of tests. */
export function AttributesTab() {
  const { result, blocks, links } = useReport();
  const groups = Map.groupBy(result.attributes, ({ path, suite, variant, kind }) =>
    JSON.stringify([path, suite, variant, kind]),
  );
  return (
    <section>
      <h2>Groups of tests</h2>
      <Blocks blocks={blocks.groups} links={links} />
      {[...groups.values()].map((own) => (
        <KindTable attributes={own} />
      ))}
    </section>
  );
}

function KindTable({ attributes }: { attributes: readonly AttributeData[] }) {
  const { result } = useReport();
  const [first] = attributes;
  if (first === undefined) return null;
  const isDiff = result.mode === 'diff';
  const hasSkills = attributes.some(({ alignment }) => alignment !== null);
  const metrics = new Set(attributes.flatMap(({ values }) => values?.metric ?? []));
  const columns: Column[] = [
    { head: 'Tests', cell: (attribute) => <TestsOf attribute={attribute} /> },
    { head: 'Prior', cell: PriorCell },
    {
      head: isDiff ? 'Pass rate, ○ base ● head' : 'Pass rate',
      cell: (attribute) => PassRateCell(attribute, isDiff),
    },
    ...(isDiff ? COMPARED_COLUMNS : []),
    ...(hasSkills ? [{ head: 'Other skills', cell: OtherSkills }] : []),
    ...(metrics.size > 0
      ? [
          {
            head: `Mean of ${[...metrics].join(', ')}`,
            cell: ({ values: own }: AttributeData) =>
              own === undefined ? '–' : meansInWords(own.base, own.head),
          },
        ]
      : []),
  ];
  const sorted = attributesWorstFirst(attributes);
  return (
    <>
      <h3>
        <code>{first.suite}</code> {KIND_TITLES[first.kind]}
      </h3>
      <DataTable
        head={['Attribute', ...columns.map(({ head }) => head)]}
        rows={sorted.map((attribute) => [
          wrapped(<Name attribute={attribute} />),
          ...columns.map(({ cell }) => cell(attribute)),
        ])}
      />
      <p class="soft">
        Prior: how much of the suite it makes up. Pass rate of the tests rated 3 or more; the band
        is the 90 % interval of the change.
        {hasSkills &&
          ' Other skills: share of answers that use the skill clearly more or less than the ' +
            'expected answer does; lower is better.'}
        {metrics.size > 0 &&
          ' Means of a metric are shown; the verdict depends on the pass rate unless they were tested.'}
      </p>
      <Samples attributes={sorted} />
    </>
  );
}

function Name({ attribute: { name, explanation } }: { attribute: AttributeData }) {
  return (
    <>
      <b>{name}</b>
      <span class="soft small">{explanation}</span>
    </>
  );
}

function TestsOf({ attribute }: { attribute: AttributeData }) {
  const { showTests } = useReport();
  const { references, assigned, n } = attribute;
  const words = counted(references.length, 'test');
  return (
    <>
      {references.length === 0 ? (
        words
      ) : (
        <button type="button" onClick={() => showTests({ attribute: attribute.name })}>
          Show {words}
        </button>
      )}
      <span class="soft small">{`${count(n)} judged, ${count(assigned.length)} assigned`}</span>
    </>
  );
}

function PriorCell({ prior, affinity_mean: mean }: AttributeData) {
  return (
    <>
      {percent(prior)}
      <Bar share={prior} label={`prior ${percent(prior)}`} />
      <span class="soft small">mean affinity {mean.toFixed(2)} of 5</span>
    </>
  );
}

const SHARES = { from: 0, to: 1 };

const NO_RANGE = { low: null, high: null, tone: '' };

function PassRateCell({ base, head, low, high, verdict, values }: AttributeData, isDiff: boolean) {
  if (values?.tested) return <>{`${values.metric} ${meansInWords(values.base, values.head)}`}</>;
  if (verdict === 'too few' && isDiff) return <>too few tests</>;
  const words = rates(base, head);
  const tone = verdict === 'regressed' ? 'bad' : verdict === 'improved' ? 'good' : '';
  return (
    <>
      {words}
      <IntervalPlot
        {...SHARES}
        ring={base}
        dot={head}
        low={base === null || low === null ? null : base + low}
        high={base === null || high === null ? null : base + high}
        label={words}
        tone={tone}
      />
    </>
  );
}

interface Column {
  head: string;
  cell(attribute: AttributeData): ComponentChildren;
}

const COMPARED_COLUMNS: readonly Column[] = [
  {
    head: 'Difference, 90 % interval',
    cell: (attribute) => (
      <>
        {change(attribute)}
        <span class="soft small">{signedInterval(attribute.low, attribute.high)}</span>
      </>
    ),
  },
  {
    head: 'Verdict',
    cell: ({ verdict }) => (
      <Chip tone={verdict === 'regressed' ? 'bad' : verdict === 'improved' ? 'good' : 'neutral'}>
        {verdict}
      </Chip>
    ),
  },
];

function OtherSkills({ alignment }: AttributeData) {
  if (alignment === null) return '–';
  const words = rates(alignment.base, alignment.head);
  return (
    <>
      {words}
      <IntervalPlot
        {...SHARES}
        {...NO_RANGE}
        ring={alignment.base}
        dot={alignment.head}
        label={words}
      />
    </>
  );
}

/** The largest drops, and answers with other skills than the expected ones. */
function Samples({ attributes }: { attributes: readonly AttributeData[] }) {
  const { tests } = useReport();
  const items = attributes.flatMap((attribute) =>
    attribute.samples.map((sample) => {
      const test = tests.find(
        ({ suite, reference }) => reference.id === sample.reference && isOfSuite(attribute, suite),
      );
      const words =
        sample.kind === 'drop'
          ? `${attribute.name}: ${percent(sample.base)} → ${percent(sample.head)}`
          : `${sample.side}'s answer uses "${attribute.name}" ` +
            `${sample.output < sample.expected ? 'less' : 'more'} than expected: affinity ` +
            `${sample.output} where the expected answer has ${sample.expected}`;
      return (
        <li>
          <TestLink test={test} id={sample.reference} /> {words}
        </li>
      );
    }),
  );
  return items.length === 0 ? null : (
    <details class="samples">
      <summary>{counted(items.length, 'example')}: largest drops, other skills</summary>
      <ul>{items}</ul>
    </details>
  );
}

function TestLink({ test, id }: { test: TestRow | undefined; id: string }) {
  return test === undefined ? <code>{id}</code> : <a href={`#test/${test.key}`}>{id}</a>;
}
