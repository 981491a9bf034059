import { begun } from '../../../benchmarks/verdicts/simulate.ts';
import type { AttributeResult } from '../../../src/features/attributes/result.ts';
import { compareSuite } from '../../../src/kernel/judge/compare.ts';
import { ruleRun } from '../../../src/kernel/judge/run-rules.ts';
import { judgeMeasured, measureSuites } from '../../../src/kernel/judge/verdict.ts';
import { withMoreTries } from '../../../src/kernel/plan/suite-run.ts';
import type { ChangedText } from '../../../src/kernel/result/changes.ts';
import {
  fixedReferences,
  newFailing,
  onlyScoringChanged,
} from '../../../src/kernel/result/counts.ts';
import type { RunOutcome } from '../../../src/kernel/result/outcome.ts';
import type { ReasonOf } from '../../../src/kernel/result/reason.ts';
import type {
  ReferenceResult,
  ReferenceStatus,
  SideResult,
  TryResult,
} from '../../../src/kernel/result/reference-result.ts';
import type { Result } from '../../../src/kernel/result/result.ts';
import type { Because, PassRate, SuiteResult } from '../../../src/kernel/result/suite-result.ts';
import { DEFAULT_GATE, type GateSettings } from '../../../src/kernel/suite/gate-settings.ts';
import type { Fix } from '../../../src/trials/fix.ts';
import { partsOf } from '../../../src/types/answer.ts';
import type { Outcome, Score } from '../../../src/types/metric.ts';
import type { Json, Scalar } from '../../../src/types/plain.ts';
import type { UsageTotals } from '../../../src/types/usage-totals.ts';
import { hostileTexts } from '../../stand-ins/hostile-text.ts';
import { referenceResult, sideOfTries, suiteResult, tryResult } from '../app/run/builders.ts';

export { sideOfTries };

/** Small results in the form of real ones. Their counts agree with their tries. */

const gate: GateSettings = { ...DEFAULT_GATE, tolerance: 0.05 };

const noUsage: UsageTotals = {
  calls: 0,
  reused: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: null,
  by_purpose: {},
};

export function resultOf({
  outcome,
  ...changes
}: Partial<Omit<Result, 'outcome'>> & { outcome?: RunOutcome | undefined }): Result {
  const made: Omit<Result, 'outcome'> = {
    schema_version: 2,
    mode: 'diff',
    conclusion: 'success',
    title: '',
    reasons: [],
    trust: 'member',
    base: { sha: '1f6a9c0d3b5e7a9182736455463728190abcdef0' },
    head: { sha: '9e8d7c6b5a49382716055443322110ffeeddccbb' },
    gate,
    n_tries: 3,
    suites: [],
    scoring: [],
    attributes: [],
    insights: [],
    graders: [],
    notices: [],
    problems: [],
    usage: noUsage,
    noise: null,
    override: null,
    adaptive_tries: null,
    ...changes,
  };
  return { ...made, outcome: outcome ?? outcomeIn(made) };
}

/** The outcome that the gate would assign to a result with these parts. */
function outcomeIn(result: Omit<Result, 'outcome'>): RunOutcome {
  const { problems, override, conclusion, suites, mode } = result;
  if (problems.length > 0) return { kind: 'not-evaluated', problems: problems.length };
  if (suites.length === 0 && conclusion === 'success')
    return { kind: 'nothing-to-run', rubrics: 0 };
  const references = suites.flatMap((suite) => suite.references).length;
  const has = (verdict: SuiteResult['verdict']) =>
    suites.some((suite) => suite.verdict === verdict);
  const found = ruleRun({
    ended: null,
    isSweep: mode === 'sweep',
    affected: references,
    counted: references,
    tested: 0,
    pool: null,
    removed: 0,
    hasUnusedChanges: true,
    isReplaced: false,
    hasTooManyErrors: conclusion === 'error',
    silence: null,
    hasRegressed: has('regressed'),
    isInconclusive: has('inconclusive'),
    isModelChange: false,
    failsByInconclusive: false,
    isHeld: false,
    fails: conclusion === 'failure' || override !== null,
    isUnseen: conclusion === 'neutral',
    hasFixed: fixedReferences(suites).length > 0,
    hasImproved: has('improved'),
    isScoringAlone: onlyScoringChanged(result).length > 0,
    hasNewFailing: newFailing(suites).length > 0,
  });
  const red = found.kind === 'regressed' || found.kind === 'failed';
  return override !== null && red ? { kind: 'overridden', by: found } : found;
}

