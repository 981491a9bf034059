import type { z } from 'zod';
import { rowDocument } from '../documents/dataset.ts';
import { Field, type Document } from '../documents/document.ts';
import { parameterProblem } from '../documents/parameters.ts';
import type { ModelSettings, Settings, OwnSettings } from '../project/settings.ts';
import { isMap, type Notice, type Problem } from '../types/plain.ts';
import { vendorOf } from './model-names.ts';
import { checkModelKeys, readGraders, readModelChoice, type WrittenModel } from './models.ts';
import { checkMembers } from './schema.ts';
import { ownMembers, settingsMembers, settingsSchema } from './settings-schema.ts';

type RawSettings = z.output<ReturnType<typeof settingsSchema>>;

export function defaultSettings(own: readonly OwnSettings[]): Settings {
  const nothing = rowDocument({ file: '', line: 0 }, {});
  return { ...fromWritten(new Field(nothing, []), settingsSchema(own).parse({})), file: null };
}

export function readSettings(
  document: Document,
  own: readonly OwnSettings[],
  problems: Problem[],
): { settings: Settings; notices: Notice[] } {
  const file = new Field(document, problems);
  if (!isMap(document.value)) {
    file.refuse('must be a map of settings like prompts, n_tries and models');
    return { settings: { ...defaultSettings(own), file: document.file }, notices: [] };
  }
  const written: RawSettings = {
    ...settingsSchema(own).parse({}),
    ...checkMembers(file, { ...settingsMembers(), ...ownMembers(own) }),
  };
  const settings = fromWritten(file, written);
  checkSweep(file.at('sweep'), settings.sweep);
  const message = 'version belongs to llmeval and is ignored here; you can remove it';
  const { place } = file.at('version');
  return {
    settings,
    notices: written.version === undefined ? [] : [{ kind: 'settings', message, place }],
  };
}

function fromWritten(
  file: Field,
  { models = {}, transport, embeddings, version: _, sweep = {}, ...written }: RawSettings,
): Settings {
  const [grader = null, ...voters] = readGraders(file.at('grader'), written.grader);
  const entries = Object.entries(models).map(
    ([name, entry]) => [name, readModel(file.at('models', name), name, entry)] as const,
  );
  return {
    ...written,
    file: file.document.file,
    models: new Map(entries),
    grader,
    voters,
    embeddings:
      embeddings === undefined ? null : readModelChoice(file.at('embeddings'), embeddings),
    sweep,
    budget: { ...written.budget, written: budgetPlaces(file.at('budget')) },
    ...(transport && { transport }),
    // The schema of settings does not know the keys of features.
  } as unknown as Settings;
}

function budgetPlaces(budget: Field): NonNullable<Settings['budget']['written']> {
  const given = ['max_calls', 'max_cost_usd'].filter((key) => budget.at(key).isGiven);
  return Object.fromEntries(given.map((key) => [key, budget.at(key).place]));
}

function readModel(field: Field, name: string, entry: WrittenModel): ModelSettings {
  checkModelKeys(field, entry);
  const { is = '', process, concurrency = null, requests_per_minute = null, ...written } = entry;
  const vendor = vendorOf(is);
  const hasPace = (concurrency ?? requests_per_minute) !== null;
  return {
    endpoint: null,
    model: name,
    price: null,
    file: null,
    ...withoutUndefined(written),
    ...(vendor && { is: { provider: vendor, model: is } }),
    ...(process === 'try' && { process }),
    ...(hasPace && { pace: { concurrency, requests_per_minute } }),
    place: field.place,
  };
}

function checkSweep(field: Field, sweep: Settings['sweep']): void {
  for (const [key, values] of Object.entries(sweep)) {
    const message = values
      .map((value) => (key === 'model' ? null : parameterProblem(key, value, ['model'])))
      .find((each) => each !== null);
    if (typeof message === 'string') field.at(key).refuse(`sweep: ${message}`);
  }
}

export function withoutUndefined<T extends object>(
  value: T | undefined,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(value ?? {}).filter(([, member]) => member !== undefined),
  ) as { [K in keyof T]: Exclude<T[K], undefined> };
}
