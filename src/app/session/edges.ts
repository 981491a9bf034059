import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostCall } from '../../config/host-call.ts';
import { createActivity, systemClock, type Activity } from '../../edges/providers/clock.ts';
import {
  createProviders,
  type OwnPrograms,
  type ProviderOptions,
  type Providers,
} from '../../edges/providers/index.ts';
import { createSandbox, type SandboxOptions } from '../../edges/sandbox/index.ts';
import { createSolver } from '../../edges/solver/thread.ts';
import type { Halt } from '../../kernel/plan/halt.ts';
import type { BuiltInMetrics } from '../../metrics/definition.ts';
import { scoreMetric } from '../../metrics/index.ts';
import { createLedger, type Ledger } from '../../money/ledger.ts';
import { NO_LIST, isListed, type ListPrice } from '../../money/price.ts';
import { hostRefused } from '../../trust/trust.ts';
import { textOf } from '../../types/answer.ts';
import type { FilePart } from '../../types/media.ts';
import { calledModel, type Complete, type CachedTokens } from '../../types/model.ts';
import type { Json } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { factsOf } from '../../types/vendors.ts';
import { readSides } from '../run/read.ts';
import type { Edges } from '../run/record.ts';
import { createAsking, delimiterFrom, sha256, type AnswerExchange } from './cached-complete.ts';
import { modelLists, type ModelLists } from './list-memory.ts';
import { refusalMemory } from './refusal-memory.ts';
import { recordingKey, requestKey } from './request-key.ts';
import type { ProgramTools, SessionFeatures } from './session-row.ts';
import type { Session } from './session.ts';

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** What one run adds to its session. */
interface EdgesOptions {
  trees: readonly SourceTree[];
  record: ((line: string) => Promise<void>) | null;
  exchange: AnswerExchange | undefined;
  planned: Edges['planned'];
  answered: Edges['answered'];
  onStage(words: string): void;
}

type World = Omit<Session, 'record' | 'planned'> & EdgesOptions;

const CONCURRENCY = { start: 8, max: 64 };

const CALL_TIMEOUT_MS = 120_000;

const CALL_TRIES = 5;

const CODE_TIMEOUT_SECONDS = 5;

export function createEdges(options: World) {
  const checkouts = createCheckouts(options);
  const sandbox = sandboxOf(options);
  const activity = createActivity(nextTurn);
  let ledger = createLedger({ maxCalls: null, maxCost: null }, () => null);
  const lists = modelLists(options.openStores, Date.now);
  const providers = providersOf(options, {
    activity,
    lists,
    checkout: checkouts.folderOf,
    ledger: () => ledger,
  });
  const { record } = options;
  const reading = readingOf(options, providers.complete, lists.known);
  const asking = createAsking({
    complete: async (request) => {
      await options.beforeCalls?.();
      return providers.complete(request);
    },
    ledger: () => ledger,
    openStores: options.openStores,
    record: record === null ? null : (line) => activity.during(() => record(line)),
    access: options.access,
    exchange: options.exchange,
  });
  const edges: Edges = {
    complete: asking.complete,
    evaluate: (job) => activity.during(() => sandbox.evaluate(job)),
    scoreMetric: scorerOf(options.features),
    solve: createSolver(),
    random: delimiterFrom,
    hash: sha256,
    pricing: async (targets) => ({
      list: targets.some((target) => isListed(calledModel(target) ?? target))
        ? await loadListPrices(new Date())
        : NO_LIST,
      models: loadModelNames,
    }),
    stored: asking.reader,
    ledger(given) {
      ledger = given;
    },
    halted: () => haltWith(options.halting.halted(), providers),
    kept: options.openStores,
    missingKeys: providers.missingKeys,
    readSides: (input) => readSides(input, reading),
    planned: options.planned,
    answered: options.answered,
    onStage: options.onStage,
  };
  return {
    edges,
    async close() {
      await Promise.all([providers.close(), sandbox.close()]);
      await checkouts.remove();
    },
  };
}

function haltWith(halt: Halt | null, { waiting }: Providers): Halt | null {
  const own = halt && waiting();
  return halt === null || own === null ? halt : { ...halt, waiting: own };
}

