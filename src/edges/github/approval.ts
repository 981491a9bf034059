import { z } from 'zod';
import type { EventFacts } from '../../types/repository.ts';
import { listAll, type Client } from './client.ts';
import { isApp } from './event.ts';
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
  { octokit }: Client,
  repository: string,
  labeller: Parameters<typeof isApp>[0] | null | undefined,
): Promise<LabelSetter> {
  if (!labeller) return { refused: 'GitHub does not say who added the label' };
  const who = account(labeller.login);
  if (isApp(labeller)) return { refused: `${who}, which added the label, is an app` };
  const refused = `${who}, who added the label, has no write access to this repository`;
  try {
    const of = { ...ownerAndName(repository), username: labeller.login };
    const reply = await octokit.rest.repos.getCollaboratorPermissionLevel(of);
    const { permission, role_name: role } = Permission.parse(reply.data);
    if (!WRITES.has(permission)) return { refused };
    return { by: `${who} (${/^[a-z]+$/.test(role ?? '') ? String(role) : permission})` };
  } catch (error) {
    if (hasStatus(error, 404)) return { refused };
    const failed = `it is unknown whether ${who}, who added the label, has write access to this repository`;
    return { refused: publishFailureLine(failed, 'metadata: read', error) };
  }
}

interface LabelledPull {
  repository: string;
  pullRequest: number;
  label: string;
  /** Null for a deleted account. */
  author: { login: string } | null | undefined;
  /** When this head commit first got a check run of evaldiff, in this pull request. */
  firstRun(): Promise<string | null>;
}

/**
 * Who set the override label. If the author may not write, a label that is older than the first run
 * of this commit is about another commit.
 */
export async function overriderOf(client: Client, pull: LabelledPull): Promise<LabelSetter> {
  const { author, repository, label } = pull;
  try {
    const events = await pullEvents(client, pull);
    const labelled = events.findLast(
      ({ event, label: of }) =>
        event === 'labeled' && of?.name.toLowerCase() === label.toLowerCase(),
    );
    const setter = await writerOf(client, repository, labelled?.actor);
    if ('refused' in setter || labelled === undefined) return setter;
    if ('by' in (await writerOf(client, repository, author))) return setter;
    const changes = events
      .filter(({ event }) => CHANGES.has(event))
      .map(({ created_at: at }) => at);
    const earlier = [(await pull.firstRun()) ?? '', ...changes];
    const at = Date.parse(labelled.created_at);
    if (earlier.every((change) => at > Date.parse(change))) return setter;
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

const PullEvent = z.object({
  id: z.number(),
  event: z.string(),
  created_at: z.string(),
  actor: z.object({ login: z.string(), type: z.string() }).nullish(),
  label: z.object({ name: z.string() }).nullish(),
});

/** After these events, the pull request may show a commit or base that had its first run before. */
const CHANGES = new Set(['head_ref_force_pushed', 'head_ref_restored', 'base_ref_changed']);

/** The oldest first. */
async function pullEvents(
  { octokit }: Client,
  { repository, pullRequest }: LabelledPull,
): Promise<z.infer<typeof PullEvent>[]> {
  const of = { ...ownerAndName(repository), issue_number: pullRequest };
  const events = await listAll(PullEvent, (page) =>
    octokit.rest.issues.listEvents({ ...of, ...page }),
  );
  return events.sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id - b.id);
}

export async function removeLabel(
  { octokit }: Client,
  { repository, pullRequest, label }: Pick<LabelledPull, 'repository' | 'pullRequest' | 'label'>,
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
