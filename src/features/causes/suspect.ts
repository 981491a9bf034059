import type { FeatureTools } from '../../app/run/feature.ts';
import { describeServedModels } from '../../app/run/served.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import { sideCounts } from '../../kernel/result/counts.ts';
import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { counted } from '../../text/amounts.ts';
import type { ChangeUnit } from '../../trials/change-unit.ts';
import { findCauses, type CauseFindings } from '../../trials/experiment.ts';
import {
  fallenReferences,
  retestRate,
  stableReferences,
  viewFall,
  type FallView,
} from '../../trials/fallen.ts';
import { headFiles } from '../../trials/fix-edit.ts';
import { packetOf } from '../../trials/packet.ts';
import { promptChange, type PromptChange } from '../../trials/prompt-units.ts';
import type { SideFiles } from '../../trials/side-files.ts';
import {
  attemptBy,
  countCalls,
  extraTries,
  type CallCounter,
  type TryTools,
} from '../../trials/tries.ts';
import type { Grader } from '../../types/model.ts';
import type { ReferenceGroup } from '../../types/reference-group.ts';
import { mostCauseTries } from './calls.ts';
import { fixOf, type FixBench } from './fixes.ts';
import type { Cause, SuiteCauses } from './result.ts';

interface Suspect {
  comparison: SuiteComparison;
  result: SuiteResult;
  groups: readonly ReferenceGroup[];
  off: boolean;
  room: number;
  alpha: number;
  /** Looks for changes that fixed references, not for changes that broke them. */
  isMirrored: boolean;
  /** Null: looks for no fixes. */
  fixing: { grader: Grader | null } | null;
}

type CauseTools = FeatureTools & Pick<TryTools, 'price'>;

export async function causesOfSuite(
  given: Suspect,
  { lines: read, bytes }: SideFiles,
  tools: CauseTools,
): Promise<SuiteCauses> {
  const { spent } = tools;
  const view = viewFall(given.result);
  const suspect = { ...given, ...view };
  const { run } = suspect.comparison;
  const { path, name: suite, variant } = run.suite;
  const change = promptChange(run.suite.base, run.suite.head, read, bytes);
  const units = change.units ?? [];
  const fell = fallenReferences(suspect.result, memberIds(suspect.groups));
  const explained: SuiteCauses['explained'] = {
    status: 'not-started',
    reason: null,
    units: units.length,
    harmless: [],
    unexplained: fell.map(({ id }) => id),
    calls: 0,
    ...(view.metrics === null ? {} : { metrics: [...view.metrics] }),
  };
  const blank: SuiteCauses = { path, suite, variant, causes: [], explained };
  const notStarted = (reason: string): SuiteCauses => ({
    ...blank,
    explained: { ...explained, reason },
  });
  const why = whyNotStarted(suspect);
  if (why !== null) return notStarted(why);
  if (change.units === null)
    return notStarted(`the change cannot be split into parts: ${change.reason}`);
  if (units.length === 0) return notStarted('the prompts do not differ');
  if (fell.length === 0) return notStarted('no individual test clearly got worse');
  const counter = countCalls(spent.complete, suspect.room);
  const bench = fixBench(suspect, change, fell, { ...tools, counter });
  const fixed = async (found: SuiteCauses): Promise<SuiteCauses> => {
    if (suspect.fixing === null || spent.halted() !== null) return found;
    const causes: Cause[] = [];
    for (const cause of found.causes) causes.push({ ...cause, ...(await fixOf(cause, bench)) });
    return { ...found, causes, explained: { ...found.explained, calls: counter.made() } };
  };
  const halt = spent.halted();
  if (units.length === 1) {
    const only = { ...explained, status: 'found' as const, unexplained: [] };
    const causes = [onlyChange(units, fell)];
    return fixed({ ...blank, causes, explained: only });
  }
  if (suspect.room === 0) return notStarted('other suites used up the calls');
  if (halt !== null) return notStarted(`no further call is made, because ${halt.why}`);
  const effect = suspect.isMirrored ? `fixed tests of ${suite}` : `made ${suite} worse`;
  tools.onStage?.(`looking for what ${effect}, in ${counted(units.length, 'change')}`);
  return fixed(await examine(blank, bench, suspect, counter));
}

function memberIds(groups: Suspect['groups']): string[][] {
  const worse = groups.filter(({ isWorse }) => isWorse);
  return (worse.length > 0 ? worse : groups).map(({ members }) => members.map(({ id }) => id));
}

