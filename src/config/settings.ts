import { z } from 'zod';
import { isMap, type Document } from '../documents/document.ts';
import { DEFAULT_LIMITS, type Limits } from '../documents/limits.ts';
import { parameterProblem } from '../documents/parameters.ts';
import { problem } from '../errors.ts';
import { DEFAULT_GATE } from '../suite/gate.ts';
import type { Budget, ModelSettings, Settings } from '../suite/suite.ts';
import type { GraderSettings } from '../types/metric.ts';
import type { Notice, Problem, Scalar } from '../types/plain.ts';
import {
  TRANSPORTS,
  UNBOUNDED,
  checkModelKeys,
  gradersSchema,
  modelChoice,
  modelSchema,
  readGraders,
  readModelChoice,
  type WrittenModel,
} from './models.ts';
import {
  checkMembers,
  closed,
  filled,
  flag,
  listOf,
  mapOf,
  number,
  oneOf,
  scalar,
  text,
  whole,
} from './schema.ts';

export const SETTINGS_FILE = 'evaldiff.yaml';

/** Read where the former is absent. */
export const LLMEVAL_FILE = 'llmeval.yaml';

const DEFAULT_BUDGET: Budget = { max_calls: 5000, max_cost_usd: 20 };

/** The attributes file where the settings name none. */
export const DEFAULT_ATTRIBUTES = 'evaldiff.attributes.yaml';

const DEFAULT_QUALEVAL: Settings['qualeval'] = {
  enabled: 'auto',
  attributes: DEFAULT_ATTRIBUTES,
  max_attributes: 15,
  slack: 0.1,
  alignment: false,
  metric: null,
};

const DEFAULT_FILES = '*.{yaml,yml}';

/** What makes a run red. */
export const FAIL_ON = ['regression', 'failure', 'never'] as const;

const globs = () =>
  z.union([filled(), listOf(filled())], {
    error: 'must be a pattern like prompts/*.yaml, or a list of them',
  });

/** One try count: a whole number, or `adaptive`. */
export function tries(limits: Limits) {
  const error = `must be a whole number from 1 to ${limits.tries}, or adaptive`;
  return z.union(
    [
      z.literal('adaptive', { error }),
      z.int({ error }).min(1, { error }).max(limits.tries, { error }),
    ],
    { error },
  );
}

const qualevalSwitch = () =>
  z.union([oneOf(['auto', 'on', 'off']), flag()], { error: 'must be one of auto, on, off' });

const orNull = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()]);

function shape(limits: Limits) {
  return {
    prompts: globs().optional(),
    rubrics: globs().optional(),
    n_tries: tries(limits).optional(),
    seed: whole(0, 2 ** 32 - 1).optional(),
    models: mapOf(modelSchema, 'a map of model names').optional(),
    transport: oneOf(TRANSPORTS).optional(),
    grader: gradersSchema.optional(),
    embeddings: modelChoice().optional(),
    sweep: mapOf(
      z.union([scalar(), listOf(scalar()).min(1, { error: 'must not be empty' })], {
        error: 'must be a value or a list of values',
      }),
    ).optional(),
    gate: closed({
      fail_on: oneOf(FAIL_ON).optional(),
      alpha: number(0.0001, 0.5).optional(),
      min_drop: number(0, 1).optional(),
      tolerance: number(0, 1).optional(),
      gate_on: oneOf(['suite+references', 'suite']).optional(),
      on_inconclusive: oneOf(['pass', 'fail']).optional(),
      yardstick: oneOf(['warn', 'fail']).optional(),
      removed: oneOf(['warn', 'fail']).optional(),
      attributes: oneOf(['advise', 'fail']).optional(),
      min_pass_rate: orNull(number(0, 1)).optional(),
    }).optional(),
    budget: closed({
      max_calls: orNull(whole(0, Number.MAX_SAFE_INTEGER)).optional(),
      max_cost_usd: orNull(number(0, UNBOUNDED)).optional(),
    }).optional(),
    qualeval: z
      .union(
        [
          qualevalSwitch(),
          closed({
            enabled: qualevalSwitch().optional(),
            attributes: filled().optional(),
            max_attributes: whole(1, 50).optional(),
            slack: number(0, 1).optional(),
            alignment: flag().optional(),
            metric: filled().optional(),
          }),
        ],
        {
          error: 'must be one of auto, on, off, or a map like { enabled: on, max_attributes: 10 }',
        },
      )
      .optional(),
    version: z
      .union([text(), number(0, UNBOUNDED), z.null()], { error: 'must be text' })
      .optional(),
  };
}

/** `evaldiff.yaml` as written. */
export function settingsSchema(limits: Limits = DEFAULT_LIMITS) {
  return closed(shape(limits));
}

type Written = Partial<z.output<ReturnType<typeof settingsSchema>>>;

/** Settings of a project without a settings file. */
export function defaultSettings(): Settings {
  return fromWritten(null, {}, new Map(), []);
}

/**
 * Reads the settings file. Every key is optional; what is wrong goes to `problems` and its default
 * is used.
 */
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
  const written = checkMembers(document, [], shape(limits), problems);
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
    gate: { ...DEFAULT_GATE, ...defined(written.gate) },
    budget: {
      ...DEFAULT_BUDGET,
      ...(written.budget?.max_cost_usd === undefined ? { assumed: true as const } : {}),
      ...defined(written.budget),
    },
    qualeval: { ...DEFAULT_QUALEVAL, ...defined(qualeval), enabled: switchWord(enabled) },
    ...(written.transport === undefined ? {} : { transport: written.transport }),
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
    place: document.placeOf(['models', name]),
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

/** Without the keys that are written but undefined, which would hide a default. */
export function defined<T extends object>(
  value: T | undefined,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(value ?? {}).filter(([, member]) => member !== undefined),
  ) as { [K in keyof T]: Exclude<T[K], undefined> };
}
