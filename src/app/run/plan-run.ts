import { SETTINGS_FILE } from '../../config/file-names.ts';
import { maxNewAnswers } from '../../confirm/steps.ts';
import { problem } from '../../errors.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { FeatureParts } from '../../kernel/result/feature-parts.ts';
import type { Result } from '../../kernel/result/result.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import { DEFAULT_GATE } from '../../kernel/suite/gate-settings.ts';
import { keyPlace } from '../../kernel/suite/suite.ts';
import { mostCallsOfTry } from '../../money/answer-calls.ts';
import {
  capsOf,
  costProblems,
  PRICE_ADVICE,
  spendNotices,
  type Caps,
} from '../../money/cost-cap.ts';
import { forecast, portionOfCost } from '../../money/forecast.ts';
import { judgingCalls } from '../../money/judging-calls.ts';
import { minimumCalls, overBudget, withFeatureCalls } from '../../money/plan.ts';
import { targetsOf, type Prepared, type Plan } from '../../money/prepared.ts';
import { isListed, NO_LIST, priceFrom } from '../../money/price.ts';
import { timesForecast, type Forecast } from '../../money/priced-calls.ts';
import type { Project } from '../../project/settings.ts';
import { nearest } from '../../text/suggest.ts';
import type { TrustedSides } from '../../trust/trusted-sides.ts';
import { calledModel, type Grader, type Target } from '../../types/model.ts';
import type { Notice, Problem } from '../../types/plain.ts';
import { checkCode, unrunnableReferences } from './check.ts';
import type { Features } from './feature.ts';
import type { PlanPart, PlanTools, PlanOrResult, Pricing, ReadyPlan, RunInput } from './input.ts';
import { createEmptyResult, notEvaluated, type ResultHead } from './not-judged.ts';
import { featureCalls, prepare, priceSettings } from './prepare.ts';
import { unreadChanges } from './unread.ts';

export const WHOLE: PlanPart = {
  narrow: (whole) => whole,
  problems: () => [],
  caps: (caps) => caps,
};

const NO_PRICING: Pricing = { list: NO_LIST, stored: () => false };

export async function planRun(input: RunInput, tools: PlanTools): Promise<PlanOrResult> {
  const { features, part = WHOLE } = input;
  const sides = await tools.readSides(input);
  const read = { ...sides, notices: [...(input.notices ?? []), ...sides.notices] };
  const emptyParts = collectEmptyParts(features);
  if (read.arranged === null) {
    const unread: ResultHead = { ...input, gate: DEFAULT_GATE, n_tries: 'adaptive', emptyParts };
    return { ready: false, result: notEvaluated(unread, read.problems, read.notices) };
  }
  const { arranged } = read;
  const rows = { features, read: read.own };
  const selected = withUnread(input, arranged, prepare(input, arranged, tools.hash, rows));
  const pricing =
    minimumCalls(selected.plan) === 0 ? NO_PRICING : await tools.pricing(pricedTargets(selected));
  const whole = {
    ...(await withoutStoredCalls(selected, input, { ...tools, ...pricing })),
    price: priceFrom(priceSettings(arranged), pricing.list),
  };
  const prepared = part.narrow(whole);
  const spend = spending(input, arranged, { prepared, whole }, pricing);
  const { sweep, n_tries } = arranged.head.settings;
  const unrunnable = unrunnableReferences(
    selected.suites.filter(({ run }) => input.mode === 'sweep' || run.runs.length > 0),
  );
  const head: ResultHead = { ...input, gate: prepared.gate, n_tries, emptyParts };
  const checked = await checkCode(selected.suites, input, tools.evaluate);
  const notices = [
    ...read.notices,
    ...checked.notices,
    ...arranged.notices,
    ...arranged.head.notices,
    ...prepared.notices,
    ...asNotices(input.strict === true ? [] : unrunnable),
    ...read.sweepNotices,
    ...spend.notices,
  ];
  const problems = [
    ...prepared.problems,
    ...(input.strict === true ? unrunnable : []),
    ...checked.problems,
    ...nothingToSweep(input, arranged.head, whole),
    ...part.problems(whole),
    ...(spend.caps.unknownCall === null ? [] : await findMisspeltModels(whole, pricing)),
    ...spend.problems,
  ];
  if (problems.length > 0) return { ready: false, result: notEvaluated(head, problems, notices) };
  return {
    ready: true,
    whole,
    prepared: withConfirmation(prepared, spend.forecast.stored > 0),
    emptyResult: { ...createEmptyResult(head), notices },
    forecast: spend.forecast,
    caps: spend.caps,
    sweep,
    reread: read.reread,
    sweepsFurther: read.sweepsFurther,
  };
}

