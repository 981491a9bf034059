import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readCommandLine } from '../config/inputs.ts';
import { readEndpoints } from '../config/overrides.ts';
import { sweepExtent } from '../config/project.ts';
import { InternalError, UserError } from '../errors.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import type { Edges, RunInput } from '../run/input.ts';
import { trustLevel, type TrustDecision } from '../select/trust.ts';
import { accessFrom, secretsOf, type Access, withoutSecrets } from '../session/access.ts';
import type { AnswerExchange } from '../session/cached-complete.ts';
import { openWorld } from '../session/edges.ts';
import { createHalting, createProgress, type Progress } from '../session/progress.ts';
import { groundOf } from '../session/safe-writing.ts';
import type { Merging } from '../session/shards.ts';
import type { Sides } from '../session/sides.ts';
import { logText } from '../text/log.ts';
import type { Complete } from '../types/model.ts';
import type { EventFacts } from '../types/repository.ts';
import { perVendor } from '../types/vendors.ts';
import type { EvaluateOptions } from './options.ts';
import { outputFilesOf, recorderOf, refuseUnwritable } from './outputs.ts';
import { storesOf } from './own-store.ts';
import type { Terminal } from './terminal.ts';

/** How a command finds its two sides. */
export type FindSides = (repository: Repository, workingDirectory: string) => Promise<Sides>;

/** The files as they are, without a base to compare with. */
export const currentFiles: FindSides = async (repository, workingDirectory) => ({
  base: null,
  head: await repository.worktree(workingDirectory),
  changed: [],
});

/**
 * The same; with nothing uncommitted they go by the id of the commit that is checked out, so that a
 * trend can place the result.
 */
export const currentState: FindSides = async (repository, workingDirectory) => {
  const sides = await currentFiles(repository, workingDirectory);
  const [commit] = await repository.checkedOut();
  const isCommit =
    commit !== undefined && (await repository.isCommitted(sides.head, commit, workingDirectory));
  return isCommit ? { ...sides, head: await repository.tree(commit, workingDirectory) } : sides;
};

export interface Opened {
  repository: Repository;
  sides: Sides;
  input: RunInput;
  trust: TrustDecision;
  timeoutMs: number | null;
  temporaryFolder: string;
  /** Of a sharded sweep, on either side. */
  exchange?: AnswerExchange;
  /** A merge's stores, which begin with what the shards were answered. */
  merging?: Pick<Merging, 'withAnswers'>;
}

/** Opens the repository of a folder, hands it to `work`, and cleans up whatever happens. */
export async function withRepository<T>(
  directory: string,
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
  work: (repository: Repository, temporaryFolder: string) => Promise<T>,
): Promise<T> {
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'evaldiff-'));
  const repository = await openRepository(resolve(cwd, directory), {
    environment: env,
    temporaryFolder,
  });
  try {
    return await work(repository, temporaryFolder);
  } finally {
    await repository.close();
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

/** Opens the project, hands it to `work`, and cleans up whatever happens. */
export async function withProject<T>(
  mode: 'diff' | 'sweep',
  find: FindSides,
  overrides: readonly string[],
  options: EvaluateOptions,
  terminal: Terminal,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  return withRepository(options.directory, terminal, async (repository, temporaryFolder) => {
    const sides = await find(repository, '.');
    const read = readCommandLine({
      config: options.config,
      overrides,
      maxCalls: options.maxCalls ?? null,
      maxCost: options.maxCost ?? null,
      timeout: options.timeout ?? null,
    });
    if (read.problems.length > 0) throw new UserError(read.problems);
    const trust = levelOf(options);
    const input: RunInput = {
      mode,
      base: sides.base,
      head: sides.head,
      trust: trust.level,
      withheld: null,
      read: read.options,
      maxCalls: read.maxCalls,
      maxCost: read.maxCost,
      failOn: options.failOn ?? null,
      code: options.code,
      today: new Date().toISOString().slice(0, 10),
    };
    return work({ repository, sides, input, trust, timeoutMs: read.timeoutMs, temporaryFolder });
  });
}

/** Opens what a run asks of the world, hands it to `work`, and closes it whatever happens. */
export async function withWorld<T>(
  opened: Opened,
  options: EvaluateOptions,
  terminal: Terminal,
  work: (edges: Edges, progress: Progress) => Promise<T>,
): Promise<T> {
  const { repository, sides, input, timeoutMs, temporaryFolder, exchange, merging } = opened;
  const ground = groundOf(repository);
  await refuseUnwritable(outputFilesOf(options, terminal), ground);
  const log = (line: string): void => {
    terminal.err(`${logText(line)}\n`);
  };
  const access = accessOf(options, terminal.env);
  const halting = createHalting({ timeoutMs, process, log });
  const progress = createProgress({
    style: terminal.isTerminal ? 'line' : 'steps',
    write: terminal.err,
    now: Date.now,
  });
  const stores = await storesOf(opened, options, terminal, log);
  const world = openWorld({
    ...terminal.reach,
    ...access,
    env: withoutSecrets(terminal.env, secretsOf(access)),
    trust: { level: input.trust },
    code: options.code,
    codeEnv: options.codeEnv ?? [],
    repository,
    workingDirectory: '',
    trees: [sides.base, sides.head].filter((tree) => tree !== null),
    temporaryFolder,
    halting,
    openStores: merging?.withAnswers(stores.open) ?? stores.open,
    exchange,
    record: recorderOf(options, terminal, ground, log),
    log,
    planned: (plan, ready) => {
      const size = sweepExtent(ready.sweep);
      if (size !== null && plan.references > 0) terminal.err(`sweep: ${size.words}\n`);
      progress.planned(plan, ready);
    },
    answered: progress.answered,
  });
  try {
    return await work(world.edges, progress);
  } finally {
    halting.release();
    await world.close();
    stores.close();
  }
}

export const askNobody: Complete = () =>
  Promise.reject(new InternalError('a plan makes no model calls'));

/**
 * Keys come from the environment; further servers from `--endpoint` and EVALDIFF_ENDPOINTS, never
 * from a file of the project.
 */
export function accessOf(options: EvaluateOptions, env: NodeJS.ProcessEnv): Access {
  const { endpoints, problems } = readEndpoints([
    ...(env['EVALDIFF_ENDPOINTS'] ?? '').split('\n'),
    ...(options.endpoint ?? []),
  ]);
  if (problems.length > 0) throw new UserError(problems);
  return accessFrom({ keys: perVendor(() => null), endpoints }, env);
}

function levelOf(options: EvaluateOptions): TrustDecision {
  return trustLevel(COMMAND_LINE, {
    trust: options.trust === true,
    ...(options.untrusted === true ? { lower: 'untrusted' as const } : {}),
  });
}

const COMMAND_LINE: EventFacts = {
  event: 'command_line',
  action: null,
  repository: '',
  pullRequest: null,
  base: null,
  head: null,
  headRepository: null,
  headBranch: null,
  fork: false,
  dependabot: false,
  addedLabel: null,
  origin: null,
};
