import { z } from 'zod';
import type { MetricLevel } from '../types/metric.ts';
import type { Message } from '../types/model.ts';
import { callsAt, messagesAt, textAt, turnsOf, type MetricAnswer } from './answer.ts';
import {
  callsByName,
  flexCount,
  flexEval,
  numericParameters,
  perName,
  recordMetrics,
  toolWasCalled,
} from './conversation-tools.ts';
import {
  countBounds,
  passOrFail,
  defineMetric,
  measureError,
  measurement,
  type MetricDefinition,
  type MetricExample,
  inBounds,
  yesOrNo,
} from './definition.ts';
import { fleschKincaidGrade, fleschReadingEase } from './measures/language.ts';
import { AS_WRITTEN, normaliseText } from './measures/normalise.ts';
import { compilePattern } from './measures/pattern.ts';
import { lengthIn } from './measures/words.ts';

const dialogue: Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello! 👋🏽' },
];

const exampleAnswer = { output: 'Hello! 👋🏽', thread: dialogue };

function counter(
  name: string,
  summary: string,
  example: MetricExample,
  count: (answer: MetricAnswer, level: MetricLevel) => number | null,
): MetricDefinition {
  return defineMetric({
    ...flexCount,
    name,
    summary,
    parameters: countBounds,
    range: 'a number',
    example,
    measure({ answer, options, context }) {
      const value = count(answer, context.level);
      return value === null
        ? measurement(null, false, 'the text has no words')
        : inBounds(value, options, 'counted');
    },
  });
}

/** Created on first use, because compiling all emojis into a pattern takes 30 ms. */
let emojis: RegExp | null = null;

const counters = [
  counter(
    'string_length',
    'Characters (Unicode code points) of the judged text.',
    { ...exampleAnswer, value: 9, pass: true },
    (answer, level) => lengthIn(textAt(answer, level), 'characters'),
  ),
  counter(
    'count_emojis',
    'Emojis of the judged text; one with a skin tone or joined from several is one.',
    { ...exampleAnswer, value: 1, pass: true },
    (answer, level) =>
      textAt(answer, level).match((emojis ??= new RegExp('\\p{RGI_Emoji}', 'gv')))?.length ?? 0,
  ),
  counter(
    'count_messages',
    "Messages at the metric's level, system messages left out.",
    { ...exampleAnswer, value: 1, pass: true },
    (answer, level) => messagesAt(answer, level).length,
  ),
  counter(
    'count_turns',
    'Turns of the conversation: runs of messages from the same side.',
    { ...exampleAnswer, with: { max: 1 }, value: 2, pass: false },
    (answer) => turnsOf(answer.thread).length,
  ),
  counter(
    'index_in_thread',
    'Position of the judged turn, counted from 0.',
    { ...exampleAnswer, value: 1, pass: true },
    (answer) => Math.max(0, turnsOf(answer.thread).length - 1),
  ),
  counter(
    'flesch_reading_ease',
    'Ease of reading, about 0 (hard) to 100 (easy). English only; syllables are estimated.',
    {
      output: 'The cat sat on the mat.',
      with: { min: 60 },
      value: 206.835 - 1.015 * 6 - 84.6,
      pass: true,
    },
    (answer, level) => fleschReadingEase(textAt(answer, level)),
  ),
  counter(
    'flesch_kincaid_grade',
    'School grade needed to read the text. English only; syllables are estimated.',
    {
      output: 'The cat sat on the mat.',
      with: { max: 8 },
      value: 0.39 * 6 + 11.8 - 15.59,
      pass: true,
    },
    (answer, level) => fleschKincaidGrade(textAt(answer, level)),
  ),
  counter(
    'count_tool_calls',
    'Tool calls of the answer.',
    {
      output: '',
      calls: [{ name: 'search', arguments: '{}' }],
      with: { max: 0 },
      value: 1,
      pass: false,
    },
    (answer, level) => callsAt(answer, level).length,
  ),
];

