/**
 * Pull requests as data: the files of base, head's changes, and how the simulated model answers.
 * The first four are in `fixtures`, with programs that answer.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filePathsBelow } from '../entries-below.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Applies if the request contains all its texts. Returns its answers in turn, or an error. */
interface Rule {
  /** The model's name in evaldiff.yaml. */
  model?: string;
  /** A part of the system message. */
  system?: string;
  /** A part of the last user message. */
  question?: string | string[];
  answers?: string[];
  error?: string;
}

export interface Situation {
  name: string;
  base: Files;
  /** Files that head changes or adds. */
  head: Files;
  /** Head comes from a fork, which gets no keys. */
  fork?: boolean;
  /** The pull request's description. */
  description?: string;
}

const ANSWERS = readFileSync(join(root, 'scripts/gallery/answers.mjs'));

const ruled = ({ base, rules, ...change }: Situation & { rules: readonly Rule[] }): Situation => ({
  ...change,
  base: { ...base, 'app/answers.mjs': ANSWERS, 'app/answers.json': JSON.stringify(rules, null, 1) },
});

function fixtureFiles(side: string): Files {
  const folder = join(root, 'fixtures', side);
  return Object.fromEntries(
    filePathsBelow(folder).map((path) => [path, readFileSync(join(folder, path))]),
  );
}

const fixture = (name: string, folder: string): Situation => ({
  name,
  base: fixtureFiles(`${folder}/base`),
  head: fixtureFiles(`${folder}/head`),
});

const SETTINGS = `prompts: prompts/*.yaml
models:
  assistant: { provider: program, command: [node, app/answers.mjs], files: [app/answers.mjs] }
  small: { provider: program, command: [node, app/answers.mjs], files: [app/answers.mjs] }
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

const rubric = (question: string): string => `is_polite:
  prompt: ${JSON.stringify(`${question}\n{completion}`)}
  choice_scores: { YES: 1, NO: 0 }
  better: higher
