import type { Job } from '../../app/action/context.ts';
import { connect } from '../../edges/github/client.ts';
import { upsertIssue } from '../../edges/github/comment.ts';
import { projectMark } from '../../edges/store/artifact.ts';
import { measurementMarkdown, type MeasurementForm } from './report.ts';

/** GitHub's limit of an issue's text, in bytes at most. */
const MOST_ISSUE_BYTES = 65_000;

/**
 * Opens an issue about a change, or updates the one that is open. Returns whether it is written: if
 * not, the job fails, because the next run starts a new comparison.
 */
export async function writeDriftIssue<T>(
  { inputs, env, facts, runner, secondMs }: Job,
  form: MeasurementForm<T>,
  drift: T,
): Promise<boolean> {
  const marker = `<!-- evaldiff drift ${projectMark(inputs.workingDirectory)} -->`;
  const text = measurementMarkdown(form, drift, MOST_ISSUE_BYTES);
  const client = await connect({ token: inputs.token, env, secondMs });
  const written = await upsertIssue(client, {
    repository: facts.repository,
    marker,
    title: form.title(drift),
    body: `${marker}\n${text}`,
  });
  if (!written.ok) runner.warning(written.warning);
  return written.ok;
}
