import { randomBytes } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Inputs } from '../../config/inputs.ts';
import { serverAddress } from '../../edges/git/remote.ts';
import type { Client } from '../../edges/github/client.ts';
import { mergeBaseOf } from '../../edges/github/pull.ts';
import type { ArtifactLibrary } from '../../edges/store/artifact.ts';
import { expandNoProxy, type CacheLibrary } from '../../edges/store/cache-service.ts';
import { targetsOf, type Prepared } from '../../money/prepared.ts';
import { planLines } from '../../report/plan.ts';
import type { SecretRegister } from '../../text/redact.ts';
import { withheldFrom, type TrustDecision } from '../../trust/trust.ts';
import { isBatched } from '../../types/model.ts';
import type { Conclusion, Problem } from '../../types/plain.ts';
import type { EventFacts } from '../../types/repository.ts';
import type { Feature } from '../run/feature.ts';
import { certainWords } from '../run/plan.ts';
import type { Access, TestOverrides } from '../session/access.ts';
import type { RunCommits } from '../session/commits.ts';
import type { Evaluated } from '../session/evaluate.ts';
import { visibleErrorMessage } from '../session/safe-writing.ts';
import type { SessionRow } from '../session/session-row.ts';
import type { Session, SessionOptions } from '../session/session.ts';
import type { Sides } from '../session/sides.ts';
import type { SessionRole } from '../session/stores.ts';
import type { Lease } from './lease.ts';

interface JobRunner {
  /** GitHub's runner would execute workflow commands in the text, so this escapes them. */
  info(text: string): void;
  notice(text: string): void;
  warning(text: string): void;
  error(text: string, place?: { file?: string; startLine?: number }): void;
  output(name: string, value: string | number): void;
}

export interface Job {
  inputs: Inputs;
  access: Access;
  facts: EventFacts;
  mode: 'diff' | 'sweep' | 'merge' | 'noise' | 'drift';
  trust: TrustDecision;
  commits: Promise<RunCommits>;
  workspace: string;
  env: NodeJS.ProcessEnv;
  secrets: SecretRegister;
  runner: JobRunner;
  lease: Lease;
  problems: Problem[];
  now(): Date;
  testOverrides?: TestOverrides | undefined;
  secondMs?: number | undefined;
  features: readonly (Feature & SessionRow)[];
  /** A feature's kind of job. Absent: a run with a verdict. */
  own: OwnJob | undefined;
  artifacts?: () => Promise<ArtifactLibrary>;
}

export async function artifactLibrary({
  artifacts,
}: Pick<Job, 'artifacts'>): Promise<ArtifactLibrary> {
  return artifacts === undefined ? (await import('@actions/artifact')).default : artifacts();
}

export interface JobEnding {
  conclusion: Conclusion;
  line: string;
}

export interface OwnJob {
  takes(job: Pick<Job, 'inputs' | 'mode'>): boolean;
  role?: SessionRole;
  isOfBase?: true;
  refuse?(job: Pick<Job, 'mode'>): string | null;
  /** Runs a job that has no verdict. Called instead of `open`. */
  run?(job: Job, session: Session): Promise<JobEnding>;
  open?(job: Job, session: Session, sides: Sides): Promise<OpenedJob>;
}

export interface OpenedJob {
  evaluate(): Promise<Evaluated>;
  published(): Promise<void>;
}

const REFERENCES_IN_LOG = 20;

export function sessionOptions(
  job: Omit<Job, 'trust' | 'commits'>,
  trust: SessionOptions['trust'],
  client: Client,
): SessionOptions {
  const { inputs, access, secrets, env, facts, runner, now } = job;
  return {
    features: job.features,
    inputs,
    access,
    secrets,
    env,
    trust,
    now,
    testOverrides: job.testOverrides,
    directory: job.workspace,
    remote: jobRemote(job, client),
    temporary: env['RUNNER_TEMP'] || tmpdir(),
    role: job.own?.role ?? 'whole',
    withheld: withheldFrom(facts),
    isQueue: facts.event === 'merge_group',
    beforeCalls: job.lease.open,
    store: {
      kind: 'service',
      library: () => (inputs.cache ? cacheLibrary() : Promise.resolve(NO_SERVICE)),
      reuse: inputs.cache,
      own:
        facts.pullRequest === null
          ? `branch ${facts.headBranch ?? facts.head ?? ''}`
          : `pull request ${facts.pullRequest}`,
      run: [
        env['GITHUB_RUN_ID'] ?? '0',
        env['GITHUB_RUN_ATTEMPT'] ?? '1',
        randomBytes(4).toString('hex'),
      ].join('-'),
    },
    outputs: [],
    record: null,
    progress: { style: 'steps', write: (text) => runner.info(text.trimEnd()) },
    log: runner.info,
    warn: runner.warning,
    planned(run, decided) {
      const shown = {
        trust: decided,
        prepared: run,
        notices: run.emptyResult.notices,
        certainWords: certainWords(run.plan, job.features),
        verbose: true,
        references: REFERENCES_IN_LOG,
      };
      runner.info(planLines(shown).join('\n'));
      const lost = lostBatches(job, run);
      if (lost !== null) runner.warning(lost);
    },
  };
}

function jobRemote({ inputs, env }: Pick<Job, 'inputs' | 'env'>, client: Client) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env;
  if (!server || !name) return undefined;
  return {
    ...serverAddress(server, name, inputs.token),
    mergeBase: (base: string, head: string) => mergeBaseOf(client, name, [base, head]),
  };
}

/** Without the cache service, the next job cannot find the batch requests of this job. */
function lostBatches({ inputs }: Pick<Job, 'inputs'>, prepared: Prepared): string | null {
  if (inputs.cache || !targetsOf(prepared).some(isBatched)) return null;
  return (
    'transport: batch with cache: false: if this job ends before a batch does, no other job can ' +
    'use the answers, although they are paid for. Set cache: true.'
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
