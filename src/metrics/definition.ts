import { z } from 'zod';
import { counted } from '../text/amounts.ts';
import { didYouMean } from '../text/suggest.ts';
import { textOf, type ToolCall } from '../types/answer.ts';
import type { Better, GradeRecord, MetricLevel } from '../types/metric.ts';
import { type Message } from '../types/model.ts';
import type { Json, Scalar } from '../types/plain.ts';
import type { MetricAnswer, MetricTools } from './answer.ts';
import { type Bounds, parameterBounds } from './passing.ts';

export type Measurement =
  | {
      status: 'measured';
      value: Json;
      pass: boolean;
      reason: string | null;
      label?: string;
      grade?: GradeRecord;
    }
  | { status: 'raised'; reason: string }
  | { status: 'ungraded' | 'error' | 'skipped'; reason: string; grade?: GradeRecord };

export interface MetricContext {
  name: string;
  level: MetricLevel;
  tools: MetricTools;
}

export type MetricGroup =
  'text' | 'similarity' | 'structured' | 'operational' | 'conversation' | 'graded' | 'agent';

/** The tests run every example, and the docs show it. `reply` is what the grader replies. */
export interface MetricExample {
  output: string;
  expected?: Json;
  with?: Record<string, Json>;
  completion?: Partial<MetricAnswer['completion']>;
  calls?: ToolCall[];
  input?: Record<string, Scalar>;
  thread?: Message[];
  price?: { input: number; output: number };
  otherAnswer?: string;
  reply?: string;
  vectors?: Record<string, number[]>;
  value: Json;
  pass: boolean;
}

export interface Expectation {
  /** `number`: a number stays as written in the file, and other values are parsed. */
  reads: 'text' | 'value' | 'number';
  wrong(expected: Json): string | null;
}

interface Needs {
  model: boolean;
  embeddings?: true;
  /** The model of each request. Absent: the settings name one. */
  ownModel?: string;
}

export interface MetricDefinition {
  name: string;
  /** Other tools' names for it, which files may use. */
  aliases?: readonly string[];
  group: MetricGroup;
  summary: string;
  parameters: z.ZodObject;
  range: string;
  passes: string;
  /** Parameters without which every answer passes. Absent: answers can always fail. */
  limits?: readonly string[];
  /** Direction of the values, before `negate`. If lower is better, `threshold` is a maximum. */
  better: Better;
  needs: Needs;
  levels: readonly MetricLevel[];
  /**
   * True if the metric judges the model call or compares two answers. Other metrics judge one
   * answer's content.
   */
  whole?: true;
  source: string;
  example: MetricExample;
  problems(given: Record<string, Json>): string[];
  usesExpected(given: Record<string, Json>): boolean;
  expects(given: Record<string, Json>): Expectation | null;
  /** Returns one result per answer, in order. Does not throw on invalid data. */
  score(
    answers: readonly MetricAnswer[],
    given: Record<string, Json>,
    context: MetricContext,
  ): Promise<Measurement[]>;
}

export type BuiltInMetrics = ReadonlyMap<string, MetricDefinition>;

export interface Description extends Pick<
  MetricDefinition,
  | 'name'
  | 'aliases'
  | 'group'
  | 'summary'
  | 'range'
  | 'passes'
  | 'limits'
  | 'whole'
  | 'source'
  | 'example'
> {
  better?: 'lower' | 'none';
  calls?: true;
}

export type Options<S extends z.ZodRawShape> = z.output<z.ZodObject<S>> & { negate: boolean };

export interface BatchSpec<S extends z.ZodRawShape> extends Description {
  parameters: S;
  /** Default: no model. */
  needs?: Needs;
  check?(options: Options<S>): string[];
  /** Null if nothing is compared with these options. If absent, never anything. */
  expects?(options: Options<S>): Expectation | null;
  score(
    answers: readonly MetricAnswer[],
    options: Options<S>,
    context: MetricContext,
  ): Promise<Measurement[]>;
}

export const offByDefault = (description: string) =>
  z.boolean().default(false).describe(description);

const sharedParameters = {
  negate: offByDefault('Swaps pass and fail. Errors stay errors.'),
  transform: z
    .string()
    .optional()
    .describe('JavaScript that changes the answer before the metric reads it: `output.trim()`.'),
};

