import { appendSummary, say, type JobEnding, type Job } from '../../app/action/context.ts';
import { commitsOf, commitsRequest } from '../../app/action/evaluate.ts';
import { fillReportFolder, usageOutputs } from '../../app/action/publish.ts';
import type { Session } from '../../app/session/session.ts';
import { findSides } from '../../app/session/sides.ts';
import { UserError } from '../../errors.ts';
import { endLine, logLine } from '../../text/log.ts';
import { measure, writeNoise } from './measure.ts';
import { noiseTitle, renderNoiseSummary } from './report.ts';

/** Publishes nothing on the pull request, because a measurement judges no change. */
export async function runNoiseJob(job: Job, session: Session): Promise<JobEnding> {
  const { inputs, env, runner } = job;
  const { head: tree } = await findSides(
    session.repository,
    await commitsOf(job),
    commitsRequest(job),
  );
  const noise = session.redact(await measure(session, tree, inputs.noiseRuns));
  const folder = await fillReportFolder(job, session, (to) => writeNoise(noise, to));
  await appendSummary(env['GITHUB_STEP_SUMMARY'], () => renderNoiseSummary(noise), runner.warning);
  if (noise.problems.length > 0) throw new UserError([...noise.problems]);
  const [conclusion, meaning] =
    noise.runs === 0
      ? (['error', 'nothing was measured'] as const)
      : (['success', 'measured'] as const);
  const title = noiseTitle(noise);
  say(runner, {
    conclusion,
    title: logLine(title),
    ...usageOutputs(noise.usage),
    'report-path': folder ?? '',
  });
  for (const { message } of noise.notices) runner.info(`note: ${message}`);
  return { conclusion, line: endLine(conclusion, title, meaning) };
}
