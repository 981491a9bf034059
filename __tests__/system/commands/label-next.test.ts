import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { ToLabel } from '../../../src/report/label-next.ts';
import type { Script } from '../../stand-ins/models/server.ts';
import { removeTemporaryFolders } from '../../stand-ins/repository.ts';
import { openShop, type Shop, type ShopOptions } from '../../unit/commands/shop.ts';

let shop: Shop | null = null;
afterEach(() => shop?.close());
afterAll(removeTemporaryFolders);

const open = async (options: ShopOptions): Promise<Shop> => (shop = await openShop(options));

const proposals = (out: string): ToLabel[] => JSON.parse(out) as ToLabel[];

/** How many of four answers to a question are curt; the grader finds those impolite. */
const CURT: Record<string, number> = { r1: 1, r2: 2, r3: 1 };

function shopkeeper(): Script {
  const asked = new Map<string, number>();
  return ({ messages }) => {
    const text = messages.map(({ content }) => content).join('\n');
    if (text.includes('Is it polite?'))
      return {
        text: JSON.stringify({ reasons: 'So.', choice: text.includes('curt') ? 'No' : 'Yes' }),
      };
    const id = `r${/question (\d)/.exec(text)?.[1] ?? ''}`;
    const times = asked.get(id) ?? 0;
    asked.set(id, times + 1);
    return { text: times < (CURT[id] ?? 0) ? `a curt ${id}-${times}` : `a kind ${id}-${times}` };
  };
}

const FREE = ', price: { input: 1, output: 1 }';

const RUBRIC = `polite:
  prompt: "Is it polite? {completion}"
  choice_scores: { "Yes": 1, "No": 0 }
  examples:
    - { content: a curt r3-0, expected: "No" }
`;

