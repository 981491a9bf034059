import { z } from 'zod';
import type { EventFacts } from '../../types/repository.ts';
import { listAll, type Client } from './client.ts';
import { DEPENDABOT } from './event.ts';
import { publishFailureLine, hasStatus } from './published.ts';

export function ownerAndName(repository: string): { owner: string; repo: string } {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo };
}

const Pull = z.object({
  number: z.number().int().positive(),
  user: z.object({ login: z.string() }).nullish(),
  state: z.string(),
  base: z.object({ sha: z.string(), ref: z.string() }),
  head: z.object({
    sha: z.string(),
    ref: z.string(),
    repo: z.object({ full_name: z.string() }).nullish(),
  }),
});

type Pull = z.infer<typeof Pull>;

/** The payload may be outdated. Rejects when GitHub does. */
export async function currentHead(
  { octokit }: Client,
  repository: string,
  number: number,
): Promise<string> {
  const reply = await octokit.rest.pulls.get({ ...ownerAndName(repository), pull_number: number });
  return Pull.parse(reply.data).head.sha;
}

/** The payload's base may be outdated (changed, or a rerun); it is the fallback. Never throws. */
export async function withPresentBase(
  { octokit }: Client,
  facts: EventFacts,
  number: number,
): Promise<EventFacts> {
  try {
    const of = { ...ownerAndName(facts.repository), pull_number: number };
    const reply = await octokit.rest.pulls.get(of);
    const { base, head } = Pull.parse(reply.data);
    const known = { ...facts, presentHead: head.sha };
    return base.ref === facts.baseBranch
      ? known
      : { ...known, baseBranch: base.ref, base: base.sha };
  } catch {
    return facts;
  }
}

/** Rejects when GitHub does. */
export async function isOpenAt(
  { octokit }: Client,
  { repository, number, sha }: { repository: string; number: number; sha: string },
): Promise<boolean> {
  const reply = await octokit.rest.pulls.get({ ...ownerAndName(repository), pull_number: number });
  const { state, head } = Pull.parse(reply.data);
  return state === 'open' && head.sha === sha;
}

const PullText = z.object({
  body: z.string().nullish(),
  labels: z.array(z.object({ name: z.string(), description: z.string().nullish() })),
});

/** The payload's labels and text may be outdated. Never throws. */
export async function pullWords(
  { octokit }: Client,
  repository: string,
  number: number,
): Promise<
  { labels: { name: string; description: string | null }[]; body: string } | { warning: string }
> {
  try {
    const reply = await octokit.rest.pulls.get({
      ...ownerAndName(repository),
      pull_number: number,
    });
    const { body, labels } = PullText.parse(reply.data);
    return {
      body: body ?? '',
      labels: labels.map(({ name, description }) => ({ name, description: description ?? null })),
    };
  } catch (error) {
    return {
      warning: publishFailureLine(
        {
          failed: 'The labels of this pull request were not read, so nothing is overridden',
          permission: 'pull-requests: read',
          fork: false,
        },
        error,
      ),
    };
  }
}

type FoundPullRequest =
  | {
      status: 'found';
      number: number;
      base: string;
      baseBranch: string;
      head: string;
      headRepository: string;
      headBranch: string;
    }
  /** Closed, or pushed to since. */
  | { status: 'none'; reason: string }
  | { status: 'failed'; warning: string };

/** By head commit and repository: the event's list is empty for forks. Refuses two matches. */
export async function findPullRequest(
  client: Client,
  facts: EventFacts,
): Promise<FoundPullRequest> {
  const { head, headRepository, headBranch, repository } = facts;
  if (head === null || headRepository === null)
    return { status: 'none', reason: 'The repository of the head commit is gone.' };
  const wanted = { head, headRepository, headBranch, repository };
  try {
    const ofCommit = await pullsOfCommit(client, wanted);
    const matches = ofCommit.length > 0 ? ofCommit : await openPulls(client, wanted);
    return choosePull(matches, head, headRepository);
  } catch (error) {
    const attempt = {
      failed: 'The pull request of this run was not found',
      permission: 'pull-requests: read',
      fork: false,
    };
    return { status: 'failed', warning: publishFailureLine(attempt, error) };
  }
}

interface PullSearch {
  head: string;
  headRepository: string;
  headBranch: string | null;
  repository: string;
}

