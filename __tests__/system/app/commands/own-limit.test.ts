import { commandIn } from '../../../stand-ins/command-line.ts';
import { createRepository, fixtureEnvironment } from '../../../stand-ins/repository.ts';

test("evaldiff plan states that evaldiff repeats a call once if evaldiff's own length limit cut the answer", async () => {
  const planWith = async (limit: string) => {
    const repository = createRepository();
    repository.commit('start', { README: '' });
    repository.write({
      'evaldiff.yaml': 'models:\n  m: { provider: anthropic, model: claude-sonnet-5-5 }\n',
      'prompts/p.yaml': `model: m\n${limit}messages:\n  - { role: user, content: "{q}" }\nmetrics: [{ uses: exact_match }]\nreferences:\n  - { input: { q: x }, expected: y }\n`,
    });
    const { out, err } = await commandIn(repository.directory, ['plan', '--base', 'HEAD'], {
      env: fixtureEnvironment(),
    });
    return out + err;
  };
  const said =
    'requires a token limit and a prompt sets none: an answer cut at 4,096 tokens is requested again with 16,384';
  expect(await planWith('')).toContain(said);
  expect(await planWith('max_tokens: 99\n')).not.toContain(said);
});
