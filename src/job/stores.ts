import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { Job } from './running-job.ts';
import type { CacheLibrary } from '../store/cache-service.ts';
import type { Store } from '../store/index.ts';
import type { Halt } from '../core/gate/halt.ts';
import { targetsOf, type Prepared } from '../core/plan/prepare.ts';
import { isBatched } from '../core/select/target.ts';
import { openJobStores, type JobStores } from '../world/stores.ts';

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
