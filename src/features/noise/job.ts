import {
  appendSummary,
  commitsOf,
  commitsRequest,
  type JobEnding,
  type Job,
} from '../../app/action/context.ts';
import { fillReportFolder, say, usageOutputs } from '../../app/action/publish.ts';
import type { Session } from '../../app/session/session.ts';
import { findSides } from '../../app/session/sides.ts';
import { UserError } from '../../errors.ts';
import { JOB_SUMMARY_LIMIT } from '../../report/comment.ts';
import { endLine, logLine } from '../../text/log.ts';
import { writeDriftIssue } from './drift-issue.ts';
import {
  DRIFT,
  measureIn,
  NOISE,
  writeMeasured,
  type CommitMeasurement,
  type MeasuredCommit,
} from './measurement.ts';
import { measurementMarkdown } from './report.ts';

/** Publishes nothing on the pull request, because a measurement judges no change. */
async function runMeasurement<T extends MeasuredCommit>(
  measurement: CommitMeasurement<T>,
  job: Job,
  session: Session,
): Promise<JobEnding> {
  const { inputs, env, runner } = job;
  const { head: tree } = await findSides(
    session.repository,
    await commitsOf(job),
    commitsRequest(job),
  );
  const measured = await measureIn(measurement, session, tree, inputs.noiseRuns);
  const folder = await fillReportFolder(job, session, (to) =>
    writeMeasured(measurement, measured, to),
  );
  await appendSummary(
    env['GITHUB_STEP_SUMMARY'],
    () => measurementMarkdown(measurement, measured, JOB_SUMMARY_LIMIT),
    runner.warning,
  );
  if (measured.problems.length > 0) throw new UserError([...measured.problems]);
  const isTold =
    !measurement.isAlarm(measured) || (await writeDriftIssue(job, measurement, measured));
  const meaning =
    measurement.code(measured) > 0
      ? 'nothing was measured'
      : isTold
        ? 'measured'
        : 'the issue was not written';
  const conclusion = meaning === 'measured' ? 'success' : 'error';
  const title = measurement.title(measured);
  say(runner, {
    conclusion,
    title: logLine(title),
    ...usageOutputs(measured.usage),
    'report-path': folder ?? '',
  });
  for (const { message } of measured.notices) runner.info(`note: ${message}`);
  return { conclusion, line: endLine(conclusion, title, meaning) };
}

export function runMeasurementJob(job: Job, session: Session): Promise<JobEnding> {
  return job.mode === 'noise'
    ? runMeasurement(NOISE, job, session)
    : runMeasurement(DRIFT, job, session);
}
