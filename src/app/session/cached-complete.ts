import { hash } from 'node:crypto';
import {
  headerLines,
  hostOf,
  type ProviderAccess,
  type ServerAccess,
} from '../../edges/providers/address.ts';
import { createOnce, recordAnswers } from '../../edges/providers/once.ts';
import { createSlots } from '../../edges/providers/pace.ts';
import { headerMark } from '../../edges/store/entry.ts';
import type { Store } from '../../edges/store/index.ts';
import { budgetRefusal, type Ledger } from '../../money/ledger.ts';
import {
  isBatched,
  isHosted,
  placeOf,
  type Complete,
  type Completion,
  type Request,
  type Target,
} from '../../types/model.ts';
import { factsOf } from '../../types/vendors.ts';
import { requestKey } from './request-key.ts';
import { stopUnreadable } from './stop-unreadable.ts';

interface AskingOptions {
  complete: Complete;
  ledger(): Ledger;
  /** Answers are written only to the first store. */
  openStores(): Promise<readonly Store[]>;
  record: ((line: string) => Promise<void>) | null;
  access: Pick<ProviderAccess, 'endpoints' | 'identities' | 'cloud'>;
  exchange?: AnswerExchange | undefined;
}

/** Passes answers from the shards (parts) of a run to the job that merges them. */
export interface AnswerExchange {
  given(key: string): Completion | null;
  /** `lasting`: other runs may use the answer, too. */
  keep(key: string, request: Request, completion: Completion, lasting: boolean): void;
}

interface Layers {
  ask: Complete;
  stored(request: Request): boolean;
}

/** Layers, outermost first: deduplication, stored answers, provider. */
export function createAsking({
  complete,
  ledger,
  openStores,
  record,
  access,
  exchange,
}: AskingOptions) {
  let opened: Promise<Layers> | null = null;
  const requestKeyOf = rememberKeys((request) => requestKey(request, sha256));
  const keyOf = (request: Request): string => storeKey(request, requestKeyOf(request), access);
  const unlessStopped: Complete = (request) => {
    const halt = ledger().halt();
    return halt === null ? complete(request) : Promise.resolve(budgetRefusal(halt));
  };
  const asked = stopUnreadable(atMost(unlessStopped));
  const paid: Complete = async (request) => exchange?.given(keyOf(request)) ?? asked(request);
  const within = (ask: Complete, lasting: boolean, answers: 'keep' | 'forget'): Complete => {
    const kept: Complete = async (request) => {
      const completion = await ask(request);
      if (request.target.provider !== 'replay')
        exchange?.keep(keyOf(request), request, completion, lasting);
      return completion;
    };
    const written = record === null ? kept : recordAnswers(kept, record);
    return createOnce(written, { keyOf: requestKeyOf, answers });
  };
  const open = async (): Promise<Layers> => {
    const stores = await openStores();
    const stored = stores.reduceRight<Complete>((below, store) => store.wrap(below, keyOf), paid);
    const lasting = within(stored, true, stores.length > 0 ? 'forget' : 'keep');
    const passing = within(paid, false, 'keep');
    return {
      ask: (request) => (isLasting(request.target) ? lasting(request) : passing(request)),
      stored: (request) =>
        isLasting(request.target) && stores.some((store) => store.has(keyOf(request))),
    };
  };
  const layers = (): Promise<Layers> => (opened ??= open());
  return {
    complete: async (request: Request) => (await layers()).ask(request),
    reader: async () => (await layers()).stored,
  };
}

/** Other runs reuse a program's answers only if its files are known and have not changed. */
function isLasting(target: Target): boolean {
  if (target.provider === 'replay') return false;
  return target.provider !== 'program' || target.files !== NO_FILES;
}

const NO_FILES = sha256('[]');

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
 * Adds the address and headers of an endpoint or a cloud to the key, because the request contains
 * only its name.
 */
function storeKey({ target }: Request, key: string, access: AskingOptions['access']): string {
  if (!isHosted(target)) return key;
  const { endpoint, provider } = target;
  const server = endpoint === null ? undefined : access.endpoints.get(endpoint);
  const isCloud = endpoint === null && factsOf(provider).cloud !== undefined;
  if (server === undefined && !isCloud) return key;
  const text = server === undefined ? hostOf(provider, access) : serverName(server);
  return `${sha256(`${text}\n${key}`)}${headerMark(text)}`;
}

export function serverName(server: ServerAccess): string {
  const { url, apiVersion = null } = server;
  return `${url}${apiVersion === null ? '' : `?api-version=${apiVersion}`}${headerLines(server)}`;
}

export function sha256(text: string): string {
  return hash('sha256', text);
}

/** Hashes `purpose`, which contains the text, so that the text cannot contain its delimiter. */
export function delimiterFrom(purpose: string): string {
  return sha256(purpose).slice(0, 24);
}

/** More than any server gets at once. The others are refused at once if the run stops. */
const MOST_OF_MODEL = 256;

/** Passes on at most 256 direct requests of each model at a time. */
function atMost(complete: Complete): Complete {
  const models = new Map<string, ReturnType<typeof createSlots>>();
  return async (request) => {
    const { target } = request;
    if (isBatched(target)) return complete(request);
    const key = `${placeOf(target)} ${target.model}`;
    const slots = models.get(key) ?? createSlots(MOST_OF_MODEL);
    models.set(key, slots);
    return slots.run(() => complete(request));
  };
}
