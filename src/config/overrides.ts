import { isKnownParameter, parameterProblem } from '../documents/parameters.ts';
import { problem } from '../errors.ts';
import { gateSettingsSchema } from '../kernel/suite/gate-settings.ts';
import type { OwnSettings } from '../project/settings.ts';
import { nearest, didYouMean } from '../text/suggest.ts';
import type { Json, Problem, Scalar } from '../types/plain.ts';

export interface Overrides {
  lines: string[];
  prompts: string[] | null;
  references: string[] | null;
  tags: string[] | null;
  settings: { path: [string, ...string[]]; value: Scalar | null; line: string }[];
  /** Several values are a sweep, which runs each of them. */
  parameters: ReadonlyMap<string, Scalar[]>;
  /** Parameters written as `prompts.key`, which are sent even if unknown. */
  insisted: ReadonlySet<string>;
  only?: Readonly<Record<string, Json>>;
}

const TOP_LEVEL_KEYS = ['n_tries', 'seed', 'transport'] as const;

const SETTABLE = {
  gate: gateSettingsSchema.keyof().options.filter((key) => key !== 'metrics'),
  budget: ['max_calls', 'max_cost_usd'],
  grader: ['model', 'temperature'],
} as const satisfies Record<string, readonly string[]>;

type Sections = Readonly<Record<string, readonly string[]>>;

function sectionsOf(own: readonly OwnSettings[]): Sections {
  const { grader, ...sections } = SETTABLE;
  const members = own.map(({ key, members: settable }): [string, readonly string[]] => [
    key,
    settable,
  ]);
  return { ...sections, ...Object.fromEntries(members), grader };
}

const FILTER_KEYS = ['prompts', 'references', 'tags'] as const;

export function overridableNames(own: readonly OwnSettings[]): string[] {
  return overrideNames(sectionsOf(own));
}

function overrideNames(sections: Sections): string[] {
  return [...FILTER_KEYS, 'model', ...TOP_LEVEL_KEYS, ...Object.keys(sections)];
}

const ALIASES: Readonly<Record<string, string>> = {
  ref: 'references',
  refs: 'references',
  id: 'references',
  ids: 'references',
  case: 'references',
  cases: 'references',
  test: 'references',
  tests: 'references',
  filter: 'references',
  only: 'references',
  suite: 'prompts',
  suites: 'prompts',
  repeat: 'n_tries',
  tries: 'n_tries',
};

export function readOverrides(
  lines: readonly string[],
  own: readonly OwnSettings[],
): { overrides: Overrides; problems: Problem[] } {
  const sections = sectionsOf(own);
  const problems: Problem[] = [];
  const parameters = new Map<string, Scalar[]>();
  const insisted = new Set<string>();
  const overrides: Overrides = {
    lines: [],
    prompts: null,
    references: null,
    tags: null,
    settings: [],
    parameters,
    insisted,
  };
  const seen = new Set<string>();
  for (const line of lines.map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    overrides.lines.push(line);
    const entry = parseLine(line);
    const message =
      entry === null
        ? 'must be key=value'
        : seen.has(entry.key)
          ? `sets "${entry.key}" a second time`
          : apply(entry, line, overrides, parameters, sections);
    if (entry !== null) seen.add(entry.key);
    if (entry?.below === true) insisted.add(entry.key);
    if (message !== null)
      problems.push(problem(null, `overrides: ${line.slice(0, 200)}: ${message}`));
  }
  return { overrides, problems };
}

interface OverrideEntry {
  key: string;
  below: boolean;
  values: Scalar[];
}

function parseLine(line: string): OverrideEntry | null {
  const equals = line.indexOf('=');
  const written = line.slice(0, Math.max(equals, 0)).trim();
  const below = written.startsWith('prompts.');
  const key = below ? written.slice('prompts.'.length) : written;
  const values = splitList(line.slice(equals + 1).trim());
  return key === '' || values === null ? null : { key, below, values };
}