`;

const twoSuites = (system: string, question: string): Record<string, string> => ({
  ...shop(system),
  'prompts/tone.yaml': prompt('tone', 'You answer customers briefly.'),
  'prompts/tests/tone.yaml': tests(ASKED, 'metrics:\n  - { name: tone, rubric: is_polite }\n'),
  'rubrics/tone.yaml': rubric(question),
});

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

const ownSuite = (name: string, style: string): Record<string, string> => ({
  [`prompts/${name}.yaml`]: prompt(name, `You answer customers about ${name}.\n${style}`),
  [`prompts/tests/${name}.yaml`]: tests(ASKED.slice(0, 12)),
});

/** Returns `other` as every fourth answer, on a different topic each time. */
const everyFourth = (system: string, usual: string, other: string): Rule[] =>
  THINGS.map((thing, at) => ({
    system,
    question: thing.replace(/^.* /, ''),
    answers: [0, 1, 2, 3].map((turn) => (turn === at % 4 ? other : usual)),
  }));

const ALL_FACTS = '30 days; Northmail; size chart; card.';

const FORGOTTEN = ['Of course, we sort that out for you!', 'Sure, just send it back to us.'];

const ROLLED = 'n_tries: 4\nmetrics_rollup: ';

const ADDED: readonly Asked[] = ['hat', 'coat', 'lamp', 'mirror'].map((thing) => ({
  id: `pick-up-${thing}`,
  question: `Where can I pick up a ${thing}?`,
  expected: 'Harbour Street',
}));

const CRITICAL = tests().replaceAll(/(id: pay-(?:gift|shirts)), /g, '$1, tags: [critical], ');

const RULED: readonly (Situation & { rules: readonly Rule[] })[] = [
  {
    name: 'one suite regressed',
    base: shop(EXACT),
    head: { 'prompts/support.yaml': prompt('support', VAGUE) },
    rules: [FORGETS, ...RIGHT],
  },
  {
    name: 'fixed',
    base: shop(VAGUE),
    head: { 'prompts/support.yaml': prompt('support', EXACT) },
    rules: [FORGETS, ...RIGHT],
  },
  {
    name: 'new failing',
    base: shop(EXACT),
    head: { 'prompts/tests/support.yaml': tests([...ASKED, ...ADDED]) },
    rules: [
      ...['hat', 'coat'].map((thing) => ({
        question: ['pick up', thing],
        answers: ['You can pick it up at our shop in Harbour Street.'],
      })),
      { question: 'pick up', answers: ['We only deliver.'] },
      ...RIGHT,
    ],
  },
  {
    name: 'critical deleted',
    base: { ...shop(EXACT), 'prompts/tests/support.yaml': CRITICAL },
    head: { 'prompts/tests/support.yaml': tests(ASKED.slice(0, -3)) },
    rules: RIGHT,
  },
  {
    name: 'promise broken',
    base: shop(VAGUE),
    head: { 'prompts/support.yaml': prompt('support', EXACT) },
    description: 'Names the refund window again.\n\nFixes: refund-jacket refund-scarf',
    rules: [
      { question: ['refund', 'scarf'], answers: FORGOTTEN },
      { system: 'reassuring', question: ['refund', 'jacket'], answers: FORGOTTEN },
      ...RIGHT,
    ],
  },
  {
    name: 'model changed',
    base: shop(EXACT),
    head: { 'prompts/support.yaml': prompt('support', EXACT, 'small', 'support') },
    rules: [{ model: 'small', question: 'refund', answers: FORGOTTEN }, ...RIGHT],
  },
  {
    name: 'pooled fall',
    base: {
      'evaldiff.yaml': SETTINGS,
      ...Object.assign({}, ...SUITES.map((name) => ownSuite(name, 'Be exact.'))),
    },
    head: Object.assign({}, ...SUITES.map((name) => ownSuite(name, 'Be reassuring.'))) as Files,
    rules: [
      {
        system: 'reassuring',
        question: ['refund', 'scarf'],
        answers: ['With pleasure!', 'Yes, within 30 days of delivery.'],
      },
      ...RIGHT,
    ],
  },
  {
    name: 'hidden metric',
    base: shop(EXACT),
    head: { 'prompts/support.yaml': prompt('support', POLITE) },
    rules: [
      ...everyFourth(
        'politely',
        ALL_FACTS,
        `${ALL_FACTS} ${'With pleasure, dear customer. '.repeat(12)}`,
      ),
      ...everyFourth('', ALL_FACTS, 'We will tell you.'),
    ],
  },
  {
    name: 'green, one suite',
    base: shop(EXACT),
    head: { 'prompts/support.yaml': prompt('support', POLITE) },
    rules: RIGHT,
  },
  {
    name: 'green, ten suites',
    base: {
      'evaldiff.yaml': SETTINGS,
      ...many(SUITES, EXACT),
      'prompts/tests/shop.yaml': tests(ASKED.slice(0, 12)),
    },
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
    name: 'roll-up change',
    base: { ...shop(EXACT), 'prompts/tests/support.yaml': `${ROLLED}all\n${tests()}` },
    head: { 'prompts/tests/support.yaml': `${ROLLED}any\n${tests()}` },
    rules: [...everyFourth('refund', '30 days', 'Sure!'), ...RIGHT],
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
    name: 'a rubric changed beside a red suite',
    base: twoSuites(EXACT, 'Is this answer polite?'),
    head: {
      'prompts/support.yaml': prompt('support', VAGUE),
      'rubrics/tone.yaml': rubric('Does this answer greet the customer?'),
    },
    rules: [
      { question: ['greet'], answers: ['NO'] },
      { question: ['polite'], answers: ['YES'] },
      FORGETS,
      ...RIGHT,
    ],
  },
  {
    name: 'prompt and metric changed in one suite',
    base: shop(EXACT),
    head: {
      'prompts/support.yaml': prompt('support', VAGUE),
      'prompts/tests/support.yaml': tests(ASKED, METRICS.replace('40', '6')),
    },
    rules: [FORGETS, ...RIGHT],
  },
  {
    name: 'red by the majority of tries',
    base: {
      ...shop(EXACT),
      'prompts/tests/support.yaml': `n_tries: 3\nmetrics_rollup: majority\n${tests()}`,
    },
    head: { 'prompts/support.yaml': prompt('support', VAGUE) },
    rules: [FORGETS, ...RIGHT],
  },
  {
    name: 'only passing tests are new',
    base: shop(EXACT),
    head: { 'prompts/tests/support.yaml': tests([...ASKED, ...ADDED]) },
    rules: [{ question: 'pick up', answers: ['At our shop in Harbour Street.'] }, ...RIGHT],
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

export const SITUATIONS: readonly Situation[] = [
  fixture('two suites regressed', 'demo'),
  fixture('tool calls', 'tools'),
  fixture('images', 'images'),
  fixture('a program with files', 'program'),
  ...RULED.map(ruled),
];
