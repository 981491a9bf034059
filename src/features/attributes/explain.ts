import { deduplicate } from '../../documents/document.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { Notice } from '../../types/plain.ts';
import {
  comparedAnswers,
  countedMetric,
  attributeResults,
  type CountedSuite,
  type ExplainInput,
  type ExplainSuite,
  type ExplainTools,
} from './attribute-results.ts';
import { AUTO_REFERENCES, FEWEST_COMPARED, sampleReferences } from './cost.ts';
import { pinnedFor, taskFor } from './file.ts';
import type { AttributeResult } from './result.ts';
import { survey, type Survey } from './survey.ts';
import { FEWEST_REFERENCES } from './text.ts';
import { FEWEST_UNITS } from './verdicts.ts';

export interface Explanation {
  attributes: AttributeResult[];
  notices: Notice[];
}

/** With `qualeval: auto`, explains only suites that regressed or have pinned attributes. */
export function isExplained(
  suite: ExplainSuite,
  { settings: { enabled }, pinned }: Pick<ExplainInput, 'settings' | 'pinned'>,
): boolean {
  if (enabled !== 'auto') return enabled === 'on';
  return (
    (pinned !== null && pinnedFor(pinned, suite.path).length > 0) ||
    (suite.regressed && suite.references.length >= AUTO_REFERENCES)
  );
}

/** Failed model calls become notices. */
export async function explain(input: ExplainInput, tools: ExplainTools): Promise<Explanation> {
  const suites = input.suites
    .filter((suite) => isExplained(suite, input))
    .map((suite): CountedSuite => ({
      ...suite,
      // Sorted, because sums and random numbers depend on the order.
      references: [...suite.references].sort((a, b) => byCodeUnits(a.id, b.id)),
      metric: countedMetric(suite, input),
    }));
  const surveyed = await Promise.all(
    suites.map(async (suite) => ({ suite, ...(await surveySuite(suite, input, tools)) })),
  );
  const results = attributeResults(surveyed, input);
  const notices = [
    ...surveyed.flatMap(({ suite: { path }, notes }) =>
      notes.map((message) => notice(path, message)),
    ),
    ...results.flatMap(({ suite: { path }, attributes }) =>
      input.mode === 'diff' &&
      attributes.length > 0 &&
      attributes.every(({ verdict }) => verdict === 'too few')
        ? [notice(path, UNINFORMATIVE)]
        : [],
    ),
  ];
  return {
    attributes: results.flatMap(({ attributes }) => attributes),
    notices: deduplicate(notices),
  };
}

const UNINFORMATIVE =
  'the ratings do not separate the tests, so no attribute can be named: for each attribute, fewer than ' +
  `${FEWEST_UNITS} compared tests are rated 3 or more, or fewer than that are rated lower`;

function metricNotes({ metric }: CountedSuite, { metric: wanted }: ExplainInput): string[] {
  if (wanted === null) return [];
  return [
    metric === null
      ? `no try has a score of the metric "${wanted}" (qualeval.metric), so attributes use ` +
        `the outcome of whole tries`
      : `pass rates of attributes use the metric "${metric}" (qualeval.metric)`,
  ];
}

function sampleNote({ references: { length } }: CountedSuite, sample: number): string[] {
  return length <= sample
    ? []
    : [`attributes are based on ${sample} of ${length} tests (qualeval.sample)`];
}

function notice(path: string, message: string): Notice {
  return { kind: 'qualeval', message: `${path}: ${message}`, place: null };
}

async function surveySuite(
  suite: CountedSuite,
  input: ExplainInput,
  tools: ExplainTools,
): Promise<Survey> {
  const { references, path } = suite;
  if (references.length < FEWEST_REFERENCES) {
    return {
      surveyed: [],
      notes: [
        `attributes need at least ${FEWEST_REFERENCES} references; ` +
          `there are ${references.length}`,
      ],
    };
  }
  const few =
    input.mode === 'sweep' ? null : tooFew(references.filter(({ compared }) => compared).length);
  if (few !== null) return { surveyed: [], notes: [few] };
  const { grader } = input;
  if (grader === null) return { surveyed: [], notes: [unaskedNote(input)] };
  const pinned = input.pinned === null ? [] : pinnedFor(input.pinned, path);
  const { max_attributes: most, sample, slack } = input.settings;
  const { surveyed, notes } = await survey(
    sampleReferences(references, sample, input.seed).map((reference) => ({
      ...reference,
      answers: comparedAnswers(reference, input.mode),
    })),
    {
      pinned:
        input.pinned === null || pinned.length === 0
          ? null
          : { attributes: pinned, task: taskFor(input.pinned, path) },
      prompt: suite.prompt,
      most,
      slack,
      seed: input.seed,
      alignment: input.alignment,
    },
    { ...tools, grader },
  );
  return {
    surveyed,
    notes: [
      ...(surveyed.length === 0
        ? []
        : [...metricNotes(suite, input), ...sampleNote(suite, sample)]),
      ...notes,
    ],
  };
}

function tooFew(compared: number): string | null {
  return compared >= FEWEST_COMPARED
    ? null
    : `attributes need ${FEWEST_COMPARED} compared references; this change affects ` +
        `${compared}`;
}

function unaskedNote({ unasked = null }: ExplainInput): string {
  return unasked === null
    ? 'attributes need a grader model; add grader: { model: … } to the settings file'
    : `attributes were not computed: ${unasked}`;
}
