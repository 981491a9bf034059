import { stringify } from 'yaml';
import type { ReferenceResult, TryResult } from '../kernel/result/reference-result.ts';
import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import type { Prompt, Reference, Suite, Tests } from '../kernel/suite/suite.ts';
import type { Metric, Score } from '../types/metric.ts';
import type { Role } from '../types/model.ts';
import type { Json } from '../types/plain.ts';
import { answerText } from './answers/text.ts';

const ROLES: Readonly<Record<Role, string>> = { system: 'system', user: 'human', assistant: 'ai' };

/** `multirun/YYYY-MM-DD/HH-MM-SS/<job>/report-<try>.yaml` (UTC): a job per suite and variant. */
export function* llmevalFiles(
  result: Result,
  suites: readonly Suite[],
  startedAt: Date,
): Generator<{ path: string; text: string }> {
  const [day = '', time = ''] = startedAt.toISOString().slice(0, 19).split('T');
  const folder = `multirun/${day}/${time.replaceAll(':', '-')}`;
  for (const [job, suite] of result.suites.entries()) {
    const source = suites.find(
      ({ prompt }) => prompt.file === suite.path && prompt.name === suite.name,
    );
    const tries = suite.references.reduce(
      (most, { head }) => Math.max(most, head?.tries.length ?? 0),
      0,
    );
    for (let index = 0; source !== undefined && index < tries; index += 1) {
      yield {
        path: `${folder}/${String(job)}/report-${String(index)}.yaml`,
        text: yamlText(suiteReport(suite, source, index, tries)),
      };
    }
  }
}

function suiteReport(
  suite: SuiteResult,
  { prompt, tests }: Suite,
  index: number,
  tries: number,
): Record<string, Json> {
  const byId = new Map(suite.references.map((reference) => [reference.id, reference]));
  return {
    prompts: {
      tests: {
        metrics: tests.metrics.map(metricJson),
        ...rollupOf(tests),
        references: tests.references.map((reference) =>
          referenceJson(reference, byId.get(reference.id), index, tests.skip),
        ),
        ...(tests.skip ? { skip: true } : {}),
      },
      name: suite.name,
      ...(suite.variant.model === null ? {} : { model: suite.variant.model }),
      ...suite.variant.parameters,
      variables: prompt.variables.map(({ name }) => ({ name })),
      ...promptBody(prompt),
    },
    n_tries: tries,
    version: null,
  };
}

function promptBody({ code, messages }: Prompt): Record<string, Json> {
  if (code !== null)
    return {
      code: code.source,
      ...(code.language === 'python' ? {} : { language: code.language }),
    };
  return { messages: messages.map(({ role, content }) => ({ role: ROLES[role], content })) };
}

