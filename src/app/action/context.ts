import { randomBytes } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Inputs } from '../../config/inputs.ts';
import { serverAddress } from '../../edges/git/remote.ts';
import type { ArtifactLibrary } from '../../edges/store/artifact.ts';
import { spellOutNoProxy, type CacheLibrary } from '../../edges/store/cache-service.ts';
import { UserError, problem } from '../../errors.ts';
import { targetsOf, type Prepared } from '../../kernel/plan/prepared.ts';
import { isBatched } from '../../kernel/select/targets.ts';
import { planLines } from '../../report/plan.ts';
import type { SecretRegister } from '../../text/redact.ts';
import { withheldFrom, type TrustDecision } from '../../trust/trust.ts';
import type { Conclusion, Problem } from '../../types/plain.ts';
import type { EventFacts } from '../../types/repository.ts';
import type { Feature } from '../run/feature.ts';
import { certainWords } from '../run/plan-run.ts';
import type { Access, Reach } from '../session/access.ts';
import type { RunCommits } from '../session/commits.ts';
import { formatsOf } from '../session/edges.ts';
import type { SessionRow } from '../session/edges.ts';
import { visibleErrorMessage } from '../session/safe-writing.ts';
import type { Evaluated, Session, SessionOptions } from '../session/session.ts';
import type { Sides } from '../session/sides.ts';
import type { SessionRole } from '../session/stores.ts';
import type { Lease } from './lease.ts';

/** What the runner gives an action to speak with. */
interface JobRunner {
  /** Filtered before it is written: the job log is an interpreter. */
  info(text: string): void;
  /** These escape their message themselves. */
  notice(text: string): void;
  warning(text: string): void;
  error(text: string, place?: { file?: string; startLine?: number }): void;
  output(name: string, value: string | number): void;
}

export interface Job {
  inputs: Inputs;
  access: Access;
  facts: EventFacts;
  mode: 'diff' | 'sweep' | 'merge' | 'noise';
  trust: TrustDecision;
  /** The commits that it is about, as far as they are found. */
  commits: Promise<RunCommits>;
  /** Absolute path of the checkout. */
  workspace: string;
  env: NodeJS.ProcessEnv;
  secrets: SecretRegister;
  runner: JobRunner;
  lease: Lease;
  /** What is wrong with the inputs; absent: nothing. */
  problems?: readonly Problem[];
  now(): Date;
  reach?: Reach | undefined;
  /** As `ClientOptions` has it. */
  secondMs?: number | undefined;
  /** The table of features that the entry was built with. */
  features: JobFeatures;
  /** Loads what speaks to the artifact service; absent: `@actions/artifact`. */
  artifacts?: () => Promise<ArtifactLibrary>;
}

/** Loaded only by jobs that need it: it costs a tenth of a second. */
export async function artifactLibrary({
  artifacts,
}: {
  artifacts?: Job['artifacts'] | undefined;
}): Promise<ArtifactLibrary> {
  return artifacts === undefined ? (await import('@actions/artifact')).default : artifacts();
}

/** How a job ended, and the log's last line, which is written when nothing else can follow. */
export interface JobEnding {
  conclusion: Conclusion;
  line: string;
}

/** A kind of job that a feature carries out. */
interface OwnJob {
  takes(job: Pick<Job, 'inputs' | 'mode'>): boolean;
  /** What a sweep's stores take it for; absent: a whole. */
  role?: SessionRole;
  /** It is about the commit that changes are compared with. */
  isOfBase?: true;
  /** Why the inputs do not fit together; null: they do. */
  refuse?(job: Pick<Job, 'mode'>): string | null;
  /** The whole job, which judges no commit and publishes nothing. Absent: see `open`. */
  run?(job: Job, session: Session): Promise<JobEnding>;
  /** What evaluates the commits; the result is published as any other. */
  open?(job: Job, session: Session, sides: Sides): Promise<OpenedJob>;
}

export interface OpenedJob {
  evaluate(): Promise<Evaluated>;
  /** Says what is left to say once the result is published. */
  published(): Promise<void>;
}

/** What a feature adds to the action. */
export interface JobRow {
  readonly jobs?: readonly OwnJob[];
}

export type JobFeatures = readonly (Feature & SessionRow & JobRow)[];

type KnownJob = Pick<Job, 'inputs' | 'mode' | 'features'>;

