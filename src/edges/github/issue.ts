import { z } from 'zod';
import { collect, listAll, tokenIdentity, type Client } from './client.ts';
import { isOwn } from './comment.ts';
import { publishFailureLine, type PublishResult } from './published.ts';
import { ownerAndName } from './pull.ts';

const Issue = z.object({
  number: z.number().int(),
  body: z.string().nullish(),
  user: z.object({ login: z.string(), id: z.number() }).nullish(),
});

/** GitHub creates a missing label. */
const LABEL = 'evaldiff-drift';

interface OwnIssue {
  repository: string;
  marker: string;
  title: string;
  /** `open`: the open issue's, or empty. */
  body(open: string): string;
}

/** Changes the open issue with the marker. Adds no comment, because GitHub would send mail about it. */
export async function upsertIssue(
  { octokit, ...client }: Client,
  { repository, marker, title, body }: OwnIssue,
): Promise<PublishResult> {
  const of = ownerAndName(repository);
  try {
    const self = await tokenIdentity({ octokit, ...client });
    const [open] = await collect(
      listAll(Issue, (page) =>
        octokit.rest.issues.listForRepo({ ...of, state: 'open', labels: LABEL, ...page }),
      ),
      (issue) => isOwn(issue, self) && issue.body?.startsWith(marker) === true,
    );
    const own = { ...of, title, body: body(open?.body ?? '') };
    const { data } =
      open === undefined
        ? await octokit.rest.issues.create({ ...own, labels: [LABEL] })
        : await octokit.rest.issues.update({ ...own, issue_number: open.number });
    return { ok: true, id: data.number, warnings: [] };
  } catch (error) {
    const failed = 'The issue about the change was not written';
    return { ok: false, warning: publishFailureLine(failed, 'issues: write', error, false) };
  }
}
