import type { z } from 'zod';
import { rowDocument } from '../documents/dataset.ts';
import { Field, type Document } from '../documents/document.ts';
import { parameterProblem } from '../documents/parameters.ts';
import type { ModelSettings, Settings, OwnSettings } from '../project/settings.ts';
import { isMap, type Problem } from '../types/plain.ts';
import { vendorOf } from './model-names.ts';
import { checkModelKeys, readGraders, readModelChoice, withProvider } from './models.ts';
import { checkMembers } from './schema.ts';
import { DEFAULT_CAPS, ownMembers, settingsMembers, settingsSchema } from './settings-schema.ts';

type RawSettings = z.output<ReturnType<typeof settingsSchema>>;

export function readSettings(
  document: Document,
  own: readonly OwnSettings[],
  problems: Problem[],
): Settings {
  const field = new Field(document, problems);
  if (!isMap(document.value))
    field.refuse('must be a map of settings like prompts, n_tries and models');
  const file = isMap(document.value)
    ? field
    : new Field(rowDocument(document.placeOf([]), {}), problems);
  // A wrong key does not hide the others, so that the right files are read.
  const written: RawSettings = {
    ...settingsSchema(own).parse({}),
    ...checkMembers(file, { ...settingsMembers(), ...ownMembers(own) }, ({ path }) =>
      path[0] === 'code' ? 'set it for a run: --code host, or code: host in the workflow' : null,
    ),
  };
  const { models = {}, transport, embeddings, sweep = {}, ...others } = written;
  checkSweep(file.at('sweep'), sweep);
  const [grader = null, ...voters] = readGraders(file.at('grader'), written.grader);
  const entries = Object.entries(models).map(
    ([name, entry]) => [name, readModel(file.at('models', name), name, entry)] as const,
  );
  const givenCaps = Object.keys(DEFAULT_CAPS).flatMap((key) => {
    const { isGiven, place } = file.at('budget', key);
    return isGiven ? [[key, place] as const] : [];
  });
  return {
    ...others,
    file: document.file,
    models: new Map(entries),
    grader,
    voters,
    embeddings:
      embeddings === undefined ? null : readModelChoice(file.at('embeddings'), embeddings),
    sweep,
    sweepPlace: file.at('sweep', 'model').place,
    budget: { ...written.budget, written: Object.fromEntries(givenCaps) },
    ...(transport && { transport }),
    // The schema of settings does not know the keys of features.
  } as unknown as Settings;
}

function readModel(
  field: Field,
  name: string,
  given: Parameters<typeof withProvider>[1],
): ModelSettings {
  const entry = withProvider(field, given);
  checkModelKeys(field, entry);
  const { is = '', process, concurrency = null, requests_per_minute = null, ...written } = entry;
  const vendor = vendorOf(is);
  const hasPace = (concurrency ?? requests_per_minute) !== null;
  return {
    endpoint: null,
    model: name,
    price: null,
    file: null,
    command: [],
    files: [],
    setup: [],
    replaces: [],
    ...written,
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
