import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ModelEnds } from '../../config/check-models.ts';
import { readEndpoints } from '../../config/endpoints.ts';
import { endpointLines, readCommandLine } from '../../config/inputs.ts';
import { readProject } from '../../config/project.ts';
import { sweepExtent } from '../../config/sweep.ts';
import { isWithin } from '../../edges/git/discover.ts';
import type { Repository } from '../../edges/git/repository.ts';
import { secretsIn } from '../../edges/providers/address.ts';
import { SIDE_SUFFIXES } from '../../edges/store/database.ts';
import { UserError, userError } from '../../errors.ts';
import { metrics } from '../../metrics/index.ts';
import { builtInRubrics } from '../../metrics/rubric.ts';
import type { Ledger } from '../../money/ledger.ts';
import type { Project } from '../../project/settings.ts';
import { logText } from '../../text/log.ts';
import { createSecretRegister } from '../../text/redact.ts';
import { trustLevel } from '../../trust/trust.ts';
import { NO_FACTS, type SourceTree } from '../../types/repository.ts';
import { ownSettings } from '../run/feature.ts';
import type { Edges } from '../run/record.ts';
import { accessFrom, codeSecrets, identitySecrets, refuseModelKeys } from '../session/access.ts';
import type { RememberStore } from '../session/answer-memory.ts';
import { sha256 } from '../session/cached-complete.ts';
import { withEdges } from '../session/evaluate.ts';
import { withRepository } from '../session/opened-repository.ts';
import type { Output } from '../session/safe-writing.ts';
import { openSession, type Session, type SessionOptions } from '../session/session.ts';
import type { Sides } from '../session/sides.ts';
import { machineOf, userFolder } from '../session/store-place.ts';
import { openKeys, withEnvFile } from './env-file.ts';
import { projectFolder, REPORT_FOLDERS, type EvaluateOptions } from './options.ts';
import { resultsFile } from './results.ts';
import type { Terminal } from './terminal.ts';

export type FindSides = (session: Session) => Promise<Sides>;

export const currentFiles = async ({
  repository,
}: Pick<Session, 'repository'>): Promise<Sides> => ({
  base: null,
  head: await repository.worktree(''),
});

/**
 * Returns the checked-out commit if evaldiff wrote all uncommitted files (`written`, absolute
 * paths), or else the current files.
 */
export async function currentState(
  session: Pick<Session, 'repository'>,
  written: readonly string[],
): Promise<Sides> {
  const sides = await currentFiles(session);
  const { repository } = session;
  const [commit] = await repository.checkedOut();
  if (commit === undefined) return sides;
  const folder = join(repository.workTree.root, repository.workTree.below);
  const places = await Promise.all(
    [...written, join(folder, REPORT_FOLDERS[0])].map((path) => realpath(path).catch(() => path)),
  );
  const own = places
    .filter((path) => !isWithin(folder, path))
    .flatMap((path) => ['', ...SIDE_SUFFIXES].map((end) => `${path}${end}`));
  const isCommit = await repository.isCommitted(sides.head, commit, '', (path) =>
    own.some((place) => isWithin(join(folder, path), place)),
  );
  return isCommit ? { ...sides, head: await repository.tree(commit, '') } : sides;
}

export function inRepository<T>(
  directory: string,
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
  work: (repository: Repository) => Promise<T>,
): Promise<T> {
  return withRepository({ directory: resolve(cwd, directory), env, temporary: tmpdir() }, work);
}

export function withTree<T>(
  directory: string,
  terminal: Terminal,
  work: (tree: SourceTree, repository: Repository) => Promise<T>,
): Promise<T> {
  return inRepository(directory, terminal, async (repository) =>
    work(await repository.worktree('.'), repository),
  );
}

interface OwnOptions {
  overrides?: readonly string[];
  role?: SessionOptions['role'];
  outputs?: readonly Output[];
  remember?: RememberStore;
}

/** Absolute paths that runs with these options write to. Each includes everything below it. */
export function ownPaths(
  { store, report, results, record }: EvaluateOptions,
  { cwd, env }: Terminal,
): string[] {
  const caches = userFolder(machineOf(env));
  return [store, env['EVALDIFF_STORE'], report, results, record, caches].flatMap((path) =>
    typeof path === 'string' && path.trim() !== '' ? resolve(cwd, path.trim()) : [],
  );
}

export function withProject<T>(
  options: EvaluateOptions,
  terminal: Terminal,
  own: OwnOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return openSession(cliSessionOptions(options, terminal, own), (session) =>
    work(warningOfKeys(session, namedKeys(options, terminal.env))),
  );
}

