import { hash } from 'node:crypto';
import { createOnce, recordAnswers } from '../../edges/providers/once.ts';
import type { Store } from '../../edges/store/index.ts';
import { requestKey } from '../../kernel/select/generation.ts';
import type { Guard } from '../../money/budget.ts';
import type { Complete, Completion, Request, Target } from '../../types/model.ts';

interface AskingOptions {
  /** Asks for money. */
  complete: Complete;
  /**
   * Stores to be asked in this order before anything is paid for; the first is written to. Called
   * once, when something is asked.
   */
  openStores(): Promise<readonly Store[]>;
  /** Writes a line of a recordings file; null: nothing is recorded. */
  record: ((line: string) => Promise<void>) | null;
  /** Addresses of the workflow's servers by name. */
  endpoints: ReadonlyMap<string, { url: string; apiVersion?: string | null }>;
  /** Of a sharded sweep; absent: the run is a whole. */
  exchange?: AnswerExchange | undefined;
}

/** What the parts of a sharded sweep and their merge hand to each other. */
export interface AnswerExchange {
  /** What a shard was told and no store keeps; null: nothing. Nobody is asked then. */
  given(key: string): Completion | null;
  /** Told of every answer under its key; `lasting`: it may serve another run. */
  keep(key: string, request: Request, completion: Completion, lasting: boolean): void;
}

interface Asking {
  complete: Complete;
  /** Whether an answer lies in a store, once these are open. */
  reader(): Promise<(request: Request) => boolean>;
  guard(guard: Guard): void;
  /** Whether one more paid attempt may be made. */
  attempt(): boolean;
  /** The last attempt for a request was refused and is made again otherwise. */
  refused(): void;
}

interface Layers {
  ask: Complete;
  stored(request: Request): boolean;
}

/**
 * From the outside in: one completion per request within a run, what earlier runs paid for, the
 * budget, the provider.
 */
export function createAsking({
  complete,
  openStores,
  record,
  endpoints,
  exchange,
}: AskingOptions): Asking {
  let guard: Guard | null = null;
  let opened: Promise<Layers> | null = null;
  const requestKeyOf = rememberKeys((request) => requestKey(request, sha256));
  const keyOf = (request: Request): string => storeKey(request, requestKeyOf(request), endpoints);
  const asked: Complete = (request) => guard?.ask(request, complete) ?? complete(request);
  const paid: Complete =
    exchange === undefined
      ? asked
      : async (request) => exchange.given(keyOf(request)) ?? asked(request);
  const kept = (ask: Complete, lasting: boolean): Complete =>
    exchange === undefined
      ? ask
      : async (request) => {
          const completion = await ask(request);
          // Recordings are read again, wherever they are needed.
          if (request.target.provider !== 'replay')
            exchange.keep(keyOf(request), request, completion, lasting);
          return completion;
        };
  const written =
    record === null
      ? (ask: Complete): Complete => ask
      : (ask: Complete): Complete => recordAnswers(ask, record);
  const within = (ask: Complete, answers: 'keep' | 'forget'): Complete =>
    createOnce(ask, { keyOf: requestKeyOf, answers });
  const open = async (): Promise<Layers> => {
    const stores = await openStores();
    const stored = stores.reduceRight<Complete>((below, store) => store.wrap(below, keyOf), paid);
    const [lasting, passing] = [
      within(written(kept(stored, true)), stores.length > 0 ? 'forget' : 'keep'),
      within(written(kept(paid, false)), 'keep'),
    ];
    return {
      ask: (request) => (isLasting(request.target) ? lasting(request) : passing(request)),
      stored: (request) =>
        isLasting(request.target) && stores.some((store) => store.has(keyOf(request))),
    };
  };
  const layers = (): Promise<Layers> => (opened ??= open());
  return {
    complete: async (request) => (await layers()).ask(request),
    reader: async () => (await layers()).stored,
    guard(given) {
      guard = given;
    },
    attempt: () => guard?.attempt() ?? true,
    refused: () => guard?.refused(),
  };
}

/**
 * Whether an answer may serve another run. Recordings cost nothing; a program whose files are not
 * known could have changed without a sign of it.
 */
function isLasting(target: Target): boolean {
  if (target.provider === 'replay') return false;
  return target.provider !== 'program' || target.files !== NO_FILES;
}

/** What the hash over a program's files is when none of them is known. */
const NO_FILES = sha256('[]');

/**
 * Every layer asks for a request's key, and to make one takes sorting and hashing the whole
 * request.
 */
function rememberKeys(keyOf: (request: Request) => string): (request: Request) => string {
  const keys = new WeakMap<Request, string>();
  return (request) => {
    const known = keys.get(request);
    if (known !== undefined) return known;
    const key = keyOf(request);
    keys.set(request, key);
    return key;
  };
}

/**
 * A server of the workflow's is known by name in the request, but another address is another
 * server.
 */
function storeKey({ target }: Request, key: string, endpoints: AskingOptions['endpoints']): string {
  const server =
    'endpoint' in target && target.endpoint !== null ? endpoints.get(target.endpoint) : undefined;
  if (server === undefined) return key;
  const { url, apiVersion = null } = server;
  return sha256(`${url}${apiVersion === null ? '' : `?api-version=${apiVersion}`}\n${key}`);
}

export function sha256(text: string): string {
  return hash('sha256', text);
}

/**
 * A hash of all the text that will stand between the delimiters: none of it can contain its own
 * hash.
 */
export function delimiterFrom(purpose: string): string {
  return sha256(purpose).slice(0, 24);
}
