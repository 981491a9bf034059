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
      ...(suite.variant.model !== null && { model: suite.variant.model }),
      ...suite.variant.parameters,
      variables: prompt.variables.map(({ name }) => ({ name })),
      ...promptBody(prompt),
      tests: {
        ...(tests.skip && { skip: true }),
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

function metricJson({ name, source, threshold, better, min, max, pass, skip }: Metric): Json {
  const rest = {
    ...(threshold !== null && { threshold }),
    ...(better !== undefined && { better }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(pass !== undefined && { pass }),
    ...(skip && { skip }),
  };
  if (source.kind === 'code') return { name, ...languageOf(source), code: source.code, ...rest };
  if (source.kind === 'rubric') return { name, rubric: source.rubric, ...rest };
  return {
    name,
    uses: source.uses,
    ...(Object.keys(source.with).length > 0 && { with: source.with }),
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
): Json {
  const made = found?.head?.tries[index];
  const { thread } = reference;
  return {
    id: reference.id,
    input:
      thread === null
        ? reference.input
        : thread.map(({ role, content }) => ({ role: ROLES[role], content })),
    ...(reference.expected !== undefined && { expected: reference.expected }),
    ...(reference.skip && { skip: true }),
    ...(made !== undefined && tryJson(made, allSkipped || reference.skip)),
  };
}

function tryJson(
  { parts, error, scores, latency_ms }: TryResult,
  skipped: boolean,
): Record<string, Json> {
  const actual = answerText({ parts });
  return {
    ...(actual !== null && { actual }),
    ...(error !== null && { error }),
    metrics: Object.fromEntries(
      scores.map((score) => [
        score.metric,
        {
          metric: score.value,
          result: score.status,
          skipped: score.skip || skipped,
          ...(score.reason !== null && { reason: score.reason }),
        },
      ]),
    ),
    ...(latency_ms !== null && { duration: latency_ms }),
  };
}

/** Converts references to YAML one by one, because all at once would need much memory. */
function yamlText(report: Record<string, Json>, references: readonly Json[]): string {
  const items = references.map(
    (reference) => ITEM_INDENT + yaml([reference]).replace(/\n(?!\n|$)/g, `\n${ITEM_INDENT}`),
  );
  return `${yaml(report)}    references:${items.length === 0 ? ' []\n' : `\n${items.join('')}`}`;
}

const ITEM_INDENT = ' '.repeat(6);

function yaml(value: Json): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
