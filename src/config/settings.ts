import type { z } from 'zod';
import { type Document } from '../documents/document.ts';
import type { Limits } from '../documents/limits.ts';
import { parameterProblem } from '../documents/parameters.ts';
import { problem } from '../errors.ts';
import { DEFAULT_GATE, type GateSettings } from '../kernel/suite/gate-settings.ts';
import type { Budget, ModelSettings, Settings } from '../kernel/suite/suite.ts';
import type { GraderSettings } from '../types/metric.ts';
import { isMap, type Notice, type Problem, type Scalar } from '../types/plain.ts';
import { checkModelKeys, readGraders, readModelChoice, type WrittenModel } from './models.ts';
import { checkMembers } from './schema.ts';
import { type settingsSchema, settingsMembers } from './settings-schema.ts';

export const SETTINGS_FILE = 'evaldiff.yaml';

/** Read if our settings file is absent. */
export const LLMEVAL_FILE = 'llmeval.yaml';

const DEFAULT_BUDGET: Budget = { max_calls: 5000, max_cost_usd: 20 };

export const DEFAULT_ATTRIBUTES = 'evaldiff.attributes.yaml';

const DEFAULT_QUALEVAL: Settings['qualeval'] = {
  enabled: 'auto',
  attributes: DEFAULT_ATTRIBUTES,
  max_attributes: 15,
  slack: 0.1,
  alignment: false,
  metric: null,
};

const DEFAULT_CAUSES: Settings['explain'] = { max_calls: null, fix: false };

const DEFAULT_FILES = '*.{yaml,yml}';

type Written = Partial<z.output<ReturnType<typeof settingsSchema>>>;

/** Settings of a project without a settings file. */
export function defaultSettings(): Settings {
  return fromWritten(null, {}, new Map(), []);
}

/** All keys are optional; an invalid one is a problem and gets its default. */
export function readSettings(
  document: Document,
  limits: Limits,
  problems: Problem[],
): { settings: Settings; notices: Notice[] } {
  if (!isMap(document.value)) {
    problems.push(
      problem(document.placeOf([]), 'must be a map of settings like prompts, n_tries and models'),
    );
    return { settings: { ...defaultSettings(), file: document.file }, notices: [] };
  }
  const written = checkMembers(document, [], settingsMembers(limits), problems);
  const models = new Map(
    Object.keys(written.models ?? {}).map((name) => [
      name,
      readModel(document, name, written, problems),
    ]),
  );
  const embeddings =
    written.embeddings === undefined
      ? null
      : readModelChoice(document, ['embeddings'], written.embeddings, problems);
  const settings = {
    ...fromWritten(
      document.file,
      written,
      models,
      readGraders(document, ['grader'], written.grader, problems),
    ),
    embeddings,
  };
  checkSweep(document, settings.sweep, problems);
  return { settings, notices: settingsNotices(document, written) };
}

function fromWritten(
  file: string | null,
  written: Written,
  models: Settings['models'],
  [grader, ...voters]: readonly GraderSettings[],
): Settings {
  const { enabled, ...qualeval } =
    typeof written.qualeval === 'object' ? written.qualeval : { enabled: written.qualeval };
  return {
    file,
    prompts: many(written.prompts) ?? [`prompts/${DEFAULT_FILES}`],
    rubrics: many(written.rubrics) ?? [`rubrics/${DEFAULT_FILES}`],
    n_tries: written.n_tries ?? 'adaptive',
    seed: written.seed ?? 1,
    models,
    grader: grader ?? null,
    voters,
    embeddings: null,
    sweep: Object.fromEntries(
      Object.entries(written.sweep ?? {}).map(([key, value]) => [key, list(value)]),
    ),
    gate: gateOf(written.gate ?? {}),
    budget: {
      ...DEFAULT_BUDGET,
      ...(written.budget?.max_cost_usd === undefined ? { assumed: true as const } : {}),
      ...withoutUndefined(written.budget),
    },
    explain: { ...DEFAULT_CAUSES, ...withoutUndefined(written.explain) },
    qualeval: { ...DEFAULT_QUALEVAL, ...withoutUndefined(qualeval), enabled: switchWord(enabled) },
    ...(written.transport === undefined ? {} : { transport: written.transport }),
  };
}

/** `yardstick` is the old name of `scoring`, which takes precedence. */
function gateOf({ yardstick, ...gate }: NonNullable<Written['gate']>): GateSettings {
  return {
    ...DEFAULT_GATE,
    ...withoutUndefined({ scoring: yardstick }),
    ...withoutUndefined(gate),
  };
}

function readModel(
  document: Document,
  name: string,
  written: Written,
  problems: Problem[],
): ModelSettings {
  const entry: WrittenModel = written.models?.[name] ?? { provider: 'openai' };
  checkModelKeys(document, name, entry, problems);
  const {
    provider,
    endpoint = null,
    model = name,
    price = null,
    command = [],
    setup = [],
    file = null,
  } = entry;
  return {
    provider,
    endpoint,
    model,
    price,
    command,
    setup,
    file,
    files: many(entry.files) ?? [],
    replaces: many(entry.replaces) ?? [],
    ...(entry.transport === undefined ? {} : { transport: entry.transport }),
    ...paceOf(entry),
    place: document.placeOf(['models', name]),
  };
}

function paceOf({ concurrency, requests_per_minute }: WrittenModel): Pick<ModelSettings, 'pace'> {
  if (concurrency === undefined && requests_per_minute === undefined) return {};
  return {
    pace: {
      concurrency: concurrency ?? null,
      requests_per_minute: requests_per_minute ?? null,
    },
  };
}

function checkSweep(document: Document, sweep: Settings['sweep'], problems: Problem[]): void {
  for (const [key, values] of Object.entries(sweep)) {
    if (key === 'model') continue;
    const message = values
      .map((value) => parameterProblem(key, value, ['model']))
      .find((each) => each !== null);
    if (message !== undefined && message !== null)
      problems.push(problem(document.placeOf(['sweep', key]), `sweep: ${message}`));
  }
}

function settingsNotices(document: Document, written: Written): Notice[] {
  if (written.version === undefined) return [];
  const message = "version is llmeval's and has no meaning here; it can go";
  return [{ kind: 'settings', message, place: document.placeOf(['version']) }];
}

function switchWord(enabled: boolean | 'auto' | 'on' | 'off' | undefined): 'auto' | 'on' | 'off' {
  if (typeof enabled === 'boolean') return enabled ? 'on' : 'off';
  return enabled ?? 'auto';
}

function many(value: string | string[] | undefined): string[] | undefined {
  return typeof value === 'string' ? [value] : value;
}

function list(value: Scalar | Scalar[]): Scalar[] {
  return Array.isArray(value) ? value : [value];
}

/** Drops undefined members, which would hide defaults. */
export function withoutUndefined<T extends object>(
  value: T | undefined,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(value ?? {}).filter(([, member]) => member !== undefined),
  ) as { [K in keyof T]: Exclude<T[K], undefined> };
}