/** Reserves calls to confirm a drop based on stored answers. */
function withConfirmation(prepared: Prepared, hasStored: boolean): Prepared {
  if (prepared.mode !== 'diff') return prepared;
  const { plan, suites } = prepared;
  const calls = sum(suites.map((suite) => mostConfirmationCalls(suite, hasStored)));
  const possible = calls === 0 ? plan.possible : { ...plan.possible, confirm_possible: calls };
  return { ...prepared, plan: { ...plan, possible } };
}

function mostConfirmationCalls(suite: SuiteComparison, hasStored: boolean): number {
  const answers = maxNewAnswers(suite, hasStored);
  if (answers === 0) return 0;
  const { runs } = suite.run;
  const once = judgingCalls([suite.run], () => new Map(runs.map((_, index) => [index, 1])));
  const grades = sum(
    once.flatMap(({ asked, purpose, calls }) =>
      purpose === 'evaluator' || asked.target.provider === 'replay' ? [] : [calls],
    ),
  );
  return Math.ceil(answers * (mostCallsOfTry(suite.run) + grades / (2 * runs.length)));
}

function asNotices(problems: readonly Problem[]): Notice[] {
  return problems.map((each) => ({ kind: 'error', ...each }));
}

function withUnread(
  { mode, base, head, changed = [] }: RunInput,
  arranged: TrustedSides,
  prepared: Prepared,
): Prepared {
  if (mode === 'sweep') return prepared;
  const sides = [
    { project: arranged.head, tree: head },
    ...(arranged.base === null || base === null ? [] : [{ project: arranged.base, tree: base }]),
  ];
  const reasons = prepared.suites.flatMap(({ run }) => run.suite.because.map(({ file }) => file));
  const paths = new Set(changed.flatMap(({ path, basePath }) => [path, basePath ?? path]));
  const notices = unreadChanges(sides, [...paths], new Set(reasons));
  return { ...prepared, notices: [...prepared.notices, ...notices] };
}

function pricedTargets(selected: Omit<Prepared, 'price'>): Target[] {
  const later = selected.features.flatMap(({ asker }) => asker?.grader ?? []);
  return [...targetsOf(selected), ...later.map(({ target }) => target)];
}

export function certainWords({ certain }: Plan, features: Features): string[] {
  return features.flatMap(({ calls }) => {
    const count = calls?.certain === undefined ? 0 : (certain[calls.certain.key] ?? 0);
    return calls?.certain === undefined || count === 0 ? [] : [calls.certain.words(count)];
  });
}

export function collectEmptyParts(features: Features): FeatureParts {
  return Object.assign({}, ...features.map(({ emptyParts }) => emptyParts ?? {})) as FeatureParts;
}

async function withoutStoredCalls(
  selected: Prepared,
  input: RunInput,
  { stored, random }: Pick<Pricing, 'stored'> & Pick<PlanTools, 'random'>,
): Promise<Prepared> {
  if (random === undefined) return selected;
  const { features: rows } = input;
  const features = await Promise.all(
    selected.features.map(async (planned) => {
      const row = rows.find(({ key }) => key === planned.key);
      const run = { input, suites: selected.suites };
      const left = (await row?.withoutStored?.(planned, run, { stored, random })) ?? planned;
      return { ...left, key: planned.key };
    }),
  );
  const [before, after] = [featureCalls(rows, selected.features), featureCalls(rows, features)];
  const fewer = Object.entries(after.certain).map(([key, calls]): [string, number] => [
    key,
    calls - (before.certain[key] ?? 0),
  ]);
  const plan = withFeatureCalls(selected.plan, {
    ...after,
    grader: after.grader - before.grader,
    certain: Object.fromEntries(fewer),
  });
  return { ...selected, features, plan };
}

export function withAskers(prepared: Prepared, why: (grader: Grader) => string | null): Prepared {
  return {
    ...prepared,
    features: prepared.features.map((planned) => {
      const grader = planned.asker?.grader ?? null;
      const reason = grader === null ? null : why(grader);
      return reason === null ? planned : { ...planned, asker: { grader: null, unasked: reason } };
    }),
  };
}

