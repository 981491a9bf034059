import type { z } from 'zod';
import { valueAt, type Document } from '../documents/document.ts';
import type { Limits } from '../documents/limits.ts';
import { parameterProblem } from '../documents/parameters.ts';
import { problem } from '../errors.ts';
import type { ModelSettings, Settings, OwnSettings } from '../project/settings.ts';
import type { GraderSettings } from '../types/metric.ts';
import { isMap, type Notice, type Problem } from '../types/plain.ts';
import { vendorOf } from './model-names.ts';
import { checkModelKeys, readGraders, readModelChoice, type WrittenModel } from './models.ts';
import { checkMembers } from './schema.ts';
import { ownMembers, settingsMembers, settingsSchema } from './settings-schema.ts';

type RawSettings = z.output<ReturnType<typeof settingsSchema>>;

export function defaultSettings(own: readonly OwnSettings[]): Settings {
  return fromWritten(null, settingsSchema(own).parse({}), new Map(), [], {});
}

export function readSettings(
  document: Document,
  { limits, own }: { limits: Limits; own: readonly OwnSettings[] },
  problems: Problem[],
): { settings: Settings; notices: Notice[] } {
  if (!isMap(document.value)) {
    const message = 'must be a map of settings like prompts, n_tries and models';
    problems.push(problem(document.placeOf([]), message));
    return { settings: { ...defaultSettings(own), file: document.file }, notices: [] };
  }
  const written: RawSettings = {
    ...settingsSchema(own, limits).parse({}),
    ...checkMembers(document, [], { ...settingsMembers(limits), ...ownMembers(own) }, problems),
  };
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
      budgetPlaces(document),
    ),
    embeddings,
  };
  checkSweep(document, settings.sweep, problems);
  const message = 'version belongs to llmeval and is ignored here; you can remove it';
  const place = document.placeOf(['version']);
  return {
    settings,
    notices: written.version === undefined ? [] : [{ kind: 'settings', message, place }],
  };
}

function fromWritten(
  file: string | null,
  {
    models: _models,
    transport,
    embeddings: _embeddings,
    version: _version,
    ...written
  }: RawSettings,
  models: Settings['models'],
  [grader, ...voters]: readonly GraderSettings[],
  places: NonNullable<Settings['budget']['written']>,
): Settings {
  return {
    ...written,
    file,
    models,
    grader: grader ?? null,
    voters,
    embeddings: null,
    sweep: Object.fromEntries(
      Object.entries(written.sweep ?? {}).map(([key, value]) => [key, [value].flat()]),
    ),
    budget: { ...written.budget, written: places },
    ...(transport === undefined ? {} : { transport }),
  } as Settings;
}

function budgetPlaces(document: Document): NonNullable<Settings['budget']['written']> {
  const keys = ['max_calls', 'max_cost_usd'] as const;
  return Object.fromEntries(
    keys.flatMap((key) =>
      valueAt(document.value, ['budget', key]) === undefined
        ? []
        : [[key, document.placeOf(['budget', key])]],
    ),
  );
}

function readModel(
  document: Document,
  name: string,
  written: RawSettings,
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
    files: toTextList(entry.files) ?? [],
    replaces: toTextList(entry.replaces) ?? [],
    ...wayOf(entry),
    place: document.placeOf(['models', name]),
  };
}

function wayOf({
  api,
  is = '',
  transport,
  process,
  concurrency,
  requests_per_minute,
}: WrittenModel): Partial<ModelSettings> {
  const vendor = vendorOf(is);
  const hasPace = (concurrency ?? requests_per_minute) !== undefined;
  const pace = {
    concurrency: concurrency ?? null,
    requests_per_minute: requests_per_minute ?? null,
  };
  return {
    ...withoutUndefined({ api, transport }),
    ...(vendor && { is: { provider: vendor, model: is } }),
    ...(process === 'try' && { process }),
    ...(hasPace && { pace }),
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

function toTextList(value: string | string[] | undefined): string[] | undefined {
  return typeof value === 'string' ? [value] : value;
}

export function withoutUndefined<T extends object>(
  value: T | undefined,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(value ?? {}).filter(([, member]) => member !== undefined),
  ) as { [K in keyof T]: Exclude<T[K], undefined> };
}
