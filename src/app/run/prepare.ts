import { withAfterwards } from '../../config/afterwards.ts';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import { filesHash } from '../../config/programs.ts';
import type { ProjectSide } from '../../config/project-side.ts';
import { resolveSuites } from '../../config/resolve.ts';
import { wantsBatches } from '../../config/targets.ts';
import {
  startSuite,
  suiteComparison,
  type SuiteComparison,
  type SuiteRun,
} from '../../kernel/plan/suite-run.ts';
import { nextTries, tryPolicy } from '../../kernel/plan/tries.ts';
import type { AffectedSuite, Selection } from '../../kernel/select/affected-suite.ts';
import { selectAffected, selectAll } from '../../kernel/select/select.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import { ownGate } from '../../kernel/suite/gate.ts';
import type { PlannedFeature } from '../../money/feature-plan.ts';
import { planOf, repeatPlan, withFeatureCalls } from '../../money/plan.ts';
import { targetsOf, type PrepareInput, type Prepared } from '../../money/prepared.ts';
import { priceFrom } from '../../money/price.ts';
import type { Project, Settings } from '../../project/settings.ts';
import { counted, firstWords } from '../../text/amounts.ts';
import { replacedAnswerers } from '../../trust/answerers.ts';
import type { TrustedSides } from '../../trust/trusted-sides.ts';
import { isHosted, type Target } from '../../types/model.ts';
import type { Notice } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { reasonWords } from '../../wording/reasons.ts';
import { answererProblems, gradersNeedHost, onePerLine, unreachableRollups } from './check.ts';
import type { Features, PlanningRun } from './feature.ts';
import type { OwnReads } from './input.ts';
import { runnableSuites } from './not-run.ts';
import { newlyQuarantined, quarantineNotices, quarantineOf } from './quarantine.ts';

export function prepare(
  input: PrepareInput,
  arranged: TrustedSides,
  hash: (text: string) => string,
  rows: { features: Features; read: OwnReads } = { features: [], read: new Map() },
): Prepared {
  const { mode, code } = input;
  const { base, head } = projectSides(input, arranged, hash);
  const selected = selectedBy(input, base, head);
  const gate = runGate(input, arranged);
  const runnable = runnableSuites(selected.suites, input, arranged, { gate, hash });
  const suites = runnable.suites.map((suite) =>
    buildComparison(startSuite(suite), arranged, { ...input, gate }),
  );
  const next = (asked: typeof suites) => nextTries(asked, gate, mode !== 'sweep');
  const features = plannedBy(rows, { input, arranged, base, head, gate, suites });
  const once = planOf(
    suites.map(({ run }) => run),
    next(suites),
  );
  return {
    mode,
    suites,
    gate,
    next,
    plan: withFeatureCalls(
      repeatPlan(once, input.again?.runs ?? 1),
      featureCalls(rows.features, features),
    ),
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
      ...directNotice(input, targetsOf({ suites, features }), arranged),
    ],
  };
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
  const isAbsolute = (word: string): boolean => /^(?:[/\\]|[A-Za-z]:[/\\])/.test(word);
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

function projectSides(
  input: PrepareInput,
  arranged: TrustedSides,
  hash: (text: string) => string,
): { base: ProjectSide | null; head: ProjectSide } {
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
function isFullSweep({ mode, again }: Pick<PrepareInput, 'mode' | 'again'>): boolean {
  return mode === 'sweep' && again === undefined;
}

function directNotice(
  input: PrepareInput,
  targets: readonly Target[],
  { head }: TrustedSides,
): Notice[] {
  const names = isFullSweep(input) ? [] : batchedNames(targets, head.settings);
  if (names.length === 0) return [];
  const place = {
    file: head.settings.file ?? SETTINGS_FILE,
    line: head.settings.models.get(names[0] ?? '')?.place.line ?? 0,
  };
  return [
    {
      kind: 'settings',
      place,
      message: [
        `transport: batch is for full sweeps: here ${names.join(', ')} `,
        names.length === 1 ? 'is' : 'are',
        ' called directly, because a batch may take a day',
      ].join(''),
    },
  ];
}

export function batchedNames(targets: readonly Target[], settings: Settings): string[] {
  const entries = [...settings.models].map(([name, entry]) => ({ name, ...entry }));
  const names = targets.flatMap((target): string[] => {
    if (!isHosted(target)) return [];
    const { provider, endpoint, model } = target;
    const own = entries.filter(
      (entry) =>
        entry.provider === provider && entry.endpoint === endpoint && entry.model === model,
    );
    if (own.length === 0) return wantsBatches({ provider, endpoint }, settings) ? [model] : [];
    return own.filter((entry) => wantsBatches(entry, settings)).map(({ name }) => name);
  });
  return [...new Set(names)];
}

function plannedBy(
  { features, read }: { features: Features; read: OwnReads },
  run: Omit<PlanningRun<unknown>, 'read'>,
): PlannedFeature[] {
  return features.flatMap(({ key, plan }) => {
    const planned = plan?.({ ...run, read: read.get(key) ?? null }) ?? null;
    return planned === null ? [] : [{ key, ...planned }];
  });
}

export function featureCalls(
  rows: Features,
  planned: readonly PlannedFeature[],
): Parameters<typeof withFeatureCalls>[1] {
  const certain: Record<string, number> = {};
  const possible: Record<string, number> = {};
  const usual = sum(planned.map((own) => own.usual ?? own.possible));
  let grader = 0;
  for (const { key, calls: names } of rows) {
    const own = planned.find((plan) => plan.key === key);
    const graded = sumCalls(own?.certain.filter(({ purpose }) => purpose === 'grader') ?? []);
    grader += graded;
    if (names?.certain !== undefined)
      certain[names.certain.key] = sumCalls(own?.certain ?? []) - graded;
    if (names?.possible !== undefined) possible[names.possible] = own?.possible ?? 0;
  }
  return { grader, certain, possible, usual };
}

function sumCalls(calls: readonly { calls: number }[]): number {
  return calls.reduce((sum, each) => sum + each.calls, 0);
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
  {
    mode,
    gate,
    failOn,
    today,
    again,
  }: Pick<PrepareInput, 'mode' | 'failOn' | 'today' | 'again'> & { gate: GateSettings },
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