async function pullsOfCommit({ octokit }: Client, wanted: PullSearch): Promise<Pull[]> {
  const of = { ...ownerAndName(wanted.repository), commit_sha: wanted.head };
  try {
    return await matching(
      listAll(Pull, (page) =>
        octokit.rest.repos.listPullRequestsAssociatedWithCommit({ ...of, ...page }),
      ),
      wanted,
    );
  } catch (error) {
    // A commit of a fork may be unknown here, but its open pull request is listed.
    if (hasStatus(error, 404) || hasStatus(error, 422) || hasStatus(error, 409)) return [];
    throw error;
  }
}

function openPulls({ octokit }: Client, wanted: PullSearch): Promise<Pull[]> {
  const { owner } = ownerAndName(wanted.headRepository);
  const head = wanted.headBranch === null ? {} : { head: `${owner}:${wanted.headBranch}` };
  const of = { ...ownerAndName(wanted.repository), state: 'open' as const, ...head };
  return matching(
    listAll(Pull, (page) => octokit.rest.pulls.list({ ...of, ...page })),
    wanted,
  );
}

async function matching(pulls: AsyncIterable<Pull>, wanted: PullSearch): Promise<Pull[]> {
  const found: Pull[] = [];
  for await (const pull of pulls) {
    if (isWanted(pull, wanted)) found.push(pull);
  }
  return found;
}

function isWanted(pull: Pull, { head, headRepository }: PullSearch): boolean {
  return (
    pull.state === 'open' &&
    pull.head.sha === head &&
    pull.head.repo?.full_name.toLowerCase() === headRepository.toLowerCase()
  );
}

function choosePull(matches: Pull[], head: string, headRepository: string): FoundPullRequest {
  const [first, ...others] = matches;
  if (first === undefined) {
    return {
      status: 'none',
      reason: `No open pull request has ${head.slice(0, 7)} as its head: it was closed, or pushed to since.`,
    };
  }
  if (others.length > 0) {
    const numbers = matches.map((pull) => `#${pull.number}`).join(', ');
    return {
      status: 'none',
      reason: `${numbers} all have ${head.slice(0, 7)} as their head, so it is not clear which one is meant.`,
    };
  }
  return {
    status: 'found',
    number: first.number,
    base: first.base.sha,
    baseBranch: first.base.ref,
    head: first.head.sha,
    headRepository,
    headBranch: first.head.ref,
  };
}

/** The trust level stays that of the run. */
export function withPullRequest(
  facts: EventFacts,
  found: FoundPullRequest & { status: 'found' },
): EventFacts {
  return {
    ...facts,
    pullRequest: found.number,
    base: found.base,
    baseBranch: found.baseBranch,
    head: found.head,
    headRepository: found.headRepository,
    headBranch: found.headBranch,
    presentHead: found.head,
  };
}

const QUEUE_BRANCH = /^gh-readonly-queue\/.+\/pr-(\d{1,15})-[0-9a-f]{40,64}$/;

/** If unknown, the facts stay those of a stranger, with the reason as a warning. Never throws. */
export async function withQueuedPullRequest(
  { octokit }: Client,
  facts: EventFacts,
): Promise<{ facts: EventFacts; warnings: string[] }> {
  const number = QUEUE_BRANCH.exec(facts.headBranch ?? '')?.[1];
  const failed =
    "The pull request in the merge queue is not known, so it is taken for an outside contributor's";
  if (number === undefined)
    return {
      facts,
      warnings: [`${failed}: the queue's branch does not name it the way GitHub's do.`],
    };
  try {
    const reply = await octokit.rest.pulls.get({
      ...ownerAndName(facts.repository),
      pull_number: Number(number),
    });
    const { head, user } = Pull.parse(reply.data);
    const headRepository = head.repo?.full_name ?? null;
    return {
      facts: {
        ...facts,
        queued: head.sha,
        headRepository,
        fork: headRepository?.toLowerCase() !== facts.repository.toLowerCase(),
        dependabot: facts.dependabot || user?.login === DEPENDABOT,
      },
      warnings: [],
    };
  } catch (error) {
    const permission = 'pull-requests: read';
    return { facts, warnings: [publishFailureLine({ failed, permission, fork: false }, error)] };
  }
}
