import type { Script } from './models/server.ts';

/** A shop's prompt in which eight lines change. Line 10 of its file is the cause. */
export const BASE_LINES = [
  'You answer for a shop.',
  'Name the refund period.',
  'Greet politely.',
  'Use short sentences.',
  'Never guess a date.',
  'Offer help with returns.',
  'Do not use emoji.',
  'Sign as Ada.',
];
export const HEAD_LINES = [
  'You answer for our shop.',
  'Be warm about refunds.',
  'Greet very politely.',
  'Use short, plain sentences.',
  'Never guess any date.',
  'Offer help with all returns.',
  'Do not use any emoji.',
  'Sign as Ada L.',
];

/** The line of `prompts/shop.yaml` that breaks the questions about refunds. */
export const CULPRIT = 10;

/** The file with these lines, starting at line 9. */
export function shopPrompt(lines: readonly string[]): string {
  return `defaults: [tests/shop]
name: shop
model: quiz-model
variables:
  - name: question
messages:
  - role: system
    content: |
${lines.map((line) => `      ${line}\n`).join('')}  - role: human
    content: "{question}"
`;
}

/** Six questions that break, and four that pass unless the prompt says "only refunds". */
export function shopFiles(settings: string): Record<string, string> {
  const reference = (id: string, question: string, expected: string) =>
    `  - { id: ${id}, input: { question: "${question}" }, expected: "${expected}" }`;
  const references = [
    ...[...'abcdef'].map((id) => reference(`refund-${id}`, `Refund of ${id}?`, '30 days')),
    ...[...'ghij'].map((id) => reference(`hours-${id}`, `Hours of ${id}?`, '9 to 5')),
  ];
  return {
    'evaldiff.yaml': `${settings}explain: { fix: true }\ngrader: { model: quiz-model }\n`,
    'prompts/shop.yaml': shopPrompt(BASE_LINES),
    'prompts/tests/shop.yaml': `metrics: [{ name: says, uses: contains }]\nreferences:\n${references.join('\n')}\n`,
  };
}

/** A model that follows the shop's prompt. Asked for a fix, it rewords the broken line so. */
export function shopModel(drafts: readonly string[]): Script {
  return ({ messages, schema }) => {
    if (schema !== null) {
      const insights = drafts.map((becomes) => ({ was: HEAD_LINES[CULPRIT - 9], becomes }));
      return { text: JSON.stringify({ insights }) };
    }
    const system = messages[0]?.content ?? '';
    const isRefund = (messages.at(-1)?.content ?? '').startsWith('Refund');
    if (isRefund) return { text: /refund period/i.test(system) ? '30 days' : 'gladly' };
    return { text: /only refunds/i.test(system) ? 'no idea' : '9 to 5' };
  };
}
