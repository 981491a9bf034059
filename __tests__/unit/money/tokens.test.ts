import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import {
  createInputCounter,
  expectedOutput,
  fileTokens,
  outputLimit,
} from '../../../src/money/tokens.ts';
import { estimateTokens } from '../../../src/text/estimated-tokens.ts';
import type { Request, Target } from '../../../src/types/model.ts';

const target: Target = { provider: 'openai', endpoint: null, model: 'm' };
const file = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe('estimateTokens compared with the real tokenizer', () => {
  test.each([
    ['English prose', file('README.md'), 0.15],
    ['TypeScript', file('src/app/run/judge.ts'), 0.15],
    ['JSON', file('fixtures/events/pull_request.json'), 0.15],
    ['YAML', file('fixtures/demo/base/prompts/support.yaml'), 0.15],
    [
      'German',
      'Die Bestellung ist gestern angekommen, aber leider war das Paket beschädigt. Könnten Sie mir bitte einen Ersatz schicken?',
      0.25,
    ],
    [
      'Russian',
      'Здравствуйте, вчера я получил свой заказ, но посылка была повреждена. Можно ли заменить товар?',
      0.25,
    ],
    ['Chinese', '你好，我昨天收到了我的订单，但是包裹已经损坏了。请问可以换货或者退款吗？', 0.35],
    [
      'Japanese',
      '注文した商品が昨日届きましたが、箱が壊れていました。交換または返金をお願いできますか？',
      0.35,
    ],
    ['numbers', 'What is 1023 + 123? Answer with the number alone. 48213 99182 12.5 %', 0.5],
    [
      'Arabic',
      'مرحبا، استلمت طلبي أمس لكن الطرد كان تالفا. هل يمكنني استبداله أو استرداد المال؟',
      0.5,
    ],
  ])('stays within the stated error for %s', (_what, text, error) => {
    const ratio = estimateTokens(text) / countTokens(text);
    expect(ratio).toBeGreaterThan(1 - error);
    expect(ratio).toBeLessThan(1 + error);
  });

  test('scales with the length of a long text although it samples only the beginning', () => {
    const text = 'A sentence of usual length, as it stands in many prompts. ';
    const ratio = estimateTokens(text.repeat(10_000)) / (estimateTokens(text.repeat(100)) * 100);
    expect(ratio).toBeCloseTo(1, 1);
  });
});

describe('token estimate of images and PDFs', () => {
  const target = (provider: 'openai' | 'anthropic' | 'groq', model: string) => ({
    provider,
    endpoint: null,
    model,
  });
  const messages = (type: 'image' | 'file', bytes: number) => {
    const media_type = type === 'image' ? 'image/png' : 'application/pdf';
    const part = { type, path: 'a', media_type, id: 'a1', bytes };
    return [{ role: 'user' as const, content: 'What is it?', parts: [part] }];
  };

  test.each([
    ["the vendor's maximum per image", target('anthropic', 'claude-sonnet-5-5'), 4784],
    ["the model's maximum per image", target('openai', 'gpt-4o-mini'), 48_200],
    ['a default if no rule is known', target('groq', 'llama'), 1600],
  ])('uses %s', (_what, asked, tokens) => {
    expect(fileTokens({ target: asked, messages: messages('image', 2_000_000) })).toBe(tokens);
  });

  test("grows with a PDF's bytes, up to 100 pages", () => {
    const asked = target('anthropic', 'claude-sonnet-5-5');
    const tokensOf = (bytes: number) =>
      fileTokens({ target: asked, messages: messages('file', bytes) });
    expect(tokensOf(900)).toBe(4600);
    expect(tokensOf(95_000)).toBe(46_000);
    expect(tokensOf(19_000_000)).toBe(460_000);
  });

  test('is included in the input estimate of every request', () => {
    const inputOf = createInputCounter();
    const asked = { target: target('openai', 'gpt-4o'), schema: null };
    const withFile = { ...asked, messages: messages('file', 19_000_000) };
    expect(inputOf(withFile)).toBeGreaterThan(460_000);
    for (let index = 0; index < 150; index += 1)
      inputOf({ ...asked, messages: [{ role: 'user', content: 'What is it?' }] });
    expect(inputOf(withFile)).toBeGreaterThan(460_000);
    expect(inputOf({ ...asked, messages: messages('image', 10) })).toBeLessThan(5000);
  });
});

describe('estimated input of a request', () => {
  const messages = [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: 'Hello' },
  ];

  test('includes the messages, the overhead of each, and the schema', () => {
    const inputOf = createInputCounter();
    const whole = inputOf({ messages, schema: null });
    expect(inputOf({ messages: messages.slice(1), schema: null })).toBeLessThan(whole);
    const schema = { type: 'object', properties: { choice: { enum: ['A', 'B'] } } };
    expect(inputOf({ messages, schema })).toBeGreaterThan(whole);
  });

  test('uses the mean of earlier requests once enough of them were measured', () => {
    const inputOf = createInputCounter();
    const asked = (index: number) => {
      const content = `Question ${index}: what does the customer want when they write this?`;
      return { messages: [{ role: 'user' as const, content }], schema: null };
    };
    const first = inputOf(asked(100));
    for (let index = 101; index < 300; index += 1)
      expect(Math.abs(inputOf(asked(index)) - first)).toBeLessThanOrEqual(2);
  });
});

test.each([
  [{}, 'prompt', 300],
  [{ max_tokens: 16 }, 'prompt', 16],
  [{ max_completion_tokens: 5000 }, 'grader', 150],
] as const)('an answer with %j to a %s has %d estimated tokens', (parameters, purpose, tokens) => {
  expect(expectedOutput(purpose, { target, parameters })).toBe(tokens);
});

const claude: Target = { provider: 'anthropic', endpoint: null, model: 'claude-sonnet-5' };
const pro: Target = { provider: 'openai', endpoint: null, model: 'gpt-5-pro' };
const program: Target = {
  provider: 'program',
  model: 'p',
  command: ['p'],
  setup: [],
  files: '',
  commit: '',
};

test.each([
  ['chat completions', target, { max_tokens: 16 }, 16],
  ['the larger of two limits', target, { max_tokens: 16, max_completion_tokens: 40 }, 40],
  ['a name that makes evaldiff use Responses', target, { max_output_tokens: 16 }, 16],
  ['Responses', pro, { max_output_tokens: 16 }, 16],
  ['a name that evaldiff translates for Responses', pro, { max_completion_tokens: 16 }, 16],
  ['Messages', claude, { max_tokens: 16 }, 16],
  ['a name that Messages does not read', claude, { max_output_tokens: 16 }, null],
  ['a value that is not a number', target, { max_tokens: 'many' }, null],
  ['no limit', target, {}, null],
  ['a program, which need not obey', program, { max_tokens: 16 }, null],
] satisfies [string, Target, Request['parameters'], number | null][])(
  'the output limit of a request: %s',
  (_, asked, parameters, limit) => {
    expect(outputLimit({ target: asked, parameters, purpose: 'prompt' })).toBe(limit);
  },
);

test('an embedding has no output', () => {
  expect(outputLimit({ target, parameters: {}, purpose: 'embedding' })).toBe(0);
});
