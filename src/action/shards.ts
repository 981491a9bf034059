import { join } from 'node:path';
import { UserError, problem } from '../errors.ts';
import { PART_FILES, type Manifest } from '../plan/manifest.ts';
import {
  mergeWords,
  renderMergeSummary,
  renderShardSummary,
  shardTitle,
  shardWords,
} from '../report/plan.ts';
import { projectOf, type Session } from '../session/session.ts';
import { evaluateShard, gatherParts, type Gathered } from '../session/shards.ts';
import { findSides } from '../session/sides.ts';
import { artifactName, fetchParts, unreachable, uploadPart } from '../store/artifact.ts';
import { endLine, logLine } from '../text/log.ts';
import { appendSummary, artifactLibrary, say, type Ending, type Job } from './context.ts';
import { usageOutputs } from './publish.ts';

/**
 * A shard is a part of a full sweep and of nothing else.
 *
 * @throws UserError that says which of the two inputs to change.
 */
export function refuseMixedRoles({ inputs, mode }: Pick<Job, 'inputs' | 'mode'>): void {
  if (inputs.shard === null || mode === 'sweep') return;
  throw new UserError([
    problem(
      null,
      mode === 'merge'
        ? 'shard: is for the jobs whose parts mode: merge joins; leave it out of the merge'
        : `shard: parts a full sweep, and this is mode: ${mode}. Set mode: sweep, or leave shard out`,
    ),
  ]);
}

/**
 * One part of a full sweep: evaluates it, and leaves an artifact for `mode: merge`. It posts
 * nothing, for it has judged nothing.
 */
export async function runShardJob(job: Job, session: Session): Promise<Ending> {
  const { inputs, facts, env, runner } = job;
  const { shard } = inputs;
  const closed = unreachable(env);
  if (shard === null || closed !== null)
    throw new UserError([problem(null, `shard: ${closed ?? 'is not given'}.`)]);
  const sides = { ...inputs, base: null, facts, mode: 'sweep' as const };
  const { head } = await findSides(session.repository, sides);
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

/**
 * Fetches the parts that the shards of this workflow run left, and no other run's.
 *
 * @throws UserError when artifacts cannot be reached, or a part cannot be read.
 */
export async function gatherArtifacts(
  { env, artifacts }: Pick<Job, 'env' | 'artifacts'>,
  session: Session,
  head: string,
): Promise<Gathered> {
  const closed = unreachable(env);
  if (closed !== null) throw new UserError([problem(null, `mode: merge: ${closed}.`)]);
  const fetched = await fetchParts(await artifactLibrary({ artifacts }), {
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
  'mode: merge: no shard of this sweep left an artifact in this workflow run. Run the shards in jobs that the merge needs (needs:), in the same workflow, ' +
  'with the same working-directory and config; if there are such jobs, look at their logs.';

/** Says what the shards were paid for, which the result does not count. */
export async function sayParts(manifests: readonly Manifest[], job: Job): Promise<void> {
  if (manifests.length === 0) return;
  const { env, runner } = job;
  runner.info(mergeWords(manifests));
  await appendSummary(
    env['GITHUB_STEP_SUMMARY'],
    () => renderMergeSummary(manifests),
    runner.warning,
  );
}