export function score(
  status: 'pass' | 'fail',
  metric = 'exact_match',
  value: Json = status === 'pass',
  reason: string | null = null,
): Score {
  return { metric, status, value, reason, skip: false };
}

export function tryOf(
  index: number,
  outcome: Outcome,
  actual: string | null,
  scores: Score[] = [],
): TryResult {
  const isError = outcome === 'error';
  return {
    ...tryResult(outcome, index),
    parts: isError || actual === null ? null : partsOf(actual),
    error: isError ? 'openai: no complete reply after 120 s' : null,
    scores,
    usage: { input_tokens: 41, output_tokens: 9 },
    latency_ms: 640 + index,
  };
}

export interface Answer {
  outcome: Outcome;
  actual: string;
  scores?: Score[];
}

export function sideOf(answers: readonly Answer[], skip = false): SideResult {
  const tries = answers.map(({ outcome, actual, scores }, index) =>
    tryOf(
      index,
      outcome,
      actual,
      scores ?? (outcome === 'pass' || outcome === 'fail' ? [score(outcome)] : []),
    ),
  );
  return sideOfTries(tries, skip);
}

/** A side whose tries all pass, or all fail, with these answers. */
export const passed = (...answers: string[]): SideResult =>
  sideOf(answers.map((actual) => ({ outcome: 'pass', actual })));
export const failed = (...answers: string[]): SideResult =>
  sideOf(answers.map((actual) => ({ outcome: 'fail', actual })));

export function referenceOf(
  id: string,
  status: ReferenceStatus,
  changes: Partial<ReferenceResult> = {},
): ReferenceResult {
  return referenceResult(id, {
    file: 'prompts/tests/capitals.yaml',
    line: 12,
    input: { country: id },
    expected: null,
    status,
    p: status === 'regressed' ? 0.004 : 0.5,
    q: status === 'regressed' ? 0.02 : 1,
    base: null,
    head: null,
    ...changes,
  });
}

const mean = (rates: number[]) =>
  rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
const rateOf = (references: readonly ReferenceResult[], side: 'base' | 'head') =>
  mean(
    references.flatMap(({ [side]: result }) =>
      result === null || result.tries_judged === 0 ? [] : [result.passes / result.tries_judged],
    ),
  );

/** The suite's fields in a reason. */
export function keyOf({ name, path, variant }: SuiteResult): Omit<ReasonOf<'regressed'>, 'code'> {
  return { suite: name, path, variant };
}

function reasonOf(verdict: SuiteResult['verdict'] = 'unchanged'): SuiteResult['reason'] {
  const by = ({ regressed: 'fall', improved: 'rise', inconclusive: 'unsettled' } as const)[
    verdict as 'regressed'
  ];
  return { by: by ?? 'bound', p: null, references: [], metrics: [], tolerance: 0.1 };
}

/** A suite with rates computed from its references. `half` is half the width of the interval. */
export function suiteOf(
  name: string,
  references: ReferenceResult[],
  changes: Partial<SuiteResult> & { half?: number } = {},
): SuiteResult {
  const { half = 0.044, ...rest } = changes;
  const [base, head] = [rateOf(references, 'base'), rateOf(references, 'head')];
  const difference = base === null || head === null ? null : head - base;
  const pass_rate: PassRate = {
    base,
    head,
    difference,
    low: difference === null ? null : difference - half,
    high: difference === null ? null : difference + half,
    p: difference === null ? null : difference < 0 ? 0.012 : 0.6,
  };
  return suiteResult({
    path: `prompts/${name}.yaml`,
    name,
    variant: { model: 'gpt-4o', parameters: { temperature: 0 } },
    because: [],
    pass_rate,
    reason:
      (changes.pass_rate?.difference ?? difference) === null ? null : reasonOf(changes.verdict),
    visible_drop: 0.062,
    evidence: {
      references: references.length,
      of: references.length,
      missing: [],
      critical: [],
    },
    compared: { references: references.length, tries: references[0]?.head?.tries.length ?? 0 },
    references,
    metrics: [
      {
        name: 'exact_match',
        base,
        head,
        judged_base: references.length * 3,
        judged_head: references.length * 3,
        gates: true,
        better: 'higher',
      },
    ],
    ...rest,
  });
}