function whyNotStarted({ off, comparison: { run, policy }, result }: Suspect): string | null {
  if (off) return 'explain.max_calls is 0';
  if (policy.kind === 'pairs') return "its metrics compare both sides' answers";
  if (result.reason?.by === 'unanswered') return "head's answers ended in errors";
  const from = run.runs.find(({ affected }) => affected.from !== undefined)?.affected.from;
  if (from !== undefined) return `tests were moved here from the prompt ${from}`;
  const served = describeServedModels(run);
  return served && `base and head were answered by different models (${served})`;
}

function fixBench(
  { comparison: { run }, result, metrics, groups, fixing }: Suspect & FallView,
  change: PromptChange,
  fell: readonly ReferenceResult[],
  { counter: { complete, ended }, ...tools }: CauseTools & { counter: CallCounter },
): FixBench {
  const { suite } = run;
  const stable = stableReferences(result);
  const references = [...fell, ...stable];
  const ids = references.map(({ id }) => id);
  const { grader = null } = fixing ?? {};
  return {
    ...{ change, side: suite.head, references, fell, stable, ended },
    ...headFiles(change.head, tools),
    packet: (shown) => packetOf({ suite, groups, fell: shown, stable }),
    retestRate: retestRate(result),
    grader: grader && { grader, complete, random: tools.random },
    make: extraTries(run, ids, { ...tools, complete }, metrics),
  };
}

/** Reverting the only change gives base, so no experiment is needed. */
function onlyChange(units: ChangeUnit[], fell: readonly ReferenceResult[]): Cause {
  const references = fell.map(({ id, base, head }) => ({
    id,
    restored: sideCounts(base),
    broken: sideCounts(head),
  }));
  const held = { references: 0, of: 0 };
  return {
    relation: 'only-change',
    units,
    references,
    held,
    p: null,
    calls: 0,
  };
}

async function examine(
  blank: SuiteCauses,
  { change, references, fell, stable, make }: FixBench,
  { comparison: { run }, room, alpha, isMirrored }: Suspect,
  counter: CallCounter,
): Promise<SuiteCauses> {
  const found = await findCauses(
    {
      units: change.units.length,
      fell: fell.map(({ base, head }) => ({ base: sideCounts(base), head: sideCounts(head) })),
      stable: stable.length,
      tries: mostCauseTries(run, room),
      alpha,
    },
    attemptBy(make, change, isMirrored),
  );
  const nameOf = (reference: number) => references[reference]?.id ?? '';
  const share = counter.made() / Math.max(1, found.tries);
  const causes = found.causes.map((cause): Cause => ({
    relation: isMirrored ? MIRRORED_RELATIONS[cause.relation] : cause.relation,
    units: cause.units.flatMap((position) => change.units[position] ?? []),
    references: cause.references.map(({ reference, restored, broken }) => ({
      id: nameOf(reference),
      restored,
      broken,
    })),
    held: cause.held,
    p: cause.p,
    calls: Math.round(cause.tries * share),
  }));
  return {
    ...blank,
    causes,
    explained: {
      ...blank.explained,
      ...searchStatus(found, room, counter),
      harmless: found.open === null ? harmlessUnits(change, found) : [],
      ...(found.suspects.length === 0
        ? {}
        : { suspects: found.suspects.flatMap((position) => change.units[position] ?? []) }),
      unexplained: found.unexplained.map(nameOf),
      calls: counter.made(),
    },
  };
}

/**
 * To find what fixed references, the search swaps base and head. This turns "either change is
 * enough" into "both changes are needed", and vice versa.
 */
const MIRRORED_RELATIONS = { alone: 'alone', together: 'either', either: 'together' } as const;

/** Call this only if the causes explain all regressions. The other changes then had no effect. */
function harmlessUnits({ units }: PromptChange, { causes }: CauseFindings): ChangeUnit[] {
  const named = new Set(causes.flatMap((cause) => cause.units));
  return units.filter((_, position) => !named.has(position));
}

function searchStatus(
  { causes, open }: CauseFindings,
  room: number,
  { refused }: CallCounter,
): Pick<SuiteCauses['explained'], 'status' | 'reason'> {
  if (causes.length > 0) return { status: 'found', reason: null };
  const reasons = {
    tries: `${counted(room, 'call')} ${room === 1 ? 'was' : 'were'} not enough`,
    errors: 'the model did not answer the prompts that mix base and head',
    unclear: 'no single change fixes what broke',
  };
  const why = refused() ?? (open === null ? reasons.unclear : reasons[open]);
  return { status: 'not-settled', reason: why };
}
