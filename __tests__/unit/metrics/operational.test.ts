import { describe, expect, test } from '@jest/globals';
import { scoreMetric } from '../../../src/metrics/index.ts';
import { refusalIn } from '../../../src/metrics/measures/language.ts';
import { builtIn, sample, tools, perMillion } from './samples.ts';

describe('operational metrics', () => {
  test('unknown usage and unknown prices are errors, never zero', async () => {
    const usage = { input_tokens: 10, output_tokens: 5 };
    const scores = [
      await scoreMetric(builtIn('tokens'), [sample('x')], tools()),
      await scoreMetric(
        builtIn('cost'),
        [sample('x', { price: perMillion({ input: 1, output: 1 }) })],
        tools(),
      ),
      await scoreMetric(builtIn('cost'), [sample('x', { completion: { usage } })], tools()),
      await scoreMetric(
        builtIn('cost'),
        [sample('x', { completion: { usage }, price: () => null })],
        tools(),
      ),
    ].flat();
    expect(scores.map(({ status, value }) => [status, value])).toEqual(
      Array(4).fill(['error', null]),
    );
    expect(scores[3]?.reason).toContain('models.<name>.price');
  });

  test('a threshold is a maximum where lower is better', async () => {
    const slow = sample('x', { completion: { latency_ms: 900 } });
    expect(
      (await scoreMetric(builtIn('latency', {}, { threshold: 900 }), [slow], tools()))[0]?.status,
    ).toBe('pass');
    expect(
      (await scoreMetric(builtIn('latency', {}, { threshold: 899 }), [slow], tools()))[0],
    ).toMatchObject({ status: 'fail', reason: '900, at most 899 wanted' });
  });

  test('latency is an error for an answer from a batch', async () => {
    const batched = sample('x', { completion: { latency_ms: null } });
    expect(
      (await scoreMetric(builtIn('latency', { max: 100 }), [batched], tools()))[0],
    ).toMatchObject({
      status: 'error',
      value: null,
      reason: 'the answer came in a batch, so its latency is unknown',
    });
  });

  test('an answer longer than 1 MiB is an error for comparisons, but not for latency', async () => {
    const long = sample('x'.repeat(1_048_577), { expected: 'x' });
    expect(
      (await scoreMetric(builtIn('contains'), [long, sample('x', { expected: 'x' })], tools())).map(
        ({ status }) => status,
      ),
    ).toEqual(['error', 'pass']);
    expect((await scoreMetric(builtIn('latency', { max: 100 }), [long], tools()))[0]?.status).toBe(
      'pass',
    );
  });

  test('finish reasons other than the listed ones fail', async () => {
    const cut = sample('x', { completion: { finish_reason: 'length' } });
    expect(
      (
        await scoreMetric(builtIn('finish_reason', { one_of: ['stop', 'length'] }), [cut], tools())
      )[0],
    ).toMatchObject({ status: 'pass', value: 'length' });
    expect(
      (await scoreMetric(builtIn('finish_reason', {}, { threshold: 1 }), [cut], tools()))[0],
    ).toMatchObject({ status: 'error' });
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
  ])('%j refuses', (text) => expect(refusalIn(text)).not.toBeNull());

  test.each([
    '',
    'Sure! Here it is.',
    "You can't divide by zero.",
    'Paris. I cannot recommend the museum enough, though.',
    "I can't wait to help".replace("can't wait", 'am happy'),
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
  ])('%j does not', (text) => expect(refusalIn(text)).toBeNull());

  test('a filtered answer is a refusal whatever its text', async () => {
    const [score] = await scoreMetric(
      builtIn('refusal'),
      [sample('', { completion: { finish_reason: 'filter' } })],
      tools(),
    );
    expect(score).toMatchObject({
      status: 'pass',
      value: 1,
      reason: "refuses: the vendor's filter",
    });
  });
});
