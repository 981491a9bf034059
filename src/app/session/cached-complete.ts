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
import { lastWords } from '../../metrics/verdict.ts';
import { budgetRefusal, type Ledger } from '../../money/ledger.ts';
import { textOf } from '../../types/answer.ts';
import {
  isBatched,
  isHosted,
  placeOf,
  type Complete,
  type Completion,
  type Request,
  type Target,
  targetIdentity,
} from '../../types/model.ts';
import { factsOf } from '../../types/vendors.ts';
import { requestKey } from './request-key.ts';

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
  const keyOf = (request: Request) => storeKey(request, requestKeyOf(request), access);
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

const MOST_UNREADABLE = 10;

function stoppedForm({ said }: QuestionForm): Completion {
  const message =
    `no call was made: ${MOST_UNREADABLE} replies in a row could not be read, ` +
    `the last one: ${lastWords(said)}`;
  return { status: 'error', kind: 'reply', message, unsent: true };
}

/**
 * Stops requests of one target, purpose and schema after ten unreadable replies in a row. Until one
 * reply is readable, at most ten are in flight.
 */
export function stopUnreadable(complete: Complete): Complete {
  const forms = new Map<string, QuestionForm>();
  return async (request) => {
    const { reads, target, purpose, schema } = request;
    if (reads === undefined || isBatched(target)) return complete(request);
    const key = JSON.stringify([targetIdentity(target), purpose, schema]);
    const form = forms.get(key) ?? { ...NEW_FORM, waiting: [] };
    forms.set(key, form);
    while (mustWait(form)) await new Promise<void>((go) => form.waiting.push(go));
    if (form.unreadable >= MOST_UNREADABLE) return stoppedForm(form);
    form.running += 1;
    try {
      const completion = await complete(request);
      if (completion.status === 'ok') {
        form.said = textOf(completion);
        note(form, reads(form.said));
      }
      return completion;
    } finally {
      form.running -= 1;
      for (const go of form.waiting.splice(0)) go();
    }
  };
}

interface QuestionForm {
  /** The last reply. */
  said: string;
  unreadable: number;
  wasRead: boolean;
  running: number;
  waiting: (() => void)[];
}

const NEW_FORM = { said: '', unreadable: 0, wasRead: false, running: 0 };

function mustWait({ unreadable, wasRead, running }: QuestionForm): boolean {
  const isFull = running + unreadable >= MOST_UNREADABLE;
  return !wasRead && isFull && unreadable < MOST_UNREADABLE;
}

function note(form: QuestionForm, isRead: boolean): void {
  form.unreadable = isRead ? 0 : form.unreadable + 1;
  form.wasRead ||= isRead;
}
