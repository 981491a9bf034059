import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { EventFacts, Result } from '../types.ts';
import { accessFrom, secretsOf, withoutSecrets, type Access } from '../access.ts';
import { readEndpoints } from '../config/endpoints.ts';
import { UserError } from '../errors.ts';
import { readCommandLine } from '../config/inputs.ts';
import { trustLevel, type TrustDecision } from '../core/trust.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { renderTerminal } from '../report/terminal.ts';
import { planRun, run, type Planned, type RunInput } from '../run.ts';
import { createProgress } from '../progress.ts';
import { commentMarker, writeReports } from '../publish.ts';
import type { Sides } from '../sides.ts';
import { logText } from '../text/log.ts';
import { openWorld, sha256 } from '../world.ts';
import type { EvaluateOptions, Terminal } from './options.ts';

/** How a command finds its two sides. */
export type FindSides = (repository: Repository, workingDirectory: string) => Promise<Sides>;

/** The files as they are, without a base to compare with. */
export const currentFiles: FindSides = async (repository, workingDirectory) => ({ base: null, head: await repository.worktree(workingDirectory), changed: [] });

interface Opened { repository: Repository; sides: Sides; input: RunInput; trust: TrustDecision; temporaryFolder: string }

/** Opens the project, hands it to `work`, and cleans up whatever happens. */
async function withProject<T>(mode: 'diff' | 'sweep', find: FindSides, overrides: readonly string[], options: EvaluateOptions, terminal: Terminal, work: (opened: Opened) => Promise<T>): Promise<T> {
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'evaldiff-'));
  const repository = await openRepository(resolve(terminal.cwd, options.directory), { environment: terminal.env, temporaryFolder });
  try {
    const sides = await find(repository, '.');
    const read = readCommandLine({ config: options.config, overrides, maxCalls: options.maxCalls ?? null });
    if (read.problems.length > 0) throw new UserError(read.problems);
    const trust = levelOf(options);
    const input: RunInput = {
      mode, base: sides.base, head: sides.head, trust: trust.level, withheld: null, read: read.options, maxCalls: read.maxCalls,
      failOn: options.failOn ?? null, code: options.code, today: new Date().toISOString().slice(0, 10),
    };
    return await work({ repository, sides, input, trust, temporaryFolder });
  } finally {
    await repository.close();
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

/** Reads, evaluates, writes the reports and prints. */
export function evaluate(mode: 'diff' | 'sweep', find: FindSides, overrides: readonly string[], options: EvaluateOptions, terminal: Terminal): Promise<Result> {
  return withProject(mode, find, overrides, options, terminal, async ({ repository, sides, input, temporaryFolder }) => {
    const access = accessOf(options, terminal.env);
    const interrupted = new AbortController();
    const stop = (): void => { interrupted.abort(); };
    process.once('SIGINT', stop);
    const progress = createProgress(terminal.isTerminal ? 'line' : 'steps', terminal.err);
    const record = options.record === undefined ? null : resolve(terminal.cwd, options.record);
    const world = openWorld({
      ...access, env: withoutSecrets(terminal.env, secretsOf(access)), trust: input.trust, code: options.code, codeEnv: options.codeEnv, repository, workingDirectory: '',
      trees: [sides.base, sides.head].filter((tree) => tree !== null), temporaryFolder, signal: interrupted.signal,
      record: record === null ? null : (line) => appendFile(record, `${line}\n`),
      log: (line) => { terminal.err(`${logText(line)}\n`); }, planned: progress.planned, answered: progress.answered,
    });
    try {
      const result = await run(input, world.edges);
      progress.end();
      await show(result, options, terminal);
      return result;
    } finally {
      process.removeListener('SIGINT', stop);
      await world.close();
    }
  });
}

/** What a run would do, without asking anyone. */
export function planOnly(mode: 'diff' | 'sweep', find: FindSides, overrides: readonly string[], options: EvaluateOptions, terminal: Terminal): Promise<{ planned: Planned; trust: TrustDecision }> {
  return withProject(mode, find, overrides, options, terminal, async ({ input, trust }) => ({ planned: await planRun(input, sha256), trust }));
}

async function show(result: Result, options: EvaluateOptions, terminal: Terminal): Promise<void> {
  if (options.report !== undefined) await writeReports(result, resolve(terminal.cwd, options.report), commentMarker('evaldiff'));
  if (options.json === true) terminal.out(`${JSON.stringify(result, null, 1)}\n`);
  else terminal.out(renderTerminal(result, { width: terminal.width, colour: terminal.isTerminal }));
}

/** Keys come from the environment; further servers from `--endpoint` and EVALDIFF_ENDPOINTS, never from a file of the project. */
function accessOf(options: EvaluateOptions, env: NodeJS.ProcessEnv): Access {
  const { endpoints, problems } = readEndpoints([...(env['EVALDIFF_ENDPOINTS'] ?? '').split('\n'), ...options.endpoint]);
  if (problems.length > 0) throw new UserError(problems);
  return accessFrom({ keys: { openai: null, anthropic: null }, endpoints }, env);
}

function levelOf(options: EvaluateOptions): TrustDecision {
  return trustLevel(COMMAND_LINE, { trust: options.trust === true, ...(options.untrusted === true ? { lower: 'untrusted' as const } : {}) });
}

const COMMAND_LINE: EventFacts = {
  event: 'command_line', action: null, repository: '', pullRequest: null, base: null, head: null, headRepository: null, headBranch: null,
  fork: false, dependabot: false, addedLabel: null, origin: null,
};
