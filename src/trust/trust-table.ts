import type { TrustLevel } from '../types/plain.ts';
import type { EventFacts, Origin } from '../types/repository.ts';

type Starter = 'command-line' | 'writer' | 'member' | 'outsider';

/** Whether it is certain that head is on a branch or tag of the repository. */
type Proof = 'proved' | 'unproved';

/** A head that is not on a branch or tag is an outsider's, except on the command line. */
export const TRUST_TABLE: Readonly<Record<Starter, Readonly<Record<Proof, TrustLevel>>>> = {
  'command-line': { proved: 'member', unproved: 'member' },
  writer: { proved: 'trusted', unproved: 'untrusted' },
  member: { proved: 'member', unproved: 'untrusted' },
  outsider: { proved: 'untrusted', unproved: 'untrusted' },
};

/** Each text completes "commit abc1234 is …". */
export const ORIGIN_WORDS: Readonly<Record<Origin, string>> = {
  'base-branch': 'on the base branch',
  'own-branch': 'on a branch or tag of this repository',
  fork: 'not on a branch or tag of this repository (it comes from a fork, or its branch was deleted)',
  unknown: 'not known to be on a branch or tag of this repository',
};

const STRENGTH: readonly Origin[] = ['base-branch', 'own-branch', 'fork', 'unknown'];

export function weakest(origins: readonly Origin[]): Origin {
  return origins.reduce((a, b) => (STRENGTH.indexOf(a) < STRENGTH.indexOf(b) ? b : a));
}

export function proofOf(origin: Origin): Proof {
  return origin === 'base-branch' || origin === 'own-branch' ? 'proved' : 'unproved';
}

/** The commit before a push was on a branch until then, so its origin needs no proof. */
export function useOfBase(
  event: string,
  origin: Origin,
  isInput: boolean,
): 'used' | 'replaced' | 'refused' {
  if (proofOf(origin) === 'proved') return 'used';
  if (isInput) return 'refused';
  return event === 'push' ? 'used' : 'replaced';
}

const BY_A_WRITER = new Set(['push', 'schedule', 'workflow_dispatch', 'repository_dispatch']);

export const PULL_REQUEST_EVENTS = new Set(['pull_request', 'pull_request_target']);

interface StarterReason {
  starter: Starter;
  reason: string;
}

export function starterOf(facts: EventFacts): StarterReason {
  const { event, fork, dependabot } = facts;
  if (event === 'command_line')
    return {
      starter: 'command-line',
      reason: "you run the command yourself: head's tests count, but base's gate and budget apply",
    };
  if (event === 'merge_group') return behindQueue(facts);
  if (dependabot)
    return { starter: 'outsider', reason: 'runs of Dependabot do not get the Actions secrets' };
  if (event === 'workflow_run') return behindRun(facts);
  if (fork) {
    const more =
      event === 'pull_request'
        ? '; GitHub withholds the secrets'
        : ', and the job can read secrets';
    const where = 'in a fork, or in a repository that was deleted';
    return { starter: 'outsider', reason: `head is ${where}${more}` };
  }
  if (PULL_REQUEST_EVENTS.has(event))
    return { starter: 'member', reason: 'head is a branch of this repository' };
  if (BY_A_WRITER.has(event))
    return { starter: 'writer', reason: 'started by someone who can write to this repository' };
  return { starter: 'outsider', reason: 'anyone can trigger this event' };
}

/** In a merge queue, a pull request gets only as much trust as in its own run. */
function behindQueue({ fork, headRepository, dependabot }: EventFacts): StarterReason {
  if (dependabot)
    return { starter: 'outsider', reason: 'the pull request in the queue is by Dependabot' };
  const queued = 'the pull request in the queue';
  if (!fork) return { starter: 'member', reason: `${queued} is a branch of this repository` };
  const reason =
    headRepository === null ? `the origin of ${queued} is unknown` : `${queued} comes from a fork`;
  return { starter: 'outsider', reason };
}

function behindRun({ origin, fork }: EventFacts): StarterReason {
  const event = origin?.event;
  if ((event === 'push' || event === 'schedule') && !fork)
    return { starter: 'writer', reason: `it follows a ${event} run of this repository` };
  return { starter: 'outsider', reason: 'it follows a run that anyone can trigger' };
}
