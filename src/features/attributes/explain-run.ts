import type { FeatureTools, Judged, ComparedRun } from '../../app/run/feature.ts';
import { deduplicate } from '../../documents/document.ts';
import type { FeatureFinding } from '../../kernel/judge/gate-input.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import { measuredMetrics } from '../../kernel/result/counts.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { gates } from '../../kernel/select/affected-suite.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import type { PlannedFeature } from '../../money/feature-plan.ts';
import { byCodeUnits } from '../../text/order.ts';
import { hasFallen } from '../../trials/fallen.ts';
import { taskText } from '../../trials/packet.ts';
import type { Notice } from '../../types/plain.ts';
import { confirmationWords } from '../../wording/suites.ts';
import {
  comparedAnswers,
  countedMetric,
  attributeResults,
  type ExplainReference,
  type ExplainSuite,
  type CountedSuite,
  type ExplainInput,
  type ExplainTools,
} from './attribute-results.ts';
import { explainedReferences, AUTO_REFERENCES, FEWEST_COMPARED, sampleReferences } from './cost.ts';
import { KIND_WORDS } from './explained-suites.ts';
import { pinnedFor, taskFor } from './file.ts';
import { rateWords, referenceGroup, weakInsights } from './insight.ts';
import { isExplainable, type ExplainOwn } from './plan.ts';
import { suiteAttributes, type AttributeResult } from './result.ts';
import { survey, type Survey } from './survey.ts';
import { FEWEST_REFERENCES } from './text.ts';
import { FEWEST_UNITS } from './verdicts.ts';

export async function explainRun(
  { own, asker }: PlannedFeature<ExplainOwn>,
  run: ComparedRun,
  { spent, ...tools }: FeatureTools,
): Promise<Partial<Judged>> {
  if (own === null) return {};
  const { mode, gate, rows } = run;
  const wanted = rows.flatMap(({ comparison, result }) => {
    const asked = explainSuite(comparison, result, mode, own.settings.metric);
    return asked === null || !isExplained(asked, own)
      ? []
      : [{ suite: result, asked, isJudged: isExplainable(comparison, mode) }];
  });
  const { settings, pinned, seed } = own;
  const halt = spent.halted();
  const { attributes, notices } = await explain(
    {
      mode,
      suites: wanted.map(({ asked }) => asked),
      settings,
      pinned,
      ...(halt === null
        ? (asker ?? { grader: null, unasked: null })
        : { grader: null, unasked: `no further call is made, because ${halt.why}` }),
      alignment: settings.alignment,
      metric: settings.metric,
      alpha: gate.alpha,
      seed,
    },
    { ...tools, complete: spent.complete },
  );
  const open = wanted.filter(
    ({ suite, isJudged }) => isJudged && suiteAttributes(suite, attributes).length === 0,
  );
  const regressed = await confirmedAttributes(run, attributes);
  return {
    parts: {
      attributes,
      ...(mode === 'sweep' && {
        insights: rows.flatMap(({ result }) => weakInsights(result, attributes)),
      }),
    },
    notices,
    groups: (suite) => suiteAttributes(suite, attributes).map(referenceGroup),
    findings: regressed.findings,
    unjudged: [
      ...regressed.unconfirmed,
      ...(gate.attributes === 'fail'
        ? open.map(
            ({ suite: { name } }) =>
              `${name}: its attributes could not be computed (see the notices), and gate.attributes ` +
              'is fail',
          )
        : []),
    ],
  };
}

/** Confirms findings from stored answers with new calls, unless the suite already failed. */
export async function confirmedAttributes(
  { rows, gate, confirm }: Pick<ComparedRun, 'rows' | 'gate' | 'confirm'>,
  attributes: readonly AttributeResult[],
): Promise<{ findings: FeatureFinding[]; unconfirmed: string[] }> {
  const found = rows.flatMap(({ comparison, result }) =>
    regressedAttributes(result, gate, attributes).map((each) => ({ ...each, comparison })),
  );
  const findings: FeatureFinding[] = [];
  const unconfirmed: string[] = [];
  for (const { suite, text, references, comparison } of found) {
    const isRed = suite.verdict === 'regressed';
    const confirmation = isRed ? null : await confirm(comparison, references, found.length);
    if (confirmation === null || confirmation.status === 'confirmed')
      findings.push({ suite, text });
    else unconfirmed.push(`${text}. ${confirmationWords(confirmation)}`);
  }
  return { findings, unconfirmed };
}

