import { z } from 'zod';
import { ENDED, isWithheld } from '../types/answer.ts';
import {
  countBounds,
  boundsRule,
  passOrFail,
  defineMetric,
  measureError,
  offByDefault,
  measurement,
  type Measurement,
  type MetricDefinition,
  inBounds,
  yesOrNo,
} from './definition.ts';
import { refusalIn } from './measures/language.ts';

const perCall = {
  whole: true,
  group: 'operational',
  ...boundsRule,
  better: 'lower',
  parameters: countBounds,
} as const;

const latency = defineMetric({
  ...perCall,
  name: 'latency',
  summary: 'Duration of the call in milliseconds. For a reused answer, that of the original call.',
  range: '0 and up, milliseconds',
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
      ? measureError('the answer came in a batch, so its latency is unknown')
      : inBounds(latency_ms, options, 'ms');
  },
});

const unknownUsage = (): Measurement => measureError('the provider reported no token usage');

const tokensMetric = defineMetric({
  ...perCall,
  name: 'tokens',
  aliases: ['count_tokens'],
  summary: 'Number of tokens of the call, as the provider reports it.',
  parameters: {
    count: z.enum(['total', 'input', 'output']).default('total').describe('Which tokens count.'),
    ...countBounds,
  },
  range: '0 and up',
  source: 'usage of the reply; FlexEval `count_tokens`',
  example: {
    output: 'hi',
    completion: { usage: { input_tokens: 20, output_tokens: 3 } },
    with: { count: 'output', max: 2 },
    value: 3,
    pass: false,
  },
  measure({ answer, options }) {
    const { usage } = answer.completion;
    if (usage === null) return unknownUsage();
    const { input_tokens: input, output_tokens: output } = usage;
    return inBounds({ total: input + output, input, output }[options.count], options, 'tokens');
  },
});

const costMetric = defineMetric({
  ...perCall,
  name: 'cost',
  summary: "Cost of the call in US dollars: its tokens times the model's `price`.",
  range: '0 and up, dollars',
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
    if (dollars === null)
      return measureError(
        'the price of the model is not known: set models.<name>.price in the settings',
      );
    return inBounds(dollars, options, 'dollars');
  },
});

const finishReasonMetric = defineMetric({
  name: 'finish_reason',
  whole: true,
  group: 'operational',
  summary:
    'Why the model stopped: `stop`, `length` (cut off), `tool_calls`, `refused`, `filtered` or ' +
    '`other`.',
  parameters: {
    one_of: z.array(z.enum(ENDED)).min(1).default(['stop']).describe('The reasons that pass.'),
  },
  range: 'one of the six words',
  passes: 'if the reason is in `one_of`',
  better: 'none',
  source: 'finish or stop reason of the reply; promptfoo `finish-reason`',
  example: {
    output: 'The first of the',
    completion: { ended: 'length' },
    value: 'length',
    pass: false,
  },
  measure({ answer, options }) {
    const found = answer.completion.ended;
    const reason = `stopped by ${found}, not ${options.one_of.join(' or ')}`;
    return passOrFail(options.one_of.includes(found), reason, found);
  },
});

const refusalMetric = defineMetric({
  name: 'refusal',
  group: 'operational',
  summary:
    'The answer is a refusal: it begins by saying that it cannot or will not answer or help, ' +
    "or the vendor's filter stopped it. Offering something else is also a refusal. \"I can't " +
    'wait to help" and "I can\'t give an exact figure, but it is about 300" are not. English ' +
    'only. With `negate`, the answer must not be a refusal.',
  parameters: { empty: offByDefault('Whether an answer without text counts as a refusal.') },
  ...yesOrNo,
  source: 'own phrases; promptfoo `is-refusal`',
  example: {
    output: "I'm sorry, but I can't help with that.",
    with: { negate: true },
    value: 1,
    pass: false,
  },
  measure({ answer, output, options }) {
    const found = isWithheld(answer.completion)
      ? "the vendor's filter"
      : options.empty && output.trim() === ''
        ? 'no text'
        : refusalIn(output);
    return found === null
      ? passOrFail(false, 'does not refuse')
      : measurement(1, true, `refuses: ${found}`);
  },
});

export const operationalMetrics: readonly MetricDefinition[] = [
  latency,
  costMetric,
  tokensMetric,
  refusalMetric,
  finishReasonMetric,
];
