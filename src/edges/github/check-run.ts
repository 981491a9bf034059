import { z } from 'zod';
import type { Conclusion } from '../../types/plain.ts';
import { RETRIES, listAll, type Client } from './client.ts';
import { isTransient } from './published.ts';
import { ownerAndName, presentPull } from './pull.ts';

/** Stored in the check run's `external_id`, where other runs read it. */
interface CheckOwner {
  identity: string;
  workflowRun: string;
  attempt: string;
  pullRequest: number | null;
  /** The branch that the verdict is about. */
  base: string | null;
}

export interface CheckPlace {
  repository: string;
  headSha: string;
  name: string;
  owner: CheckOwner;
  /**
   * True if a maintainer approved this run. It may then replace the check run of another workflow.
   */
  approved: boolean;
}

export type OwnConclusion = Conclusion | 'cancelled' | 'running';

const MAX_BRANCH = 100;

/** `replaced`: id of the check run in progress that this one replaces. */
export function externalId(owner: CheckOwner, own: OwnConclusion, replaced?: number): string {
  const { identity, workflowRun, attempt, pullRequest, base } = owner;
  const branch = base?.replace(/[^\w./-]/g, '_').slice(0, MAX_BRANCH) ?? '-';
  const parts = ['evaldiff', identity, workflowRun, attempt, pullRequest ?? '-', branch, own];
  return [...parts, ...(replaced === undefined ? [] : [replaced])].join(':');
}

const CheckRun = z.object({
  id: z.number().int(),
  status: z.string(),
  external_id: z.string().nullish(),
  started_at: z.string().nullish(),
});

interface WrittenRun extends CheckOwner {
  id: number;
  own: string;
  replaced: number | null;
  startedAt: string | null;
}

function parseCheckRun(run: z.infer<typeof CheckRun>): WrittenRun | null {
  const [mark, identity = '', workflowRun = '', attempt = '', pull = '', base = '', own, replaced] =
    run.external_id?.split(':') ?? [];
  if (mark !== 'evaldiff' || !own) return null;
  return {
    id: run.id,
    identity,
    workflowRun,
    attempt,
    pullRequest: /^\d{1,15}$/.test(pull) ? Number(pull) : null,
    base,
    own,
    replaced: Number(replaced) || null,
    startedAt: run.started_at ?? null,
  };
}

async function listNamed(
  { octokit }: Client,
  { repository, headSha, name }: Pick<CheckPlace, 'repository' | 'headSha' | 'name'>,
): Promise<z.infer<typeof CheckRun>[]> {
  const of = {
    ...ownerAndName(repository),
    ref: headSha,
    check_name: name,
    filter: 'all' as const,
  };
  return listAll(CheckRun, async (page) => {
    const { data, headers } = await octokit.rest.checks.listForRef({ ...of, ...page });
    return { data: data.check_runs, headers };
  });
}

/** The oldest first. */
export async function checkRunsOf(client: Client, place: CheckPlace): Promise<WrittenRun[]> {
  const runs = (await listNamed(client, place)).flatMap((run) => parseCheckRun(run) ?? []);
  return runs.sort((a, b) => a.id - b.id);
}

/** `blockedBy`: whose check does not pass; null: the name is free. */
export async function nameStatus(
  client: Client,
  place: CheckPlace & { opened: { id: number } | null },
): Promise<{ newest: number; blockedBy: string | null }> {
  const runs = await checkRunsOf(client, place);
  const ended = new Set([place.opened?.id, ...runs.map(({ replaced }) => replaced)]);
  const blockedBy = runs.some((run) => !ended.has(run.id) && isOpenTwin(run, place.owner))
    ? 'another run of this job'
    : await blockerOf(client, runs, place);
  return { newest: runs.at(-1)?.id ?? 0, blockedBy };
}

async function blockerOf(
  client: Client,
  runs: readonly WrittenRun[],
  place: CheckPlace,
): Promise<string | null> {
  const { owner, repository, headSha } = place;
  const latest = new Map(runs.map((run) => [`${run.identity} ${run.pullRequest}`, run]));
  for (const run of latest.values()) {
    const { own, pullRequest: number } = run;
    if (passes(own)) continue;
    if (number === null || number === owner.pullRequest) {
      if (run.identity !== owner.identity && !place.approved) return 'another job or workflow';
    } else {
      const { state, head } = await presentPull(client, repository, number);
      if (state === 'open' && head.sha === headSha) return `#${number}`;
    }
  }
  return null;
}

/**
 * True if another matrix job with the same identity has not passed. It may be running and still
 * fail.
 */
function isOpenTwin(run: WrittenRun, owner: CheckOwner): boolean {
  const sameRun = run.workflowRun === owner.workflowRun && run.attempt === owner.attempt;
  const same = sameRun && run.identity === owner.identity && run.pullRequest === owner.pullRequest;
  return same && !passes(run.own);
}

export function passes(own: string): boolean {
  return own === 'success' || own === 'neutral';
}

type Creation = Parameters<Client['octokit']['rest']['checks']['create']>[0];

const Created = z.object({ id: z.number().int() });

/** If GitHub's answer is lost, looks for the check run before creating another. */
export async function createCheckRun(
  client: Client,
  given: NonNullable<Creation>,
): Promise<number> {
  const { octokit } = client;
  const repository = `${given.owner}/${given.repo}`;
  for (let retries = 0; ; retries += 1) {
    try {
      const request = { retries: 0 };
      return Created.parse((await octokit.rest.checks.create({ ...given, request })).data).id;
    } catch (error) {
      if (retries === RETRIES || !isTransient(error)) throw error;
      const place = { repository, headSha: given.head_sha, name: given.name };
      const made = (await listNamed(client, place)).find(
        (run) => run.external_id === given.external_id && run.status === given.status,
      );
      if (made !== undefined) return made.id;
    }
  }
}
