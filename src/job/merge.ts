import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningJob } from './running-job.ts';
import { artifactLibrary, factsOf, projectOf } from './shard.ts';
import { fetchParts, unreachable } from '../artifact/parts.ts';
import { problem, UserError } from '../errors.ts';
import { mergeWords, renderMergeSummary } from '../report/shards.ts';
import type { Manifest } from '../core/shard/manifest.ts';
import { gather, startMerging, type Gathered, type Merging } from '../world/sharding.ts';

/** What a merge found, to be said with its result. */
export interface MergedJob {
  merging: Merging;
  manifests: Manifest[];
}

/**
 * Fetches the parts that the shards of this workflow run left, and no other run's.
 *
 * @throws UserError when artifacts cannot be reached, or a part cannot be read.
 */
export async function mergeJob(
  job: RunningJob,
  head: string,
  temporaryFolder: string,
): Promise<MergedJob> {
  const closed = unreachable(job.env);
  if (closed !== null) throw new UserError([problem(null, `mode: merge: ${closed}.`)]);
  const library = await (job.artifacts ?? artifactLibrary)();
  const fetched = await fetchParts(library, {
    project: projectOf(job),
    folder: join(temporaryFolder, 'evaldiff-parts'),
  });
  const problems = fetched.problems.map((message) => problem(null, message));
  if (fetched.parts.length === 0 && problems.length === 0) problems.push(problem(null, NO_PARTS));
  const places = fetched.parts.map(({ name, folder, index, count }) => ({
    name: `The artifact ${name}`,
    folder,
    shard: { index, count },
  }));
  const gathered: Gathered = await gather(places, {
    facts: factsOf(job, head),
    source: 'artifacts',
    problems,
  });
  return {
    merging: await startMerging(gathered),
    manifests: gathered.parts.map(({ manifest }) => manifest),
  };
}

const NO_PARTS =
  'mode: merge: no shard of this sweep left an artifact in this workflow run. Run the shards in jobs that the merge needs (needs:), in the same workflow, ' +
  'with the same working-directory and config; if there are such jobs, look at their logs.';

/** Says what the shards were paid for, which the result does not count. */
export async function sayParts(
  manifests: readonly Manifest[],
  { env, runner }: RunningJob,
): Promise<void> {
  if (manifests.length === 0) return;
  runner.info(mergeWords(manifests));
  const summary = env['GITHUB_STEP_SUMMARY'];
  if (summary)
    await appendFile(summary, renderMergeSummary(manifests)).catch((error: unknown) => {
      runner.warning(`The job summary could not be written: ${String(error)}`);
    });
}
