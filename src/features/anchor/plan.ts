import type { PlanningRun, SidesRead } from '../../app/run/feature.ts';
import type { ProjectSide } from '../../config/project-side.ts';
import { resolveSuites } from '../../config/resolve.ts';
import { UserError, formatProblem } from '../../errors.ts';
import { identityOf } from '../../kernel/plan/suite-run.ts';
import { type Generation, gates } from '../../kernel/select/affected-suite.ts';
import { selectAffected } from '../../kernel/select/select.ts';
import { sum } from '../../kernel/statistics/sums.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type { FeaturePlan } from '../../money/feature-plan.ts';
import { isHosted } from '../../types/model.ts';
import type { Notice } from '../../types/plain.ts';

export const ANCHOR_TRIES = 4;

export interface AnchorRead {
  since: string;
  commit: string;
  name: string;
  side: Omit<ProjectSide, 'context'> & { context: Omit<ProjectSide['context'], 'hash'> };
}

type Asked = Extract<Generation, { kind: 'request' }>;

export interface AnchoredSuite {
  identity: string;
  /** `run`: index in the suite's `runs`. */
  references: { run: number; generation: Asked }[];
}

export interface AnchorPlan extends Omit<AnchorRead, 'side'> {
  suites: AnchoredSuite[];
}

interface AnchorReading {
  read?: AnchorRead;
  notices?: Notice[];
}

export async function readAnchor({ base, earlier }: SidesRead): Promise<AnchorReading> {
  const since = base?.project.settings.gate.anchor?.since ?? null;
  if (since === null || earlier === undefined) return unreadAnchor();
  try {
    const found = await earlier(since);
    if (found === null) return unreadAnchor(NONE[since] ?? null);
    const { name, tree, project, problems } = found;
    const [first] = problems;
    if (first !== undefined)
      return unreadAnchor(
        `${name} cannot be read (${formatProblem(first)}); nothing is compared with it`,
      );
    const side = { project, context: { settings: project.settings, tree } };
    return { read: { since, commit: tree.commit, name, side } };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return unreadAnchor(error.problems.map(formatProblem).join(' '));
  }
}

const NONE: Readonly<Record<string, string>> = {
  'last-release': 'this repository has no tag like v1.4.0, so head is not compared with a release',
};

function unreadAnchor(why: string | null = null): AnchorReading {
  if (why === null) return {};
  return { notices: [{ kind: 'settings', place: null, message: `gate.anchor: ${why}` }] };
}

/**
 * Plans the older commit's requests where they differ from head's. Skips models that are programs.
 */
export function planAnchor({
  input: { mode, again },
  base,
  head,
  suites,
  read,
}: PlanningRun<AnchorRead | null>): FeaturePlan<AnchorPlan> | null {
  if (mode !== 'diff' || again !== undefined || read === null) return null;
  if (read.commit === base?.context.tree.commit) return null;
  const { side, ...named } = read;
  const { hash } = head.context;
  const older = resolveSuites({ ...side, context: { ...side.context, hash } }, 'base');
  const selected = selectAffected(older.suites, resolveSuites(head, 'head').suites);
  const anchored = suites.flatMap((comparison): AnchoredSuite[] => {
    const { head: own, variant } = comparison.run.suite;
    const then = selected.find(
      (suite) =>
        suite.head?.suite === own?.suite &&
        canonicalJson({ ...suite.variant }) === canonicalJson({ ...variant }),
    );
    if (own === null || then?.head === undefined || then.head === null) return [];
    const before = new Map(then.references.map(({ reference, base: was }) => [reference, was]));
    const references = comparison.run.runs.flatMap(({ affected }, run) => {
      const generation = before.get(affected.reference) ?? null;
      if (!isModelRequest(generation) || !isModelRequest(affected.head)) return [];
      const isOther = generation.fingerprint !== affected.head.fingerprint;
      return isOther && gates(comparison.run.suite, affected) ? [{ run, generation }] : [];
    });
    const isOwn = comparison.run.scoring.answerer !== null || comparison.policy.kind === 'pairs';
    return isOwn || references.length === 0
      ? []
      : [{ identity: identityOf(comparison.run), references }];
  });
  if (anchored.length === 0) return null;
  const references = sum(anchored.map((suite) => suite.references.length));
  // Confirming a drop runs the older prompt again, and also head's prompt if its tries were stored.
  return { own: { ...named, suites: anchored }, possible: 3 * ANCHOR_TRIES * references };
}

function isModelRequest(generation: Generation | null): generation is Asked {
  return generation?.kind === 'request' && isHosted(generation.target);
}
