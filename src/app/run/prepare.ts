import { filesHash } from '../../config/programs.ts';
import type { ProjectSide } from '../../config/project-side.ts';
import { resolveSuites } from '../../config/resolve.ts';
import {
  startSuite,
  suiteComparison,
  type SuiteComparison,
  type SuiteRun,
} from '../../kernel/plan/suite-run.ts';
import { nextTries, tryPolicy } from '../../kernel/plan/tries.ts';
import type { AffectedSuite, Selection } from '../../kernel/select/affected-suite.ts';
import { selectAffected, selectAll } from '../../kernel/select/select.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import { ownGate } from '../../kernel/suite/gate.ts';
import { plannedFeature, type PlannedFeature } from '../../money/feature-plan.ts';
import { planOf, withFeatureCalls } from '../../money/plan.ts';
import { repeatedTries, type PrepareInput, type Prepared } from '../../money/prepared.ts';
import { priceFrom } from '../../money/price.ts';
import type { Project, Settings } from '../../project/settings.ts';
import { counted, firstWords } from '../../text/amounts.ts';
import { replacedAnswerers } from '../../trust/answerers.ts';
import type { TrustedSides } from '../../trust/trusted-sides.ts';
import type { Notice } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { reasonWords } from '../../wording/reasons.ts';
import { answererProblems, gradersNeedHost, onePerLine, unreachableRollups } from './check.ts';
import type { Features, PlanningRun, PlanningTools } from './feature.ts';
import { runnableSuites } from './not-run.ts';
import { newlyQuarantined, quarantineNotices, quarantineOf } from './quarantine.ts';
import type { ReadSides } from './record.ts';

/** Selects the suites that the change affects, and plans their calls. */
export async function prepare(
  input: PrepareInput,
  arranged: TrustedSides,
  tools: PlanningTools,
  own: { features: Features; read: ReadSides['own'] } = { features: [], read: new Map() },
): Promise<Prepared> {
  const { mode, code } = input;
  const { hash } = tools;
  const { base, head } = projectSides(input, arranged, hash);
  const selected = selectedBy(input, base, head);
  const gate = runGate(input, arranged);
  const runnable = runnableSuites(selected.suites, input, arranged, { gate, hash });
  const chosen = runnable.suites.map((suite) =>
    buildComparison(startSuite(suite), arranged, { ...input, gate }),
  );
  const next = (asked: Prepared['suites']) => nextTries(asked, gate, mode !== 'sweep');
  const run = { input, arranged, base, head, gate, suites: chosen, tools };
  const { suites, features } = await planFeatures(run, own);
  const plan = planOf(
    suites.map(({ run }) => run),
    repeatedTries(next(suites), input.again),
  );
  return {
    mode,
    suites,
    gate,
    next,
    plan: withFeatureCalls(plan, features, own.features),
    features,
    price: priceFrom(priceSettings(arranged)),
    ownRules: arranged.ownRules,
    notRun: runnable.notRun,
    problems: [
      ...selected.problems,
      ...unreachableRollups(suites),
      ...answererProblems(suites, code),
      ...onePerLine([...runnable.problems, ...gradersNeedHost(features, code)]),
      ...features.flatMap(({ problems }) => problems),
    ],
    notices: [
      ...(selected.notices ?? []),
      ...runnable.notices,
      ...suites.flatMap(({ run }) => quarantineNotices(run.scoring.tests, input.today)),
      ...selected.suites.flatMap(unaskedNotices),
      ...answererNotices(selected.suites, hash),
      ...features.flatMap(({ notices }) => notices),
    ],
  };
}

async function planFeatures(
  run: Omit<PlanningRun<unknown>, 'read'>,
  own: { features: Features; read: ReadSides['own'] },
): Promise<Pick<Prepared, 'suites' | 'features'>> {
  let { suites } = run;
  const features: PlannedFeature[] = [];
  for (const { key, plan } of own.features) {
    const read = own.read.get(key) ?? null;
    const planned = plan === undefined ? { own: null } : await plan({ ...run, suites, read });
    if (planned === null) continue;
    features.push(plannedFeature(key, planned));
    suites = planned.suites ?? suites;
  }
  return { suites, features };
}

function selectedBy(
  { again, mode, today }: PrepareInput,
  base: ProjectSide | null,
  head: ProjectSide,
): Selection {
  const { suites, problems } = resolveSuites(head, 'head');
  if (again !== undefined) {
    const selection = again.select(suites, today);
    return problems.length === 0 ? selection : { ...selection, problems };
  }
  const before = base === null ? [] : resolveSuites(base, 'base').suites;
  return {
    suites: mode === 'sweep' ? selectAll(suites) : selectAffected(before, suites),
    problems,
  };
}

function runGate({ again, failOn }: PrepareInput, { gate }: TrustedSides): GateSettings {
  return again === undefined ? { ...gate, fail_on: failOn ?? gate.fail_on } : again.gate(gate);
}

