import { stringify } from 'yaml';
import type { ReferenceResult, TryResult } from '../kernel/result/reference-result.ts';
import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import type { Prompt, Reference, Suite, Tests } from '../kernel/suite/suite.ts';
import type { Metric } from '../types/metric.ts';
import type { Role } from '../types/model.ts';
import type { CodeLanguage, Json } from '../types/plain.ts';
import { answerText } from './answers/text.ts';

const ROLES: Readonly<Record<Role | 'tool', string>> = {
  system: 'system',
  user: 'human',
  assistant: 'ai',
  tool: 'tool',
};

/**
 * Writes llmeval's `multirun/YYYY-MM-DD/HH-MM-SS/<job>/report-<try>.yaml` (UTC), one job per suite
 * and variant.
 */
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
        path: `${folder}/${job}/report-${index}.yaml`,
        text: reportText(suite, source, index, tries),
      };
    }
  }
}

function reportText(
  suite: SuiteResult,
  { prompt, tests }: Suite,
  index: number,
  tries: number,
): string {
  const byId = new Map(suite.references.map((reference) => [reference.id, reference]));
  const report = {
    version: null,
    n_tries: tries,
    prompts: {
      name: suite.name,
      model: suite.variant.model ?? undefined,
      ...suite.variant.parameters,
      variables: prompt.variables.map(({ name }) => ({ name })),
      ...promptBody(prompt),
      tests: {
        skip: tests.skip || undefined,
        metrics: tests.metrics.map(metricJson),
        ...rollupOf(tests),
      },
    },
  };
  return yamlText(
    report,
    tests.references.map((reference) =>
      referenceJson(reference, byId.get(reference.id), index, tests.skip),
    ),
  );
}

function promptBody({ code, messages }: Prompt): Record<string, Json> {
  const own = code === null ? {} : { code: code.source, ...languageOf(code) };
  if (code !== null && messages.length === 0) return own;
  return {
    messages: messages.map(({ role, content }) => ({ role: ROLES[role], content })),
    ...own,
  };
}

function languageOf({ language }: { language: CodeLanguage }): { language?: CodeLanguage } {
  return language === 'python' ? {} : { language };
}

/** The YAML library leaves out what is undefined. */
function metricJson({ name, source, threshold, skip, better, min, max, pass }: Metric): object {
  const rest = {
    threshold: threshold ?? undefined,
    better,
    min,
    max,
    pass,
    skip: skip || undefined,
  };
  if (source.kind === 'code') return { name, ...languageOf(source), code: source.code, ...rest };
  if (source.kind === 'rubric') return { name, rubric: source.rubric, ...rest };
  return {
    name,
    uses: source.uses,
    with: Object.keys(source.with).length > 0 ? source.with : undefined,
    ...rest,
  };
}

function rollupOf({ rollup }: Tests): Record<string, Json> {
  if (rollup.kind === 'code')
    return { metrics_rollup: { name: rollup.name, ...languageOf(rollup), code: rollup.code } };
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
): object {
  const made = found?.head?.tries[index];
  const { thread } = reference;
  return {
    id: reference.id,
    input:
      thread === null
        ? reference.input
        : thread.map(({ role, content }) => ({ role: ROLES[role], content })),
    expected: reference.expected,
    skip: reference.skip || undefined,
    ...(made !== undefined && tryJson(made, allSkipped || reference.skip)),
  };
}

function tryJson({ parts, error, scores, latency_ms }: TryResult, skipped: boolean): object {
  return {
    actual: answerText({ parts }) ?? undefined,
    error: error ?? undefined,
    metrics: Object.fromEntries(
      scores.map((score) => [
        score.metric,
        {
          metric: score.value,
          result: score.status,
          skipped: score.skip || skipped,
          reason: score.reason ?? undefined,
        },
      ]),
    ),
    duration: latency_ms ?? undefined,
  };
}

/** Converts references to YAML one by one, because all at once would need much memory. */
function yamlText(report: object, references: readonly object[]): string {
  const items = references.map(
    (reference) => ITEM_INDENT + yaml([reference]).replace(/\n(?!\n|$)/g, `\n${ITEM_INDENT}`),
  );
  return `${yaml(report)}    references:${items.length === 0 ? ' []\n' : `\n${items.join('')}`}`;
}

const ITEM_INDENT = ' '.repeat(6);

function yaml(value: object): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