function apply(
  entry: OverrideEntry,
  line: string,
  overrides: Overrides,
  parameters: Map<string, Scalar[]>,
  sections: Sections,
): string | null {
  const { key, below, values } = entry;
  const filter = below ? undefined : FILTER_KEYS.find((name) => name === key);
  if (filter !== undefined) {
    overrides[filter] = values.map(String);
    return null;
  }
  // In llmeval, `hydra.mode=MULTIRUN` turns on sweeps. In evaldiff, they are always on.
  if (key === 'hydra.mode')
    return values.length === 1 && values[0] === 'MULTIRUN'
      ? null
      : 'the only value is MULTIRUN, because every run is one; you can leave hydra.mode out';
  const [first = '', ...rest] = key.split('.');
  const setting =
    TOP_LEVEL_KEYS.find((name) => name === key) ?? (Object.hasOwn(sections, first) ? first : null);
  if (!below && setting !== null)
    return applySetting(entry, line, [setting, ...rest], overrides, sections);
  const message = notAParameter(entry, sections);
  if (message === null) parameters.set(key, values);
  return message;
}

function notAParameter({ key, below, values }: OverrideEntry, sections: Sections): string | null {
  const names = overrideNames(sections);
  const misplaced = below ? null : withoutSection(key, sections);
  if (misplaced !== null) return misplaced;
  if (key.includes('.')) {
    const members = Object.entries(sections).flatMap(([section, own]) =>
      own.map((member) => `${section}.${member}`),
    );
    const near = nearest(key, members);
    return `unknown key "${key}"${didYouMean(key, near === null ? names : [near])}`;
  }
  if (key === 'model') return null;
  if (!below && Object.hasOwn(ALIASES, key))
    return `unknown key "${key}"; did you mean "${ALIASES[key] ?? ''}"?`;
  return (
    values
      .map((value) => parameterProblem(key, value, below ? [] : names))
      .find((message) => message !== null) ?? null
  );
}

/** Rejects `alpha` for `gate.alpha`, because it would be sent to the model as a parameter. */
function withoutSection(key: string, sections: Sections): string | null {
  const [section] = Object.entries(sections).find(([, members]) => members.includes(key)) ?? [];
  if (section === undefined || key === 'model' || isKnownParameter(key)) return null;
  return `unknown key "${key}"; did you mean "${section}.${key}"?`;
}

function applySetting(
  { key, values }: OverrideEntry,
  line: string,
  path: [string, ...string[]],
  overrides: Overrides,
  sections: Sections,
): string | null {
  const [first, member] = path;
  const members = sections[first] ?? null;
  if (members !== null && (member === undefined || !members.includes(member))) {
    return `unknown key "${key}"${didYouMean(
      key,
      members.map((name) => `${first}.${name}`),
    )}`;
  }
  const [value] = values;
  if (value === undefined || values.length > 1) return `${key} takes one value`;
  overrides.settings.push({ path, value: value === 'null' ? null : value, line });
  return null;
}

function splitList(list: string): Scalar[] | null {
  const values: Scalar[] = [];
  const closed = `${list},`;
  for (let at = 0; at <= list.length; at += 1) {
    const quoted = list[at] === '"';
    const end = quoted ? list.indexOf('"', at + 1) : closed.indexOf(',', at);
    if (end === -1) return null;
    const piece = quoted ? list.slice(at + 1, end) : list.slice(at, end).trim();
    const next = quoted ? end + 1 : end;
    if ((piece === '' && !quoted) || (next < list.length && list[next] !== ',')) return null;
    values.push(quoted ? piece : scalarOf(piece));
    at = next;
  }
  return values.length === 0 ? null : values;
}

function scalarOf(piece: string): Scalar {
  if (piece === 'true' || piece === 'false') return piece === 'true';
  return /^[-+]?(\d{1,17}(\.\d{0,17})?|\.\d{1,17})(e[-+]?\d{1,3})?$/i.test(piece) &&
    Number.isFinite(Number(piece))
    ? Number(piece)
    : piece;
}