/**
 * One regressed attribute is enough to fail, because alpha (the error level) covers all of them
 * together.
 */
export function regressedAttributes(
  suite: SuiteResult,
  gate: GateSettings,
  attributes: readonly AttributeResult[],
): (FeatureFinding & { suite: SuiteResult; references: string[] })[] {
  if ({ ...gate, ...suite.gate }.attributes !== 'fail') return [];
  const own = suiteAttributes(suite, attributes).filter(({ verdict }) => verdict === 'regressed');
  return own.map((attribute) => ({
    suite,
    references: attribute.references,
    text:
      `${suite.name}: the ${KIND_WORDS[attribute.kind]} "${attribute.name}" regressed: ` +
      `${rateWords(attribute)}; gate.attributes is fail`,
  }));
}

function explainSuite(
  comparison: SuiteComparison,
  suite: SuiteResult,
  mode: ComparedRun['mode'],
  metric: string | null,
): ExplainSuite | null {
  const {
    path,
    name,
    variant,
    compared: { tries },
  } = suite;
  const regressed = hasFallen(suite);
  const { base, head } = comparison.run.suite;
  const prompt = (base ?? head)?.suite.prompt;
  if (!isExplainable(comparison, mode) && (!regressed || comparison.policy.kind === 'pairs'))
    return null;
  return {
    path,
    name,
    variant,
    prompt: prompt === undefined ? '' : taskText(prompt),
    regressed,
    tries: mode === 'sweep' || comparison.policy.kind !== 'adaptive' ? null : tries,
    value: decidingValue(suite, metric),
    references: withTries(comparison, mode),
  };
}

/** The value that decides the suite, or that `qualeval.metric` names and that can fail the run. */
function decidingValue(suite: SuiteResult, metric: string | null): ExplainSuite['value'] {
  const own = measuredMetrics(suite).filter(
    ({ values, name }) =>
      values.gate === 'fail' &&
      values.share === undefined &&
      (metric === null ? values.decides : name === metric),
  );
  const found = own.find(({ name }) => name === suite.reason?.metrics[0]) ?? own[0];
  return found && { metric: found.name, better: found.better };
}

function withTries(
  { run, compared }: SuiteComparison,
  mode: ComparedRun['mode'],
): ExplainReference[] {
  const counted = new Set(
    mode === 'sweep' ? run.runs.filter(({ affected }) => gates(run.suite, affected)) : compared,
  );
  const byId = new Map(
    run.runs.map((referenceRun) => [referenceRun.affected.reference.id, referenceRun]),
  );
  return explainedReferences(run.suite).map((reference) => {
    const found = byId.get(reference.id);
    if (found === undefined)
      return { ...reference, compared: false, cluster: null, base: [], head: [] };
    return {
      ...reference,
      compared: counted.has(found),
      cluster: found.affected.reference.cluster ?? null,
      base: found.base.map(({ byHead }) => byHead),
      head: found.head.map(({ byHead }) => byHead),
    };
  });
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
export async function explain(input: ExplainInput, tools: ExplainTools) {
  const suites = input.suites
    .filter((suite) => isExplained(suite, input))
    .map((suite) => ({
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

function suiteNotes(
  { metric, references: { length } }: CountedSuite,
  { metric: wanted, settings: { sample } }: ExplainInput,
): string[] {
  const judged =
    metric === null
      ? `no try has a score of the metric "${wanted}" (qualeval.metric), so attributes use ` +
        `the outcome of whole tries`
      : `pass rates of attributes use the metric "${metric}" (qualeval.metric)`;
  const sampled = `attributes are based on ${sample} of ${length} tests (qualeval.sample)`;
  return [...(wanted === null ? [] : [judged]), ...(length > sample ? [sampled] : [])];
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
  const compared = references.filter((each) => each.compared).length;
  if (input.mode !== 'sweep' && compared < FEWEST_COMPARED)
    return {
      surveyed: [],
      notes: [
        `attributes need ${FEWEST_COMPARED} compared references; this change affects ${compared}`,
      ],
    };
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
    notes: [...(surveyed.length > 0 ? suiteNotes(suite, input) : []), ...notes],
  };
}

function unaskedNote({ unasked = null }: ExplainInput): string {
  return unasked === null
    ? 'attributes need a grader model; add grader: { model: … } to the settings file'
    : `attributes were not computed: ${unasked}`;
}
