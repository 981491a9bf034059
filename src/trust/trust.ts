import type { TrustLevel, Withheld } from '../types/plain.ts';
import type { EventFacts, Origin } from '../types/repository.ts';
import { ORIGIN_WORDS, proofOf, starterOf, TRUST_TABLE } from './trust-table.ts';

export interface TrustRequest {
  untrusted?: boolean;
  /** An approval counts only for the commit that was labelled. */
  approval?: { by: string } | { refused: string };
  trust?: boolean;
}

export interface TrustDecision {
  level: TrustLevel;
  reason: string;
  approved?: true;
  /** Set if the run is untrusted only because of where head comes from. */
  foreign?: Origin;
  notice?: string;
}

/** Why `code: host` is ignored. Even approved code must not run where it could read the keys. */
export function hostRefused({ level, approved }: TrustDecision): string | null {
  if (approved === true)
    return (
      'code: host does not apply to a pull request from a fork, even an approved one: ' +
      'metric code runs in the sandbox; prompt code and programs do not run'
    );
  return level === 'untrusted'
    ? "code: host does not apply to outside contributors' pull requests: metric code runs in the sandbox"
    : null;
}

/**
 * Only `--trust` on the command line and an approval label raise the level. The label counts only
 * in the event that adds it, so a later push needs it again.
 */
export function trustLevel(
  facts: EventFacts,
  head: Origin,
  request: TrustRequest = {},
): TrustDecision {
  const decision = raisedTrust(facts, head, request) ?? fromTable(facts, head);
  if (request.untrusted !== true || decision.level === 'untrusted') return decision;
  return {
    level: 'untrusted',
    reason: `lowered by an input; without it, the level would be ${decision.level}: ${decision.reason}`,
  };
}

function raisedTrust(
  facts: EventFacts,
  head: Origin,
  { trust, approval }: TrustRequest,
): TrustDecision | null {
  if (facts.event === 'command_line')
    return trust === true ? { level: 'trusted', reason: 'requested with --trust' } : null;
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
    notice: `${reason}: the pull request is judged like a member's.`,
  };
}

function fromTable(facts: EventFacts, head: Origin): TrustDecision {
  const { starter, reason } = starterOf(facts);
  const level = TRUST_TABLE[starter][proofOf(head)];
  if (level === TRUST_TABLE[starter].proved) return { level, reason };
  const where = `head is ${ORIGIN_WORDS[head]}`;
  const notice = `${where}, so the run is judged like an outside contributor's.`.replace(
    'head',
    'Head',
  );
  return { level, reason: where, foreign: head, notice };
}

export function isApproval(facts: EventFacts, label: string | null): boolean {
  const { event, action, addedLabel } = facts;
  const isPull = event === 'pull_request' || event === 'pull_request_target';
  return isPull && action === 'labeled' && !!label && addedLabel === label;
}

/** Null if GitHub does not withhold secrets, so a missing key is the user's error. */
export function withheldFrom({ event, fork, dependabot }: EventFacts): Withheld | null {
  if (event === 'workflow_run' || event === 'merge_group') return null;
  if (dependabot) return 'dependabot';
  return fork && event === 'pull_request' ? 'fork' : null;
}

/** The part after `else` applies if base lacks the file. */
export type Source = 'head' | 'base' | 'base-else-head' | 'base-else-defaults';

export interface Sources {
  settings: Source;
  gate: Source;
  budget: Source;
  model: Source;
  metrics: Source;
  rubrics: Source;
  expected: Source;
  /** Always head's, because the run tests the prompt. */
  prompt: Source;
  references: Source;
  droppedReferences: 'listed' | 'run';
  attributes: Source;
  /** Whether the other side's scoring also judges the answers. */
  otherScoring: 'scored' | 'not-used';
  cache: 'read-write' | 'read-write-own-scope' | 'read';
  promptCode: 'host-only' | 'never';
}

/**
 * Gate and budget are base's, because a pull request must not choose how it is judged. A member's
 * scoring applies, as with unit tests. An outside contributor's does not.
 */
const TRUSTED: Sources = {
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
};

const SOURCES_BY_LEVEL: Record<TrustLevel, Sources> = {
  trusted: TRUSTED,
  member: {
    ...TRUSTED,
    gate: 'base-else-head',
    budget: 'base-else-head',
    cache: 'read-write-own-scope',
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

export function sources(level: TrustLevel): Sources {
  return SOURCES_BY_LEVEL[level];
}

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