/**
 * Judges the references' tries with evaldiff itself, for verdict, interval, statuses and sentences.
 * Every reference has the same number of tries.
 */
function judgedSuite(references: ReferenceResult[], because: Because[]) {
  const tries = references[0]?.head?.tries.length ?? 0;
  const rates = references.map(() => 1);
  const started = begun({ base: rates, head: rates }, 0, { kind: 'fixed', tries });
  const made = references.flatMap((reference, run) =>
    (['base', 'head'] as const).flatMap((side) =>
      (reference[side]?.tries ?? []).map(
        (byHead) =>
          [
            { run, side },
            { byHead, byBase: null },
          ] as const,
      ),
    ),
  );
  const comparison = withMoreTries(started, made);
  const verdict =
    judgeMeasured(measureSuites([comparison], DEFAULT_GATE)).suites.get(comparison) ?? null;
  const found = compareSuite(comparison, verdict, new Map());
  const judged = references.map((reference, index) => {
    const { status = reference.status, p = null, q = null } = found.references[index] ?? {};
    return { ...reference, status, p, q };
  });
  const { pass_rate, verdict: word, reason = null, visible_drop, compared } = found;
  const own = { pass_rate, verdict: word, reason, visible_drop, compared };
  return suiteOf('capitals', judged, { because, ...own });
}

const COUNTRIES = [
  'Australia',
  'Brazil',
  'Canada',
  'Denmark',
  'Egypt',
  'Finland',
  'Ghana',
  'Hungary',
  'India',
  'Japan',
  'Kenya',
  'Laos',
  'Mexico',
  'Nepal',
  'Oman',
  'Peru',
  'Qatar',
];

/** A side from a letter per try: p passes, f fails, e ends in an error. */
const repeated = (
  outcomes: string,
  pass: string,
  fail: string,
  reason: string | null = null,
): SideResult =>
  sideOf(
    [...outcomes].map((letter): Answer =>
      letter === 'p'
        ? { outcome: 'pass', actual: pass, scores: [score('pass')] }
        : letter === 'f'
          ? { outcome: 'fail', actual: fail, scores: [score('fail', 'exact_match', false, reason)] }
          : { outcome: 'error', actual: fail, scores: [] },
    ),
  );

function capital(
  country: string,
  city: string,
  [base, head]: readonly [base: string, head: string],
  status: ReferenceStatus,
  wrong: string,
  line: number,
): ReferenceResult {
  const reason = `expected "${city}", got "${wrong}"`;
  return referenceOf(country.toLowerCase(), status, {
    line,
    input: { country },
    expected: city,
    base: repeated(base, city, wrong, reason),
    head: repeated(head, city, wrong, reason),
  });
}

const FILE = 'prompts/capitals.yaml';
const because = [{ key: 'messages[0].content', file: FILE }];
const RUBRIC = 'rubrics/tone.yaml';

/** Three tries with the same rubric grade. */
const judged = (outcome: 'pass' | 'fail', actual: string, reason: string): SideResult => {
  const polite = score(outcome, 'is_polite', Number(outcome === 'pass'), reason);
  return sideOf(
    [1, 2, 3].map(() => ({ outcome, actual, scores: [polite, score('pass', 'short', 46)] })),
  );
};

