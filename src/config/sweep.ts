import { FILE_LIMITS } from '../documents/limits.ts';
import { KNOWN_PARAMETERS, isKnownParameter } from '../documents/parameters.ts';
import { problem } from '../errors.ts';
import type { Suite } from '../kernel/suite/suite.ts';
import type { Settings, OwnSettings } from '../project/settings.ts';
import { firstWords } from '../text/amounts.ts';
import { suggestion } from '../text/suggest.ts';
import type { Notice, Place, Problem } from '../types/plain.ts';
import { askedModel, currentName } from './model-names.ts';
import { overridableNames, type Overrides } from './overrides.ts';

type Sweep = Settings['sweep'];

export function sweepExtent(sweep: Sweep): { combinations: number; words: string } | null {
  const keys = Object.entries(sweep);
  if (keys.length === 0) return null;
  const combinations = keys.reduce((product, [, values]) => product * values.length, 1);
  const factors = keys.map(([key, values]) => `${values.length} ${key}`).join(' × ');
  const words =
    `${factors} = ${combinations.toLocaleString('en-US')} ` +
    `${combinations === 1 ? 'combination' : 'combinations'}`;
  return { combinations, words };
}

export function sweepProblems(
  sweep: Sweep,
  suites: readonly Suite[],
  placeOf: (key: string) => Place | null,
): Problem[] {
  const used = new Set(suites.flatMap(({ prompt }) => Object.keys(prompt.parameters)));
  const unknown = Object.keys(sweep).filter(
    (key) => key !== 'model' && !used.has(key) && !isKnownParameter(key),
  );
  const problems = unknown.map((key) =>
    problem(
      placeOf(key),
      `sweep over "${key.slice(0, 100)}": no prompt has this key, and no vendor accepts it` +
        `${suggestion(key, ['model', ...used, ...KNOWN_PARAMETERS])}`,
    ),
  );
  for (const [key, values] of Object.entries(sweep)) {
    const repeated = values.find((value, index) => values.indexOf(value) < index);
    if (repeated !== undefined) {
      const message =
        `sweep over "${key.slice(0, 100)}": the value ` +
        `${JSON.stringify(repeated).slice(0, 100)} is listed more than once; remove one, ` +
        'because the requests would be the same';
      problems.push(problem(placeOf(key), message));
    }
  }
  const size = sweepExtent(sweep);
  const [first = ''] = Object.keys(sweep);
  if (size !== null && size.combinations > FILE_LIMITS.combinations)
    problems.push(
      problem(
        placeOf(first),
        `the sweep has ${size.words}; the limit is ${FILE_LIMITS.combinations.toLocaleString('en-US')}. Use ` +
          'fewer values per sweep',
      ),
    );
  return problems;
}

/** Keeps one of several names for a model. Otherwise the model would be ranked twice. */
export function withDistinctModels(
  settings: Settings,
  placeOf: (key: string) => Place | null,
  notices: Notice[],
): Settings {
  const { model } = settings.sweep;
  if (model === undefined) return settings;
  const groups = Map.groupBy(model.map(String), (name) =>
    JSON.stringify(askedModel(settings, name) ?? currentName(settings, name)),
  );
  const current = [...groups.values()].map((names) => {
    const name = currentName(settings, names[0] ?? '');
    const others = names.filter((other) => other !== name);
    const are = others.length === 1 ? 'is' : 'are';
    const once = names.length === 1 ? '' : ', which runs once';
    const message = `sweep over "model": ${firstWords(others)} ${are} the model ${name}${once}`;
    if (others.length > 0) notices.push({ kind: 'settings', place: placeOf('model'), message });
    return name;
  });
  return { ...settings, sweep: { ...settings.sweep, model: current } };
}

/** Unknown keys are an error, because every call would fail. */
export function unknownKeys(
  { parameters, insisted }: Overrides,
  suites: readonly Suite[],
  own: readonly OwnSettings[],
): Problem[] {
  const written = new Set(suites.flatMap(({ prompt }) => Object.keys(prompt.places)));
  return [...parameters]
    .filter(
      ([key, values]) =>
        values.length === 1 &&
        key !== 'model' &&
        !insisted.has(key) &&
        !written.has(key) &&
        !isKnownParameter(key),
    )
    .map(([key]) =>
      problem(
        null,
        [
          `overrides: unknown key "${key.slice(0, 100)}": it is not a setting, `,
          'no prompt contains it, and no known vendor accepts it',
          suggestion(key, [...overridableNames(own), ...written, ...KNOWN_PARAMETERS]) ||
            `; to send it as a parameter anyway, write prompts.${key.slice(0, 100)}=…`,
        ].join(''),
      ),
    );
}

export function sweepNotice(sweep: Sweep, suites: readonly Suite[]): Notice[] {
  const size = sweepExtent(sweep);
  if (size === null || size.combinations < 2 || suites.length === 0) return [];
  const prompts = suites.length === 1 ? '1 prompt' : `${suites.length} prompts`;
  return [{ kind: 'settings', place: null, message: `sweep: ${size.words}, each for ${prompts}` }];
}

export function withoutFixed(settings: Settings, { parameters, only = {} }: Overrides): Settings {
  const sweep = Object.fromEntries(
    Object.entries(settings.sweep).filter(([key]) => !parameters.has(key)),
  );
  for (const [key, values] of parameters) if (values.length > 1) sweep[key] = values;
  for (const [key, values] of Object.entries(sweep))
    sweep[key] = values.filter((value) => !Object.hasOwn(only, key) || value === only[key]);
  return { ...settings, sweep };
}
