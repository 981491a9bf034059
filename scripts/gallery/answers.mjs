// Simulates a model. The first matching rule gives its next answer.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const rules = JSON.parse(readFileSync(new URL('answers.json', import.meta.url), 'utf8'));
const asked = new Map();

/** Whether the request contains every text of a rule. */
const fits = ({ model = '', system = '', question = [] }, sent) =>
  sent.model.includes(model) &&
  sent.system.includes(system) &&
  [question].flat().every((part) => sent.question.includes(part));

for await (const line of createInterface({ input: process.stdin })) {
  const { id, model, messages } = JSON.parse(line);
  const of = (role) => messages.filter((one) => one.role === role).map(({ content }) => content);
  const sent = { model, system: of('system').join('\n'), question: of('user').at(-1) ?? '' };
  const key = JSON.stringify([model, messages]);
  const count = asked.get(key) ?? 0;
  asked.set(key, count + 1);
  const { answers, error } = rules.find((rule) => fits(rule, sent)) ?? {
    answers: ['I do not know.'],
  };
  const reply =
    error === undefined
      ? {
          output: answers[count % answers.length],
          usage: { input_tokens: Math.ceil(key.length / 4), output_tokens: 20 },
        }
      : { error };
  process.stdout.write(`${JSON.stringify({ id, ...reply })}\n`);
}
