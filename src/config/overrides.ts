import { isKnownParameter, parameterProblem } from '../documents/parameters.ts';
import { problem } from '../errors.ts';
import { gateSettingsSchema } from '../kernel/suite/gate-settings.ts';
import type { OwnSettings } from '../project/settings.ts';
import { nearest, didYouMean } from '../text/suggest.ts';
import { ownEntry, type Json, type Problem, type Scalar } from '../types/plain.ts';

export interface Overrides {
  lines: string[];
  prompts: string[] | null;
  references: string[] | null;
  tags: string[] | null;
  /** Runs only this many references, drawn with the seed. */
  sample: { count: number; seed: string } | null;
  settings: { path: string[]; value: Scalar | null; line: string }[];
  /** Several values are a sweep, which runs each of them. */
  parameters: ReadonlyMap<string, Scalar[]>;
  /** Parameters written as `prompts.key`, which are sent even if unknown. */
  insisted: ReadonlySet<string>;
  only?: Readonly<Record<string, Json>>;
}

const FILTER_KEYS = ['prompts', 'references', 'tags'] as const;

const SAMPLE_KEY = 'sample';

function settableKeys(own: readonly OwnSettings[]): string[] {
  const gate = gateSettingsSchema.keyof().options.filter((key) => key !== 'metrics');
  return [
    'n_tries',
    'seed',
    'transport',
    ...['preset', ...gate].map((key) => `gate.${key}`),
    'budget.max_calls',
    'budget.max_cost_usd',
    ...own.flatMap(({ key, members }) => members.map((member) => `${key}.${member}`)),
    'grader.model',
    'grader.temperature',
  ];
}

export function overridableNames(own: readonly OwnSettings[]): string[] {
  const features = own.map(({ key }) => key);
  const settings = ['n_tries', 'seed', 'transport', 'gate', 'budget', ...features, 'grader'];
  return [...FILTER_KEYS, SAMPLE_KEY, 'model', ...settings];
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
  const settable = settableKeys(own);
  const problems: Problem[] = [];
  const parameters = new Map<string, Scalar[]>();
  const insisted = new Set<string>();
  const overrides: Overrides = {
    lines: [],
    prompts: null,
    references: null,
    tags: null,
    sample: null,
    settings: [],
    parameters,
    insisted,
  };
  const apply = ({ key, below, values }: OverrideEntry, line: string) => {
    const filter = below ? undefined : FILTER_KEYS.find((name) => name === key);
    if (filter !== undefined) {
      overrides[filter] = values.map(String);
      return null;
    }
    if (!below && key === SAMPLE_KEY) return applySample(values, overrides);
    if (!below && settable.includes(key)) {
      const [value, ...others] = values;
      if (value === undefined || others.length > 0) return `${key} takes one value`;
      overrides.settings.push({
        path: key.split('.'),
        value: value === 'null' ? null : value,
        line,
      });
      return null;
    }
    const fault = parameterFault({ key, below, values }, own);
    if (fault === null) parameters.set(key, values);
    return fault;
  };
  const seen = new Set<string>();
  for (const line of withPromptNames(lines)) {
    overrides.lines.push(line);
    const entry = parseLine(line);
    const message =
      entry === null
        ? 'must be key=value'
        : seen.has(entry.key)
          ? `sets "${entry.key}" a second time`
          : apply(entry, line);
    if (entry !== null) seen.add(entry.key);
    if (entry?.below === true) insisted.add(entry.key);
    if (message !== null)
      problems.push(problem(null, `overrides: ${line.slice(0, 200)}: ${message}`));
  }
  return { overrides, problems };
}

/** A word without `=` is the name of a prompt: `support` means `prompts=support`. */
function withPromptNames(lines: readonly string[]): string[] {
  const written = lines.map((line) => line.trim()).filter((line) => !/^(?:#|$)/.test(line));
  const names = written.filter((line) => !line.includes('='));
  const entries = written.filter((line) => line.includes('='));
  return names.length === 0 ? entries : [...entries, `prompts=${names.join(',')}`];
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

function applySample(values: readonly Scalar[], overrides: Overrides): string | null {
  const [count, seed = 0, ...more] = values;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 1 || more.length > 0)
    return 'must be the number of references, and optionally a seed (sample=50,7)';
  overrides.sample = { count, seed: String(seed) };
  return null;
}

/** Why a key is neither a setting nor a parameter of models. */
function parameterFault(
  { key, below, values }: OverrideEntry,
  own: readonly OwnSettings[],
): string | null {
  const misplaced = below ? null : misplacedSetting(key, own);
  if (misplaced !== null) return `unknown key "${key}"${misplaced}`;
  const names = overridableNames(own);
  if (key.includes('.')) {
    const near = nearest(key, settableKeys(own));
    return `unknown key "${key}"${didYouMean(key, near === null ? names : [near])}`;
  }
  if (key === 'model') return null;
  return (
    values
      .map((value) => parameterProblem(key, value, below ? [] : names))
      .find((message) => message !== null) ?? null
  );
}

/** Rejects `alpha` for `gate.alpha`, because it would be sent to the model as a parameter. */
function misplacedSetting(key: string, own: readonly OwnSettings[]): string | null {
  const settable = settableKeys(own);
  const [section = ''] = key.split('.', 1);
  const members = settable.filter((each) => each.startsWith(`${section}.`));
  if (members.length > 0 || own.some((each) => each.key === section))
    return didYouMean(key, members);
  const meant = ownEntry(ALIASES, key) ?? settable.find((each) => each.endsWith(`.${key}`));
  return meant === undefined || key === 'model' || isKnownParameter(key)
    ? null
    : `; did you mean "${meant}"?`;
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
