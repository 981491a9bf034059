import { z } from 'zod';
import { listAll, tokenIdentity, type Client } from './client.ts';
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

/** Changes the open issue with the marker. Adds no comment, because GitHub would send mail about it. */
export async function upsertIssue(
  client: Client,
  {
    repository,
    marker,
    title,
    body,
  }: { repository: string; marker: string; title: string; body: string },
): Promise<PublishResult> {
  const { issues } = client.octokit.rest;
  const of = ownerAndName(repository);
  try {
    const self = await tokenIdentity(client);
    const [open] = await listAll(
      Issue,
      (page) => issues.listForRepo({ ...of, state: 'open', labels: LABEL, ...page }),
      (issue) => isOwn(issue, self) && issue.body?.startsWith(marker) === true,
    );
    const { data } =
      open === undefined
        ? await issues.create({ ...of, title, body, labels: [LABEL] })
        : await issues.update({ ...of, issue_number: open.number, title, body });
    return { ok: true, id: data.number, warnings: [] };
  } catch (error) {
    const failed = 'The issue about the change was not written';
    return { ok: false, warning: publishFailureLine(failed, 'issues: write', error, false) };
  }
}