function readingOf(
  options: World,
  complete: Complete,
  listed: ModelLists['known'],
): Parameters<typeof readSides>[1] {
  const isHost = codeMode({ ...options, log: () => undefined }) === 'host';
  return {
    read: options.inputs.read,
    hash: sha256,
    hostCall: isHost ? (commit) => hostCall(complete, commit) : undefined,
    parsed: options.parsed,
    listed,
  };
}

function hostCall(complete: Complete, commit: string): HostCall {
  return async (command, setup, variables) => {
    const answer = await complete({
      target: { provider: 'program', model: '', command, setup, files: '', commit },
      parameters: {},
      messages: [],
      variables,
      try: 0,
      schema: null,
      purpose: 'prompt',
    });
    return answer.status === 'ok'
      ? { ok: true, value: JSON.parse(textOf(answer)) as Json }
      : { ok: false, why: answer.message };
  };
}

function sandboxOf(options: World): ReturnType<typeof createSandbox> {
  return createSandbox({
    mode: codeMode(options),
    env: pick(options.env, options.inputs.codeEnv),
    timeoutSeconds: CODE_TIMEOUT_SECONDS,
    time: options.startedAt.getTime(),
    log: options.log,
    // The path is absolute, because an earlier step may have changed PATH. Evaluations are isolated,
    // because outsiders may have written the answers.
    ...(options.trust.level === 'untrusted' ? { python: '/usr/bin/python3', alone: true } : {}),
  });
}

function providersOf(
  options: World,
  {
    activity,
    ledger,
    checkout,
    lists,
  }: { activity: Activity; ledger(): Ledger; lists: ModelLists } & Pick<
    ProviderOptions,
    'checkout'
  >,
): Providers {
  const [row] = options.features.flatMap(({ transport = [] }) => transport);
  const open = row?.({
    openStores: options.openStores,
    activity,
    turn: nextTurn,
    requestKey: (request) => requestKey(request, sha256),
  });
  const programs = ownProgramsOf(options, ledger);
  return createProviders({
    ...options.access,
    concurrency: CONCURRENCY,
    timeoutMs: CALL_TIMEOUT_MS,
    maxTries: CALL_TRIES,
    signal: options.halting.signal,
    checkout,
    reserve: (requests) => ledger().reserve(requests.map(ledger().outgoing)),
    onRefused: () => ledger().refused(),
    env: options.env,
    programEnv: options.inputs.codeEnv,
    redact: options.secrets.redact,
    register: options.secrets.add,
    log: options.log,
    random: Math.random,
    recordingKey,
    clock: systemClock,
    ...options.testOverrides,
    readRecording: (commit, file) => readText(options.trees, commit, file),
    readFile: (file) => readFile(options.trees, file),
    lists,
    memory: refusalMemory(options.openStores, Date.now),
    ...(open === undefined ? {} : { transport: { activity, open } }),
    ownPrograms: (given) => Object.assign({}, ...programs.map((open) => open(given))),
  });
}

function scorerOf(features: SessionFeatures): Edges['scoreMetric'] {
  let loading: Promise<BuiltInMetrics> | null = null;
  const load = async (): Promise<BuiltInMetrics> => {
    const own = await Promise.all(features.map(({ metrics }) => metrics?.() ?? []));
    return new Map(own.flat().map((definition) => [definition.name, definition]));
  };
  return async (metric, answers, tools) =>
    scoreMetric(metric, answers, tools, await (loading ??= load()));
}

function ownProgramsOf(
  { features, trees, openStores, repository: { workTree }, inputs }: World,
  ledger: ProgramTools['ledger'],
): OwnPrograms[] {
  const tools: ProgramTools = {
    openStores,
    trees,
    treeOf: (commit) => trees.find((tree) => tree.commit === commit) ?? null,
    folder: join(workTree.root, workTree.below, inputs.workingDirectory),
    hash: sha256,
    ledger,
  };
  return features.flatMap(({ programs }) => programs?.(tools) ?? []);
}

