import { z } from 'zod';
import { userError } from '../../errors.ts';
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
  body: z.string().nullish(),
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

export async function presentPull(
  { octokit }: Client,
  repository: string,
  number: number,
): Promise<Pull> {
  const of = { ...ownerAndName(repository), pull_number: number };
  return Pull.parse((await octokit.rest.pulls.get(of)).data);
}

export async function currentHead(
  client: Client,
  repository: string,
  number: number,
): Promise<string> {
  return (await presentPull(client, repository, number)).head.sha;
}

const GitHubComparison = z.object({ merge_base_commit: z.object({ sha: z.string() }) });

/** Null if GitHub does not know the commits, or knows no common one. Never throws. */
export async function mergeBaseOf(
  { octokit }: Client,
  repository: string,
  [base, head]: readonly [base: string, head: string],
): Promise<string | null> {
  const of = { ...ownerAndName(repository), basehead: `${base}...${head}`, per_page: 1 };
  try {
    const { data } = await octokit.rest.repos.compareCommitsWithBasehead(of);
    return GitHubComparison.parse(data).merge_base_commit.sha;
  } catch {
    return null;
  }
}

/** Uses the payload's base, which may be outdated, only as the fallback. Never throws. */
export async function withPresentBase(
  client: Client,
  facts: EventFacts,
  number: number,
): Promise<EventFacts> {
  try {
    const { base, body, head } = await presentPull(client, facts.repository, number);
    const known = { ...facts, description: body ?? '', presentHead: head.sha };
    if (base.ref === facts.baseBranch) return known;
    return { ...known, baseBranch: base.ref, base: base.sha };
  } catch {
    return facts;
  }
}

const PERMISSION = 'pull-requests: read';

const PullWords = z.object({
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
  labels: z.array(z.object({ name: z.string(), description: z.string().nullish() })),
});

export type PullWords = z.infer<typeof PullWords>;

/** Asks GitHub, because the payload's labels and text may be outdated. Never throws. */
export async function pullWords(
  { octokit }: Client,
  repository: string,
  number: number,
): Promise<PullWords | { warning: string }> {
  const of = { ...ownerAndName(repository), pull_number: number };
  try {
    return PullWords.parse((await octokit.rest.pulls.get(of)).data);
  } catch (error) {
    const failed = 'the labels of this pull request could not be read';
    return { warning: publishFailureLine(failed, PERMISSION, error) };
  }
}

export type Located = { facts: EventFacts; warnings: string[] } | { skip: string };

/**
 * Searches by head commit, because the event lists no pull requests of forks.
 * @throws UserError if GitHub does not answer.
 */
export async function withPullRequest(client: Client, facts: EventFacts): Promise<Located> {
  const { head, headRepository } = facts;
  if (head === null || headRepository === null)
    return { skip: 'The repository of the head commit no longer exists.' };
  const wanted = { ...facts, head, headRepository };
  const failed = 'The pull request of this run was not found';
  let matches: Pull[];
  try {
    matches = await pullsOfCommit(client, wanted);
    if (matches.length === 0) matches = await openPulls(client, wanted);
  } catch (error) {
    throw userError(null, publishFailureLine(failed, PERMISSION, error));
  }
  const [found, ...others] = matches;
  const isHead = `${head.slice(0, 7)} as ${others.length === 0 ? 'its' : 'their'} head`;
  if (found === undefined)
    return {
      skip: `No open pull request has ${isHead}: it was closed or updated in the meantime.`,
    };
  if (others.length > 0) {
    const numbers = matches.map(({ number }) => `#${number}`).join(', ');
    return { skip: `${numbers} all have ${isHead}, so it is unclear which one to evaluate.` };
  }
  const known = {
    ...facts,
    pullRequest: found.number,
    base: found.base.sha,
    baseBranch: found.base.ref,
    head: found.head.sha,
    headBranch: found.head.ref,
    presentHead: found.head.sha,
    description: found.body ?? '',
  };
  return { facts: known, warnings: [] };
}

type PullSearch = EventFacts & Record<'head' | 'headRepository', string>;

async function pullsOfCommit({ octokit }: Client, wanted: PullSearch): Promise<Pull[]> {
  const of = { ...ownerAndName(wanted.repository), commit_sha: wanted.head };
  try {
    return await listAll(
      Pull,
      (page) => octokit.rest.repos.listPullRequestsAssociatedWithCommit({ ...of, ...page }),
      (pull) => isWanted(pull, wanted),
    );
  } catch (error) {
    // GitHub rejects this request if only a fork has the commit.
    if (hasStatus(error, 404) || hasStatus(error, 422) || hasStatus(error, 409)) return [];
    throw error;
  }
}

function openPulls({ octokit }: Client, wanted: PullSearch): Promise<Pull[]> {
  const { owner } = ownerAndName(wanted.headRepository);
  const head = wanted.headBranch === null ? {} : { head: `${owner}:${wanted.headBranch}` };
  const of = { ...ownerAndName(wanted.repository), state: 'open' as const, ...head };
  return listAll(
    Pull,
    (page) => octokit.rest.pulls.list({ ...of, ...page }),
    (pull) => isWanted(pull, wanted),
  );
}

function isWanted(pull: Pull, { head, headRepository }: PullSearch): boolean {
  return (
    pull.state === 'open' &&
    pull.head.sha === head &&
    pull.head.repo?.full_name.toLowerCase() === headRepository.toLowerCase()
  );
}

const QUEUE_BRANCH = /^gh-readonly-queue\/.+\/pr-(\d{1,15})-[0-9a-f]{40,64}$/;

/** If GitHub does not answer, treats the author as an outside contributor. */
export async function withQueuedPullRequest(
  client: Client,
  facts: EventFacts,
): Promise<{ facts: EventFacts; warnings: string[] }> {
  const number = QUEUE_BRANCH.exec(facts.headBranch ?? '')?.[1];
  const failed =
    'The pull request in the merge queue could not be identified, so it is treated like one ' +
    'of an outside contributor';
  if (number === undefined)
    return {
      facts,
      warnings: [`${failed}: the name of the queue's branch is not in the form that GitHub uses.`],
    };
  try {
    const { head, user } = await presentPull(client, facts.repository, Number(number));
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
    return { facts, warnings: [publishFailureLine(failed, PERMISSION, error)] };
  }
}
