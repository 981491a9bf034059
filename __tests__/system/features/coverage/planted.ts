import { shopPrompt } from '../../../stand-ins/eight-lines.ts';
import type { Script } from '../../../stand-ins/models/server.ts';

export const FILE = 'prompts/shop.yaml';

/** The prompt's first line in {@link FILE}. */
const FIRST = 9;

/** What a line is planted to be. */
const PLANTED = {
  'You answer for a shop.': 'idle',
  'Name the refund period.': 'held',
  'Give our hours.': 'held_together',
  'We open from 9 to 5.': 'held_together',
  'Sign every answer as Ada.': 'untested',
  'Be polite.': 'idle',
} as const;

export const LINES = Object.keys(PLANTED);

export const STATUSES = Object.values(PLANTED);

export const lineOf = (text: string): number => FIRST + LINES.indexOf(text);

const reference = (id: string, question: string, expected: string) =>
  `  - { id: ${id}, input: { question: "${question}" }, expected: "${expected}" }`;

export function shopFiles(settings = '', lines: readonly string[] = LINES): Record<string, string> {
  const references = [
    ...[...'abcd'].map((id) => reference(`refund-${id}`, `Refund of ${id}?`, '30 days')),
    ...[...'efgh'].map((id) => reference(`hours-${id}`, `Hours of ${id}?`, '9 to 5')),
  ];
  return {
    'evaldiff.yaml': `models:\n  quiz-model: { provider: openai, endpoint: local, model: quiz-1 }\n${settings}`,
    [FILE]: shopPrompt(lines),
    'prompts/tests/shop.yaml': `metrics: [{ name: says, uses: contains }]\nreferences:\n${references.join('\n')}\n`,
  };
}

interface TestDraft {
  input: { question: string };
  expected: string;
}

/** The shop's model, which replies with these tests if the grader is asked for some. */
export function draftingModel(tests: readonly TestDraft[]): Script {
  return (request) =>
    request.schema === null ? shopModel(request) : { text: JSON.stringify({ tests }) };
}

export const GRADER = 'grader: { model: quiz-model }\n';

/** Passes with and without the line, without it alone, with it alone. */
export const TEST_DRAFTS: readonly TestDraft[] = [
  { input: { question: 'Refund of z?' }, expected: '30 days' },
  { input: { question: 'Refund of y?' }, expected: 'most days' },
  { input: { question: 'Who are you?' }, expected: 'Ada' },
];

/** A model that follows the lines as planted. */
export const shopModel: Script = ({ messages }) => {
  const system = messages.length > 1 ? (messages[0]?.content ?? '') : '';
  const isRefund = (messages.at(-1)?.content ?? '').startsWith('Refund');
  const knowsHours = system.includes('hours') || system.includes('9 to 5');
  const answer = isRefund
    ? `You can return it ${system.includes('refund period') ? 'within 30 days' : 'gladly'}.`
    : `We are open ${knowsHours ? 'from 9 to 5' : 'most days'}.`;
  return { text: system.includes('Ada') ? `${answer} Yours, Ada of the shop` : answer };
};
