import type { TrustLevel } from '../types/plain.ts';
import type { EventFacts, Origin } from '../types/repository.ts';

/** Who stands behind a run, as far as the event says. */
export type Starter = 'command-line' | 'writer' | 'member' | 'outsider';

/**
 * How far head is trusted, by who started the run and by where head lies. No event raises what an
 * origin does not prove: what is not on a branch or tag of the repository is an outsider's.
 */
export const TRUST_TABLE: Readonly<Record<Starter, Readonly<Record<Origin, TrustLevel>>>> = {
  'command-line': {
    'base-branch': 'member',
    'own-branch': 'member',
    fork: 'member',
    unknown: 'member',
  },
  writer: {
    'base-branch': 'trusted',
    'own-branch': 'trusted',
    fork: 'untrusted',
    unknown: 'untrusted',
  },
  member: {
    'base-branch': 'member',
    'own-branch': 'member',
    fork: 'untrusted',
    unknown: 'untrusted',
  },
  outsider: {
    'base-branch': 'untrusted',
    'own-branch': 'untrusted',
    fork: 'untrusted',
    unknown: 'untrusted',
  },
};

/** What the commit is, in a message: "commit abc1234 is …". */
export const ORIGIN_WORDS: Readonly<Record<Origin, string>> = {
  'base-branch': 'on the base branch',
  'own-branch': 'on a branch or tag of this repository',
  fork: 'on no branch or tag of this repository (it comes from a fork, or its branch is gone)',
  unknown: 'not proved to be on a branch or tag of this repository',
};

const STRENGTH: readonly Origin[] = ['base-branch', 'own-branch', 'fork', 'unknown'];

/** The origin of what is made of commits of several origins. */
export function weakest(origins: readonly Origin[]): Origin {
  return origins.reduce((a, b) => (STRENGTH.indexOf(a) < STRENGTH.indexOf(b) ? b : a));
}

export function isProved(origin: Origin): boolean {
  return origin === 'base-branch' || origin === 'own-branch';
}

/**
 * What becomes of a base by its origin. One that is not proved judges nothing: an input's is an
 * error, and the base branch's tip takes the place of an event's. What a push replaced was a branch
 * of this repository until then, so it is used.
 */
export function useOfBase(
  event: string,
  origin: Origin,
  isInput: boolean,
): 'used' | 'replaced' | 'refused' {
  if (isProved(origin)) return 'used';
  if (isInput) return 'refused';
  return event === 'push' ? 'used' : 'replaced';
}

const BY_A_WRITER = new Set(['push', 'schedule', 'workflow_dispatch', 'repository_dispatch']);

const PULL_REQUEST = new Set(['pull_request', 'pull_request_target']);

/** Who stands behind a run, and one clause that says why. Anything unknown is an outsider. */
export function starterOf(facts: EventFacts): { starter: Starter; reason: string } {
  const { event, fork, dependabot } = facts;
  if (event === 'command_line')
    return {
      starter: 'command-line',
      reason: 'the checkout was chosen by whoever runs the command',
    };
  if (event === 'merge_group') return behindQueue(facts);
  if (dependabot) return { starter: 'outsider', reason: 'Dependabot runs get no Actions secrets' };
  if (event === 'workflow_run') return behindRun(facts);
  if (fork) {
    const secrets = event === 'pull_request' ? 'GitHub gives no secrets' : 'secrets are in reach';
    const joint = event === 'pull_request' ? '; ' : ', and ';
    return { starter: 'outsider', reason: `head is in a fork or deleted${joint}${secrets}` };
  }
  if (PULL_REQUEST.has(event))
    return { starter: 'member', reason: 'head is a branch of this repository' };
  if (BY_A_WRITER.has(event))
    return { starter: 'writer', reason: 'started by someone who can write to this repository' };
  return { starter: 'outsider', reason: 'anyone can start this event' };
}

/**
 * A queue runs what is not merged yet, so it trusts a pull request no further than the run before
 * it did: otherwise what that one held back would judge itself here.
 */
function behindQueue({ fork, headRepository, dependabot }: EventFacts): {
  starter: Starter;
  reason: string;
} {
  if (dependabot)
    return { starter: 'outsider', reason: 'the pull request in the queue is by Dependabot' };
  if (!fork)
    return {
      starter: 'member',
      reason: 'the pull request in the queue is a branch of this repository',
    };
  return {
    starter: 'outsider',
    reason:
      headRepository === null
        ? 'nobody can say where the pull request in the queue comes from'
        : 'the pull request in the queue comes from a fork',
  };
}

function behindRun({ origin, fork }: EventFacts): { starter: Starter; reason: string } {
  const event = origin?.event;
  if ((event === 'push' || event === 'schedule') && !fork)
    return { starter: 'writer', reason: `follows a ${event} run of this repository` };
  return { starter: 'outsider', reason: 'follows a run that anyone can start' };
}
