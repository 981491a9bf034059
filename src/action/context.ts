import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { Inputs } from '../config/inputs.ts';
import type { Halt } from '../plan/halt.ts';
import { targetsOf, type Prepared } from '../plan/prepared.ts';
import { isBatched } from '../select/targets.ts';
import type { TrustDecision } from '../select/trust.ts';
import type { Access } from '../session/access.ts';
import type { Halting } from '../session/progress.ts';
import { openJobStores, type JobStores } from '../session/stores.ts';
import type { ArtifactLibrary } from '../store/artifact.ts';
import type { CacheLibrary } from '../store/cache-service.ts';
import type { Store } from '../store/index.ts';
import type { Conclusion } from '../types/plain.ts';
import type { EventFacts } from '../types/repository.ts';

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
  /** Absolute path of the checkout. */
  workspace: string;
  env: NodeJS.ProcessEnv;
  secrets: readonly string[];
  runner: JobRunner;
  now(): Date;
  /** Loads what speaks to the artifact service; absent: `@actions/artifact`. */
  artifacts?: () => Promise<ArtifactLibrary>;
}

/** How a job ended, and the log's last line, which is written when nothing else can follow. */
export interface Ending {
  conclusion: Conclusion;
  line: string;
}

/** A job with what ends it and what it may reuse. */
export interface RunningJob extends Job {
  halting: Halting;
  /** Restores and opens what answers are reused from, at the first call. */
  openStores(): Promise<readonly Store[]>;
}

export interface StoresOfJob {
  /** Restores and opens, at the first call. */
  open(): Promise<readonly Store[]>;
  /** Saves and closes what was opened, once. */
  finish(): Promise<void>;
  /**
   * Does so before the report: a runner that cancels a job ends it ten seconds later, and what was
   * paid for, waiting batches among it, comes first.
   */
  finishIfInterrupted(halt: Halt | null): Promise<void>;
}

/**
 * The action's stores, restored from and saved with the runner's cache service unless the input
 * `cache` is false.
 */
export function storesOfJob({ inputs, env, facts, mode, trust, runner }: Job): StoresOfJob {
  let opened: Promise<JobStores> | null = null;
  let finished: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    if (opened !== null) await (await opened).finish();
  };
  const finish = (): Promise<void> => (finished ??= close());
  const open = async (): Promise<JobStores> =>
    openJobStores({
      library: inputs.cache ? await import('@actions/cache') : NO_SERVICE,
      trust: trust.level,
      temporary: env['RUNNER_TEMP'] ?? tmpdir(),
      project: `${inputs.workingDirectory}\n${inputs.read.config}`,
      own:
        facts.pullRequest === null
          ? `branch ${facts.headBranch ?? facts.head ?? ''}`
          : `pull request ${String(facts.pullRequest)}`,
      run: [
        env['GITHUB_RUN_ID'] ?? '0',
        env['GITHUB_RUN_ATTEMPT'] ?? '1',
        randomBytes(4).toString('hex'),
      ].join('-'),
      warn: runner.warning,
      role: inputs.shard !== null ? 'shard' : mode === 'merge' ? 'merge' : undefined,
    });
  return {
    open: async () => (await (opened ??= open())).stores,
    finish,
    async finishIfInterrupted(halt) {
      if (halt?.title === 'Interrupted') await finish();
    },
  };
}

/**
 * What a job is about to lose by its own inputs: the next one knows of its batches only from the
 * cache service. Null: nothing.
 */
export function lostBatches({ inputs }: Pick<Job, 'inputs'>, prepared: Prepared): string | null {
  if (inputs.cache || !targetsOf(prepared).some(isBatched)) return null;
  return 'transport: batch with cache: false: batches that this job does not live to see end are paid for and cannot be picked up by another. Leave cache at true.';
}

const NO_SERVICE: CacheLibrary = {
  isFeatureAvailable: () => false,
  restoreCache: () => Promise.resolve(undefined),
  saveCache: () => Promise.resolve(0),
};
