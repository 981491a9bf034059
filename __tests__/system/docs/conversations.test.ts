import { readFileSync } from 'node:fs';
import { readProject } from '../../../src/config/project.ts';
import { conversationOf } from '../../../src/features/conversations/answerer.ts';
import type { ConversationOutcome } from '../../../src/features/conversations/result.ts';
import { metrics } from '../../../src/metrics/index.ts';
import { builtInRubrics } from '../../../src/metrics/rubric.ts';
import type { Project } from '../../../src/project/settings.ts';
import { DIALOGUE_ENDS } from '../../../src/wording/dialogues.ts';
import { tightTables } from '../../tight-tables.ts';
import { hash, optionsOf, treeOf } from '../../unit/config/tree.ts';

const page = tightTables(readFileSync('docs/conversations.md', 'utf8'));
const blocks = [...page.matchAll(/```yaml\n# (\S+)\n([^]*?)```/g)].map(
  ([, file = '', text = '']) => ({ file, text }),
);
/** The first block of each file. Together, these blocks are a whole project. */
const first = Object.fromEntries([...blocks].reverse().map(({ file, text }) => [file, text]));
const data = {
  'data/dialogues.jsonl':
    '{"input": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}\n',
  'data/answers.jsonl': '{"question": "Q", "answer": "A", "accepted": true, "score": 4}\n',
};
const read = (files: Record<string, string>) =>
  readProject(treeOf({ ...data, ...files }), optionsOf(), {
    builtInMetrics: metrics,
    builtInRubrics,
    hash,
  });

const mentorIn = ({ suites }: Project) => {
  const mentor = suites.find(({ prompt }) => prompt.name === 'mentor');
  return mentor && conversationOf(mentor.tests);
};

describe('docs/conversations.md', () => {
  test('shows a valid test with its own persona, goal, criteria and turns', async () => {
    const mentor = blocks.find(({ text }) => text.includes('persona:'));
    const { project, problems } = await read({
      ...first,
      'prompts/tests/mentor.yaml': mentor?.text ?? '',
    });
    expect(problems).toEqual([]);
    const suite = project.suites.find(({ prompt }) => prompt.name === 'mentor');
    expect(suite?.tests.references[0]?.script).toMatchObject({
      values: { persona: 'a nurse who writes her first program' },
      turns: [{ expected: 'sorted' }, { expected: 'casefold' }, { user: 'Thank you.' }],
    });
  });

  test('shows labelled answers within the suite, in two forms, and in a separate file', async () => {
    const mentor = blocks.find(({ text }) => text.includes('accepted: true'));
    const { project } = await read({ ...first, 'prompts/tests/mentor.yaml': mentor?.text ?? '' });
    const examples = mentorIn(project)?.examples;
    expect(
      examples?.map(({ messages, accepted, place }) => [messages.length, accepted, place.file]),
    ).toEqual([
      [2, true, 'prompts/tests/mentor.yaml'],
      [2, false, 'prompts/tests/mentor.yaml'],
      [4, false, 'prompts/tests/mentor.yaml'],
      [2, true, 'data/answers.jsonl'],
    ]);
  });

  test('names every outcome and every key with its default', async () => {
    const outcomes = [
      ...page.matchAll(/^\| `(\w+)` \| [^|]+ \| (?:passes|fails|is an error)/gm),
    ].map(([, name]) => name);
    expect(outcomes).toEqual(
      Object.keys(DIALOGUE_ENDS) satisfies string[] as ConversationOutcome[],
    );
    const { project } = await read(first);
    const { criteria = [], max_steps: steps } = mentorIn(project) ?? {};
    expect(page).toContain(`Default: ${String(steps)}.`);
    expect(page).toContain(`Default: ${criteria.map(({ name }) => name).join(', ')}.`);
    const others = criteria.filter(({ combine }) => combine !== 'all');
    const exceptions = others.map(({ name, combine }) => `\`${combine}\` for \`${name}\``);
    expect(page).toContain(`(by default \`all\`, but ${exceptions.join(', ')})`);
  });
});
