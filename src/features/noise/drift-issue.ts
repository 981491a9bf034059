import type { Job } from '../../app/action/context.ts';
import { connect } from '../../edges/github/client.ts';
import { upsertIssue } from '../../edges/github/comment.ts';
import { projectMark } from '../../edges/store/artifact.ts';
import type { MeasuredCommit } from './measurement.ts';
import { measurementMarkdown, type MeasurementForm } from './report.ts';

/** Of this run's part of an issue's text. GitHub's limit of the whole is 65,536 characters. */
const MOST_BYTES = 35_000;

/** Rows of earlier runs. A row has at most 400 characters, because names are shortened. */
const MOST_EARLIER = 70;

/** The row of a suite and model that changed. */
const CHANGED = /^- .+: changed since .+$/gm;

/**
 * Opens an issue about a change, or updates the open one, which keeps earlier reports of other
 * suites. Returns whether it is written: if not, the job fails, because the next run starts a new
 * comparison.
 */
export async function writeDriftIssue<T extends MeasuredCommit>(
  { inputs, env, facts, runner, secondMs }: Job,
  form: MeasurementForm<T>,
  drift: T,
): Promise<boolean> {
  const marker = `<!-- evaldiff drift ${projectMark(inputs.workingDirectory)} -->`;
  const own = `${marker}\n${measurementMarkdown(form, drift, MOST_BYTES)}`;
  const now = changedRows(own).map(suiteOf);
  const client = await connect({ token: inputs.token, env, secondMs });
  const written = await upsertIssue(client, {
    repository: facts.repository,
    marker,
    title: form.title(drift),
    body(open) {
      const earlier = changedRows(open).filter((row) => !now.includes(suiteOf(row)));
      const dated = own.replaceAll(CHANGED, `$& (reported ${drift.measured_at})`);
      return [dated, ...earlier.slice(0, MOST_EARLIER)].join('\n');
    },
  });
  if (!written.ok) runner.warning(written.warning);
  return written.ok;
}

function changedRows(text: string): string[] {
  return text.match(CHANGED) ?? [];
}

function suiteOf(row: string): string | undefined {
  return row.split(': changed since ', 1)[0];
}
