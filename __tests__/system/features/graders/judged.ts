import type { Result } from '../../../../src/kernel/result/result.ts';
import type { Said } from '../../../stand-ins/command-line.ts';
import { openProject } from '../../../stand-ins/project.ts';

/** What the judge replies to a question about an answer of the old or the new prompt. */
export type Judge = (asked: {
  text: string;
  isHead: boolean;
  /** The judge's model: judge-1, judge-2 or judge-3. */
  model: string;
  /** How often this question was asked before. */
  again: number;
}) => string;

const SETTINGS = `n_tries: 1
grader: judge
models:
  app: { provider: openai, endpoint: local, model: app-1 }
  judge: { provider: openai, endpoint: local, model: judge-1 }
  second: { provider: openai, endpoint: local, model: judge-2 }
  third: { provider: openai, endpoint: local, model: judge-3 }
`;

const prompt = (word: string) =>
  `defaults: [tests/t]\nname: t\nmodel: app\nvariables: [q]\nmessages:\n  - { role: human, content: '${word} {q}' }\n`;

export const references = (count: number, more = ''): string =>
  `references:\n${Array.from({ length: count }, (_, at) => `  - { id: r${at}, input: { q: Q${at} }${more} }\n`).join('')}`;

/** Compares a prompt whose only line changes; its answers are `Old Q0: fine` and `New Q0: fine`. */
export async function diffJudged(
  tests: string,
  judge: Judge,
  answer = (question: string) => `${question}: fine`,
): Promise<Said & { result: Result; calls: number }> {
  const asked = new Map<string, number>();
  const { repository, reported } = await openProject(
    { 'evaldiff.yaml': SETTINGS, 'prompts/t.yaml': prompt('Old'), 'prompts/tests/t.yaml': tests },
    {
      width: 200,
      answer: ({ model, messages }) => {
        const text = messages.map(({ content }) => content).join('\n');
        if (model === 'app-1') return { text: answer(messages[0]?.content ?? '') };
        const question = `${model} ${text.split('\n\nYour last reply')[0] ?? ''}`;
        const again = asked.get(question) ?? 0;
        asked.set(question, again + 1);
        return { text: judge({ text, isHead: text.includes('New Q'), model, again }) };
      },
    },
  );
  repository.commit('Head', { 'prompts/t.yaml': prompt('New') });
  return reported('diff', '--base', 'HEAD~1', '--head', 'HEAD', '--no-store');
}
