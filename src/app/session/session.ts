import { join, relative } from 'node:path';
import { INPUT_DEFAULTS, type Inputs } from '../../config/inputs.ts';
import type { ReadOptions } from '../../config/project.ts';
import type { ParsedDocuments } from '../../documents/files.ts';
import type { Repository } from '../../edges/git/repository.ts';
import { secretsIn } from '../../edges/providers/address.ts';
import { systemClock } from '../../edges/providers/clock.ts';
import type { CacheLibrary } from '../../edges/store/cache-service.ts';
import type { Store } from '../../edges/store/index.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { Suite } from '../../kernel/suite/suite.ts';
import { redactAll, type SecretRegister } from '../../text/redact.ts';
import { shellWord } from '../../text/visible.ts';
import { hostRefused, type TrustDecision } from '../../trust/trust.ts';
import type { Notice, Withheld } from '../../types/plain.ts';
import { planAndRun } from '../run/plan-and-run.ts';
import type { Edges, PlannedRun, RunInput } from '../run/record.ts';
import { withoutSecrets, type Access, type TestOverrides } from './access.ts';
import type { AnswerExchange } from './cached-complete.ts';
import { createEdges, suiteKeysOf, type SessionFeatures } from './edges.ts';
import type { KeptStores } from './kept-stores.ts';
import { withRepository, type CheckoutPlace } from './opened-repository.ts';
import { createHalting, createProgress, NEVER, type Halting, type Progress } from './progress.ts';
import { keepHeapSmall } from './runtime.ts';
import {
  workTreeOf,
  recorder,
  refuseUnwritable,
  type WorkTree,
  type Output,
} from './safe-writing.ts';
import type { Sides } from './sides.ts';
import { storePlaceOf } from './store-place.ts';
import {
  openJobStores,
  openLocalStores,
  openedOnce,
  type OpenStores,
  type SessionRole,
} from './stores.ts';

type StoreChoice =
  | {
      kind: 'machine';
      file: string | false | undefined;
      cwd: string;
      kept?: KeptStores | undefined;
    }
  | {
      kind: 'service';
      library(): Promise<CacheLibrary>;
      reuse: boolean;
      own: string;
      run: string;
    };

export interface SessionOptions extends CheckoutPlace {
  /** POSIX path relative to `directory`; '' for the same folder. */
  workingDirectory: string;
  access: Access;
  /** Secrets are removed from everything that is logged, written or published. */
  secrets: SecretRegister;
  role: SessionRole;
  trust: TrustDecision | ((repository: Repository) => Promise<TrustDecision>);
  withheld: Withheld | null;
  isQueue?: boolean;
  inputs: Pick<Inputs, 'maxCalls' | 'maxCost' | 'failOn' | 'code' | 'codeEnv' | 'timeoutMs'> & {
    read: ReadOptions;
  };
  store: StoreChoice;
  outputs: readonly Output[];
  features: SessionFeatures;
  parsed?: ParsedDocuments;
  record: Output | null;
  progress: { style: 'line' | 'steps'; write(text: string): void };
  log(line: string): void;
  warn(line: string): void;
  planned(run: PlannedRun, trust: TrustDecision): void;
  now(): Date;
  beforeCalls?: () => Promise<void>;
  testOverrides?: TestOverrides | undefined;
}

export interface Session extends SessionOptions {
  trust: TrustDecision;
  repository: Repository;
  workTree: WorkTree;
  temporaryFolder: string;
  startedAt: Date;
  halting: Halting;
  openStores(): Promise<readonly Store[]>;
  closeStores(): Promise<void>;
  redact<T>(value: T): T;
}

export function openSession<T>(
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { role, secrets, outputs, record, features } = options;
  const read = { ...options.inputs.read, suiteKeys: suiteKeysOf(features) };
  const inputs = { ...options.inputs, read };
  const env = withoutSecrets(options.env, secretsIn(options.access));
  const log = (line: string): void => {
    options.log(secrets.redact(line));
  };
  const warn = (line: string): void => {
    options.warn(secrets.redact(line));
  };
  const given = { ...options, inputs, env, log, warn };
  return withRepository(given, async (repository, temporaryFolder) => {
    const workTree = workTreeOf(repository);
    await refuseUnwritable(record === null ? outputs : [...outputs, record], workTree);
    const trust =
      typeof options.trust === 'function' ? await options.trust(repository) : options.trust;
    const opened = { ...given, trust, repository, temporaryFolder, workTree };
    const stores = openedOnce(() => storesOf(opened));
    const clock = options.testOverrides?.clock ?? systemClock;
    const halting =
      role === 'plan'
        ? NEVER
        : createHalting({
            timeoutMs: inputs.timeoutMs,
            isJob: options.store.kind === 'service',
            ...{ clock, process, log },
          });
    try {
      return await work({
        ...opened,
        startedAt: options.now(),
        halting,
        openStores: stores.open,
        closeStores: stores.close,
        redact: (value) => redactAll(value, secrets.redact),
      });
    } finally {
      halting.release();
      await stores.close();
    }
  });
}