describe('evaldiff grade --next on a saved run', () => {
  test('proposes the answers on whose tries the grader is split, the most disputed first, and asks nobody', async () => {
    const { evaldiff, repository, server } = await open({ rubric: true, answer: shopkeeper() });
    repository.write({ 'rubrics/polite.yaml': RUBRIC });
    await evaldiff('run', 'n_tries=4', '--report', 'evaldiff-report');
    const asked = server.requests.length;
    expect(asked).toBe(32);

    const { code, out, err } = await evaldiff(
      'grade',
      'polite',
      '--next',
      'evaldiff-report',
      '--json',
    );
    expect([code, err]).toEqual([0, '']);
    const found = proposals(out);
    // All agree on r0, and somebody labelled the only curt answer to r3.
    expect(
      found.map(({ suite, reference, side, disagreement }) => [
        suite,
        reference,
        side,
        disagreement,
      ]),
    ).toEqual([
      ['ask', 'r2', 'head', 0.5],
      ['ask', 'r1', 'head', 0.25],
    ]);
    expect(found[1]?.content).toBe('a curt r1-0');
    expect(found.map(({ labels }) => [...labels].sort())).toEqual([
      ['No', 'No', 'Yes', 'Yes'],
      ['No', 'Yes', 'Yes', 'Yes'],
    ]);

    const shown = await evaldiff('grade', 'polite', '--next', 'evaldiff-report');
    expect(shown.out).toContain('polite: 2 answers worth a label, the most disputed first');
    expect(shown.out.indexOf('ask › r2 on head')).toBeGreaterThan(0);
    expect(shown.out.indexOf('ask › r2 on head')).toBeLessThan(
      shown.out.indexOf('ask › r1 on head'),
    );
    expect(server.requests).toHaveLength(asked);
  });

  test('proposes answers on which several graders differ, though their majority gave one label', async () => {
    const { evaldiff, repository } = await open({
      settings: `  strict: { provider: openai, endpoint: local, model: strict-1${FREE} }\n  kind: { provider: openai, endpoint: local, model: kind-1${FREE} }\ngrader: [m, strict, kind]\n`,
      answer: ({ model, messages }) => {
        const text = messages.map(({ content }) => content).join('\n');
        if (!text.includes('Is it polite?')) return { text: `said to ${text}` };
        const no = model === 'strict-1' && text.includes('question 2');
        return { text: JSON.stringify({ reasons: 'So.', choice: no ? 'No' : 'Yes' }) };
      },
    });
    repository.write({
      'rubrics/polite.yaml': RUBRIC,
      'prompts/tests/ask.yaml': `metrics: [{ name: polite, rubric: polite, threshold: 1 }]\nreferences:\n  - { id: r1, input: { q: question 1 } }\n  - { id: r2, input: { q: question 2 } }\n`,
    });
    await evaldiff('run', 'n_tries=1', '--report', 'evaldiff-report');
    const { out, err } = await evaldiff('grade', 'polite', '--next', 'evaldiff-report', '--json');
    expect(err).toBe('');
    expect(proposals(out)).toEqual([
      {
        suite: 'ask',
        reference: 'r2',
        side: 'head',
        object: null,
        content: 'said to Answer: question 2',
        question: null,
        labels: ['Yes', 'No', 'Yes'],
        disagreement: expect.closeTo(1 / 3),
      },
    ]);
  });

  test('proposes, of a metric that judges every turn, the turns on which tries differ, as the grader saw them', async () => {
    const asked = new Map<string, number>();
    const { evaldiff, repository } = await open({
      settings: `grader: m\n`,
      answer: ({ messages }) => {
        const text = messages.map(({ content }) => content).join('\n');
        if (!text.includes('Is it kind?')) return { text: 'And a new answer.' };
        const turn = /<<<content \S+>>>\n([^]*?)\n<<<end/.exec(text)?.[1] ?? '';
        const times = asked.get(turn) ?? 0;
        asked.set(turn, times + 1);
        const no = turn.includes('doubtful') && times % 2 === 1;
        return { text: JSON.stringify({ reasons: 'So.', choice: no ? 'No' : 'Yes' }) };
      },
    });
    repository.write({
      'prompts/ask.yaml':
        'name: ask\nmodel: m\ndefaults: [tests/ask]\nmessages: [{ role: system, content: Help. }]\n',
      'rubrics/kind.yaml':
        'kind:\n  prompt: "Is it kind? {content}"\n  choice_scores: { "Yes": 1, "No": 0 }\n  better: higher\n',
      'prompts/tests/ask.yaml': `metrics: [{ name: kind, rubric: kind, every: true }]
references:
  - id: d1
    input:
      - { role: user, content: A question. }
      - { role: assistant, content: A doubtful answer. }
      - { role: user, content: And then? }
`,
    });
    await evaldiff('run', 'n_tries=2', '--report', 'evaldiff-report');
    const { out } = await evaldiff('grade', 'kind', '--next', 'evaldiff-report', '--json');
    expect(proposals(out)).toMatchObject([
      {
        reference: 'd1',
        object: 'turn 2',
        content: expect.stringContaining('A doubtful answer.'),
        labels: ['Yes', 'No'],
        disagreement: 0.5,
      },
    ]);
    const shown = await evaldiff('grade', 'kind', '--next', 'evaldiff-report');
    expect(shown.out).toContain('ask › d1 on head, turn 2');
  });

  test('proposes the dialogues on whose first answer the evaluators differ, with the question', async () => {
    const { evaldiff, repository, server } = await open({
      settings:
        '  strict: { provider: openai, endpoint: local, model: strict-1, price: { input: 1, output: 1 } }\n  kind: { provider: openai, endpoint: local, model: kind-1, price: { input: 1, output: 1 } }\n',
      answer: ({ model, messages }) => {
        const text = messages.map(({ content }) => content).join('\n');
        if (model === 'model-1')
          return { text: text.includes('question 2') ? 'a vague answer' : 'a clear answer' };
        const accepted = model === 'kind-1' || !text.includes('a vague answer');
        return {
          text: JSON.stringify({
            analysis: 'So.',
            correctness: accepted ? 'yes' : 'no',
            follow_up: 'And then?',
          }),
        };
      },
    });
    repository.write({
      'prompts/tests/ask.yaml': `conversation:
  evaluators: [strict, kind]
  criteria: { correctness: all }
  max_steps: 2
references:
  - { id: r1, input: { q: question 1 } }
  - { id: r2, input: { q: question 2 } }
`,
    });
    await evaldiff('run', '--report', 'evaldiff-report');
    const asked = server.requests.length;
    const { code, out, err } = await evaldiff(
      'grade',
      'ask',
      '--next',
      'evaldiff-report',
      '--json',
    );
    expect([code, err]).toEqual([0, '']);
    expect(proposals(out)).toMatchObject([
      {
        suite: 'ask',
        reference: 'r2',
        side: 'head',
        question: 'Answer: question 2',
        content: 'a vague answer',
        disagreement: 0.5,
      },
    ]);
    expect(server.requests).toHaveLength(asked);
  });
});
