import { appendFile } from 'node:fs/promises';
import { UserError } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import { noiseTitle, renderNoiseSummary } from '../report/noise.ts';
import type { NoiseResult } from '../result/noise.ts';
import type { Edges } from '../run/input.ts';
import { measureNoise } from '../run/measure-noise.ts';
import { findSides } from '../session/sides.ts';
import { writeNoise } from '../session/write-reports.ts';
import { endLine, logLine } from '../text/log.ts';
import { createRedactor, redactAll } from '../text/redact.ts';
import type { SourceTree } from '../types/repository.ts';
import type { Ending, Job, RunningJob } from './context.ts';
import { fillReportFolder } from './publish.ts';

type WithEdges = (
  trees: readonly SourceTree[],
  work: (edges: Edges) => Promise<NoiseResult>,
) => Promise<NoiseResult>;

/**
 * `mode: noise`: measures, writes `noise.json` and the job summary, and says what it found. It
 * publishes nothing, for it is about no change.
 */
export async function runNoiseJob(
  job: RunningJob,
  repository: Repository,
  withEdges: WithEdges,
): Promise<Ending> {
  const { env, runner } = job;
  const noise = redactAll(await measured(job, repository, withEdges), createRedactor(job.secrets));
  const folder = await fillReportFolder(job, repository, (to) => writeNoise(noise, to));
  const summary = env['GITHUB_STEP_SUMMARY'];
  if (summary)
    await appendFile(summary, renderNoiseSummary(noise)).catch((error: unknown) => {
      runner.warning(`The job summary could not be written: ${String(error)}`);
    });
  return say(noise, folder, job);
}

async function measured(
  job: RunningJob,
  repository: Repository,
  withEdges: WithEdges,
): Promise<NoiseResult> {
  const { inputs, facts, trust, now } = job;
  // A pull request's own change has no part in it: what is measured is what it will be compared
  // with.
  const commit = { ...facts, head: facts.base ?? facts.head, pullRequest: null };
  const { head: tree } = await findSides(repository, {
    base: null,
    head: inputs.base ?? inputs.head,
    facts: commit,
    workingDirectory: inputs.workingDirectory,
    mode: 'sweep',
  });
  const { read, maxCalls, maxCost, code, noiseRuns: runs } = inputs;
  return withEdges([tree], (edges) =>
    measureNoise(
      {
        tree,
        runs,
        read,
        maxCalls,
        maxCost,
        code,
        trust: trust.level,
        withheld: null,
        today: now().toISOString().slice(0, 10),
      },
      edges,
    ),
  );
}

function say(noise: NoiseResult, folder: string | null, { runner }: Pick<Job, 'runner'>): Ending {
  const { problems, runs, usage } = noise;
  if (problems.length > 0) throw new UserError([...problems]);
  const [conclusion, meaning] =
    runs === 0 ? (['error', 'nothing was measured'] as const) : (['success', 'measured'] as const);
  const title = noiseTitle(noise);
  const outputs = {
    conclusion,
    title: logLine(title),
    calls: String(usage.calls),
    reused: String(usage.reused),
    replayed: String(usage.replayed ?? 0),
    'cost-usd': usage.cost_usd === null ? '' : usage.cost_usd.toFixed(4),
    'report-path': folder ?? '',
  };
  for (const [name, value] of Object.entries(outputs)) runner.output(name, value);
  for (const { message } of noise.notices) runner.info(`note: ${message}`);
  return { conclusion, line: endLine(conclusion, title, meaning) };
}
