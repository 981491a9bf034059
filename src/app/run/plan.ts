import picomatch from 'picomatch';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import { evaluatedFiles, filesNamedIn, programFiles } from '../../config/programs.ts';
import { maxNewAnswers } from '../../confirm/steps.ts';
import { compileGlob, folderOf, isBelow } from '../../documents/paths.ts';
import { problem } from '../../errors.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import { keyPlace } from '../../kernel/suite/suite.ts';
import { mostCallsOfTry } from '../../money/answer-calls.ts';
import {
  capsOf,
  costProblems,
  PRICE_ADVICE,
  spendNotices,
  type Caps,
} from '../../money/cost-cap.ts';
import { forecast, portionOfCost, type ForecastTools } from '../../money/forecast.ts';
import { judgingCalls } from '../../money/judging-calls.ts';
import { minimumCalls, overBudget } from '../../money/plan.ts';
import { repeatedTries, targetsOf, type Prepared, type Plan } from '../../money/prepared.ts';
import { isListed, NO_LIST, priceFrom } from '../../money/price.ts';
import type { Forecast } from '../../money/priced-calls.ts';
import type { Project } from '../../project/settings.ts';
import { firstWords } from '../../text/amounts.ts';
import { nearest } from '../../text/suggest.ts';
import type { TrustedSides } from '../../trust/trusted-sides.ts';
import { calledModel, type Target, AGENT_PROGRAM } from '../../types/model.ts';
import { passportOf } from '../../types/passports.ts';
import type { Notice, Problem } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { checkCode, unrunnableReferences } from './check.ts';
import type { Features } from './feature.ts';
import { createEmptyResult, notEvaluated } from './not-judged.ts';
import { prepare, priceSettings } from './prepare.ts';
import type { PlannedOrRefused, PlanTools, Pricing, RunInput } from './record.ts';

/** Reads both sides and plans what to ask. Makes no model calls. */
export async function planRun(input: RunInput, tools: PlanTools): Promise<PlannedOrRefused> {
  const sides = await tools.readSides(input);
  const read = [...(input.notices ?? []), ...sides.notices];
  const { arranged } = sides;
  if (arranged === null)
    return { ready: false, result: notEvaluated(createEmptyResult(input), sides.problems, read) };
  const { settings } = arranged.head;
  const own = { features: input.features, read: sides.own };
  const selected = await prepare(input, arranged, tools, own);
  const spend = await priceRun(input, arranged, selected, tools);
  const { whole, prepared } = spend;
  const broken = unrunnableIn(input, whole);
  const checked = await checkCode(whole.suites, input, tools.evaluate);
  const notices = [
    ...read,
    ...checked.notices,
    ...arranged.notices,
    ...arranged.head.notices,
    ...prepared.notices,
    ...unreadChangeNotices(input, arranged, prepared),
    ...broken.notices,
    ...sides.sweepNotices,
    ...spend.notices,
  ];
  const problems = [
    ...prepared.problems,
    ...broken.problems,
    ...checked.problems,
    ...nothingToSweep(input, arranged.head, whole),
    ...(input.part?.problems?.(whole) ?? []),
    ...(await findMisspeltModels(whole, spend)),
    ...spend.problems,
  ];
  const head = { ...input, gate: prepared.gate, n_tries: settings.n_tries };
  const emptyResult = { ...createEmptyResult(head), notices };
  if (problems.length > 0) return { ready: false, result: notEvaluated(emptyResult, problems) };
  return {
    ...withConfirmation(prepared, spend.forecast.stored > 0),
    ready: true,
    whole,
    emptyResult,
    allFeatures: input.features,
    forecast: spend.forecast,
    caps: spend.caps,
    sweep: settings.sweep,
    reread: sides.reread,
    relist: sides.relist,
    sweepsFurther: sides.sweepsFurther,
  };
}

