import { join } from 'node:path';
import {
  appendSummary,
  artifactLibrary,
  commitsOf,
  commitsRequest,
  type JobEnding,
  type Job,
  type OpenedJob,
} from '../../app/action/context.ts';
import { say, usageOutputs } from '../../app/action/publish.ts';
import { projectOf, type Session } from '../../app/session/session.ts';
import { findSides, type Sides } from '../../app/session/sides.ts';
import { artifactName, fetchParts, unreachable, uploadPart } from '../../edges/store/artifact.ts';
import { UserError, problem } from '../../errors.ts';
import { endLine, logLine } from '../../text/log.ts';
import { evaluateShard, gatherParts, mergeParts, type Gathered } from './evaluate-shard.ts';
import { PART_FILES, type Manifest } from './manifest.ts';
import {
  mergeWords,
  renderMergeSummary,
  renderShardSummary,
  shardTitle,
  shardWords,
} from './words.ts';

/** Publishes nothing, because only the merge has a verdict. */
export async function runShardJob(job: Job, session: Session): Promise<JobEnding> {
  const { inputs, env, runner } = job;
  const { shard } = inputs;
  const closed = unreachable(env);
  if (shard === null || closed !== null)
    throw new UserError([problem(null, `shard: ${closed ?? 'is not given'}.`)]);
  const { head } = await findSides(session.repository, await commitsOf(job), commitsRequest(job));
  const folder = join(session.temporaryFolder, 'evaldiff-shard');
  const manifest = session.redact(await evaluateShard(session, head, shard, folder));
  await uploadPart(await artifactLibrary(job), {
    name: artifactName(shard, projectOf(session)),
    folder,
    files: Object.values(PART_FILES),
  });
  await appendSummary(
    env['GITHUB_STEP_SUMMARY'],
    () => renderShardSummary(manifest),
    runner.warning,
  );
  const title = shardTitle(manifest);
  say(runner, { conclusion: 'neutral', title: logLine(title), ...usageOutputs(manifest.usage) });
  if (manifest.halted !== null) runner.warning(title);
  runner.info(shardWords(manifest));
  return { conclusion: 'neutral', line: endLine('neutral', title, 'the merge judges') };
}

/** @throws UserError if a shard's part cannot be downloaded or read */
async function gatherArtifacts(job: Job, session: Session, head: string): Promise<Gathered> {
  const closed = unreachable(job.env);
  if (closed !== null) throw new UserError([problem(null, `mode: merge: ${closed}.`)]);
  const fetched = await fetchParts(await artifactLibrary(job), {
    project: projectOf(session),
    folder: join(session.temporaryFolder, 'evaldiff-parts'),
  });
  const problems = fetched.problems.map((message) => problem(null, message));
  if (fetched.parts.length === 0 && problems.length === 0) problems.push(problem(null, NO_PARTS));
  const places = fetched.parts.map(({ name, folder, index, count }) => ({
    name: `The artifact ${name}`,
    folder,
    shard: { index, count },
  }));
  return gatherParts(session, head, { places, source: 'artifacts', problems });
}

const NO_PARTS =
  'mode: merge: this workflow run has no artifact of a shard of this sweep. Run the shards ' +
  'in jobs that the merge needs (needs:), in the same workflow, with ' +
  'the same working-directory and config. If there are such jobs, check their logs.';

export async function openMerge(job: Job, session: Session, sides: Sides): Promise<OpenedJob> {
  const gathered = await gatherArtifacts(job, session, sides.head.commit);
  return {
    evaluate: () => mergeParts(gathered, sides),
    published: () =>
      logParts(
        gathered.parts.map(({ manifest }) => manifest),
        job,
      ),
  };
}

async function logParts(manifests: readonly Manifest[], job: Job): Promise<void> {
  if (manifests.length === 0) return;
  const { env, runner } = job;
  runner.info(mergeWords(manifests));
  await appendSummary(
    env['GITHUB_STEP_SUMMARY'],
    () => renderMergeSummary(manifests),
    runner.warning,
  );
}
