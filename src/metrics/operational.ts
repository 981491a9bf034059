import { z } from 'zod';
import {
  bounds,
  passOrFail,
  defineMetric,
  measureError,
  measurement,
  type Measured,
  type MetricDefinition,
  inBounds,
} from './definition.ts';
import { refusalIn } from './measures/language.ts';

const limits = 'from `min` to `max`; without bounds always';

const latency = defineMetric({
  name: 'latency',
  whole: true,
  group: 'operational',
  summary: 'Milliseconds of the call; for a reused answer those of the call that was paid for.',
  parameters: bounds,
  range: '0 and up, milliseconds',
  passes: limits,
  better: 'lower',
  source: 'measured by the provider layer; promptfoo `latency`',
  example: {
    output: 'hi',
    completion: { latency_ms: 340 },
    with: { max: 500 },
    value: 340,
    pass: true,
  },
  measure({ answer, options }) {
    const { latency_ms } = answer.completion;
    return latency_ms === null
      ? measureError('the answer came in a batch, so that nobody knows how long it took')
      : inBounds(latency_ms, options, 'ms');
  },
});

const kinds = z.enum(['total', 'input', 'output']).default('total').describe('Which tokens count.');

const tokensParameters = { count: kinds, ...bounds };

function countTokens(
  usage: { input_tokens: number; output_tokens: number } | null,
  count: 'total' | 'input' | 'output',
): number | null {
  if (usage === null) return null;
  return {
    total: usage.input_tokens + usage.output_tokens,
    input: usage.input_tokens,
    output: usage.output_tokens,
  }[count];
}

const unknownUsage = (): Measured => measureError('the provider reported no token usage');

const tokens = defineMetric({
  name: 'tokens',
  whole: true,
  group: 'operational',
  summary: 'Tokens of the call, as the provider reports them.',
  parameters: tokensParameters,
  range: '0 and up',
  passes: limits,
  better: 'lower',
  source: 'usage of the reply',
  example: {
    output: 'hi',
    completion: { usage: { input_tokens: 20, output_tokens: 3 } },
    with: { count: 'output', max: 2 },
    value: 3,
    pass: false,
  },
  measure({ answer, options }) {
    const count = countTokens(answer.completion.usage, options.count);
    return count === null ? unknownUsage() : inBounds(count, options, 'tokens');
  },
});

const cost = defineMetric({
  name: 'cost',
  whole: true,
  group: 'operational',
  summary: "Dollars of the call: its tokens times the model's `price`.",
  parameters: bounds,
  range: '0 and up, dollars',
  passes: limits,
  better: 'lower',
  source: 'usage of the reply × `price` of the settings; promptfoo `cost`',
  example: {
    output: 'hi',
    completion: { usage: { input_tokens: 1000, output_tokens: 100 } },
    price: { input: 3, output: 15 },
    with: { max: 0.01 },
    value: 0.0045,
    pass: true,
  },
  measure({ answer, options }) {
    const { usage } = answer.completion;
    if (usage === null) return unknownUsage();
    const dollars = answer.price?.(usage) ?? null;
    // An unknown price is not 0.
    if (dollars === null)
      return measureError(
        'the price of the model is not known: set models.<name>.price in the settings',
      );
    return inBounds(dollars, options, 'dollars');
  },
});

const reasons = ['stop', 'length', 'filter', 'tool', 'other'] as const;

const finishReason = defineMetric({
  name: 'finish_reason',
  whole: true,
  group: 'operational',
  summary: 'Why the model stopped: `stop`, `length` (cut off), `filter`, `tool` or `other`.',
  parameters: {
    one_of: z.array(z.enum(reasons)).min(1).default(['stop']).describe('The reasons that pass.'),
  },
  range: 'one of the five words',
  passes: 'when the reason is in `one_of`',
  better: 'none',
  source: 'finish or stop reason of the reply; promptfoo `finish-reason`',
  example: {
    output: 'The first of the',
    completion: { finish_reason: 'length' },
    value: 'length',
    pass: false,
  },
  measure({ answer, options }) {
    const found = answer.completion.finish_reason;
    const pass = options.one_of.includes(found);
    return measurement(
      found,
      pass,
      pass ? null : `stopped by ${found}, not ${options.one_of.join(' or ')}`,
    );
  },
});

const refusal = defineMetric({
  name: 'refusal',
  group: 'operational',
  summary:
    'The answer refuses: it begins by saying that it cannot or will not answer or help, or the vendor\'s filter stopped it. "I can\'t wait to help" and "I can\'t give an exact figure, but it is about 300" do not refuse; the offer of something else does. English only. With `negate` the answer must not refuse.',
  parameters: {
    empty: z.boolean().default(false).describe('An answer without any text counts as a refusal.'),
  },
  range: '0 or 1',
  passes: 'at 1',
  source: 'own phrases; promptfoo `is-refusal`',
  example: {
    output: "I'm sorry, but I can't help with that.",
    with: { negate: true },
    value: 1,
    pass: false,
  },
  measure({ answer, output, options }) {
    const found =
      answer.completion.finish_reason === 'filter'
        ? "the vendor's filter"
        : options.empty && output.trim() === ''
          ? 'no text'
          : refusalIn(output);
    // The phrase is the reason if `negate` turns the refusal into a failure.
    return found === null
      ? passOrFail(false, 'does not refuse')
      : measurement(1, true, `refuses: ${found}`);
  },
});

export const operationalMetrics: readonly MetricDefinition[] = [
  latency,
  cost,
  tokens,
  refusal,
  finishReason,
];
