import { rowDocument } from '../documents/dataset.ts';
import { problem } from '../errors.ts';
import type { Settings, OwnSettings } from '../project/settings.ts';
import type { GraderSettings } from '../types/metric.ts';
import { isMap, type Json, type Problem, type Scalar } from '../types/plain.ts';
import { readOverrides, type Overrides } from './overrides.ts';
import { defaultSettings, readSettings } from './settings.ts';

export function checkedOverrides(
  lines: readonly string[],
  own: readonly OwnSettings[],
): { overrides: Overrides; problems: Problem[] } {
  const { overrides, problems } = readOverrides(lines, own);
  const ofValues = overrides.settings.flatMap((setting) => readSetting(setting, own).problems);
  return { overrides, problems: [...problems, ...ofValues] };
}

export function withOverrides(
  settings: Settings,
  { overrides, own }: { overrides: Overrides; own: readonly OwnSettings[] },
  problems: Problem[],
): Settings {
  let result = settings;
  for (const setting of overrides.settings) {
    const { read, problems: found } = readSetting(setting, own);
    problems.push(...found);
    if (found.length === 0) result = withSetting(result, setting, read);
  }
  return result;
}

function withSetting(
  settings: Settings,
  { path: [key = '', member], value }: Overrides['settings'][number],
  read: Settings,
): Settings {
  if (key === 'grader' && member !== undefined) return withGrader(settings, member, value);
  const name = key as keyof Settings;
  const [own, given]: unknown[] = [settings[name], read[name]];
  const next = {
    ...settings,
    [name]: isMap(own) && isMap(given) ? { ...own, [member ?? '']: given[member ?? ''] } : given,
  };
  if (key === 'transport') return withoutOwnTransports(next);
  if (key !== 'budget') return next;
  const written = { ...settings.budget.written, ...read.budget.written };
  return { ...next, budget: { ...next.budget, written } };
}

function readSetting(
  { path, value, line }: Overrides['settings'][number],
  own: readonly OwnSettings[],
): { read: Settings; problems: Problem[] } {
  // Which names and temperatures a grader may have depends on its model, so they are checked later.
  if (path[0] === 'grader') return { read: defaultSettings(own), problems: [] };
  const found: Problem[] = [];
  const document = rowDocument({ file: 'overrides', line: 0 }, nest(path, value));
  const read = readSettings(document, own, found).settings;
  const problems = found.map(({ message }) =>
    problem(null, `overrides: ${line.slice(0, 200)}: ${message}`),
  );
  return { read, problems };
}

function nest(path: readonly string[], value: Json): Json {
  return path.reduceRight<Json>((inner, key) => Object.fromEntries([[key, inner]]), value);
}

function withoutOwnTransports(settings: Settings): Settings {
  const models = new Map(
    [...settings.models].map(([name, { transport: _, ...model }]) => [name, model]),
  );
  return { ...settings, models };
}

function withGrader(settings: Settings, member: string, value: Scalar | null): Settings {
  const grader = settings.grader ?? {
    model: '',
    parameters: {},
    place: { file: 'overrides', line: 0 },
  };
  if (member === 'model')
    return { ...settings, grader: { ...grader, model: String(value) }, voters: [] };
  const set = (before: GraderSettings): GraderSettings => ({
    ...before,
    parameters: { ...before.parameters, [member]: value },
  });
  return { ...settings, grader: set(grader), voters: settings.voters.map(set) };
}