const countTokensMetric = defineMetric({
  ...flexCount,
  name: 'count_tokens',
  whole: true,
  summary: 'Tokens of the call as the provider reports them, input and output.',
  parameters: countBounds,
  range: '0 and up',
  better: 'lower',
  example: {
    output: 'hi',
    completion: { usage: { input_tokens: 20, output_tokens: 3 } },
    value: 23,
    pass: true,
  },
  measure({ answer, options }) {
    const { usage } = answer.completion;
    return usage === null
      ? measureError('the provider reported no token usage')
      : inBounds(usage.input_tokens + usage.output_tokens, options, 'tokens');
  },
});

const roleNames = ['user', 'human', 'assistant', 'ai', 'system'] as const;

const roleSchema = z.enum(roleNames);

function standardRole(name: z.output<typeof roleSchema>): Message['role'] {
  return name === 'human' ? 'user' : name === 'ai' ? 'assistant' : name;
}

const isRole = defineMetric({
  ...flexEval,
  name: 'is_role',
  summary:
    "Every judged message has the role. The value is a map with the role's name as key, as " +
    'conditions (`metric_name`) read it.',
  parameters: { role: roleSchema.describe('The role.') },
  range: 'a map of role and 0 or 1',
  passes: 'at 1',
  better: 'none',
  example: { ...exampleAnswer, with: { role: 'assistant' }, value: { assistant: 1 }, pass: true },
  measure({ answer, options, context }) {
    const wanted = standardRole(options.role);
    const messages = messagesAt(answer, context.level);
    const pass = messages.length > 0 && messages.every((message) => message.role === wanted);
    return passOrFail(pass, `is not by ${wanted}`, { [options.role]: pass ? 1 : 0 });
  },
});

const messagesPerRole = defineMetric({
  ...flexCount,
  name: 'count_messages_per_role',
  summary:
    "Messages at the metric's level by role; `min` and `max` apply to the one `role`, if " +
    'given, else to each.',
  parameters: { role: roleSchema.optional().describe('Count this role only.'), ...countBounds },
  range: 'a map of role and number',
  example: { ...exampleAnswer, value: { assistant: 1 }, pass: true },
  measure({ answer, options, context }) {
    const names = messagesAt(answer, context.level).map((message) => message.role);
    return perName(names, options.role === undefined ? null : standardRole(options.role), options);
  },
});

const expression = z.string().describe('RE2 syntax: no look-around, no back-references.');

const plainFlags = { ignore_case: false, multiline: false, dot_all: false };

/** Patterns match composed characters. */
function judgedText(answer: MetricAnswer, level: MetricLevel): string {
  return normaliseText(textAt(answer, level), AS_WRITTEN);
}

function patternProblems(pattern: string): string[] {
  const compiled = compilePattern(pattern, plainFlags);
  return typeof compiled === 'string' ? [compiled] : [];
}

const matchesRegex = defineMetric({
  ...flexEval,
  name: 'message_matches_regex',
  summary: 'The pattern is found in the judged text.',
  parameters: { expression },
  ...yesOrNo,
  example: { ...exampleAnswer, with: { expression: '^Hello' }, value: 1, pass: true },
  check: (options) => patternProblems(options.expression),
  measure({ answer, options, context }) {
    const compiled = compilePattern(options.expression, plainFlags);
    return passOrFail(
      typeof compiled !== 'string' && compiled.test(judgedText(answer, context.level)),
      'the pattern is not found',
    );
  },
});

const countRegex = defineMetric({
  ...flexCount,
  name: 'count_of_parts_matching_regex',
  summary: 'How many parts of the judged text match the pattern, without overlap.',
  parameters: { expression, ...countBounds },
  range: '0 and up',
  example: {
    output: 'one, two, three',
    with: { expression: '\\w+', max: 2 },
    value: 3,
    pass: false,
  },
  check: (options) => patternProblems(options.expression),
  measure({ answer, options, context }) {
    const compiled = compilePattern(options.expression, plainFlags);
    const parts =
      typeof compiled === 'string' ? [] : [...compiled.matchAll(judgedText(answer, context.level))];
    return inBounds(parts.length, options, 'parts');
  },
});

export const conversationMetrics: readonly MetricDefinition[] = [
  isRole,
  ...counters,
  countTokensMetric,
  messagesPerRole,
  toolWasCalled,
  callsByName,
  numericParameters,
  matchesRegex,
  countRegex,
  ...recordMetrics,
];
