import type { Client } from './client.ts';
import { failure, hasStatus } from './published.ts';
import { ownerAndName } from './pull.ts';

/**
 * Takes a label off a pull request, so that an approval is used up by the run it was for. A label
 * that is gone already is no fault. Never throws; the answer is warnings for the log.
 */
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
    return [
      failure(
        {
          failed: 'The label that approved this run was not removed',
          permission: 'pull-requests: write',
          fork: false,
        },
        error,
      ),
    ];
  }
}