export function projectOf({ workingDirectory, inputs }: SessionOptions): string {
  return `${workingDirectory}\n${inputs.read.config}`;
}

async function storesOf(
  session: Omit<Session, 'startedAt' | 'halting' | 'openStores' | 'closeStores' | 'redact'>,
): Promise<OpenStores> {
  const { store, role, trust, temporary, env, repository, workTree, warn } = session;
  if (store.kind === 'service')
    return openJobStores({
      ...store,
      library: await store.library(),
      trust: trust.level,
      temporary: store.reuse ? temporary : session.temporaryFolder,
      project: projectOf(session),
      role,
      warn,
    });
  const place = await storePlaceOf(repository, store.file, store.cwd, env);
  const given = { workTree, notice: warn, role };
  if (role !== 'merge' || (place !== null && trust.level !== 'untrusted')) {
    const level = role === 'plan' ? 'untrusted' : trust.level;
    const open = (): Promise<OpenStores> => openLocalStores({ ...given, place, trust: level });
    return place === null || store.kept === undefined ? open() : store.kept.at(place.file, open);
  }
  const file = join(session.temporaryFolder, 'merged.sqlite');
  return openLocalStores({ ...given, place: { file, keyFile: null }, trust: 'member' });
}

export function runInput(session: Session, mode: RunInput['mode'], sides: Sides): RunInput {
  const { inputs, trust, withheld, isQueue = false, features, now } = session;
  const refused = inputs.code === 'host' && trust.approved === true ? hostRefused(trust) : null;
  const { maxCalls, maxCost, failOn, code } = inputs;
  return {
    ...sides,
    mode,
    trust: trust.level,
    isOutsiders: trust.level === 'untrusted' || trust.approved === true,
    isQueue,
    features,
    withheld,
    maxCalls,
    maxCost,
    writes: session.store.kind === 'service' ? 'input ' : '--',
    failOn,
    // In a pull request without approval, only programs that are also on base may run.
    code: refused === null ? code : 'sandbox',
    notices: [
      ...(sides.notices ?? []),
      ...[refused, trust.notice ?? null].flatMap((message): Notice[] =>
        message === null ? [] : [{ kind: 'settings', place: null, message }],
      ),
    ],
    today: now().toISOString().slice(0, 10),
    ...(sides.base === null ? {} : { earlier: earlierTree(session, sides.base.commit) }),
  };
}

function earlierTree(
  { repository, workingDirectory, now }: Session,
  base: string,
): NonNullable<RunInput['earlier']> {
  return async (since) => {
    const found = await repository.earlier(since, { commit: base, now: now().getTime() });
    if (found === null) return null;
    return { name: found.name, tree: await repository.tree(found.commit, workingDirectory) };
  };
}

export async function withEdges<T>(
  session: Session,
  { base, head }: Pick<Sides, 'base' | 'head'>,
  work: (edges: Edges) => Promise<T>,
  exchange?: AnswerExchange,
): Promise<T> {
  const { workTree, record, log, planned, role } = session;
  if (role !== 'plan') keepHeapSmall();
  const write = record === null ? null : recorder(record, workTree, log);
  const progress: Progress = createProgress({ ...session.progress, now: Date.now });
  const world = createEdges({
    ...session,
    trees: base === null ? [head] : [base, head],
    record: write === null ? null : (line) => write(session.redact(line)),
    exchange,
    planned(run) {
      planned(run, session.trust);
      progress.planned(run);
    },
    answered: (...of) => {
      if (session.halting.halted() === null) progress.answered(...of);
    },
    onStage: progress.stage,
  });
  try {
    const done = await work(world.edges);
    progress.end();
    return done;
  } finally {
    await world.close();
  }
}

export interface Evaluated {
  result: Result;
  suites: readonly Suite[];
}

export async function evaluate(
  session: Session,
  mode: RunInput['mode'],
  sides: Sides,
): Promise<Evaluated> {
  const { result, suites } = await withEdges(session, sides, (edges) =>
    evaluateWith(runInput(session, mode, sides), edges),
  );
  const options = mode === 'sweep' ? '' : localOptions(session);
  return { result: options === '' ? result : { ...result, local_options: options }, suites };
}

function localOptions({ inputs, directory, workingDirectory, store }: Session): string {
  const project = join(directory, workingDirectory);
  const folder = store.kind === 'machine' ? relative(store.cwd, project) : workingDirectory;
  const away = folder !== '' && folder !== '.' && !folder.startsWith('..');
  return [
    ...(away ? ['-C', shellWord(folder)] : []),
    ...(inputs.read.config === INPUT_DEFAULTS.config ? [] : ['-c', shellWord(inputs.read.config)]),
    ...(inputs.code === 'sandbox' ? [] : ['--code', inputs.code]),
  ].join(' ');
}

export async function evaluateWith(input: RunInput, edges: Edges): Promise<Evaluated> {
  const suites: Suite[] = [];
  const result = await planAndRun(input, {
    ...edges,
    planned(planned) {
      edges.planned(planned);
      suites.push(...planned.suites.flatMap(({ run }) => run.suite.head?.suite ?? []));
    },
  });
  return { result, suites };
}