function codeMode({ inputs: { code }, trust, log }: World): SandboxOptions['mode'] {
  const refused = code === 'host' ? hostRefused(trust) : null;
  if (refused === null) return code;
  log(refused);
  return 'sandbox';
}

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

function createCheckouts({ repository, inputs, trees, temporaryFolder }: World): {
  folderOf(commit: string): Promise<string>;
  remove(): Promise<void>;
} {
  const made = new Map<string, Promise<string>>();
  const make = async (commit: string): Promise<string> => {
    const folder = await mkdtemp(join(temporaryFolder, 'evaldiff-checkout-'));
    const tree = trees.find((candidate) => candidate.commit === commit);
    await repository.checkout(tree ?? commit, folder);
    return folder;
  };
  return {
    async folderOf(commit) {
      const folder = made.get(commit) ?? make(commit);
      made.set(commit, folder);
      return join(await folder, repository.workTree.below, inputs.workingDirectory);
    },
    async remove() {
      const folders = await Promise.allSettled(made.values());
      await Promise.all(
        folders.map((folder) =>
          folder.status === 'fulfilled'
            ? rm(folder.value, { recursive: true, force: true })
            : undefined,
        ),
      );
    },
  };
}

async function readFile(trees: readonly SourceTree[], { path, id }: FilePart): Promise<Uint8Array> {
  const tree = trees.find(({ files }) => files.get(path)?.id === id);
  if (tree === undefined) throw new Error(`${path} (object ${id.slice(0, 7)}) cannot be read`);
  return tree.read(path);
}

async function readText(
  trees: readonly SourceTree[],
  commit: string,
  file: string,
): Promise<string> {
  const tree = trees.find((candidate) => candidate.commit === commit);
  if (tree === undefined || !tree.files.has(file))
    throw new Error(`${file} does not exist at ${commit.slice(0, 7)}`);
  return new TextDecoder().decode(await tree.read(file));
}

/** In tokens. Below this, no vendor's price per token depends on the input's length. */
const FLAT_BELOW = 100_000;

const LOOK = 1000;

const NO_CACHED_TOKENS: CachedTokens = { read: 0, written: 0 };

export async function loadListPrices(at: Date): Promise<ListPrice> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const known = new Map<string, ReturnType<ListPrice>>();
  const look = (vendor: VendorName, name: string): ReturnType<ListPrice> => {
    const { priceId: providerId } = factsOf(vendor);
    // Google and AWS put a path before their names.
    const model = vendor === 'vertex' || vendor === 'bedrock' ? name.replace(/^.*\//, '') : name;
    if (providerId === null) return null;
    const of = (
      input_tokens: number,
      output_tokens: number,
      { read, written }: CachedTokens = NO_CACHED_TOKENS,
    ): number | null => {
      const cache = { cache_read_tokens: read, cache_write_tokens: written };
      return (
        calcPrice({ input_tokens, output_tokens, ...cache }, model, {
          providerId,
          timestamp: at,
        })?.total_price ?? null
      );
    };
    const input = of(LOOK, 0);
    const output = of(0, LOOK);
    if (input === null || output === null) return null;
    return (usage, cached) =>
      usage.input_tokens < FLAT_BELOW && cached === undefined
        ? (usage.input_tokens * input + usage.output_tokens * output) / LOOK
        : (of(usage.input_tokens, usage.output_tokens, cached) ?? 0);
  };
  return (vendor, model) => {
    const key = `${vendor} ${model}`;
    const price =
      known.get(key) ??
      look(vendor, model) ??
      (vendor === 'bedrock' ? look(vendor, model.replace(OTHER_AREA, 'us.')) : null);
    known.set(key, price);
    return price;
  };
}

async function loadModelNames(vendor: VendorName): Promise<readonly string[]> {
  const { findProvider } = await import('@pydantic/genai-prices');
  const { priceId: providerId } = factsOf(vendor);
  if (providerId === null) return [];
  return findProvider({ providerId })?.models.map(({ id }) => id) ?? [];
}

/** Bedrock's price is the same in all areas, but the list lacks some of their names. */
const OTHER_AREA = /^(eu|apac|jp|au|ca|us-gov)\.(?=\w+\.)/;