/** A suite with one regressed reference and a rubric that changed too. */
function triageSuite() {
  const long =
    'Thank you for writing to us. We are sorry to hear that the parcel arrived late and that the box was damaged on one side. We have looked at the shipment and found that it was held at the depot over the weekend. ';
  const file = 'prompts/tests/triage.yaml';
  const mail =
    'Where is my parcel? It should have been here on Monday, and the tracking page shows nothing.';
  const late = referenceOf('late-parcel', 'regressed', {
    file,
    line: 31,
    input: { mail, tone: 'annoyed' },
    base: judged(
      'pass',
      `${long}A replacement leaves our warehouse today, free of charge.`,
      'Apologises and offers a remedy.',
    ),
    head: judged(
      'fail',
      `${long}A replacement cannot be sent, as the warranty has ended.`,
      'Apologises, but refuses a remedy without giving any alternative to the customer.',
    ),
  });
  const side = repeated('ppp', 'Dear customer', '');
  const others = ['refund', 'wrong-size', 'praise', 'invoice', 'cancel'].map((id, index) =>
    referenceOf(id, 'unchanged', {
      file,
      line: 40 + 9 * index,
      base: side,
      head: side,
      input: { mail: `A mail about ${id}.`, tone: 'calm' },
    }),
  );
  return suiteOf('triage', [late, ...others], {
    verdict: 'inconclusive',
    because: [{ key: 'rubric is_polite', file: RUBRIC }],
    half: 0.2067,
    visible_drop: 0.24,
  });
}

/** A suite with a changed temperature and no effect. */
function mathSuite() {
  const references = ['four', 'carry', 'long'].map((id, index) => {
    const expected = String(8 + index);
    const side = repeated('ppp', expected, '');
    return referenceOf(id, 'unchanged', {
      file: 'prompts/tests/math.yaml',
      line: 8 + index,
      expected,
      base: side,
      head: side,
      input: { a: 4 + index, b: 4 },
    });
  });
  return suiteOf('math', references, {
    because: [{ key: 'temperature', file: 'prompts/math.yaml' }],
    base_variant: { model: 'gpt-4o', parameters: { temperature: 0 } },
    variant: { model: 'gpt-4o', parameters: { temperature: 0.2 } },
    half: 0.333,
  });
}

/** The change of a file from `line` on. `more` lines are left out. */
export const changeOf = (
  file: string,
  suite: string,
  line: number,
  more: number,
  lines: ChangedText['hunks'][number]['lines'],
): ChangedText => ({
  file,
  base_file: file,
  suites: [suite],
  more,
  hunks: [{ base: line, head: line, lines }],
});

