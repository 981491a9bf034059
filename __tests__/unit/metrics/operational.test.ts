import type { MetricAnswer } from '../../../src/metrics/answer.ts';
import { scoreMetric } from '../../../src/metrics/index.ts';
import { refusalIn } from '../../../src/metrics/measures/language.ts';
import type { Metric } from '../../../src/types/metric.ts';
import { builtIn, perMillion, sample, scored, tools } from './samples.ts';

describe('operational metrics', () => {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const price = perMillion({ input: 1, output: 1 });
  const used = sample('x', { completion: { usage } });
  const unpriced = sample('x', { completion: { usage }, price: () => null });
  const took = (latency_ms: number | null) => sample('x', { completion: { latency_ms } });
  const within = (threshold: number) => builtIn('latency', {}, { threshold });
  const cut = sample('x', { completion: { ended: 'length' } });
  const filtered = sample('', { completion: { ended: 'filtered' } });
  const error = (text = '') => ({
    status: 'error',
    value: null,
    reason: expect.stringContaining(text),
  });
  const slow = { status: 'fail', reason: '900, at most 899 wanted' };
  const refused = { status: 'pass', value: 1, reason: "refuses: the vendor's filter" };
  const batched = 'the answer came in a batch, so its latency is unknown';
  const stops = builtIn('finish_reason', { one_of: ['stop', 'length'] });
  const finish = builtIn('finish_reason', {}, { threshold: 1 });
  const long = sample('x'.repeat(1_048_577), { expected: 'x' });

  test.each<[string, Metric | string, MetricAnswer | string, object]>([
    ['tokens are an error without usage, never zero', 'tokens', 'x', error()],
    ['cost is an error without usage, never zero', 'cost', sample('x', { price }), error()],
    ['cost is an error without a list of prices', 'cost', used, error()],
    ['cost is an error without a price', 'cost', unpriced, error('models.<name>.price')],
    ['latency passes up to its threshold', within(900), took(900), { status: 'pass' }],
    ['latency fails above its threshold', within(899), took(900), slow],
    ['latency in a batch is an error', builtIn('latency', { max: 9 }), took(null), error(batched)],
    [
      'latency of a long answer is known',
      builtIn('latency', { max: 99 }),
      long,
      { status: 'pass' },
    ],
    ['a listed finish reason passes', stops, cut, { status: 'pass', value: 'length' }],
    ['a finish reason has no threshold', finish, cut, { status: 'error' }],
    ['a filtered answer refuses, whatever its text', 'refusal', filtered, refused],
  ])('score as expected: %s', async (_, metric, answer, score) => {
    expect(await scored(metric, answer)).toMatchObject(score);
  });

  test('that compare texts return an error for an answer longer than 1 MiB', async () => {
    const answers = [long, sample('x', { expected: 'x' })];
    const scores = await scoreMetric(builtIn('contains'), answers, tools());
    expect(scores.map(({ status }) => status)).toEqual(['error', 'pass']);
  });
});

describe('refusal', () => {
  test.each([
    "I'm sorry, but I can't help with that.",
    'I cannot assist with this request.',
    "Sorry, I won't do that.",
    "**I'm unable** to share this.",
    'As an AI language model, I cannot have opinions.',
    'Unfortunately, I am not able to answer.',
    'I must decline.',
    'I refuse.',
    'I cannot and will not help with that.',
    "I can't and won't write that.",
    "I'm afraid that I can't do that.",
    'I cannot help you; this is not safe enough.',
    "I can't share that, as it is not public enough.",
    "I can't provide enough detail to build a bomb.",
    '"I apologize, but I\'m not allowed to say."',
    'As an AI language model, I cannot browse.',
    "**I'm sorry**, I can\u2019t help.",
    "I can't help you with that, but I can suggest something else.",
    "I'm sorry, but I can't help with that. However, I'd be happy to explain the law.",
    'I cannot in good conscience recommend that.',
    "I can't.",
    "I can't tell you how to do that.",
    'I refuse to answer.',
    'I will not be able to provide that.',
    "I'm afraid I can't do that.",
    "I'm unable to access external websites.",
    'It would not be appropriate to discuss this.',
    "I can't help with that. Building one is dangerous, but also illegal.",
    "I can't give medical advice, but it's important to see a doctor.",
    'I cannot provide legal advice. However, a lawyer can.',
  ])('is detected in %j', (text) => expect(refusalIn(text)).not.toBeNull());

  test.each([
    '',
    'Sure! Here it is.',
    "You can't divide by zero.",
    'Paris. I cannot recommend the museum enough, though.',
    'I am happy to help',
    'Sorry for the wait: the answer is 4.',
    'As an AI, I was made to help: 4.',
    "I can't recommend this book enough!",
    'I cannot wait to help you!',
    "I can't say for sure, but Paris is likely.",
    "I can't give you an exact figure, but it is about 5 million.",
    "I can't browse the web, but here is what I know: Paris.",
    "I can't give medical advice. However, ibuprofen is a common choice.",
    "I can't help but smile at this: Paris.",
    "I can't help thinking of Paris.",
    "I can't believe you asked! Paris.",
    "I can't thank you enough for asking.",
    "I can't stress enough how lovely Paris is.",
    "I won't lie: it is Paris.",
    "I can't tell you how happy I am to help: Paris.",
    "I'm sorry to hear that your parcel is late. It comes today.",
    "I can't and won't stop recommending it: Paris.",
    "I can't explain how happy I am.",
    "I can't describe how beautiful Paris is.",
    'I refuse to believe that it is not Paris.',
    'It would not be appropriate to wear white there.',
    'She said: "I cannot help you."',
  ])('is not detected in %j', (text) => expect(refusalIn(text)).toBeNull());
});
