/**
 * Ten pull requests as data: the files of base, what head changes, and how the stand-in of a model
 * answers. `regressed` is the demo's own.
 */

/** Answers where all texts stand in what was asked, one after the other; or an error. */
interface Rule {
  /** A part of the system message. */
  system?: string;
  /** A part of the last user message. */
  question?: string | string[];
  answers?: string[];
  error?: string;
}

export interface Situation {
  name: string;
  base: Readonly<Record<string, string>>;
  /** Files that head changes or adds. */
  head: Readonly<Record<string, string>>;
  rules: readonly Rule[];
  /** Head comes from a fork, which gets no keys. */
  fork?: boolean;
}

const SETTINGS = `prompts: prompts/*.yaml
models:
  assistant: { provider: program, command: [node, app/answers.mjs], files: [app/answers.mjs] }
  grader: { provider: program, command: [node, app/answers.mjs], files: [app/answers.mjs] }
grader: grader
qualeval: off
`;

const prompt = (name: string, system: string, model = 'assistant', tests = name): string =>
  `defaults: [tests/${tests}]
name: ${name}
model: ${model}
temperature: 0.3
variables: [question]
messages:
  - role: system
    content: |
${system
  .split('\n')
  .map((line) => `      ${line}`)
  .join('\n')}
  - role: human
    content: "{question}"
`;

interface Asked {
  id: string;
  question: string;
  expected: string;
}

const TOPICS: readonly (Asked & { answer: string })[] = [
  ['refund', 'Can I return {} for a refund?', '30 days', 'Yes, within 30 days of delivery.'],
  [
    'shipping',
    'Who delivers {}, what shipping do you use?',
    'Northmail',
    'We ship with Northmail.',
  ],
  ['size', 'Which size of {} should I take?', 'size chart', 'Please see the size chart.'],
  ['pay', 'How can I pay for {}?', 'card', 'By card, by gift card or on invoice.'],
].map(([id = '', question = '', expected = '', answer = '']) => ({
  id,
  question,
  expected,
  answer,
}));

const THINGS = ['a jacket', 'a scarf', 'worn shoes', 'a gift', 'a sale item', 'two shirts'];

const ASKED: readonly Asked[] = TOPICS.flatMap(({ id, question, expected }) =>
  THINGS.map((thing) => ({
    id: `${id}-${thing.replace(/^(a|two|worn) /, '').replaceAll(' ', '-')}`,
    question: question.replace('{}', thing),
    expected,
  })),
);

const METRICS = `metrics:
  - { name: fact, uses: contains, with: { ignore_case: true } }
  - { name: brief, uses: word_count, with: { max: 40 } }
`;

const tests = (asked: readonly Asked[] = ASKED, metrics = METRICS): string =>
  `${metrics}references:\n${asked
    .map(
      ({ id, question, expected }) =>
        `  - { id: ${id}, input: { question: ${JSON.stringify(question)} }, expected: ${JSON.stringify(expected)} }\n`,
    )
    .join('')}`;

const RIGHT: readonly Rule[] = TOPICS.map(({ id, answer }) => ({
  question: id,
  answers: [answer, `${answer} Anything else?`],
}));

const VAGUE = 'You answer customers of a small online shop.\nBe warm and reassuring.';
const EXACT =
  'You answer customers of a small online shop.\nRefunds: always name the refund window in days.';
const POLITE =
  'You answer customers of a small online shop, politely.\nRefunds: always name the refund window in days.';

const FORGETS: Rule = {
  system: 'reassuring',
  question: 'refund',
  answers: ['Of course, we are happy to sort that out for you!', 'Sure, just send it back to us.'],
};

const shop = (system: string): Record<string, string> => ({
  'evaldiff.yaml': SETTINGS,
  'prompts/support.yaml': prompt('support', system),
  'prompts/tests/support.yaml': tests(),
});

const SUITES = [
  'refunds',
  'shipping',
  'sizes',
  'payments',
  'gifts',
  'returns',
  'repairs',
  'invoices',
  'accounts',
  'newsletter',
];

const many = (names: readonly string[], system: string): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [`prompts/${name}.yaml`, prompt(name, system, 'assistant', 'shop')]),
  );

const BIG = Array.from({ length: 200 }, (_, at) => `suite-${String(at + 1).padStart(3, '0')}`);

const FIVE = ASKED.filter(({ id }) => id.startsWith('refund')).slice(0, 5);

const MENTOR = `conversation:
  max_steps: 3
  evaluators: [grader]
references:
${THINGS.map((thing) => `  - { id: ${thing.replaceAll(' ', '-')}, input: { question: "How do I send ${thing} back?" } }\n`).join('')}`;

