import { MOST_RUNS, MOST_SHARDS } from '../documents/limits.ts';
import { isPlainRelative, join } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import { FAIL_ON } from '../kernel/suite/gate-settings.ts';
import type { OwnSettings } from '../project/settings.ts';
import { didYouMean } from '../text/suggest.ts';
import type { Problem } from '../types/plain.ts';
import { keyInputs, type KeyInput } from '../types/vendors.ts';
import { checkedOverrides } from './apply-overrides.ts';
import { readEndpoints, readProxy } from './endpoints.ts';
import { SETTINGS_FILE } from './file-names.ts';
import { readKeys } from './keys.ts';
import type { GivenReadOptions } from './project.ts';

const EMPTY_KEY_INPUTS = Object.fromEntries(keyInputs().map((name) => [name, ''])) as Record<
  KeyInput,
  ''
>;

/** Must equal the defaults in `action.yml`. An empty text means that the input is not set. */
export const INPUT_DEFAULTS = {
  'github-token': '',
  mode: 'auto',
  config: SETTINGS_FILE,
  'working-directory': '.',
  base: '',
  head: '',
  overrides: '',
  keys: '',
  ...EMPTY_KEY_INPUTS,
  endpoints: '',
  proxy: '',
  'allowed-models': '',
  'fail-on': '',
  comment: 'auto',
  'check-name': 'evaldiff',
  code: 'sandbox',
  'code-env': '',
  'untrusted-approval': '',
  'override-label': '',
  'noise-runs': '20',
  'max-calls': '',
  'max-cost': '',
  timeout: '',
  cache: 'true',
  'report-path': 'evaldiff-report',
  'upload-report': 'true',
  shard: '',
} as const;

export type InputName = keyof typeof INPUT_DEFAULTS;

export type Inputs = ReturnType<typeof readInputs>['inputs'];

const MODES = ['auto', 'diff', 'sweep', 'merge', 'noise', 'drift'] as const;

const COMMENT = ['auto', 'findings', 'always', 'never'] as const;

const CODE = ['sandbox', 'host', 'off'] as const;

/** Reads what a run may do. `written`: how the user writes an input's name. */
export function readInputs(
  given: Readonly<Record<string, string>>,
  own: readonly OwnSettings[],
  written: (name: string) => string = (name) => name,
) {
  const problems: Problem[] = [];
  const raw = (name: string) => given[name]?.trim() ?? '';
  const value = (name: InputName) => raw(name) || INPUT_DEFAULTS[name];
  const refuse = (name: string, message: string) =>
    void problems.push(problem(null, `${written(name)}: ${message}`));
  const word = <T extends string>(name: InputName, words: readonly [T, ...T[]]): T => {
    const found = words.find((each) => each === value(name).toLowerCase());
    if (found === undefined)
      refuse(name, `must be one of ${words.join(', ')}, not "${value(name)}"`);
    return found ?? words[0];
  };
  const workingDirectory = folder('working-directory', value('working-directory'), refuse);
  const { endpoints, problems: ofEndpoints } = readEndpoints(nonBlankLines(raw('endpoints')));
  const { proxy, problems: ofProxy } = readProxy(written('proxy'), raw('proxy'));
  const { problems: ofKeys, ...access } = readKeys(nonBlankLines(raw('keys')), raw);
  const lines = nonBlankLines(raw('overrides'));
  const { overrides, problems: ofOverrides } = checkedOverrides(lines, own);
  const inputs = {
    token: raw('github-token'),
    mode: word('mode', MODES),
    /** A POSIX path, relative to the repository's root. Empty for the root itself. */
    workingDirectory,
    base: revision('base', raw('base'), refuse),
    head: revision('head', raw('head'), refuse),
    ...access,
    endpoints,
    proxy,
    failOn: raw('fail-on') === '' ? null : word('fail-on', FAIL_ON),
    comment: word('comment', COMMENT),
    checkName: (given['check-name'] ?? INPUT_DEFAULTS['check-name']).trim() || null,
    code: word('code', CODE),
    codeEnv: names(raw('code-env')).filter((name) => isVariable(name, refuse)),
    /** The label with which a maintainer approves one commit of an outside contributor. */
    untrustedApproval: raw('untrusted-approval') || null,
    overrideLabel: raw('override-label') || null,
    noiseRuns: parseRuns('noise-runs', value('noise-runs'), refuse),
    ...readLimits(raw, refuse),
    cache: parseBoolean('cache', value('cache'), refuse),
    reportPath: folder('report-path', value('report-path'), refuse),
    uploadReport: parseBoolean('upload-report', value('upload-report'), refuse),
    shard: shardOf('shard', raw('shard'), refuse),
    read: {
      config: value('config'),
      configRequired: true,
      overrides,
      allowedModels: raw('allowed-models') === '' ? null : names(raw('allowed-models')),
      own,
    } satisfies GivenReadOptions,
  };
  refuseSharedLabel(inputs, refuse);
  refuseUnknown(given, refuse);
  return {
    inputs,
    problems: [...problems, ...ofKeys, ...ofEndpoints, ...ofProxy, ...ofOverrides],
  };
}

function readLimits(raw: (name: InputName) => string, refuse: Refuse) {
  return {
    maxCalls: parseAmount('max-calls', raw('max-calls'), true, refuse),
    maxCost: parseAmount('max-cost', raw('max-cost'), false, refuse),
    timeoutMs: minutes('timeout', raw('timeout'), refuse),
  };
}

