import { z } from 'zod';
import type { EventFacts } from '../../types/repository.ts';
import { listAll, type Client } from './client.ts';
import { accountOf } from './event.ts';
import { account, publishFailureLine, hasStatus } from './published.ts';
import { ownerAndName } from './pull.ts';

const Permission = z.object({ permission: z.string(), role_name: z.string().nullish() });

const WRITES = new Set(['admin', 'maintain', 'write']);

type LabelSetter = { by: string } | { refused: string };

/** Checks write access, because some people who may add labels may not write. */
export async function approverOf(
  client: Client,
  { labeller, repository }: EventFacts,
): Promise<LabelSetter> {
  if (labeller?.isAuthor === true)
    return { refused: `${account(labeller.login)}, who added the label, opened the pull request` };
  return writerOf(client, repository, labeller);
}

async function writerOf(
  client: Client,
  repository: string,
  labeller: { login: string; isApp: boolean } | undefined,
): Promise<LabelSetter> {
  if (labeller === undefined) return { refused: 'GitHub does not say who added the label' };
  const who = account(labeller.login);
  if (labeller.isApp) return { refused: `${who}, which added the label, is an app` };
  try {
    const role = await writingRole(client, repository, labeller.login);
    return role === null
      ? { refused: `${who}, who added the label, has no write access to this repository` }
      : { by: `${who} (${role})` };
  } catch (error) {
    const failed = `it is unknown whether ${who}, who added the label, has write access to this repository`;
    return { refused: publishFailureLine(failed, 'metadata: read', error) };
  }
}

/** Null if the account may not write to the repository. */
async function writingRole(
  { octokit }: Client,
  repository: string,
  username: string,
): Promise<string | null> {
  try {
    const of = { ...ownerAndName(repository), username };
    const reply = await octokit.rest.repos.getCollaboratorPermissionLevel(of);
    const { permission, role_name: role } = Permission.parse(reply.data);
    if (!WRITES.has(permission)) return null;
    return /^[a-z]+$/.test(role ?? '') ? String(role) : permission;
  } catch (error) {
    if (hasStatus(error, 404)) return null;
    throw error;
  }
}

interface LabelledPull {
  repository: string;
  pullRequest: number;
  label: string;
  /** Null for a deleted account. */
  author: string | null;
  /** When this head commit first got a check run of evaldiff, in this pull request. */
  firstRun(): Promise<string | null>;
}

/**
 * Who set the override label. If the author may not write, a label that is older than the first run
 * of this commit is about another commit.
 */
export async function overriderOf(client: Client, pull: LabelledPull): Promise<LabelSetter> {
  try {
    const { labelled, changed } = await labelEvents(client, pull);
    const { author, repository } = pull;
    const actor = labelled?.actor ?? null;
    const setter = await writerOf(
      client,
      repository,
      actor === null ? undefined : accountOf(actor),
    );
    if ('refused' in setter || labelled === undefined) return setter;
    if (author !== null && (await writingRole(client, repository, author)) !== null) return setter;
    const firstRun = (await pull.firstRun()) ?? '';
    if ([firstRun, ...changed].every((at) => Date.parse(labelled.created_at) > Date.parse(at)))
      return setter;
    return {
      refused:
        'it is older than the first run of this commit, and the author of the pull request has ' +
        'no write access to this repository. Add the label again to override this verdict',
    };
  } catch (error) {
    const failed = 'it is unknown who added the label, and when';
    return { refused: publishFailureLine(failed, 'pull-requests: read', error) };
  }
}

const LabelEvent = z.object({
  id: z.number(),
  event: z.string(),
  created_at: z.string(),
  actor: z.object({ login: z.string(), type: z.string().nullish() }).nullish(),
  label: z.object({ name: z.string() }).nullish(),
});

type LabelEvent = z.infer<typeof LabelEvent>;

/** After these events, the pull request may show a commit or base that had its first run before. */
const CHANGES = new Set(['head_ref_force_pushed', 'head_ref_restored', 'base_ref_changed']);

async function labelEvents(
  { octokit }: Client,
  { repository, pullRequest, label }: LabelledPull,
): Promise<{ labelled: LabelEvent | undefined; changed: string[] }> {
  const of = { ...ownerAndName(repository), issue_number: pullRequest };
  const events: LabelEvent[] = [];
  for await (const event of listAll(LabelEvent, (page) =>
    octokit.rest.issues.listEvents({ ...of, ...page }),
  ))
    events.push(event);
  events.sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id - b.id);
  const name = label.toLowerCase();
  return {
    labelled: events.findLast(
      ({ event, label: of }) => event === 'labeled' && of?.name.toLowerCase() === name,
    ),
    changed: events.filter(({ event }) => CHANGES.has(event)).map((event) => event.created_at),
  };
}

export async function removeLabel(
  { octokit }: Client,
  { repository, pullRequest, label }: { repository: string; pullRequest: number; label: string },
): Promise<string[]> {
  try {
    await octokit.rest.issues.removeLabel({
      ...ownerAndName(repository),
      issue_number: pullRequest,
      name: label,
    });
    return [];
  } catch (error) {
    if (hasStatus(error, 404)) return [];
    const failed = 'The label that approved this run was not removed';
    return [publishFailureLine(failed, 'pull-requests: write', error)];
  }
}