function warningOfKeys(session: Session, named: readonly string[]): Session {
  const { repository, warn } = session;
  let looked = false;
  return {
    ...session,
    repository: {
      ...repository,
      async worktree(workingDirectory) {
        const files = await repository.worktree(workingDirectory);
        const warning = looked ? null : await openKeys(repository, files, named);
        looked = true;
        if (warning !== null) warn(warning);
        return files;
      },
    },
  };
}

/** Shorter values are placeholders, such as `none`, for servers without keys. */
const SHORTEST_KEY = 8;

function cliSessionOptions(
  options: EvaluateOptions,
  terminal: Terminal,
  { overrides = [], role = 'whole', outputs = [], remember }: OwnOptions,
): SessionOptions {
  const { cwd, err, features, isTerminal, testOverrides } = terminal;
  const directory = projectFolder(options, terminal);
  const env = withEnvFile(terminal.env, directory, namedKeys(options, terminal.env), err);
  const { store, trust = false, report, record } = options;
  const own = ownSettings(features);
  const { inputs, problems } = readCommandLine({ ...options, overrides, own, env });
  const access = accessFrom(inputs, env);
  problems.push(...refuseModelKeys('--code-env', inputs.codeEnv, access, env));
  if (problems.length > 0) throw new UserError(problems);
  const secrets = createSecretRegister();
  secrets.add(secretsIn(access).filter(({ length }) => length >= SHORTEST_KEY));
  secrets.add([...codeSecrets(inputs.codeEnv, env), ...identitySecrets(env)]);
  const log = (line: string) => {
    err(`${logText(line)}\n`);
  };
  return {
    features,
    directory,
    temporary: tmpdir(),
    env,
    inputs,
    access,
    secrets,
    role,
    trust: trustLevel(NO_FACTS, 'unknown', {
      trust,
      untrusted: options.untrusted === true,
    }),
    withheld: null,
    store: { kind: 'machine', file: store, cwd, remember },
    outputs: [...ownOutputs(options, terminal), ...(report === undefined ? outputs : [])],
    record:
      record === undefined
        ? null
        : { option: '--record', path: resolve(cwd, record), kind: 'file' },
    progress: { style: isTerminal ? 'line' : 'steps', write: err },
    log,
    warn: log,
    planned({ plan, sweep }) {
      const size = sweepExtent(sweep);
      if (size !== null && plan.references > 0) err(`sweep: ${size.words}\n`);
    },
    now: () => dayOf(testOverrides),
    testOverrides,
  };
}

function ownOutputs({ report, results }: EvaluateOptions, terminal: Terminal): Output[] {
  return [
    ...(report === undefined ? [] : [folderOutput('--report', resolve(terminal.cwd, report))]),
    ...(results === undefined
      ? []
      : [
          {
            option: '--results',
            path: resultsFile(results, terminal).path,
            kind: 'file' as const,
          },
        ]),
  ];
}

function namedKeys(options: EvaluateOptions, env: NodeJS.ProcessEnv): string[] {
  const { endpoints } = readEndpoints(endpointLines(options, env));
  return [...endpoints.flatMap(({ keyEnv }) => keyEnv ?? []), ...(options.codeEnv ?? [])];
}

export function dayOf(testOverrides: Terminal['testOverrides']): Date {
  return new Date(testOverrides?.clock?.now() ?? Date.now());
}

export function folderOutput(option: string, path: string): Output {
  return { option, path, kind: 'folder' };
}

export interface Opened {
  session: Session;
  tree: SourceTree;
  project: Project;
}

export function withCurrentProject(
  options: EvaluateOptions,
  terminal: Terminal,
  overrides: readonly string[],
  work: (opened: Opened) => Promise<void>,
  past: ModelEnds['past'] = 'problem',
): Promise<void> {
  return withProject(options, terminal, { overrides }, async (session) => {
    const { head: tree } = await currentFiles(session);
    const { project, problems } = await readProject(tree, session.inputs.read, {
      builtInMetrics: metrics,
      builtInRubrics,
      hash: sha256,
      ends: { today: dayOf(terminal.testOverrides).toISOString().slice(0, 10), past },
    });
    if (problems.length > 0) throw new UserError(problems);
    await work({ session, tree, project });
  });
}

/** @throws UserError after the work, if it cost more than its cap */
export function asking<T>(
  { session, tree }: Opened,
  work: (edges: Edges) => Promise<T>,
): Promise<T> {
  return withEdges(session, { base: null, head: tree }, async (edges) => {
    const ledgers: Ledger[] = [];
    const ledger = (given: Ledger) => {
      ledgers.push(given);
      edges.ledger(given);
    };
    const done = await work({ ...edges, ledger });
    const halt = ledgers.at(-1)?.halt() ?? null;
    if (halt?.isPassed === true) throw userError(null, halt.why);
    return done;
  });
}
