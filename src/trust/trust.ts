import type { TrustLevel, Withheld } from '../types/plain.ts';
import type { EventFacts, Origin } from '../types/repository.ts';
import { ORIGIN_WORDS, proofOf, starterOf, TRUST_TABLE } from './trust-table.ts';

/** What a workflow input or the command line may ask for. */
export interface TrustRequest {
  /** Never raises: a level above the event's own is ignored, and the reason says so. */
  lower?: TrustLevel;
  /**
   * The one way up, for the very commit that was labelled: who approved it, or why that does not
   * count.
   */
  approval?: { by: string } | { refused: string };
  /** `--trust`, which counts on the command line only. */
  trust?: boolean;
}

export interface TrustDecision {
  level: TrustLevel;
  /** One clause that says why, for the plan and the log. */
  reason: string;
  /** The commit comes from an outside contributor, and a maintainer let it be evaluated as a member's. */
  approved?: true;
  /** Head is not proved to be the repository's own, though the event would trust it. */
  foreign?: Origin;
  /** What every report says of it. */
  notice?: string;
}

/**
 * Why `code: host` does not hold; null: it does. Even base's code runs locked on what comes from
 * outside. An approval says that a commit may be evaluated, not that its code may run beside the
 * keys.
 */
export function hostRefused({
  level,
  approved,
}: Pick<TrustDecision, 'level' | 'approved'>): string | null {
  if (approved === true)
    return 'code: host does not hold for a pull request from a fork, approved or not: its metric code runs confined, its prompt code and programs do not run';
  return level === 'untrusted'
    ? "code: host does not hold for outside contributors' pull requests: metric code runs confined"
    : null;
}

const RANK: Record<TrustLevel, number> = { untrusted: 0, member: 1, trusted: 2 };

/**
 * How far the content of head is trusted: by the event and by where head lies (`TRUST_TABLE`).
 *
 * A request can lower the level. It raises it in two cases only: `--trust` on the command line, and
 * an approval label in the very event that reports its being added, so that the approval is bound
 * to that event's head and a later push needs a new one.
 */
export function trustLevel(
  facts: EventFacts,
  head: Origin,
  request: TrustRequest = {},
): TrustDecision {
  const decision = raisedTrust(facts, head, request) ?? fromTable(facts, head);
  if (request.lower === undefined) return decision;
  if (RANK[request.lower] < RANK[decision.level]) {
    return {
      level: request.lower,
      reason: `lowered by an input; the event alone would be ${decision.level}: ${decision.reason}`,
    };
  }
  if (request.lower === decision.level) return decision;
  return {
    level: decision.level,
    reason: `${decision.reason}; an input cannot raise the level to ${request.lower}`,
  };
}

function raisedTrust(
  facts: EventFacts,
  head: Origin,
  { trust, approval }: TrustRequest,
): TrustDecision | null {
  if (facts.event === 'command_line')
    return trust === true ? { level: 'trusted', reason: 'asked for with --trust' } : null;
  if (approval === undefined || facts.head === null) return null;
  const decided = fromTable(facts, head);
  if (decided.level !== 'untrusted') return null;
  if ('refused' in approval)
    return {
      level: 'untrusted',
      reason: `${decided.reason}; ${approval.refused}`,
      notice: `The approval by label does not count: ${approval.refused}.`,
    };
  const reason = `${approval.by} approved commit ${facts.head.slice(0, 7)} with a label`;
  return {
    level: 'member',
    reason,
    approved: true,
    notice: `${reason}: it is judged as a member's.`,
  };
}

function fromTable(facts: EventFacts, head: Origin): TrustDecision {
  const { starter, reason } = starterOf(facts);
  const level = TRUST_TABLE[starter][proofOf(head)];
  if (level === TRUST_TABLE[starter].proved) return { level, reason };
  const where = `head is ${ORIGIN_WORDS[head]}`;
  const notice = `${where}, so it is judged as an outside contributor's.`.replace('head', 'Head');
  return { level, reason: where, foreign: head, notice };
}