/** Features' kinds that a job is of; none: it compares or sweeps. */
function ownJobs(job: KnownJob): OwnJob[] {
  return job.features.flatMap(({ jobs = [] }) => jobs).filter((kind) => kind.takes(job));
}

export function ownJobOf(job: KnownJob): OwnJob | undefined {
  return ownJobs(job)[0];
}

/** Refuses inputs that do not fit together. */
export function refuseMixedInputs(job: KnownJob): void {
  const refused = ownJobs(job).flatMap((kind) => kind.refuse?.(job) ?? []);
  if (refused.length > 0) throw new UserError(refused.map((message) => problem(null, message)));
}

/** References of a suite that the log's plan names. */
const REFERENCES_IN_LOG = 20;

/**
 * What the session of a job is opened with. Its stores are restored from and saved with the
 * runner's cache service unless the input `cache` is false.
 */
export function sessionOptions(
  job: Omit<Job, 'trust' | 'commits'>,
  trust: SessionOptions['trust'],
): SessionOptions {
  const { inputs, access, secrets, env, facts, runner, now } = job;
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env;
  return {
    features: job.features,
    inputs: { ...inputs, read: { ...inputs.read, formats: formatsOf(job.features) } },
    access,
    secrets,
    env,
    trust,
    now,
    reach: job.reach,
    directory: job.workspace,
    workingDirectory: inputs.workingDirectory,
    // The repository whose workflow runs, as its server has it: it needs no checkout.
    remote: server && name ? serverAddress(server, name, inputs.token) : undefined,
    temporary: env['RUNNER_TEMP'] || tmpdir(),
    role: ownJobOf(job)?.role ?? 'whole',
    withheld: withheldFrom(facts),
    store: {
      kind: 'service',
      library: () => (inputs.cache ? cacheLibrary() : Promise.resolve(NO_SERVICE)),
      reuse: inputs.cache,
      own:
        facts.pullRequest === null
          ? `branch ${facts.headBranch ?? facts.head ?? ''}`
          : `pull request ${String(facts.pullRequest)}`,
      run: [
        env['GITHUB_RUN_ID'] ?? '0',
        env['GITHUB_RUN_ATTEMPT'] ?? '1',
        randomBytes(4).toString('hex'),
      ].join('-'),
    },
    outputs: [],
    record: null,
    progress: {
      style: 'steps',
      write: (text) => {
        runner.info(text.trimEnd());
      },
    },
    log: runner.info,
    warn: runner.warning,
    planned(_plan, { prepared, blank: { notices } }, decided) {
      const shown = {
        trust: decided,
        prepared,
        notices,
        certainWords: certainWords(prepared.plan, job.features),
        verbose: true,
        references: REFERENCES_IN_LOG,
      };
      runner.info(planLines(shown).join('\n'));
      const lost = lostBatches(job, prepared);
      if (lost !== null) runner.warning(lost);
    },
  };
}

/**
 * What a job is about to lose by its own inputs: the next one knows of its batches only from the
 * cache service. Null: nothing.
 */
function lostBatches({ inputs }: Pick<Job, 'inputs'>, prepared: Prepared): string | null {
  if (inputs.cache || !targetsOf(prepared).some(isBatched)) return null;
  return 'transport: batch with cache: false: batches that this job does not live to see end are paid for and cannot be picked up by another. Leave cache at true.';
}

/** What it asks of the environment is the process's own. */
function cacheLibrary(): Promise<CacheLibrary> {
  spellOutNoProxy(process.env);
  return import('@actions/cache');
}

const NO_SERVICE: CacheLibrary = {
  isFeatureAvailable: () => false,
  restoreCache: () => Promise.resolve(undefined),
  saveCache: () => Promise.resolve(0),
};

/** Adds to the job summary, where there is one. What cannot be written is a warning. */
export async function appendSummary(
  path: string | null | undefined,
  text: () => string,
  warn: (line: string) => void,
): Promise<void> {
  if (!path) return;
  try {
    await appendFile(path, text());
  } catch (error) {
    warn(`The job summary could not be written: ${visibleErrorMessage(error)}`);
  }
}

/** Sets the outputs of the step. */
export function say(runner: Pick<JobRunner, 'output'>, outputs: Record<string, string>): void {
  for (const [name, value] of Object.entries(outputs)) runner.output(name, value);
}