const verdict = (analysis: string, followUp: string): string =>
  JSON.stringify({
    analysis,
    understanding: 'yes',
    correctness: 'yes',
    completeness: followUp === '' ? 'yes' : 'no',
    follow_up: followUp,
  });

export const SITUATIONS: readonly Situation[] = [
  {
    name: 'improved',
    base: shop(VAGUE),
    head: { 'prompts/support.yaml': prompt('support', EXACT) },
    rules: [FORGETS, ...RIGHT],
  },
  {
    name: 'green, one suite',
    base: shop(EXACT),
    head: { 'prompts/support.yaml': prompt('support', POLITE) },
    rules: RIGHT,
  },
  {
    name: 'green, ten suites',
    base: { 'evaldiff.yaml': SETTINGS, ...many(SUITES, EXACT), 'prompts/tests/shop.yaml': tests() },
    head: many(SUITES, POLITE),
    rules: RIGHT,
  },
  {
    name: 'inconclusive',
    base: { ...shop(EXACT), 'prompts/tests/support.yaml': tests(ASKED.slice(0, 12)) },
    head: { 'prompts/support.yaml': prompt('support', POLITE) },
    rules: [
      ...['scarf', 'gift', 'jacket'].map((thing) => ({
        system: 'politely',
        question: ['refund', thing],
        answers: [
          'Yes, within 30 days.',
          'With pleasure!',
          'Within 30 days.',
          'In 30 days.',
          'Yes: 30 days.',
        ],
      })),
      ...RIGHT,
    ],
  },
  {
    name: 'scoring change',
    base: shop(EXACT),
    head: { 'prompts/tests/support.yaml': tests(ASKED, METRICS.replace('40', '6')) },
    rules: RIGHT,
  },
  {
    name: 'conversation',
    base: {
      'evaldiff.yaml': SETTINGS,
      'prompts/mentor.yaml': prompt('mentor', EXACT),
      'prompts/tests/mentor.yaml': MENTOR,
    },
    head: { 'prompts/mentor.yaml': prompt('mentor', VAGUE) },
    rules: [
      {
        question: ['The dialogue so far', 'label'],
        answers: [verdict('The label and the address are named; nothing is missing.', '')],
      },
      {
        question: ['The dialogue so far', 'ask me anything'],
        answers: [
          verdict(
            'It is friendly, and does not say how to send it back.',
            'And how do I get it to you?',
          ),
        ],
      },
      {
        question: ['The dialogue so far'],
        answers: [verdict('The label is missing.', 'Where is the label?')],
      },
      {
        system: 'reassuring',
        question: 'How do I',
        answers: ['What a pity!\n\nDo not worry, ask me anything.'],
      },
      { system: 'reassuring', answers: ['Just ask me anything, we are here for you.'] },
      {
        question: 'Where is',
        answers: ['Print the label in your account and bring it to Northmail.'],
      },
      {
        question: 'How do I',
        answers: ['You have 30 days.\n\n1. Pack it.\n2. Bring it to Northmail.'],
      },
    ],
  },
  {
    name: 'refusals on both sides',
    base: shop(EXACT),
    head: { 'prompts/support.yaml': prompt('support', POLITE) },
    rules: [
      {
        question: 'refund',
        error: '400 The response was filtered: the prompt violates our content policy.',
      },
      { question: 'size', error: "400 This model's maximum context length is 8192 tokens." },
      ...RIGHT,
    ],
  },
  {
    name: 'errors',
    base: shop(EXACT),
    head: {
      'prompts/support.yaml': prompt('support', `${POLITE}\nThe customer is {customer}.`).replace(
        '[question]',
        '[question, customer]',
      ),
    },
    rules: RIGHT,
  },
  {
    name: '200 suites, 1,000 regressions',
    base: {
      'evaldiff.yaml': `${SETTINGS}budget: { max_calls: 50000 }\n`,
      ...many(BIG, EXACT),
      'prompts/tests/shop.yaml': tests(FIVE),
    },
    head: many(BIG, VAGUE),
    rules: [FORGETS, ...RIGHT],
  },
  {
    name: 'fork without keys',
    base: {
      ...shop(EXACT),
      'prompts/support.yaml': prompt('support', EXACT, 'gpt-4o'),
      'evaldiff.yaml': SETTINGS,
    },
    head: { 'prompts/support.yaml': prompt('support', POLITE, 'gpt-4o') },
    rules: [],
    fork: true,
  },
];
