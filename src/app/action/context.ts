import { randomBytes } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Inputs } from '../../config/inputs.ts';
import { serverAddress } from '../../edges/git/remote.ts';
import type { ArtifactLibrary } from '../../edges/store/artifact.ts';
import { expandNoProxy, type CacheLibrary } from '../../edges/store/cache-service.ts';
import { UserError, problem } from '../../errors.ts';
import { targetsOf, type Prepared } from '../../money/prepared.ts';
import { planLines } from '../../report/plan.ts';
import type { SecretRegister } from '../../text/redact.ts';
import { withheldFrom, type TrustDecision } from '../../trust/trust.ts';
import { isBatched } from '../../types/model.ts';
import type { Conclusion, Problem } from '../../types/plain.ts';
import type { EventFacts } from '../../types/repository.ts';
import type { Feature } from '../run/feature.ts';
import { certainWords } from '../run/plan-run.ts';
import type { Access, TestOverrides } from '../session/access.ts';
import type { RunCommits } from '../session/commits.ts';
import { formatsOf } from '../session/edges.ts';
import type { SessionRow } from '../session/edges.ts';
import { visibleErrorMessage } from '../session/safe-writing.ts';
import type { Evaluated, Session, SessionOptions } from '../session/session.ts';
import type { Sides } from '../session/sides.ts';
import type { SessionRole } from '../session/stores.ts';
import type { Lease } from './lease.ts';

interface JobRunner {
  /** Filters the text, because the job log interprets some lines as commands. */
  info(text: string): void;
  /** The methods below escape their messages themselves. */
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
  commits: Promise<RunCommits>;
  workspace: string;
  env: NodeJS.ProcessEnv;
  secrets: SecretRegister;
  runner: JobRunner;
  lease: Lease;
  problems?: readonly Problem[];
  now(): Date;
  testOverrides?: TestOverrides | undefined;
  /** See `ClientOptions`. */
  secondMs?: number | undefined;
  features: readonly (Feature & SessionRow)[];
  /** Kinds of jobs that features add. */
  jobs: readonly OwnJob[];
  /** If absent, `@actions/artifact` is used. */
  artifacts?: () => Promise<ArtifactLibrary>;
}

/** Only jobs that need the library load it, because loading takes 0.1 s. */
export async function artifactLibrary({
  artifacts,
}: Pick<Job, 'artifacts'>): Promise<ArtifactLibrary> {
  return artifacts === undefined ? (await import('@actions/artifact')).default : artifacts();
}

/** `line` is the log's last line. It is written when nothing else can follow. */
export interface JobEnding {
  conclusion: Conclusion;
  line: string;
}

export interface OwnJob {
  takes(job: Pick<Job, 'inputs' | 'mode'>): boolean;
  /** How the job uses the stores in a sweep. If absent, the role is `whole`. */
  role?: SessionRole;
  /** Set if the job runs on the base commit. */
  isOfBase?: true;
  /** Returns why the inputs conflict, or null if they do not. */
  refuse?(job: Pick<Job, 'mode'>): string | null;
  /** Runs the whole job, which judges no commit and publishes nothing. If absent, `open` runs. */
  run?(job: Job, session: Session): Promise<JobEnding>;
  /** Evaluates the commits. The result is then published as usual. */
  open?(job: Job, session: Session, sides: Sides): Promise<OpenedJob>;
}

export interface OpenedJob {
  evaluate(): Promise<Evaluated>;
  /** Called after the result is published. Reports the rest. */
  published(): Promise<void>;
}

type KnownJob = Pick<Job, 'inputs' | 'mode' | 'jobs'>;

/** If empty, the job compares or sweeps. */
function ownJobs(job: KnownJob): OwnJob[] {
  return job.jobs.filter((kind) => kind.takes(job));
}

export function ownJobOf(job: KnownJob): OwnJob | undefined {
  return ownJobs(job)[0];
}

export function refuseMixedInputs(job: KnownJob): void {
  const refused = ownJobs(job).flatMap((kind) => kind.refuse?.(job) ?? []);
  if (refused.length > 0) throw new UserError(refused.map((message) => problem(null, message)));
}

const REFERENCES_IN_LOG = 20;

/** The stores use the runner's cache service unless the input `cache` is false. */
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
    testOverrides: job.testOverrides,
    directory: job.workspace,
    workingDirectory: inputs.workingDirectory,
    // The address of the workflow's repository. With it, no checkout is needed.
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
    planned(_plan, { prepared, emptyResult: { notices } }, decided) {
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
 * Warns that, without the cache service, the next job does not know this job's batches. Null if
 * there are no batches.
 */
function lostBatches({ inputs }: Pick<Job, 'inputs'>, prepared: Prepared): string | null {
  if (inputs.cache || !targetsOf(prepared).some(isBatched)) return null;
  return (
    'transport: batch with cache: false: batches that this job does not live to see end are ' +
    'paid for and cannot be picked up by another. Leave cache at true.'
  );
}

function cacheLibrary(): Promise<CacheLibrary> {
  expandNoProxy(process.env);
  return import('@actions/cache');
}

const NO_SERVICE: CacheLibrary = {
  isFeatureAvailable: () => false,
  restoreCache: () => Promise.resolve(undefined),
  saveCache: () => Promise.resolve(0),
};

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

export function say(runner: Pick<JobRunner, 'output'>, outputs: Record<string, string>): void {
  for (const [name, value] of Object.entries(outputs)) runner.output(name, value);
}
