import { HEAD_LINES, shopFiles, shopModel, shopPrompt } from '../../stand-ins/eight-lines.ts';
import type { Script } from '../../stand-ins/models/server.ts';
import type { FixtureFiles } from '../../stand-ins/repository.ts';
import { changeOf, obedient, quiz, quizPrompt, SETTINGS } from './projects.ts';
import { onPullRequest, stage } from './stage.ts';

/** The annotations of the check on a pull request, and the causes that the action found. */
async function remarksOn(model: Script, base: FixtureFiles, head: FixtureFiles) {
  const at = await stage(model);
  const { result } = await onPullRequest(at, changeOf(base, head));
  const remarks = (at.github.state.checkRuns.at(-1)?.annotations ?? [])
    .filter(({ path }) => !path.includes('/tests/'))
    .map(({ path, start_line, title, message }) => ({ path, line: start_line, title, message }));
  return { causes: result.causes ?? [], remarks, because: result.suites[0]?.because };
}

/** The model answers correctly unless the temperature is high. */
const sober: Script = (request) =>
  Number(request.body['temperature']) > 1 ? { text: 'no idea' } : obedient(request);

const inheriting = (defaults: string) =>
  quizPrompt('Be exact.')
    .replace('defaults: [tests/quiz]', `defaults: [${defaults}, tests/quiz]`)
    .replace('temperature: 0.5\n', '');

const parametersOf = (temperature: number, topP: number) =>
  `# Of all prompts.\ntop_p: ${topP}\ntemperature: ${temperature}\n`;

test('a cause in an unchanged file is reported at the changed line that refers to this file', async () => {
  const { causes, remarks, because } = await remarksOn(
    sober,
    {
      ...quiz(),
      'prompts/quiz.yaml': inheriting('shared/calm'),
      'prompts/shared/calm.yaml': parametersOf(0.5, 0.8),
      'prompts/shared/hot.yaml': parametersOf(1.5, 0.9),
    },
    { 'prompts/quiz.yaml': inheriting('shared/hot') },
  );
  expect(because?.map(({ file }) => file)).toEqual(['prompts/quiz.yaml', 'prompts/quiz.yaml']);
  expect(causes[0]?.causes[0]?.units).toMatchObject([
    { name: 'temperature', file: 'prompts/shared/hot.yaml', lines: { from: 3, to: 3 } },
  ]);
  expect(remarks).toEqual([
    {
      path: 'prompts/quiz.yaml',
      line: 1,
      title: 'Regressed in 1 suite',
      message: expect.stringContaining('Cause: temperature (0.5 → 1.5), prompts/shared/hot.yaml:3'),
    },
  ]);
});

test('two lines that break only together each get an annotation that names the other', async () => {
  const file = 'prompts/shop.yaml';
  const both = ['Be warm about refunds.', 'Sign as Ada L.'];
  const answer = shopModel([]);
  const { remarks } = await remarksOn(
    (request) =>
      both.every((line) => request.messages[0]?.content.includes(line))
        ? answer(request)
        : answer({
            ...request,
            messages: [{ role: 'system', content: 'refund period' }, ...request.messages.slice(1)],
          }),
    { ...shopFiles(SETTINGS), 'evaldiff.yaml': SETTINGS },
    { [file]: shopPrompt(HEAD_LINES) },
  );
  expect(remarks.map(({ path, line }) => [path, line])).toEqual([
    [file, 10],
    [file, 16],
  ]);
  expect(remarks[1]?.title).toBe('This line with others made shop worse');
  for (const { message } of remarks)
    expect(message).toContain(`Cause: ${file}:10 and line 16, only together. Undoing either fixes`);
});

test('two lines that break different references are two causes, each with an annotation', async () => {
  const file = 'prompts/shop.yaml';
  const answer = shopModel([]);
  const { remarks } = await remarksOn(
    (request) =>
      request.messages.at(-1)?.content.startsWith('Hours') === true &&
      request.messages[0]?.content.includes('Sign as Ada L.') === true
        ? { text: 'no idea' }
        : answer(request),
    { ...shopFiles(SETTINGS), 'evaldiff.yaml': SETTINGS },
    { [file]: shopPrompt(HEAD_LINES) },
  );
  expect(remarks.map(({ line, title }) => [line, title])).toEqual([
    [10, 'Regressed in 1 suite'],
    [16, 'This line made shop worse'],
  ]);
  const [summary, other] = remarks.map(({ message }) => message);
  expect(summary).toContain(`Cause: ${file}:10.`);
  expect(summary).toContain(`Cause: ${file}:16.`);
  expect(other).toContain(`Cause: ${file}:16.`);
  expect(other).not.toContain(`Cause: ${file}:10.`);
  for (const message of [summary, other]) expect(message).not.toContain('no effect');
});
