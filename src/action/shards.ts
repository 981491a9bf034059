import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError, problem } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import { PART_FILES, type Manifest } from '../plan/manifest.ts';
import {
  mergeWords,
  renderMergeSummary,
  renderShardSummary,
  shardTitle,
  shardWords,
} from '../report/plan.ts';
import type { Edges, RunInput } from '../run/input.ts';
import type { AnswerExchange } from '../session/cached-complete.ts';
import type { MergeFacts } from '../session/check-parts.ts';
import { createShardExchange, inputsOf } from '../session/parts.ts';
import { VERSION } from '../session/runtime.ts';
import { openFolder } from '../session/safe-writing.ts';
import {
  gatherParts,
  runShard,
  startMerging,
  type Gathered,
  type Merging,
  type ShardOutcome,
} from '../session/shards.ts';
import { findSides } from '../session/sides.ts';
import {
  artifactName,
  fetchParts,
  type ArtifactLibrary,
  unreachable,
  uploadPart,
} from '../store/artifact.ts';
import { endLine, logLine } from '../text/log.ts';
import { createRedactor, redactAll } from '../text/redact.ts';
import type { SourceTree } from '../types/repository.ts';
import type { Ending, RunningJob } from './context.ts';

/** Loaded only by jobs that need it: it costs a tenth of a second. */
async function artifactLibrary(): Promise<ArtifactLibrary> {
  return (await import('@actions/artifact')).default;
}

/** What tells this project's shards from others' in the same workflow run. */
function projectOf({ inputs }: Pick<RunningJob, 'inputs'>): string {
  return `${inputs.workingDirectory}\n${inputs.read.config}`;
}

/** What every job of a sweep must have in common, as this one has it. */
function sweepFacts(
  { inputs, access, trust }: Pick<RunningJob, 'inputs' | 'access' | 'trust'>,
  head: string,
): MergeFacts {
  return {
    evaldiff: VERSION,
    head,
    trust: trust.level,
    inputs: inputsOf({ ...inputs, endpoints: access.endpoints }),
  };
}

/**
 * A shard is a part of a full sweep and of nothing else.
 *
 * @throws UserError that says which of the two inputs to change.
 */
export function refuseMixedRoles({ inputs, mode }: Pick<RunningJob, 'inputs' | 'mode'>): void {
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

interface ShardTools {
  repository: Repository;
  temporaryFolder: string;
  inputOf(head: SourceTree): RunInput;
  /** Opens the world around an exchange. */
  inWorld(
    trees: readonly SourceTree[],
    exchange: AnswerExchange,
    work: (edges: Edges) => Promise<ShardOutcome>,
  ): Promise<ShardOutcome>;
}

/**
 * One part of a full sweep: evaluates it, and leaves an artifact for `mode: merge`. It posts
 * nothing, for it has judged nothing.
 */
export async function runShardJob(
  job: RunningJob,
  { repository, temporaryFolder, inputOf, inWorld }: ShardTools,
): Promise<Ending> {
  const {
    inputs: { shard },
    env,
    runner,
  } = job;
  const closed = unreachable(env);
  if (shard === null || closed !== null)
    throw new UserError([problem(null, `shard: ${closed ?? 'is not given'}.`)]);
  const { head } = await findSides(repository, {
    base: null,
    head: job.inputs.head,
    facts: job.facts,
    workingDirectory: job.inputs.workingDirectory,
    mode: 'sweep',
  });
  const exchange = await createShardExchange(temporaryFolder);
  try {
    const folder = join(temporaryFolder, 'evaldiff-shard');
    const outcome = await inWorld([head], exchange, (edges) =>
      runShard({
        input: { ...inputOf(head), shard },
        edges,
        exchange,
        facts: sweepFacts(job, head.commit),
        // Below the runner's own temporary folder, where nothing of a pull request lies.
        openFolder: () => openFolder(folder, { root: folder, tracked: async () => [] }),
      }),
    );
    // The merge would say the same, but has no part of this shard to say it of.
    if (outcome.status === 'not-evaluated')
      throw new UserError(redactAll(outcome.result.problems, createRedactor(job.secrets)));
    const library = await (job.artifacts ?? artifactLibrary)();
    await uploadPart(library, {
      name: artifactName(shard, projectOf(job)),
      folder,
      files: Object.values(PART_FILES),
    });
    const summary = env['GITHUB_STEP_SUMMARY'];
    const manifest = redactAll(outcome.manifest, createRedactor(job.secrets));
    if (summary)
      await appendFile(summary, renderShardSummary(manifest)).catch((error: unknown) => {
        runner.warning(`The job summary could not be written: ${String(error)}`);
      });
    return say(manifest, job);
  } finally {
    exchange.close();
  }
}

function say(manifest: Manifest, { runner }: RunningJob): Ending {
  const { usage, halted } = manifest;
  const title = shardTitle(manifest);
  const outputs = {
    conclusion: 'neutral',
    title: logLine(title),
    calls: String(usage.calls),
    reused: String(usage.reused),
    replayed: String(usage.replayed ?? 0),
    'cost-usd': usage.cost_usd === null ? '' : usage.cost_usd.toFixed(4),
  };
  for (const [name, value] of Object.entries(outputs)) runner.output(name, value);
  if (halted !== null) runner.warning(title);
  runner.info(shardWords(manifest));
  return { conclusion: 'neutral', line: endLine('neutral', title, 'the merge judges') };
}

/** What a merge found, to be said with its result. */
interface MergedJob {
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
  const gathered: Gathered = await gatherParts(places, {
    facts: sweepFacts(job, head),
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