/** A shorter prompt makes the model chatty: the suite falls and three references break. */
export function regression(): Result {
  const chatty = 'The capital of Brazil is Brasília, which replaced Rio de Janeiro in 1960.';
  const references = [
    capital(
      'Australia',
      'Canberra',
      ['ppp', 'fff'],
      'regressed',
      'The capital of Australia is Canberra.',
      14,
    ),
    capital('Brazil', 'Brasília', ['ppp', 'fff'], 'regressed', chatty, 17),
    capital(
      'Canada',
      'Ottawa',
      ['ppp', 'pff'],
      'regressed',
      'Ottawa is the capital of Canada.',
      20,
    ),
    capital('Denmark', 'Copenhagen', ['ppp', 'ppf'], 'inconclusive', 'Copenhagen.', 23),
    capital('Egypt', 'Cairo', ['ppf', 'ppp'], 'flaky', 'Cairo (Al-Qahirah)', 26),
    capital('Finland', 'Helsinki', ['fff', 'ppp'], 'improved', 'helsinki', 29),
    capital('Ghana', 'Accra', ['ppp', 'ppe'], 'unchanged', 'Accra.', 32),
    ...COUNTRIES.slice(7).map((country, at) =>
      capital(country, `City ${at + 1}`, ['ppp', 'ppp'], 'unchanged', '', 35 + 3 * at),
    ),
  ];
  const capitals = suiteOf('capitals', references, {
    verdict: 'regressed',
    because,
    half: 0.1136,
    visible_drop: 0.113,
  });
  const triage = triageSuite();
  const { path, name: suite, variant } = capitals;
  const [fallen, few] = [
    ['australia', 'brazil', 'canada'],
    ['australia', 'japan'],
  ];
  const grader = { rubric: 'is_polite', examples: 24, true_positive_rate: 0.923, base_rate: 0.54 };
  return resultOf({
    conclusion: 'failure',
    title: 'capitals regressed: pass rate 92.2 % → 84.3 %',
    reasons: [
      { code: 'regressed', ...keyOf(capitals) },
      { code: 'inconclusive', ...keyOf(triage) },
    ],
    suites: [mathSuite(), triage, capitals],
    changes: [
      changeOf(FILE, suite, 3, 0, [
        { sign: 'same', text: '  - role: user' },
        { sign: 'removed', text: '    content: Name the capital of {{country}}, nothing else.' },
        { sign: 'added', text: '    content: What is the capital of {{country}}?' },
      ]),
      changeOf(RUBRIC, 'triage', 7, 2, [
        { sign: 'same', text: 'is_polite:' },
        { sign: 'added', text: '  # Refusing without an alternative is not polite.' },
      ]),
    ],
    scoring: [
      {
        path: 'prompts/triage.yaml',
        name: 'triage',
        rates: { base_base: 1, base_head: 1, head_base: 0.944, head_head: 0.833 },
        prompt_effect: -0.167,
        scoring_effect: 0,
        total: -0.167,
        because: [{ key: 'is_polite.prompt', file: RUBRIC }],
        flipped: [{ id: 'invoice', from: 'pass', to: 'fail' }],
        same_answers: {
          unit: 'answers',
          judged: 18,
          pass_fail: 1,
          fail_pass: 1,
          p: 1,
          kappa: 0.64,
        },
      },
    ],
    graders: [
      {
        ...grader,
        side: 'base',
        judged: 24,
        agreement: 0.875,
        true_negative_rate: 0.818,
        kappa: 0.746,
        flipped: [],
      },
      {
        ...grader,
        side: 'head',
        judged: 23,
        agreement: 0.917,
        true_negative_rate: 0.909,
        kappa: 0.832,
        flipped: [{ content: 'We cannot help you. Bye.', expected: 'NO', base: 'YES', head: 'NO' }],
      },
    ],
    attributes: [
      attribute('countries with a former capital', 'domain', 9, [0.963, 0.704, -0.259], fallen),
      attribute('single-word answers', 'subtask', 15, [0.911, 0.844, -0.067], few),
      attribute('island states', 'domain', 4, [1, 1, 0], ['japan']),
    ],
    insights: [
      {
        path,
        suite,
        variant,
        attribute: 'domain-1',
        references: fallen,
        fix: draftedFix({
          file: path,
          lines: { from: 8, to: 8 },
          replaced: 'Answer kindly.',
          replacement: 'Answer with the bare name.',
          costs: { references: 0, of: 30 },
        }),
      },
    ],
    notices: [
      {
        kind: 'removed',
        message: 'capitals: zimbabwe is no longer among the references',
        place: { file: 'prompts/tests/capitals.yaml', line: 1 },
      },
      {
        kind: 'settings',
        message:
          'the gate settings of base are in force; this change to gate.alpha takes effect once merged',
        place: { file: 'evaldiff.yaml', line: 9 },
      },
      { kind: 'error', message: 'ghana: 1 of 3 tries on head ended in an error', place: null },
    ],
    usage: {
      calls: 148,
      reused: 8,
      input_tokens: 31_408,
      output_tokens: 4_127,
      cost_usd: 0.1198,
      by_purpose: {
        prompt: { calls: 112, reused: 8, cost_usd: 0.08 },
        grader: { calls: 36, reused: 0, cost_usd: 0.0398 },
      },
    },
  });
}

function attribute(
  name: string,
  kind: AttributeResult['kind'],
  n: number,
  [base, head, difference]: [base: number, head: number, difference: number],
  references: string[],
): AttributeResult {
  return {
    id: `${kind}-1`,
    name,
    kind,
    explanation: '',
    path: FILE,
    suite: 'capitals',
    variant: { model: 'gpt-4o', parameters: { temperature: 0 } },
    affinity_mean: 3,
    prior: n / 26,
    n,
    base,
    head,
    difference,
    low: difference - 0.14,
    high: difference + 0.14,
    p: 0.01,
    verdict: n < 8 ? 'too few' : difference < -0.2 ? 'regressed' : 'no change found',
    explained_by: [],
    alternatives: [],
    alignment: null,
    samples: [],
    references,
    assigned: references,
  };
}

