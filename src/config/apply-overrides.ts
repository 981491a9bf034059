import { emptyMap, type Document } from '../documents/document.ts';
import { DEFAULT_LIMITS, type Limits } from '../documents/limits.ts';
import { problem } from '../errors.ts';
import type { OwnSettings } from '../kernel/suite/own-settings.ts';
import type { Settings } from '../kernel/suite/suite.ts';
import type { GraderSettings } from '../types/metric.ts';
import type { Problem, Scalar } from '../types/plain.ts';
import { SETTABLE, readOverrides, type Overridable, type Overrides } from './overrides.ts';
import { defaultSettings, readSettings } from './settings.ts';

interface OverrideContext {
  limits: Limits;
  own: readonly OwnSettings[];
}

function withOwn(settings: Settings, key: string, { read, member }: OverrideValue): Settings {
  const sectionOf = (of: Settings): [string, unknown][] => {
    return Object.entries(Object.entries(of).find(([name]) => name === key)?.[1] as object);
  };
  const found = sectionOf(read).filter(([name]) => name === member);
  return { ...settings, [key]: Object.fromEntries([...sectionOf(settings), ...found]) };
}

export function checkedOverrides(
  lines: readonly string[],
  own: readonly OwnSettings[],
): { overrides: Overrides; problems: Problem[] } {
  const { overrides, problems } = readOverrides(lines, own);
  const ofValues = overrides.settings.flatMap(
    (setting) => readSetting(setting, { limits: DEFAULT_LIMITS, own }).problems,
  );
  return { overrides, problems: [...problems, ...ofValues] };
}

/** Applies `key=value` lines to the settings and checks them like lines of the file. */
export function withOverrides(
  settings: Settings,
  { overrides, ...reading }: { overrides: Overrides } & OverrideContext,
  problems: Problem[],
): Settings {
  let result = settings;
  for (const setting of overrides.settings) {
    const { read, problems: found } = readSetting(setting, reading);
    const { path, value } = setting;
    const [first, member = ''] = path;
    problems.push(...found);
    if (found.length > 0) continue;
    result = Object.hasOwn(APPLY_OVERRIDE, first)
      ? APPLY_OVERRIDE[first as Overridable](result, { read, member, value })
      : withOwn(result, first, { read, member, value });
  }
  return result;
}

function readSetting(
  { path, value, line }: Overrides['settings'][number],
  reading: OverrideContext,
): { read: Settings; problems: Problem[] } {
  // The grader's name and temperature depend on the model, so they are not checked here.
  if (path[0] === 'grader') return { read: defaultSettings(reading.own), problems: [] };
  const place = { file: 'overrides', line: 0 };
  const found: Problem[] = [];
  const document: Document = {
    file: place.file,
    value: nest(path, value),
    placeOf: () => place,
    placeOfText: () => place,
  };
  const read = readSettings(document, reading, found).settings;
  const problems = found.map(({ message }) =>
    problem(null, `overrides: ${line.slice(0, 200)}: ${message}`),
  );
  return { read, problems };
}

function nest(path: readonly string[], value: Scalar | null): Document['value'] {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  const map = emptyMap();
  map[first] = nest(rest, value);
  return map;
}

interface OverrideValue {
  read: Settings;
  member: string;
  value: Scalar | null;
}

const APPLY_OVERRIDE = {
  n_tries: (settings, { read: { n_tries } }) => ({ ...settings, n_tries }),
  seed: (settings, { read: { seed } }) => ({ ...settings, seed }),
  transport: withTransport,
  gate: (settings, { read, member }) => ({
    ...settings,
    gate: withMember(settings.gate, read.gate, SETTABLE.gate, member),
  }),
  budget: (settings, { read, member }) => {
    const { assumed, ...budget } = withMember(
      settings.budget,
      read.budget,
      SETTABLE.budget,
      member,
    );
    // An overridden cap is no longer a default.
    const kept = assumed === undefined || member === 'max_cost_usd' ? {} : { assumed };
    return { ...settings, budget: { ...budget, ...kept } };
  },
  grader: overrideGrader,
} satisfies Record<Overridable, (settings: Settings, override: OverrideValue) => Settings>;

function withMember<T extends object>(
  into: T,
  from: T,
  members: readonly (keyof T)[],
  name: string,
): T {
  const member = members.find((key) => key === name);
  return member === undefined ? into : { ...into, [member]: from[member] };
}

/** For every model with batches, even if its own entry says otherwise. */
function withTransport(settings: Settings, { read }: OverrideValue): Settings {
  const { transport = 'direct' } = read;
  const models = new Map(
    [...settings.models].map(([name, { transport: _, ...model }]) => [name, model]),
  );
  return { ...settings, models, transport };
}

function overrideGrader(settings: Settings, { member, value }: OverrideValue): Settings {
  const grader = settings.grader ?? {
    model: '',
    parameters: {},
    place: { file: 'overrides', line: 0 },
  };
  // A model on the command line is the only grader.
  if (member === 'model')
    return { ...settings, grader: { ...grader, model: String(value) }, voters: [] };
  const set = (before: GraderSettings): GraderSettings => ({
    ...before,
    parameters: { ...before.parameters, [member]: value },
  });
  return { ...settings, grader: set(grader), voters: settings.voters.map(set) };
}
