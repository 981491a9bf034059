import type { Repository } from '../../edges/git/repository.ts';
import { userError } from '../../errors.ts';
import { ORIGIN_WORDS, useOfBase, weakest } from '../../trust/trust-table.ts';
import type { Notice } from '../../types/plain.ts';
import type { EventFacts, Origin } from '../../types/repository.ts';

export interface CommitsRequest {
  base: string | null;
  head: string | null;
  facts: EventFacts;
  mode: 'diff' | 'sweep';
}

export interface RunCommits {
  head: string;
  baseTip: string | null;
  origin: Origin;
  notices: Notice[];
}

/** @throws UserError if the input `base` is not on a branch or tag of the repository. */
export async function findCommits(
  repository: Repository,
  request: CommitsRequest,
): Promise<RunCommits> {
  const { facts, mode } = request;
  const [head, base] = await runBoth(
    () => resolveHead(repository, request),
    async () => (mode === 'sweep' ? null : baseOf(repository, request)),
  );
  const bases = base === null ? [] : [base];
  // A merge queue's commit also contains the changes queued before it.
  const tested = facts.event === 'merge_group' && request.head === null;
  const heads = tested ? [facts.queued ?? head, ...bases] : [head];
  const of = await repository.origins([...heads, ...bases], facts.baseBranch ?? null);
  const originOf = (commit: string): Origin => of.get(commit) ?? 'unknown';
  const found = { head, baseTip: base, origin: weakest(heads.map(originOf)), notices: [] };
  if (base === null) return found;
  // A head that is already merged must not be compared with itself.
  const isMerged =
    facts.pullRequest !== null && request.base === null && originOf(head) === 'base-branch';
  if (isMerged && facts.base !== null) {
    await repository.ensureCommit(facts.base, { side: 'base' });
    return { ...found, baseTip: facts.base };
  }
  return { ...found, ...(await usedBase(repository, request, base, originOf(base))) };
}

async function usedBase(
  repository: Repository,
  { facts: { event, baseBranch }, base: input }: CommitsRequest,
  named: string,
  origin: Origin,
): Promise<Partial<RunCommits>> {
  const use = useOfBase(event, origin, input !== null);
  const commit = `commit ${named.slice(0, 7)}`;
  if (use === 'refused') {
    const message =
      `base: ${commit} is ${ORIGIN_WORDS[origin]}. ` +
      'Name a branch, tag or commit of this repository itself.';
    throw userError(null, message);
  }
  if (use === 'used' || baseBranch === undefined) return {};
  const tip = await repository.remoteTip(baseBranch);
  if (tip === null) return {};
  await repository.ensureCommit(tip, { side: 'base' });
  const message =
    `Base is the tip of ${baseBranch} (${tip.slice(0, 7)}), because the event's base, ${commit}, ` +
    `is ${ORIGIN_WORDS[origin]}`;
  return { baseTip: tip, notices: [{ kind: 'settings', place: null, message }] };
}

async function resolveHead(
  repository: Repository,
  { head, facts }: CommitsRequest,
): Promise<string> {
  if (head !== null) return repository.resolve(head);
  if (facts.head === null) return repository.resolve('HEAD');
  await repository.ensureCommit(facts.head, {
    side: 'head',
    refs: facts.pullRequest === null ? [] : [`refs/pull/${facts.pullRequest}/head`],
  });
  // Resolves an annotated tag to its commit, because GitHub accepts no check run for a tag.
  return repository.resolve(facts.head);
}

async function baseOf(
  repository: Repository,
  { base, facts }: CommitsRequest,
): Promise<string | null> {
  if (base !== null) return repository.resolve(base);
  // A re-run gets the old event, but the base branch may have changed since.
  const tip =
    facts.pullRequest === null || facts.baseBranch === undefined
      ? null
      : await repository.remoteTip(facts.baseBranch);
  if (facts.base === null) {
    if (facts.event === 'push') return defaultTip(repository, facts);
    throw userError(null, `${facts.event} has no commit to compare with; set the input base`);
  }
  const commit = tip ?? facts.base;
  await repository.ensureCommit(commit, { side: 'base' });
  return commit;
}

async function defaultTip(
  repository: Repository,
  { baseBranch, headBranch }: EventFacts,
): Promise<string | null> {
  if (baseBranch === undefined || baseBranch === headBranch) return null;
  // A local branch of this name may be outdated.
  const tip = await repository.remoteTip(baseBranch);
  if (tip !== null) await repository.ensureCommit(tip, { side: 'base' });
  return tip;
}

export async function runBoth<A, B>(
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<[A, B]> {
  const pair = [first(), second()] as const;
  await Promise.allSettled(pair);
  return Promise.all(pair);
}
