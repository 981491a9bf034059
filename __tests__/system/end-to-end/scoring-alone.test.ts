import type { Result } from '../../../src/kernel/result/result.ts';
import { ATTACKED_METRICS } from '../../stand-ins/attacking-answers.ts';
import { createRepository } from '../../stand-ins/repository.ts';
import { questionOf, quiz, quizPrompt, quizTests } from './projects.ts';
import { startCommand } from './runner.ts';
import { MODEL_KEY, modelServer, commandEnvironment } from './stage.ts';

/** Two prompts whose references are scored by the same code. */
function twoSuites(wording: string, language: string, code: string) {
  const metrics = `n_tries: 2\nmetrics:\n  - { name: runs, language: ${language}, code: ${JSON.stringify(code)} }`;
  return Object.fromEntries([
    ['evaldiff.yaml', quiz()['evaldiff.yaml']!],
    ...['alpha', 'beta'].flatMap((name) => [
      [`prompts/${name}.yaml`, quizPrompt(`${wording} ${name}`, 'quiz-model', name)],
      [`prompts/tests/${name}.yaml`, quizTests(6, metrics)],
    ]),
  ]) as Record<string, string>;
}

describe('evaldiff diff --untrusted', () => {
  test.each(['python', 'javascript'] as const)(
    'scores each answer in a separate process: an answer that patches the %s process changes only its own score',
    async (language) => {
      const { runs, attack } = ATTACKED_METRICS[language];
      const models = await modelServer({
        key: MODEL_KEY,
        answer: ({ messages }) => {
          if (!messages[0]!.content.startsWith('New alpha')) return { text: 'value = 1' };
          return { text: questionOf(messages) === 1 ? attack : 'value = 0' };
        },
      });
      const repository = createRepository();
      repository.commit('Base', twoSuites('Old', language, runs));
      repository.write(twoSuites('New', language, runs));
      const { stdout, stderr } = await startCommand(
        ['diff', '--untrusted', '--json'],
        commandEnvironment(models),
        repository.directory,
      );
      expect({ stdout: stdout.slice(0, 1), stderr }).toMatchObject({ stdout: '{' });
      const { trust, suites } = JSON.parse(stdout) as Result;
      expect(trust).toBe('untrusted');
      expect(suites.map(({ name, pass_rate }) => [name, pass_rate.base, pass_rate.head])).toEqual([
        ['alpha', 1, 0],
        ['beta', 1, 1],
      ]);
    },
  );
});
