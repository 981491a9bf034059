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
  sharedName: string;
  owner: CheckOwner;
  /**
   * True if a maintainer approved this run. It may then replace the check run of another workflow.
   */
  approved: boolean;
}

export type OwnConclusion = Conclusion | 'cancelled' | 'running' | 'superseded';

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

const EXTERNAL_ID =
  /^evaldiff:(?<identity>[^:]*):(?<workflowRun>[^:]*):(?<attempt>[^:]*):(?<pull>[^:]*):(?<base>[^:]*):(?<own>[^:]+)(?::(?<replaced>[^:]*))?/;

function parseCheckRun(run: z.infer<typeof CheckRun>): WrittenRun | null {
  const { id, external_id: text, started_at: startedAt = null } = run;
  const found = EXTERNAL_ID.exec(text ?? '')?.groups;
  if (found === undefined) return null;
  const part = (name: string): string => found[name] ?? '';
  return {
    ...{ id, startedAt, identity: part('identity'), workflowRun: part('workflowRun') },
    ...{ attempt: part('attempt'), base: part('base'), own: part('own') },
    pullRequest: /^\d{1,15}$/.test(part('pull')) ? Number(part('pull')) : null,
    replaced: Number(part('replaced')) || null,
  };
}

export type ListedPlace = Pick<CheckPlace, 'repository' | 'headSha' | 'name'>;

async function listNamed(
  { octokit }: Client,
  { repository, headSha, name }: ListedPlace,
): Promise<z.infer<typeof CheckRun>[]> {
  const of = {
    ...ownerAndName(repository),
    ref: headSha,
    check_name: name,
    filter: 'all' as const,
  };
  const runs: z.infer<typeof CheckRun>[] = [];
  for await (const run of listAll(CheckRun, async (page) => {
    const { data, headers } = await octokit.rest.checks.listForRef({ ...of, ...page });
    return { data: data.check_runs, headers };
  }))
    runs.push(run);
  return runs;
}

/** The oldest first. */
async function listWritten(client: Client, place: ListedPlace): Promise<WrittenRun[]> {
  const runs = (await listNamed(client, place)).flatMap((run) => parseCheckRun(run) ?? []);
  return runs.sort((a, b) => a.id - b.id);
}

export async function newestCheckRun(
  client: Client,
  place: ListedPlace,
): Promise<WrittenRun | undefined> {
  return (await listWritten(client, place)).at(-1);
}

/** When the pull request's first check run of this name on the commit started; null: never. */
export async function firstRunAt(client: Client, place: CheckPlace): Promise<string | null> {
  const { pullRequest } = place.owner;
  const runs = await listWritten(client, place);
  const starts = runs.flatMap((run) =>
    run.pullRequest === pullRequest && run.startedAt !== null ? [run.startedAt] : [],
  );
  return starts.sort()[0] ?? null;
}

export async function isNameTaken(client: Client, place: CheckPlace): Promise<boolean> {
  return isTaken(await listWritten(client, place), place.owner);
}

function isTaken(runs: readonly WrittenRun[], { identity, workflowRun }: CheckOwner): boolean {
  const first = runs.find((run) => run.workflowRun === workflowRun);
  return first !== undefined && first.identity !== identity;
}

type NameStatus =
  { kind: 'free'; newest: number } | { kind: 'taken' } | { kind: 'blocked'; by: string };

export async function nameStatus(
  client: Client,
  place: CheckPlace & { opened: { id: number } | null },
): Promise<NameStatus> {
  const runs = await listWritten(client, place);
  if (isTaken(runs, place.owner)) return { kind: 'taken' };
  const ended = new Set([place.opened?.id, ...runs.map(({ replaced }) => replaced)]);
  const by = runs.some((run) => !ended.has(run.id) && isOpenTwin(run, place.owner))
    ? 'another run of this job'
    : await blockerOf(client, runs, place);
  return by === null ? { kind: 'free', newest: runs.at(-1)?.id ?? 0 } : { kind: 'blocked', by };
}

async function blockerOf(
  client: Client,
  runs: readonly WrittenRun[],
  place: CheckPlace,
): Promise<string | null> {
  const { owner, repository, headSha } = place;
  const latest = new Map(runs.map((run) => [`${run.identity} ${String(run.pullRequest)}`, run]));
  for (const run of latest.values()) {
    const { own, pullRequest: number } = run;
    if (own === 'success' || own === 'neutral' || own === 'superseded') continue;
    if (number === null || number === owner.pullRequest) {
      if (isRival(run, place)) return 'another job or workflow';
    } else {
      const { state, head } = await presentPull(client, repository, number);
      if (state === 'open' && head.sha === headSha) return `#${String(number)}`;
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
  return same && run.own !== 'success' && run.own !== 'neutral';
}

function isRival({ identity, workflowRun, own }: WrittenRun, { owner, approved }: CheckPlace) {
  // A running job of this workflow run is not a rival: it will switch to `sharedName`.
  const givesWay = own === 'running' && workflowRun === owner.workflowRun;
  return identity !== owner.identity && !approved && !givesWay;
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
