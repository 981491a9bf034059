import type { CodeResult, MetricSource } from '../types.ts';
import {
  failure,
  measured,
  type Measured,
  type MetricContext,
  type MetricSample,
} from './definition.ts';
import { transcript } from './levels.ts';

type CodeSource = Extract<MetricSource, { kind: 'code' }>;

/**
 * Runs the user's code on all samples in one batch. It sees `prompt` (the messages as `role: text`
 * lines), `actual`, `input` and `expected` (unset when absent) and sets `metric` and `result`. With
 * a threshold the metric's number decides, and `result` need not be set.
 */
export async function scoreCode(
  source: CodeSource,
  samples: readonly MetricSample[],
  threshold: number | null,
  { name, tools }: MetricContext,
): Promise<Measured[]> {
  if (samples.length === 0) return [];
  const results = await tools.evaluate({
    side: tools.side,
    language: source.language,
    code: source.code,
    outputs: threshold === null ? ['metric', 'result'] : ['metric'],
    inputs: samples.map(({ messages, completion, input, expected }) => ({
      prompt: transcript(messages),
      actual: completion.output,
      input,
      expected,
    })),
  });
  return samples.map((_, index) =>
    fromResult(results[index], threshold, source, `metric "${name}"`),
  );
}

function fromResult(
  result: CodeResult | undefined,
  threshold: number | null,
  { language }: CodeSource,
  metric: string,
): Measured {
  if (result === undefined) return failure(`${metric} has no result`);
  if (result.status === 'error')
    return failure(
      `${metric}${/^(?:did|took|used|ended|wrote|was) /.test(result.message) ? '' : ':'} ${result.message}`,
    );
  const { metric: value, result: verdict } = result.values;
  if (value === undefined) return failure(`${metric} did not set metric`);
  // The threshold is applied with every other metric's.
  if (threshold !== null) return measured(value, false);
  if (verdict === undefined) return failure(`${metric} did not set result`);
  if (typeof verdict === 'boolean') return measured(value, verdict);
  return failure(
    `${metric}: result must be ${language === 'python' ? 'True or False' : 'true or false'}`,
  );
}