/** Whether the event reports that the label was added by which a commit is approved. */
export function isApproval(facts: EventFacts, label: string | null): boolean {
  const { event, action, addedLabel } = facts;
  const isPull = event === 'pull_request' || event === 'pull_request_target';
  return isPull && action === 'labeled' && !!label && addedLabel === label;
}

/**
 * Whether a missing key is GitHub's doing and nobody's mistake; null: secrets are in reach, so it
 * is one.
 */
export function withheldFrom({ event, fork, dependabot }: EventFacts): Withheld | null {
  if (event === 'workflow_run') return null;
  if (dependabot) return 'dependabot';
  return fork && event === 'pull_request' ? 'fork' : null;
}

/** Which commit something is read from; after `else`, what holds where base has no such file. */
export type Source = 'head' | 'base' | 'base-else-head' | 'base-else-defaults';

/**
 * What comes from where at one level. `head` is the commit under test, also where there is no base.
 */
export interface Sources {
  /** Settings other than the two below: prompts, rubrics, tries, models, grader, sweeps. */
  settings: Source;
  gate: Source;
  budget: Source;
  /** Provider, model and parameters of a prompt. */
  model: Source;
  /** Metrics and roll-ups, code included. */
  metrics: Source;
  rubrics: Source;
  expected: Source;
  /** Prompt text and messages: what is measured, so always head's. */
  prompt: Source;
  /** The references' inputs. */
  references: Source;
  /**
   * References that base has and head removed or skips: named in the report, or run all the same.
   */
  droppedReferences: 'listed' | 'run';
  /** QualEval's attributes and assignments behind the verdict. */
  attributes: Source;
  /**
   * The scoring that does not decide: applied too and shown beside the other, or only said to be
   * unused.
   */
  otherScoring: 'scored' | 'not-used';
  cache: 'read-write' | 'read-write-own-scope' | 'read';
  /** A prompt's own code: only where the workflow says `code: host`, or never. */
  promptCode: 'host-only' | 'never';
}

/**
 * A pull request must not choose what judges it: an outside contributor's is scored as base says; a
 * member's scoring counts as unit tests do, and every change to it is shown. Gate and budget are base's in
 * every pull request. What is base's is that of the base branch's tip, except the prompts.
 */
const SOURCES: Record<TrustLevel, Sources> = {
  trusted: {
    settings: 'head',
    gate: 'head',
    budget: 'head',
    model: 'head',
    metrics: 'head',
    rubrics: 'head',
    expected: 'head',
    prompt: 'head',
    references: 'head',
    droppedReferences: 'listed',
    attributes: 'base-else-head',
    otherScoring: 'scored',
    cache: 'read-write',
    promptCode: 'host-only',
  },
  member: {
    settings: 'head',
    gate: 'base-else-head',
    budget: 'base-else-head',
    model: 'head',
    metrics: 'head',
    rubrics: 'head',
    expected: 'head',
    prompt: 'head',
    references: 'head',
    droppedReferences: 'listed',
    attributes: 'base-else-head',
    otherScoring: 'scored',
    cache: 'read-write-own-scope',
    promptCode: 'host-only',
  },
  untrusted: {
    settings: 'base-else-defaults',
    gate: 'base-else-defaults',
    budget: 'base-else-defaults',
    model: 'base',
    metrics: 'base',
    rubrics: 'base',
    expected: 'base',
    prompt: 'head',
    references: 'head',
    droppedReferences: 'run',
    attributes: 'base',
    otherScoring: 'not-used',
    cache: 'read',
    promptCode: 'never',
  },
};

/** The one place that says what comes from which side. */
export function sources(level: TrustLevel): Sources {
  return SOURCES[level];
}

/** What each row of `Sources` is called when the plan prints it, in the order to print. */
export const SOURCE_LABELS: Readonly<Record<keyof Sources, string>> = {
  settings: 'settings',
  gate: 'gate',
  budget: 'budget',
  model: 'provider, model and parameters',
  metrics: 'metrics and roll-ups',
  rubrics: 'rubrics',
  expected: 'expected values',
  prompt: 'prompt text',
  references: 'references',
  droppedReferences: 'references that head removed or skips',
  attributes: 'attributes',
  otherScoring: "the other side's scoring",
  cache: 'cache',
  promptCode: 'prompt code',
};
