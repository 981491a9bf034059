import { z } from 'zod';
import type { EventFacts } from '../../types/repository.ts';
import type { Client } from './client.ts';
import { account, publishFailureLine, hasStatus } from './published.ts';
import { ownerAndName } from './pull.ts';

const Permission = z.object({ permission: z.string(), role_name: z.string().nullish() });

const WRITES = new Set(['admin', 'maintain', 'write']);

/** Checks write access, because some people who may add labels may not write. */
export async function approverOf(
  { octokit }: Client,
  { labeller, repository }: EventFacts,
): Promise<{ by: string } | { refused: string }> {
  if (labeller === undefined) return { refused: 'the event does not say who added the label' };
  const { login, isApp, isAuthor } = labeller;
  const who = account(login);
  if (isAuthor) return { refused: `${who}, who added the label, opened the pull request` };
  if (isApp) return { refused: `${who}, which added the label, is an app` };
  try {
    const of = { ...ownerAndName(repository), username: login };
    const reply = await octokit.rest.repos.getCollaboratorPermissionLevel(of);
    const { permission, role_name: role } = Permission.parse(reply.data);
    return WRITES.has(permission)
      ? { by: `${who} (${/^[a-z]+$/.test(role ?? '') ? String(role) : permission})` }
      : { refused: `${who}, who added the label, has no write access to this repository` };
  } catch (error) {
    if (hasStatus(error, 404))
      return { refused: `${who}, who added the label, has no write access to this repository` };
    const failed = `it is unknown whether ${who}, who added the label, has write access to this repository`;
    return { refused: publishFailureLine(failed, 'metadata: read', error) };
  }
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