export function green(): Result {
  const references = COUNTRIES.map((country, index) =>
    capital(
      country,
      `City ${index}`,
      ['ppp', index === 3 ? 'ppf' : 'ppp'],
      'unchanged',
      'x',
      10 + index,
    ),
  );
  return resultOf({
    title: 'No regression in 17 affected references of 1 suite',
    gate: DEFAULT_GATE,
    suites: [judgedSuite(references, because)],
    usage: { ...noUsage, calls: 102, input_tokens: 9_000, output_tokens: 800 },
  });
}

export function nothingAffected(): Result {
  return resultOf({ title: 'No prompt, rubric or test changed: nothing to run.' });
}

/** A pull request from a fork, without keys. */
export function fork(): Result {
  const words =
    'No model key is available to pull requests from forks. Changes were checked, nothing was sent to a model.';
  return resultOf({
    conclusion: 'neutral',
    outcome: { kind: 'without-keys', judged: false },
    trust: 'untrusted',
    title: words,
    reasons: [{ code: 'keys-withheld', from: 'fork' }],
  });
}

export function withProblems(): Result {
  return resultOf({
    conclusion: 'error',
    title: 'Not judged: 4 problems',
    problems: [
      {
        place: { file: 'prompts/capitals.yaml', line: 4 },
        message: 'unknown key "mesages"; did you mean "messages"?',
      },
      {
        place: { file: 'prompts/tests/capitals.yaml', line: 12 },
        message: 'reference 3 has no value for {country}',
      },
      { place: { file: 'evaldiff.yaml', line: 0 }, message: 'is empty' },
      {
        place: null,
        message:
          'No key for provider openai: set OPENAI_API_KEY (in a workflow, the input openai-api-key; in a terminal, the file .env works, too).',
      },
    ],
  });
}

/** A full sweep: head only, two models. */
export function sweep(): Result {
  const one = (model: string, outcomes: string[]) =>
    suiteOf(
      'capitals',
      outcomes.map((letters, index) =>
        referenceOf(`c${index}`, letters.includes('f') ? 'fail' : 'pass', {
          line: 10 + index,
          expected: 'Paris',
          head: repeated(letters, 'Paris', 'Lyon', 'expected "Paris", got "Lyon"'),
          q: null,
          p: null,
        }),
      ),
      {
        variant: { model, parameters: { temperature: 0.7 } },
        verdict: 'not_compared',
        visible_drop: null,
        compared: { references: 0, tries: 0 },
      },
    );
  return resultOf({
    mode: 'sweep',
    base: null,
    title: '2 results',
    suites: [
      one('gpt-4o', ['ppp', 'ppp', 'ppf', 'ppp']),
      one('claude-sonnet', ['ppp', 'ppp', 'ppp', 'ppp']),
    ],
    usage: { ...noUsage, calls: 24, input_tokens: 900, output_tokens: 90, cost_usd: 0.00412 },
  });
}

/** Slightly worse, with too few tries for a verdict. */
export function neutral(): Result {
  const references = COUNTRIES.slice(0, 8).map((country, index) =>
    capital(
      country,
      `City ${index}`,
      ['ppp', index < 2 ? 'ppf' : 'ppp'],
      'unchanged',
      'The city',
      10 + index,
    ),
  );
  const suite = judgedSuite(references, because);
  return resultOf({
    conclusion: 'neutral',
    title: 'Inconclusive for 1 suite of 1',
    reasons: [{ code: 'inconclusive', ...keyOf(suite) }],
    gate: DEFAULT_GATE,
    suites: [suite],
    usage: { ...noUsage, calls: 48, input_tokens: 2_000, output_tokens: 300, cost_usd: 0.01 },
  });
}