/** Checks the caps against the whole plan, so that either all parts run or none. */
function spending(
  input: RunInput,
  { budget, base }: TrustedSides,
  { prepared, whole }: Pick<ReadyPlan, 'prepared' | 'whole'>,
  { stored }: Pricing,
): { forecast: Forecast; caps: Caps; problems: Problem[]; notices: Notice[] } {
  const { part = WHOLE } = input;
  const found = priceRun(input, whole, stored);
  const caps = capsOf(input, budget, budget === base?.settings.budget);
  const planned = minimumCalls(whole.plan) - found.stored;
  return {
    forecast: prepared === whole ? found : priceRun(input, prepared, stored),
    caps: part.caps(caps, () => ({
      calls: { part: minimumCalls(prepared.plan), whole: minimumCalls(whole.plan) },
      cost: portionOfCost(whole, prepared),
    })),
    problems:
      part.isAnswered === true
        ? []
        : [
            ...overBudget(whole.plan, caps.maxCalls, {
              bothSides: base !== null && input.base !== null,
              stored: prepared === whole ? found.stored : 0,
              certainWords: certainWords(whole.plan, input.features),
            }),
            ...costProblems(found, caps),
          ],
    notices: spendNotices(found, planned, caps),
  };
}

/** A comparison of a commit with itself must repeat all calls, so stored answers do not count. */
function priceRun({ again }: RunInput, prepared: Prepared, stored: Pricing['stored']): Forecast {
  if (again === undefined) return forecast(prepared, { price: prepared.price, stored });
  const once = forecast(prepared, { price: prepared.price, stored: () => false });
  return timesForecast(once, again.runs);
}

export function resultHead(input: RunInput, { gate, n_tries }: Result): ResultHead {
  return { ...input, gate, n_tries, emptyParts: collectEmptyParts(input.features) };
}

/** A name that differs from a known one only in a digit is not a typo but another version. */
async function findMisspeltModels(
  { suites, features, price }: Prepared,
  { models = async () => [] }: Pricing,
): Promise<Problem[]> {
  const unpriced = targetsOf({ suites, features })
    .map(hostedOf)
    .filter(isListed)
    .filter((target) => price(target, { input_tokens: 0, output_tokens: 0 }) === null);
  const byName = new Map(unpriced.map((target) => [target.model, target]));
  const found = [...byName.values()].map(async ({ provider, model }): Promise<Problem[]> => {
    const known = (await models(provider)).filter((name) => digitsOf(name) === digitsOf(model));
    const near = nearest(model, known, 'typo');
    const meant = `the model "${model}" is not known; did you mean "${near ?? ''}"?`;
    const head = suites
      .flatMap(({ run }) => run.suite.head ?? [])
      .find(({ variant }) => variant.target && hostedOf(variant.target).model === model);
    const place = head === undefined ? null : keyPlace(head.suite.prompt, 'model');
    return near === null ? [] : [{ place, message: `${meant} If it is right: ${PRICE_ADVICE}` }];
  });
  return (await Promise.all(found)).flat();
}

function hostedOf(target: Target): Target {
  return calledModel(target) ?? target;
}

function digitsOf(name: string): string {
  return name.replace(/\D/g, '');
}

const NO_REFERENCES =
  'has no references, so there is nothing to run: ' +
  'list them under references, or name a data file under references_from';

function nothingToSweep(
  { mode, mayBeEmpty }: RunInput,
  { suites, settings }: Project,
  { features }: Prepared,
): Problem[] {
  if (
    mode !== 'sweep' ||
    mayBeEmpty === true ||
    suites.some(({ tests }) => tests.references.length > 0) ||
    features.some(({ tested }) => tested > 0)
  )
    return [];
  const files = new Set(suites.map(({ tests }) => tests.file));
  if (files.size > 0) return [...files].map((file) => problem({ file, line: 0 }, NO_REFERENCES));
  return [
    problem(
      { file: settings.file ?? SETTINGS_FILE, line: 0 },
      'no prompt of this project has references, so there is nothing to run; ' +
        'add prompts with tests ("npx evaldiff init" creates an example), ' +
        'or name the folder that contains them (working-directory, --directory)',
    ),
  ];
}