export function defineBatch<S extends z.ZodRawShape>(spec: BatchSpec<S>): MetricDefinition {
  const {
    parameters: shape,
    needs = { model: false },
    check,
    expects,
    score,
    calls = false,
    better = 'higher',
    ...description
  } = spec;
  const parameters = z.strictObject({ ...shape, ...sharedParameters });
  const names = Object.keys(parameters.shape);
  const read = (given: Record<string, Json>): { options: Options<S> } | { wrong: string[] } => {
    const { success, data, error } = parameters.safeParse(given);
    return success
      ? { options: data as unknown as Options<S> }
      : { wrong: error.issues.flatMap((issue) => parameterProblems(issue, spec.name, names)) };
  };
  const problems = (given: Record<string, Json>) => {
    const found = read(given);
    if ('wrong' in found) return found.wrong;
    const { value } = given;
    const wrong = value === undefined ? null : expects?.(found.options)?.wrong(value);
    return [
      ...parameterBounds(found.options, spec.range),
      ...(check?.(found.options) ?? []),
      ...(wrong ? [wrong.replace(/^expected/, 'with.value')] : []),
    ];
  };
  return {
    ...description,
    needs,
    better,
    parameters,
    problems,
    levels: calls ? ['Message', 'Turn', 'Thread', 'ToolCall'] : ['Message', 'Turn', 'Thread'],
    usesExpected: (given) => {
      const found = read(given);
      if ('wrong' in found || expects === undefined) return expects !== undefined;
      return given['value'] === undefined && expects(found.options) !== null;
    },
    expects: (given) => {
      const found = read(given);
      return 'wrong' in found ? null : (expects?.(found.options) ?? null);
    },
    async score(answers, given, context) {
      const found = read(given);
      const wrong = problems(given);
      if ('wrong' in found || wrong.length > 0)
        return answers.map(() => measureError(wrong.join('; ')));
      return await score(answers, found.options, context);
    },
  };
}

const WANTED: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a map',
  record: 'a map',
  string: 'text',
};

function parameterProblems(
  issue: z.core.$ZodIssue,
  metric: string,
  known: readonly string[],
): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(
      (key) => `with.${key} is not a parameter of ${metric}${didYouMean(key, known)}`,
    );
  return [`with.${issue.path.join('.')} ${issueWords(issue)}`];
}

/** What is wrong, as a predicate. */
export function issueWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type')
    return issue.message.endsWith('received undefined')
      ? 'is missing'
      : `must be ${WANTED[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value')
    return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small' || issue.code === 'too_big') return boundWords(issue);
  if (issue.code === 'invalid_union') return 'is missing or has the wrong type';
  return `is not usable: ${issue.message}`;
}

function boundWords(issue: Extract<z.core.$ZodIssue, { code: 'too_small' | 'too_big' }>): string {
  const [side, bound] =
    issue.code === 'too_small'
      ? [issue.inclusive === false ? 'above' : 'at least', issue.minimum]
      : [issue.inclusive === false ? 'below' : 'at most', issue.maximum];
  const unit = SIZE_UNITS[issue.origin];
  return unit === undefined
    ? `must be ${side} ${bound}`
    : `must have ${side} ${counted(Number(bound), unit)}`;
}

const SIZE_UNITS: Readonly<Record<string, string>> = { array: 'item', string: 'character' };

export interface Input<O> {
  answer: MetricAnswer;
  output: string;
  options: O;
  context: MetricContext;
}

interface MetricSpec<S extends z.ZodRawShape> extends Description {
  parameters: S;
  check?(options: Options<S>): string[];
  measure(input: Input<Options<S>>): Measurement;
}

export function defineMetric<S extends z.ZodRawShape>(spec: MetricSpec<S>): MetricDefinition {
  const { measure, ...rest } = spec;
  return defineBatch({
    ...rest,
    score: async (answers, options, context) =>
      answers.map((answer) =>
        measure({ answer, output: textOf(answer.completion), options, context }),
      ),
  });
}

export function measurement(value: Json, pass: boolean, reason: string | null = null): Measurement {
  return { status: 'measured', value, pass, reason };
}

export function passOrFail(pass: boolean, reason: string, value: Json = pass ? 1 : 0): Measurement {
  return measurement(value, pass, pass ? null : reason);
}

export const yesOrNo = { range: '0 or 1', passes: 'at 1' } as const;

export function reaches(value: number, needed: number): boolean {
  return value >= needed - 1e-9;
}

export function atLeast(value: number, needed: number): Measurement {
  const pass = reaches(value, needed);
  return passOrFail(pass, `${value.toFixed(3)}, at least ${needed} wanted`, value);
}

export function measureError(reason: string): Measurement {
  return { status: 'error', reason };
}

export function missingExpected(metric: string): Measurement {
  return measureError(`the reference has no expected value, but metric ${metric} needs one`);
}

export const countBounds = {
  min: z.number().optional().describe('Smallest count that passes.'),
  max: z.number().optional().describe('Largest count that passes.'),
};

export const boundsRule = {
  passes: 'from `min` to `max`; without bounds always',
  limits: ['min', 'max', 'negate'],
} as const;

export function inBounds(count: number, { min, max }: Bounds, unit: string): Measurement {
  if (min !== undefined && count < min)
    return passOrFail(false, `${count} ${unit}, at least ${min} wanted`, count);
  if (max !== undefined && count > max)
    return passOrFail(false, `${count} ${unit}, at most ${max} wanted`, count);
  return measurement(count, true);
}