/** Every text from a user, a model or a file is hostile. */
export function hostile(): Result {
  const texts = Object.values(hostileTexts);
  const marker = '<!-- evaldiff -->';
  const references = texts.map((text, index) =>
    referenceOf(`${text} ${index}`, index % 3 === 0 ? 'inconclusive' : 'regressed', {
      file: `prompts/${text}.yaml`,
      line: index,
      input: { [text]: text } as Record<string, Scalar>,
      expected: text,
      tags: [text],
      base: sideOf([
        {
          outcome: 'pass',
          actual: `${text} ${marker}`,
          scores: [{ metric: text, status: 'pass', value: text, reason: text, skip: false }],
        },
      ]),
      head: sideOf([
        {
          outcome: 'fail',
          actual: `${marker} ${text}`,
          scores: [
            { metric: text, status: 'fail', value: text, reason: `${text} ${marker}`, skip: true },
          ],
        },
      ]),
    }),
  );
  const all = texts.join('\n\n');
  const suites = [
    suiteOf(all, references, {
      verdict: 'regressed',
      because: texts.map((text) => ({ key: text, file: text })),
      variant: { model: all, parameters: { [all]: all } },
      base_variant: { model: 'x', parameters: {} },
    }),
    ...texts.map((text, index) =>
      suiteOf(text, references.slice(0, 2), {
        path: `${text}${index}`,
        because: [{ key: text, file: text }],
        verdict: 'inconclusive',
      }),
    ),
  ];
  return resultOf({
    conclusion: 'failure',
    title: all,
    reasons: texts.map((text) => ({ code: 'words', text })),
    suites,
    scoring: texts.map((text) => ({
      path: text,
      name: text,
      rates: { base_base: 1, base_head: 0.5, head_base: 0, head_head: null },
      prompt_effect: null,
      scoring_effect: -0.5,
      total: null,
      because: [{ key: text, file: text }],
      flipped: [{ id: text, from: 'pass', to: 'fail' }],
      same_answers: {
        unit: 'answers',
        judged: 6,
        pass_fail: 3,
        fail_pass: 0,
        p: 0.125,
        kappa: -0.2,
      },
    })),
    graders: texts.flatMap((text) =>
      (['base', 'head'] as const).map((side) => ({
        rubric: text,
        side,
        examples: 3,
        judged: 2,
        agreement: 0.5,
        true_positive_rate: null,
        true_negative_rate: 1,
        kappa: -0.2,
        base_rate: 0.5,
        flipped: [{ content: text, expected: text, base: text, head: null }],
      })),
    ),
    attributes: texts.map((text) => attribute(text, 'domain', 9, [0.9, 0.5, -0.4], [text])),
    insights: texts.map((text) => ({
      path: 'prompts/hostile.yaml',
      suite: 'hostile',
      variant: { model: null, parameters: {} },
      attribute: text,
      references: [text],
      fix: draftedFix({ file: text, replaced: text, replacement: text }),
    })),
    notices: texts.map((text) => ({
      kind: 'trust',
      message: text,
      place: { file: text, line: 3 },
    })),
    problems: texts.map((text) => ({ place: { file: text, line: 3 }, message: text })),
  });
}

/** `count` regressed references with long answers. */
export function enormous(count = 2000): Result {
  const long = 'word '.repeat(400);
  const references = Array.from({ length: count }, (_, index) =>
    referenceOf(`case-${String(index).padStart(5, '0')}`, 'regressed', {
      line: index + 1,
      input: { question: `Question ${index}?` },
      expected: 'yes',
      base: sideOf([{ outcome: 'pass', actual: `${long}yes` }]),
      head: sideOf([{ outcome: 'fail', actual: `${long}no` }]),
    }),
  );
  const big = suiteOf('big', references, { verdict: 'regressed', because });
  return resultOf({
    conclusion: 'failure',
    title: 'big regressed',
    reasons: [{ code: 'regressed', ...keyOf(big) }],
    suites: [big],
  });
}

export const goldens: Readonly<Record<string, () => Result>> = {
  regression,
  green,
  'nothing-affected': nothingAffected,
  fork,
  problems: withProblems,
  sweep,
  inconclusive: neutral,
};

export const draftedFix = (changes: Partial<Fix>): Fix => ({
  kind: 'draft',
  file: 'p.yaml',
  lines: { from: 3, to: 3 },
  replaced: 'a',
  replacement: 'b',
  restores: { references: 3, of: 3 },
  costs: { references: 0, of: 12 },
  tries: 5,
  ...changes,
});