/** References that cannot run are errors only for `validate`. */
function unrunnableIn(
  { mode, strict }: RunInput,
  { suites }: Prepared,
): { problems: Problem[]; notices: Notice[] } {
  const found = unrunnableReferences(
    suites.filter(({ run }) => mode === 'sweep' || run.runs.length > 0),
  );
  return strict === true
    ? { problems: found, notices: [] }
    : { problems: [], notices: found.map((each) => ({ kind: 'error', ...each })) };
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

function unreadChangeNotices(
  { mode, base, head, changed = [] }: RunInput,
  arranged: TrustedSides,
  { suites }: Prepared,
): Notice[] {
  if (mode === 'sweep') return [];
  const sides = [
    { project: arranged.head, tree: head },
    ...(arranged.base === null || base === null ? [] : [{ project: arranged.base, tree: base }]),
  ];
  const reasons = suites.flatMap(({ run }) => run.suite.because.map(({ file }) => file));
  const paths = new Set(changed.flatMap(({ path, basePath }) => [path, basePath ?? path]));
  return unreadChanges(sides, [...paths], new Set(reasons));
}

export function certainWords({ certain }: Plan, features: Features): string[] {
  return features.flatMap(({ calls }) => {
    const count = calls?.certain === undefined ? 0 : (certain[calls.certain.key] ?? 0);
    return calls?.certain === undefined || count === 0 ? [] : [calls.certain.words(count)];
  });
}

interface PricedRun {
  /** The plan of all parts of the run, and of this part. */
  whole: Prepared;
  prepared: Prepared;
  pricing: Pricing;
  forecast: Forecast;
  caps: Caps;
  problems: Problem[];
  notices: Notice[];
}

/** Checks the caps against the whole plan, so that either all parts run or none. */
async function priceRun(
  input: RunInput,
  arranged: TrustedSides,
  selected: Prepared,
  tools: PlanTools,
): Promise<PricedRun> {
  const { part } = input;
  const { budget, base } = arranged;
  const asksNothing = minimumCalls(selected.plan) === 0;
  const later = selected.features.flatMap(({ asker }) => asker?.grader?.target ?? []);
  const pricing = asksNothing
    ? { list: NO_LIST }
    : await tools.pricing([...targetsOf(selected), ...later]);
  const stored = asksNothing ? () => false : await tools.stored();
  const whole = { ...selected, price: priceFrom(priceSettings(arranged), pricing.list) };
  const prepared = part?.narrow?.(whole) ?? whole;
  const found = forecastRun(input, whole, stored);
  const caps = capsOf(input, budget, budget === base?.settings.budget);
  const budgetProblems = (): Problem[] => [
    ...overBudget(whole.plan, caps.maxCalls, {
      bothSides: base !== null && input.base !== null,
      stored: prepared === whole ? found.stored : 0,
      certainWords: certainWords(whole.plan, input.features),
    }),
    ...costProblems(found, caps),
  ];
  const portions = () => ({
    calls: { part: minimumCalls(prepared.plan), whole: minimumCalls(whole.plan) },
    cost: portionOfCost(whole, prepared),
  });
  return {
    whole,
    prepared,
    pricing,
    forecast: prepared === whole ? found : forecastRun(input, prepared, stored),
    caps: part?.caps(caps, portions) ?? caps,
    problems: part?.isAnswered === true ? [] : budgetProblems(),
    notices: spendNotices(found, minimumCalls(whole.plan) - found.stored, caps),
  };
}

/** A comparison of a commit with itself must repeat all calls, so stored answers do not count. */
function forecastRun(
  { again }: RunInput,
  prepared: Prepared,
  stored: ForecastTools['stored'],
): Forecast {
  const next: Prepared['next'] = (suites) => repeatedTries(prepared.next(suites), again);
  const known = again === undefined ? stored : () => false;
  return forecast({ ...prepared, next }, { price: prepared.price, stored: known });
}

/** A name that differs from a known one only in a digit is not a typo but another version. */
async function findMisspeltModels(
  { suites, features, price }: Prepared,
  { pricing: { models = async () => [] }, caps }: PricedRun,
): Promise<Problem[]> {
  const unpriced = targetsOf({ suites, features })
    .map(hostedOf)
    .filter(isListed)
    .filter(({ is }) => caps.unknownCall !== null || is !== undefined)
    .filter((target) => price(target, { input_tokens: 0, output_tokens: 0 }) === null);
  const byName = new Map(unpriced.map((target) => [target.model, target]));
  const found = [...byName.values()].map(async (target): Promise<Problem[]> => {
    const { model, is } = target;
    const { provider, model: named } = is ?? target;
    const all = await models(provider);
    const alike = all.filter((name) => digitsOf(name) === digitsOf(named));
    const isNothing = is !== undefined && passportOf({ ...is, endpoint: null }) === null;
    const near = nearest(named, alike, 'typo') ?? (isNothing ? nearest(named, all) : null);
    const what = is === undefined ? `the model "${model}"` : `models.${model}.is: "${named}"`;
    const fix = near === null ? '.' : `; did you mean "${near}"?`;
    const head = suites
      .flatMap(({ run }) => run.suite.head ?? [])
      .find(({ variant }) => variant.target && hostedOf(variant.target).model === model);
    const place = head === undefined ? null : keyPlace(head.suite.prompt, 'model');
    return near === null && !isNothing
      ? []
      : [{ place, message: `${what} is not known${fix} If it is right: ${PRICE_ADVICE}` }];
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

interface ProjectAndTree {
  project: Pick<Project, 'settings'>;
  tree: SourceTree;
}

/**
 * Finds changed files that evaldiff does not read, although they may matter. `reasons`: the changed
 * files that affect suites.
 */
function unreadChanges(
  sides: readonly ProjectAndTree[],
  changed: readonly string[],
  reasons: ReadonlySet<string>,
): Notice[] {
  const left = changed.filter((path) => !reasons.has(path));
  const found = sides.flatMap((side) => [
    ...irregularChanges(side, left),
    ...besidePrograms(side, sides, left),
  ]);
  return [...new Set(found)].map((words) => ({
    kind: 'not-comparable',
    place: null,
    message: `${words}; this change was not judged`,
  }));
}

function irregularChanges(
  { project: { settings }, tree }: ProjectAndTree,
  changed: readonly string[],
) {
  const commands = [...settings.models.values()].filter(({ command }) => command.length > 0);
  const programs = Map.groupBy(commands, ({ command }) => command[0] === AGENT_PROGRAM);
  const reaching = (agents: boolean): ((path: string) => boolean)[] =>
    (programs.get(agents) ?? []).flatMap(({ files }) => files).map(folderMatcher);
  const others = [...settings.prompts, ...settings.rubrics].map(folderMatcher);
  // Links in a coding agent's workspace are read, so they need no notice.
  const ofLinks = [...others, ...reaching(false)];
  const patterns = { 'symbolic link': ofLinks, submodule: [...ofLinks, ...reaching(true)] };
  return changed.flatMap((path) => {
    const kind = tree.irregular.get(path);
    return kind !== undefined && patterns[kind].some((reaches) => reaches(path))
      ? [`${path} is a ${kind} and changed, but evaldiff reads only regular files`]
      : [];
  });
}

function folderMatcher(pattern: string): (path: string) => boolean {
  if (/\{[^}]*\//.test(pattern)) {
    const { root } = compileGlob(pattern);
    return (path) => isBelow(path, root) || isBelow(root, path);
  }
  const parts = pattern.split('/');
  const starts = parts.map((_, at) => picomatch(parts.slice(0, at + 1).join('/'), { dot: true }));
  return (path) => starts.some((matches) => matches(path));
}

function besidePrograms(
  side: ProjectAndTree,
  sides: readonly ProjectAndTree[],
  changed: readonly string[],
): string[] {
  const { settings } = side.project;
  return [...settings.models].flatMap(([name, model]) => {
    if (model.command.length === 0) return [];
    const own = filesNamedIn(model.command, side.tree);
    const read = sides.flatMap(({ tree }) => [
      ...programFiles(model, { settings, tree, hash: String }).ids.keys(),
    ]);
    const known = new Set(read);
    const evaluated = evaluatedFiles(settings, own);
    const left = changed.filter(
      (path) => !known.has(path) && !evaluated(path) && own.some((word) => isBeside(path, word)),
    );
    return left.length === 0
      ? []
      : [
          `${firstWords(left, 3)} changed next to the program "${name}", but its files do not ` +
            `include this path (models: { ${name}: { files: [...] } })`,
        ];
  });
}

function isBeside(path: string, word: string): boolean {
  const folder = folderOf(word);
  const ending = (of: string): string => /\.\w+$/.exec(of)?.[0] ?? '/';
  return folder === '' ? path.endsWith(ending(word)) : isBelow(path, folder);
}