function unaskedNotices({ path, name, unasked }: AffectedSuite): Notice[] {
  if (unasked === undefined) return [];
  const message =
    `${name}: not compared: rebase. Head's prompt cannot run ` +
    `${counted(unasked.length, 'reference')} that the base branch now has: ` +
    `${firstWords(unasked)}`;
  return [{ kind: 'not-comparable', place: { file: path, line: 0 }, message }];
}

function answererNotices(
  suites: readonly AffectedSuite[],
  hash: (text: string) => string,
): Notice[] {
  const replaced = replacedAnswerers(suites).map(({ reason, file }): Notice => ({
    kind: 'settings',
    place: { file, line: 0 },
    message: reasonWords(reason, []),
  }));
  return [...replaced, ...unseenPrograms(suites, hash)];
}

function isOutside([program = '', ...words]: readonly string[]): boolean {
  const isAbsolute = (word: string) => /^(?:[/\\]|[A-Za-z]:[/\\])/.test(word);
  const named = words.filter((word) => !word.startsWith('-'));
  return named.length === 0
    ? isAbsolute(program)
    : named.some((word) => isAbsolute(word) || word.startsWith('../'));
}

function unseenPrograms(
  suites: readonly AffectedSuite[],
  hash: (text: string) => string,
): Notice[] {
  const none = filesHash([], hash);
  const unseen = suites.flatMap(({ head }) => {
    const target = head?.variant.target;
    return head !== null &&
      target?.provider === 'program' &&
      target.files === none &&
      !isOutside(target.command)
      ? [{ name: head.variant.model ?? target.model, file: head.scoring.settingsFile }]
      : [];
  });
  const byName = new Map(unseen.map((program) => [program.name, program]));
  return [...byName.values()].map(({ name, file }) => ({
    kind: 'settings',
    place: { file, line: 0 },
    message:
      `evaldiff does not know the files of the program "${name}", ` +
      'so a change of its code runs no test; name them in models: ' +
      `{ ${name}: { files: [app/**] } }`,
  }));
}

function projectSides(input: PrepareInput, arranged: TrustedSides, hash: (text: string) => string) {
  const sides = withAfterwards(arranged.base, arranged.head);
  const side = (project: Project, tree: SourceTree): ProjectSide => ({
    project,
    context: { settings: project.settings, tree, hash, batches: isFullSweep(input) },
  });
  return {
    base: sides.base === null || input.base === null ? null : side(sides.base, input.base),
    head: side(
      sides.head,
      arranged.models === 'base' && input.base !== null ? input.base : input.head,
    ),
  };
}

/** Only full runs of one commit use batches, because a batch may take a day. */
export function isFullSweep({ mode, again }: Pick<PrepareInput, 'mode' | 'again'>): boolean {
  return mode === 'sweep' && again === undefined;
}

/**
 * A pull request must not lower the prices that its budget is checked with, so base's prices apply.
 */
export function priceSettings({ base, head, budget }: TrustedSides): Settings[] {
  if (base === null) return [head.settings];
  return budget === base.settings.budget
    ? [base.settings, head.settings]
    : [head.settings, base.settings];
}

function buildComparison(
  run: SuiteRun,
  arranged: TrustedSides,
  { mode, gate, failOn, today, again }: PrepareInput & { gate: GateSettings },
): SuiteComparison {
  const tests = (run.suite.head ?? run.suite.base)?.suite.tests ?? run.scoring.tests;
  const own = again === undefined ? ownGate(tests, failOn) : again.ownGate(tests);
  return suiteComparison(
    run,
    tryPolicy(run, arranged.head.settings, mode === 'diff', own.unit ?? gate.unit),
    { run: gate, own },
    quarantineOf(run.scoring.tests, today),
    newlyQuarantined(run, today),
  );
}

/**
 * Adds the `afterwards` commands (checks after an agent's run) of each side to the other side,
 * because head's new metrics also judge base.
 */
function withAfterwards(
  base: Project | null,
  head: Project,
): { base: Project | null; head: Project } {
  return base === null ? { base, head } : { base: shared(base, head), head: shared(head, base) };
}

function shared(project: Project, other: Project): Project {
  const { suites, settings } = project;
  const added = suites.flatMap(({ prompt }) => {
    const twin = other.suites.find(
      ({ prompt: { file, name } }) => file === prompt.file && name === prompt.name,
    );
    const theirs = other.settings.models.get(twin?.prompt.model ?? '')?.calls;
    const entry = settings.models.get(prompt.model ?? '');
    if (entry?.calls === undefined || theirs === undefined) return [];
    const afterwards = new Set([...entry.calls.afterwards, ...theirs.afterwards]);
    const calls = { ...entry.calls, afterwards: [...afterwards].sort() };
    return [[prompt.model ?? '', { ...entry, calls }] as const];
  });
  if (added.length === 0) return project;
  return { ...project, settings: { ...settings, models: new Map([...settings.models, ...added]) } };
}