function refuseUnknown(given: Readonly<Record<string, string>>, refuse: Refuse): void {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(INPUT_DEFAULTS, name));
  for (const name of unknown)
    refuse(name, `is not an input of this action${didYouMean(name, Object.keys(INPUT_DEFAULTS))}`);
}

function refuseSharedLabel({ overrideLabel, untrustedApproval }: Inputs, refuse: Refuse): void {
  if (overrideLabel === null || overrideLabel.toLowerCase() !== untrustedApproval?.toLowerCase())
    return;
  refuse(
    'override-label',
    `"${overrideLabel}" is also the label of untrusted-approval, so every approval would ` +
      'override the verdict; use another label for one of them',
  );
}

export interface CommandOptions {
  config: string;
  endpoint?: readonly string[];
  proxy?: string;
  failOn?: string;
  code?: string;
  codeEnv?: readonly string[];
  maxCalls?: string;
  maxCost?: string;
  timeout?: string;
}

/** Reads the options of a command. Endpoints never come from the project's files. */
export function readCommandLine(
  options: CommandOptions & {
    overrides: readonly string[];
    own: readonly OwnSettings[];
    env?: NodeJS.ProcessEnv;
  },
): ReturnType<typeof readInputs> {
  const { config, overrides, own, env = {} } = options;
  const given = {
    config,
    overrides: overrides.join('\n'),
    endpoints: endpointLines(options, env).join('\n'),
    proxy: options.proxy ?? env['EVALDIFF_PROXY'] ?? '',
    'fail-on': options.failOn ?? '',
    code: options.code ?? '',
    'code-env': (options.codeEnv ?? []).join('\n'),
    'max-calls': options.maxCalls ?? '',
    'max-cost': options.maxCost ?? '',
    timeout: options.timeout ?? '',
  };
  return readInputs(given, own, (name) =>
    name === 'proxy' && options.proxy === undefined ? 'EVALDIFF_PROXY' : `--${name}`,
  );
}

export function endpointLines(
  { endpoint = [] }: Pick<CommandOptions, 'endpoint'>,
  env: NodeJS.ProcessEnv,
): string[] {
  return [...(env['EVALDIFF_ENDPOINTS'] ?? '').split('\n'), ...endpoint];
}

type Refuse = (name: string, message: string) => void;

function parseBoolean(name: string, value: string, refuse: Refuse): boolean {
  const word = value.toLowerCase();
  if (word !== 'true' && word !== 'false') refuse(name, `must be true or false, not "${value}"`);
  return word === 'true';
}

function parseAmount(name: string, value: string, whole: boolean, refuse: Refuse): number | null {
  if (value === '') return null;
  const number = /^\d{1,15}(\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(number) || (whole && !Number.isInteger(number))) {
    refuse(name, `must be ${whole ? 'a whole number' : 'a number'} of at least 0, not "${value}"`);
    return null;
  }
  return number;
}

/** Longer than any job may run. Longer times would overflow JavaScript's timers. */
const MAX_MINUTES = 30_000;

function minutes(name: string, value: string, refuse: Refuse): number | null {
  if (value === '') return null;
  const number = /^\d{1,5}(\.\d{1,3})?$/.test(value) ? Number(value) : 0;
  if (number > 0 && number <= MAX_MINUTES) return number * 60_000;
  refuse(name, `must be minutes, more than 0 and at most ${MAX_MINUTES}, not "${value}"`);
  return null;
}

export function parseRuns(name: string, value: string, refuse: Refuse): number {
  const runs = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (runs >= 1 && runs <= MOST_RUNS) return runs;
  refuse(name, `must be a whole number from 1 to ${MOST_RUNS}, not "${value}"`);
  return 1;
}

function isVariable(name: string, refuse: Refuse): boolean {
  const fits = /^[A-Za-z_][A-Za-z0-9_]{0,200}$/.test(name);
  if (!fits) refuse('code-env', `"${name}" is not the name of an environment variable`);
  return fits;
}

function folder(name: string, value: string, refuse: Refuse): string {
  const path = isPlainRelative(value) ? join('', value) : null;
  if (path === null) refuse(name, `must be a folder inside the repository, not "${value}"`);
  return path ?? '';
}

/** Accepts any git revision that git cannot mistake for an option. */
function revision(name: string, value: string, refuse: Refuse): string | null {
  if (value === '') return null;
  if (!value.startsWith('-') && !/[\s\u0000-\u001f\u007f]/.test(value) && value.length <= 250)
    return value;
  refuse(name, 'must be a commit or a ref');
  return null;
}

export function shardOf(
  name: string,
  value: string,
  refuse: Refuse,
): { index: number; count: number } | null {
  if (value === '') return null;
  const [index = 0, count = 0] = /^\d{1,4}\/\d{1,4}$/.test(value)
    ? value.split('/').map(Number)
    : [];
  if (index >= 1 && index <= count && count <= MOST_SHARDS) return { index, count };
  refuse(
    name,
    `must be i/n with i from 1 to n and n at most ${MOST_SHARDS}, like 2/4, not "${value}"`,
  );
  return null;
}

function nonBlankLines(value: string): string[] {
  return value
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function names(value: string): string[] {
  return value
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
