import { openShop } from '../../../unit/app/commands/shop.ts';

const turn = (role: string, content: string) => ({ role, content });

const lines = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const dialogues = (count: number) =>
  lines(
    Array.from({ length: count }, (_, index) => ({
      id: `d${index}`,
      input: [
        turn('user', `question ${index}`),
        turn('assistant', 'an answer'),
        turn('user', 'and then?'),
      ],
    })),
  );

/** Opens a shop whose prompt is tested on recorded dialogues. */
async function open(tests: string, rows = dialogues(3)) {
  const shop = await openShop();
  shop.repository.commit('dialogues', {
    'prompts/ask.yaml': prompt('You help.'),
    'prompts/tests/ask.yaml': `${tests}references_from: { file: ../../d.jsonl }\n`,
    'd.jsonl': rows,
  });
  return shop;
}

const prompt = (text: string) =>
  `name: ask\nmodel: m\ndefaults: [tests/ask]\nmessages: [{ role: system, content: ${text} }]\n`;

describe('a code metric that judges every turn', () => {
  const tests = (code: string) =>
    `do_completion: true\nmetrics:\n  - name: polite\n    language: python\n    every: 1\n    code: |\n${code.replace(/^/gm, '      ')}\n`;

  test('makes the run an error if its code fails on every answer', async () => {
    const { repository, evaldiff, result } = await open(
      tests('def judge():\n    import requests\njudge()\nmetric = 1\nresult = True'),
    );
    repository.write({ 'prompts/ask.yaml': prompt('You help briefly.') });
    const compared = await result('diff', '--base', 'HEAD');
    expect(compared).toMatchObject({
      conclusion: 'error',
      suites: [],
      problems: [
        {
          place: { file: 'prompts/tests/ask.yaml', line: 3 },
          message: expect.stringContaining(
            'metric "polite" raises an error on every answer of both sides, so it has no scores',
          ),
        },
      ],
    });
    expect(compared.problems[0]?.message).toContain('requests');
    expect((await evaldiff('diff', '--base', 'HEAD')).code).not.toBe(0);
  });

  test('fails the affected answers and names them if the code fails on some turns', async () => {
    const { repository, result } = await open(
      tests('metric = len(actual)\nresult = 1 / (actual != "an answer") > 0'),
    );
    repository.write({ 'prompts/ask.yaml': prompt('You help briefly.') });
    const { suites } = await result('diff', '--base', 'HEAD');
    const score = suites[0]?.references[0]?.head?.tries[0]?.scores[0];
    expect(score).not.toHaveProperty('raised');
    expect(score).toMatchObject({
      status: 'fail',
      reason: expect.stringContaining('ZeroDivisionError'),
      objects: {
        scores: [{ status: 'fail', raised: true }, { status: 'pass' }],
      },
    });
  });
});

describe('a recording', () => {
  const DIFF = ['diff', '--base', 'HEAD'];
  const recorded = lines([
    { id: 'd0', input: [turn('user', 'and?'), turn('assistant', 'an answer')] },
  ]);
  const metrics = 'do_completion: false\nmetrics: [{ uses: word_count }]\n';
  const UNITS = `gate: { unit: references }\n${metrics}`;

  const files = (tests: string) => ({
    'prompts/ask.yaml': prompt('You help.'),
    'prompts/tests/ask.yaml': `${tests}references_from: { file: ../../d.jsonl }\n`,
    'd.jsonl': recorded,
  });

  test.each<[string, string, string[], number, string?]>([
    ['once in a sweep', metrics, ['run'], 1],
    ['as often as its n_tries says', `n_tries: 3\n${metrics}`, ['run'], 3],
    ['once in a new suite', metrics, DIFF, 1],
    ['once if it changed', metrics, DIFF, 1, 'an old answer'],
    ['once if it changed and roll-ups decide', UNITS, DIFF, 1, 'an old answer'],
  ])('is judged %s, whatever the settings say', async (_, tests, command, tries, before = '') => {
    const { repository, result } = await openShop();
    const old = recorded.replace('an answer', before);
    if (before !== '') repository.commit('old', { ...files(tests), 'd.jsonl': old });
    repository.write(files(tests));
    const { suites } = await result(...command);
    const own = suites.find(({ name }) => name === 'ask');
    expect(own?.references[0]?.head?.tries).toHaveLength(tries);
  });
});