function metricJson({ name, source, threshold, better, min, max, pass, skip }: Metric): Json {
  const rest = {
    ...(threshold === null ? {} : { threshold }),
    ...(better === undefined ? {} : { better }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(pass === undefined ? {} : { pass }),
    ...(skip ? { skip } : {}),
  };
  if (source.kind === 'code')
    return {
      name,
      ...(source.language === 'python' ? {} : { language: source.language }),
      code: source.code,
      ...rest,
    };
  if (source.kind === 'rubric') return { name, rubric: source.rubric, ...rest };
  return {
    name,
    uses: source.uses,
    ...(Object.keys(source.with).length === 0 ? {} : { with: source.with }),
    ...rest,
  };
}

function rollupOf({ rollup }: Tests): Record<string, Json> {
  if (rollup.kind === 'code')
    return {
      metrics_rollup: {
        name: rollup.name,
        ...(rollup.language === 'python' ? {} : { language: rollup.language }),
        code: rollup.code,
      },
    };
  if (rollup.kind === 'at_least') return { metrics_rollup: { name: 'at_least', k: rollup.k } };
  if (rollup.kind === 'pass_rate')
    return { metrics_rollup: { name: 'pass_rate', min: rollup.min } };
  return rollup.policy === 'all' ? {} : { metrics_rollup: { name: rollup.policy } };
}

function referenceJson(
  reference: Reference,
  found: ReferenceResult | undefined,
  index: number,
  allSkipped: boolean,
): Json {
  const made = found?.head?.tries[index];
  const { thread } = reference;
  return {
    id: reference.id,
    input:
      thread === null
        ? reference.input
        : thread.map(({ role, content }) => ({ role: ROLES[role], content })),
    ...(reference.expected === undefined ? {} : { expected: reference.expected }),
    ...(reference.skip ? { skip: true } : {}),
    ...(made === undefined ? {} : tryJson(made, allSkipped || reference.skip)),
  };
}

function tryJson(
  { parts, error, scores, latency_ms }: TryResult,
  skipped: boolean,
): Record<string, Json> {
  const actual = answerText({ parts });
  return {
    ...(actual === null ? {} : { actual }),
    ...(error === null ? {} : { error }),
    metrics: Object.fromEntries(scores.map((score) => [score.metric, scoreJson(score, skipped)])),
    ...(latency_ms === null ? {} : { duration: latency_ms }),
  };
}

function scoreJson({ value, status, skip, reason }: Score, skipped: boolean): Json {
  return {
    metric: value,
    result: status,
    skipped: skip || skipped,
    ...(reason === null ? {} : { reason }),
  };
}

/** Same bytes as {@link indentedYaml}, which takes 40 KB of memory per try. */
export function yamlText(value: Record<string, Json>): string {
  return Object.keys(value).length === 0 ? '{}\n' : `${block(value, '')}\n`;
}

type Collection = Json[] | Record<string, Json>;

/** `indent` is that of all lines but the first, which the caller has begun. */
function block(value: Collection, indent: string): string {
  let text = '';
  const add = (part: string): void => {
    text += text === '' ? part : `\n${indent}${part}`;
  };
  if (Array.isArray(value)) for (const item of value) add(itemText(item, indent));
  else
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member !== undefined) add(pairText(name, member, indent));
    }
  return text;
}

function itemText(item: Json, indent: string): string {
  if (isFilled(item)) return `- ${block(item, `${indent}  `)}`;
  const text = scalarText(item);
  return text === null ? indentedYaml([item], indent) : `- ${text}`;
}

function pairText(name: string, value: Json, indent: string): string {
  if (!isPlainYaml(name) || name.length > LONGEST_NAME)
    return indentedYaml({ [name]: value }, indent);
  if (isFilled(value)) return `${name}:\n${indent}  ${block(value, `${indent}  `)}`;
  const text = scalarText(value);
  return text === null ? indentedYaml({ [name]: value }, indent) : `${name}: ${text}`;
}

function isFilled(value: Json): value is Collection {
  return value !== null && typeof value === 'object' && Object.keys(value).length > 0;
}

function scalarText(value: Json): string | null {
  if (typeof value !== 'string') return Object.is(value, -0) ? null : JSON.stringify(value);
  if (isPlainYaml(value)) return value;
  return /^-?\d+$/.test(value) ? `"${value}"` : null;
}

/** YAML writes longer keys in another form. */
const LONGEST_NAME = 1000;

/** One line that begins with a letter or digit and contains nothing that could end it. */
function isPlainYaml(text: string): boolean {
  return (
    /^[A-Za-z0-9][ -~\u00c0-\u1fff\u3001-\ud7ff]*$/.test(text) &&
    !/:(?: |$)| (?:#|$)|^(?:true|false|null|[\d.]+(?:e[-+]?\d+)?|0[xo][\da-f]+)$/i.test(text)
  );
}

/** Any value as YAML, all lines but the first indented. */
function indentedYaml(value: Collection, indent: string): string {
  const text = stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
  return text.slice(0, -1).replace(/\n(?!\n|$)/g, `\n${indent}`);
}
