import type { ComponentChildren } from 'preact';
import { change, rates, signedInterval } from '../report/sections/phrases.ts';
import { count, counted, meansInWords, percent } from '../text/amounts.ts';
import { Blocks, Chip, foreign, own, Table } from './blocks.tsx';
import type { Attribute } from './data.ts';
import { Bar, SharesPlot } from './plots.tsx';
import { useReport } from './report.ts';
import { attributeKey, isOfSuite, type Test } from './tests.ts';

const KINDS = {
  domain: 'Domains: what inputs are about',
  subtask: 'Sub-tasks: skills that the answers need',
} as const;

/** Attributes, conversations and what else features say of groups of tests. */
export function Attributes() {
  const { result, blocks, links } = useReport();
  const groups = Map.groupBy(result.attributes, ({ path, suite, variant, kind }) =>
    JSON.stringify([path, suite, variant, kind]),
  );
  return (
    <section>
      <h2>Groups of tests</h2>
      <Blocks blocks={blocks.groups} links={links} />
      {[...groups.values()].map((own) => (
        <Kind attributes={own} />
      ))}
    </section>
  );
}

const ORDER: readonly Attribute['verdict'][] = [
  'regressed',
  'improved',
  'also fell',
  'also rose',
  'no change found',
  'too few',
];

function Kind({ attributes }: { attributes: readonly Attribute[] }) {
  const { result } = useReport();
  const [first] = attributes;
  if (first === undefined) return null;
  const isDiff = result.mode === 'diff';
  const hasSkills = attributes.some(({ alignment }) => alignment !== null);
  const metrics = new Set(attributes.flatMap(({ values }) => values?.metric ?? []));
  const columns: Column[] = [
    { head: 'Tests', cell: (attribute) => <TestsOf attribute={attribute} /> },
    { head: 'Prior', cell: Prior },
    {
      head: isDiff ? 'Pass rate, ○ base ● head' : 'Pass rate',
      cell: (attribute) => PassRate(attribute, isDiff),
    },
    ...(isDiff ? COMPARED_COLUMNS : []),
    ...(hasSkills ? [{ head: 'Other skills', cell: OtherSkills }] : []),
    ...(metrics.size > 0 ? [{ head: `Mean of ${[...metrics].join(', ')}`, cell: meanOf }] : []),
  ];
  const sorted = attributes.toSorted(
    (a, b) =>
      ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict) ||
      (a.difference ?? 0) - (b.difference ?? 0) ||
      (a.head ?? 2) - (b.head ?? 2),
  );
  return (
    <>
      <h3>
        <code>{first.suite}</code> {KINDS[first.kind]}
      </h3>
      <Table
        head={['Attribute', ...columns.map(({ head }) => head)]}
        rows={sorted.map((attribute) => [
          foreign(<Name attribute={attribute} />),
          ...columns.map(({ cell }) => own(cell(attribute))),
        ])}
      />
      <p class="soft">
        Prior: how much of the suite it makes up. Pass rate of the tests rated 3 or more; the band
        is the 90 % interval of the change.
        {hasSkills &&
          ' Other skills: share of answers that use the skill clearly more or less than the expected answer does; lower is better.'}
        {metrics.size > 0 &&
          ' Means of a metric are shown; the verdict depends on the pass rate unless they were tested.'}
      </p>
      <Samples attributes={sorted} />
    </>
  );
}

function Name({ attribute }: { attribute: Attribute }) {
  const { result } = useReport();
  const { name, explanation, explained_by: ids, alternatives } = attribute;
  const nameOf = (id: string) =>
    result.attributes.find((each) => each.id === id && each.suite === attribute.suite)?.name ?? id;
  const notes = [
    ...(ids.length === 0 ? [] : [`shares tests with ${ids.map(nameOf).join(', ')}`]),
    ...alternatives.map(
      ({ id, shared, of }) =>
        `or ${nameOf(id)}: they share ${count(shared)} of ${counted(of, 'test')}`,
    ),
  ];
  return (
    <>
      <b>{name}</b>
      {[explanation, ...notes].filter(Boolean).map((words) => (
        <span class="soft small">{words}</span>
      ))}
    </>
  );
}

function TestsOf({ attribute }: { attribute: Attribute }) {
  const { showTests } = useReport();
  const { references, assigned, n } = attribute;
  const words = counted(references.length, 'test');
  return (
    <>
      {references.length === 0 ? (
        words
      ) : (
        <button type="button" onClick={() => showTests({ attribute: attributeKey(attribute) })}>
          Show {words}
        </button>
      )}
      <span class="soft small">{`${count(n)} judged, ${count(assigned.length)} assigned`}</span>
    </>
  );
}

function Prior({ prior, affinity_mean: mean }: Attribute) {
  return (
    <>
      {percent(prior)}
      <Bar share={prior} label={`prior ${percent(prior)}`} />
      <span class="soft small">mean affinity {mean.toFixed(2)} of 5</span>
    </>
  );
}

function PassRate({ base, head, low, high, verdict, values }: Attribute, isDiff: boolean) {
  if (values?.tested) return <>{`${values.metric} ${meansInWords(values.base, values.head)}`}</>;
  if (verdict === 'too few' && isDiff) return <>too few tests</>;
  const words = rates(base, head);
  const tone = verdict === 'regressed' ? 'bad' : verdict === 'improved' ? 'good' : '';
  return (
    <>
      {words}
      <SharesPlot base={base} head={head} low={low} high={high} label={words} tone={tone} />
    </>
  );
}

interface Column {
  head: string;
  cell(attribute: Attribute): ComponentChildren;
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

function OtherSkills({ alignment }: Attribute) {
  if (alignment === null) return '–';
  const words = rates(alignment.base, alignment.head);
  return (
    <>
      {words}
      <SharesPlot {...alignment} low={null} high={null} label={words} tone="" />
    </>
  );
}

function meanOf({ values }: Attribute) {
  return values === undefined ? '–' : meansInWords(values.base, values.head);
}

/** The largest drops, and answers with other skills than the expected ones. */
function Samples({ attributes }: { attributes: readonly Attribute[] }) {
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
            `${String(sample.output)} where the expected answer has ${String(sample.expected)}`;
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

function TestLink({ test, id }: { test: Test | undefined; id: string }) {
  return test === undefined ? <code>{id}</code> : <a href={`#test/${test.key}`}>{id}</a>;
}
