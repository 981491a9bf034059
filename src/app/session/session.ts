import { join } from 'node:path';
import type { Inputs } from '../../config/inputs.ts';
import type { ReadOptions } from '../../config/project.ts';
import type { ParsedDocuments } from '../../documents/files.ts';
import type { Repository } from '../../edges/git/repository.ts';
import { systemClock } from '../../edges/providers/clock.ts';
import type { CacheLibrary } from '../../edges/store/cache-service.ts';
import type { Store } from '../../edges/store/index.ts';
import { redactAll, type SecretRegister } from '../../text/redact.ts';
import type { TrustDecision } from '../../trust/trust.ts';
import type { Withheld } from '../../types/plain.ts';
import type { PlannedRun } from '../run/record.ts';
import { withoutKeys, type Access, type TestOverrides } from './access.ts';
import type { RememberStore } from './answer-memory.ts';
import { withRepository, type CheckoutPlace } from './opened-repository.ts';
import { createHalting, NEVER, type Halting } from './progress.ts';
import { workTreeOf, refuseUnwritable, type WorkTree, type Output } from './safe-writing.ts';
import { formatsOf, suiteKeysOf, type SessionFeatures } from './session-row.ts';
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
      remember?: RememberStore | undefined;
    }
  | {
      kind: 'service';
      library(): Promise<CacheLibrary>;
      reuse: boolean;
      own: string;
      run: string;
    };

export interface SessionOptions extends CheckoutPlace {
  access: Access;
  /** Secrets are removed from everything that is logged, written or published. */
  secrets: SecretRegister;
  role: SessionRole;
  trust: TrustDecision | ((repository: Repository) => Promise<TrustDecision>);
  withheld: Withheld | null;
  isQueue?: boolean;
  inputs: Inputs;
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
  inputs: Inputs & { read: ReadOptions };
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
  const { role, secrets, outputs, record, inputs, features } = options;
  const own = { formats: formatsOf(features), suiteKeys: suiteKeysOf(features) };
  const env = withoutKeys(options.env, options.access, inputs.codeEnv);
  const log = (line: string) => {
    options.log(secrets.redact(line));
  };
  const warn = (line: string) => {
    options.warn(secrets.redact(line));
  };
  const given = {
    ...options,
    inputs: { ...inputs, read: { ...inputs.read, ...own } },
    env,
    log,
    warn,
  };
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
            clock,
            process,
            log,
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

export function projectOf({ inputs }: SessionOptions): string {
  return `${inputs.workingDirectory}\n${inputs.read.config}`;
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
    const opened = await openLocalStores({ ...given, place, trust: level });
    const { remember } = store;
    return remember === undefined ? opened : { ...opened, stores: opened.stores.map(remember) };
  }
  const file = join(session.temporaryFolder, 'merged.sqlite');
  return openLocalStores({ ...given, place: { file, keyFile: null }, trust: 'member' });
}
