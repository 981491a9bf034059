import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '../../../stand-ins/models/server.ts';
import { openProject } from '../../../stand-ins/project.ts';
import { setUp } from '../../../unit/edges/store/setting.ts';
import { quiz, quizPrompt } from '../../end-to-end/projects.ts';

const SETTINGS = `models:
  old: { provider: openai, endpoint: local, model: old-1, price: { input: 1, output: 2 } }
  new: { provider: openai, endpoint: local, model: new-1, price: { input: 2, output: 4 } }
  judge: { provider: openai, endpoint: local, model: judge-1 }
grader: judge
n_tries: 4
`;

const FIX = { was: 'Be exact.', becomes: 'Be exact. Say answer and the number alone.' };

/** The new model adds words to the first half of its answers unless the prompt forbids it. */
const models: Script = ({ model, messages }) => {
  if (model === 'judge-1') return { text: JSON.stringify({ insights: [FIX] }) };
  const number = Number(/\d+/.exec(messages.at(-1)?.content ?? '')?.[0]);
  const isShort = (messages[0]?.content ?? '').includes('alone');
  const talks = model === 'new-1' && number <= 5 && !isShort;
  return { text: talks ? `It is answer ${number}` : `answer ${number}` };
};

const files = (more: Record<string, string> = {}) => ({
  ...quiz({ questions: 10, model: 'old', settings: SETTINGS }),
  ...more,
});

describe('evaldiff migrate', () => {
  test('compares all prompts with themselves under another model, and shows cost, latency and edits', async () => {
    const { repository, evaldiff } = await openProject(files(), { answer: models });
    const { code, out } = await evaldiff('migrate', '--to', 'new');
    expect(code).toBe(1);
    expect(out).toMatch(/quiz\s+\$[\d.]+ → \$[\d.]+\s+\d+ ms → \d+ ms/);
    expect(out).toMatch(/Edit prompts\/quiz\.yaml:3\s+- model: old\s+\+ model: new/);
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  test('suggests a change of the prompt that repairs what the new model breaks', async () => {
    const { evaldiff, repository } = await openProject(files(), { answer: models });
    const { out } = await evaldiff('migrate', '--to', 'new', '--report', 'report');
    expect(out).toContain('Suggested fix');
    expect(out).toContain(FIX.becomes);
    const { out: fixes } = await evaldiff('fix', 'report/result.json', '--json');
    expect(JSON.parse(fixes)).toMatchObject([
      {
        kind: 'draft',
        file: 'prompts/quiz.yaml',
        restores: { references: 2, of: 2 },
        costs: { references: 0 },
      },
    ]);
    await evaldiff('fix', 'report/result.json', '--write');
    const written = readFileSync(join(repository.directory, 'prompts/quiz.yaml'), 'utf8');
    expect(written).toContain(FIX.becomes);
  });

  test('replaces only the models of --from', async () => {
    const other = {
      'prompts/other.yaml': quizPrompt('Be brief.', 'judge', 'quiz').replace(
        'name: quiz',
        'name: other',
      ),
    };
    const { evaldiff } = await openProject(files(other), { answer: models });
    const { out } = await evaldiff('migrate', '--to', 'new', '--from', 'judge');
    expect(out).toContain('Edit prompts/other.yaml:3');
    expect(out).not.toContain('Edit prompts/quiz.yaml');
  });

  test('asks for the new model, and refuses a line that it cannot edit', async () => {
    const { evaldiff } = await openProject(files(), { answer: models });
    expect((await evaldiff('migrate')).err).toContain('--to: name the new model');
    expect((await evaldiff('migrate', '--ending')).out).toContain('Nothing to migrate');
    const anchor = { 'prompts/quiz.yaml': quizPrompt('x').replace('quiz-model', '&m old') };
    const odd = await openProject(files(anchor), { answer: models });
    expect((await odd.evaldiff('migrate', '--to', 'new')).err).toContain(
      'prompts/quiz.yaml:3: evaldiff does not find the name "old" alone on this line',
    );
  });

  test("knows ends from the vendor's own list", async () => {
    const { open, file, remove } = setUp();
    const store = open();
    const list = { list_version: 1, at: Date.now(), ends: { 'gpt-5.4': '2026-01-01' } };
    store.setNote('models openai', JSON.stringify(list));
    store.close();
    const more = { 'evaldiff.yaml': SETTINGS.replace('old-1', 'old-1, is: gpt-5.4') };
    const { evaldiff } = await openProject(files(more), { answer: models });
    const { out } = await evaldiff('migrate', '--ending', '--to', 'new', '--store', file);
    remove();
    expect(out).toContain('Edit prompts/quiz.yaml:3');
  });
});
