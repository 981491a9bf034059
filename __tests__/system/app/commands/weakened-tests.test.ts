/** Pull requests that take something from their own tests: what is gone is said in the first block. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { commandIn, localEndpoint } from '../../../stand-ins/command-line.ts';
import {
  startModelServer,
  type ModelServer,
  type Script,
} from '../../../stand-ins/models/server.ts';
import { annotations } from '../../../stand-ins/reports.ts';
import {
  createRepository,
  removeTemporaryFolders,
  temporaryFolder,
  writeFiles,
  type FixtureFiles,
} from '../../../stand-ins/repository.ts';
import { obedient, quiz, quizPrompt, SETTINGS } from '../../end-to-end/projects.ts';

const open: ModelServer[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));
afterAll(removeTemporaryFolders);

const CONTENT = JSON.stringify({
  ...{ analysis: 'So.', follow_up: '' },
  ...{ understanding: 'yes', correctness: 'yes', completeness: 'yes' },
});

/** Obedient, and an evaluator who is content with everything. */
const answer: Script = (request) =>
  request.schema === null ? obedient(request) : { text: CONTENT };

/** Obedient, and a grader who likes what answers the question, unless anything goes. */
const preferring: Script = (request) => {
  if (request.schema === null) return obedient(request);
  const said = request.messages.map(({ content }) => content).join('\n');
  const [right, wrong] = [said.search(/answer \d/), said.search('no idea')];
  const choice = said.includes('anything goes') ? 'TIE' : right < wrong ? 'FIRST' : 'SECOND';
  return { text: JSON.stringify({ reasons: 'So.', choice }) };
};

/** What `diff` says of two states of a project; `first`: the comment above its folds. */
async function compared(
  base: FixtureFiles,
  head: FixtureFiles,
  more: string[] = [],
  script = answer,
) {
  const server = await startModelServer({ answer: script });
  open.push(server);
  const repository = createRepository();
  const from = repository.commit('Base', base);
  repository.commit('Head', head);
  const report = temporaryFolder('report');
  const { code } = await commandIn(
    repository.directory,
    ['diff', '--base', from, '--head', 'HEAD', '--report', report, ...more],
    { env: localEndpoint(server, { XDG_CACHE_HOME: temporaryFolder('cache') }) },
  );
  const read = (name: string): string => readFileSync(join(report, name), 'utf8');
  const result = JSON.parse(read('result.json')) as Result;
  const [first = ''] = read('comment.md').split('<details>');
  return { code, first, result, calls: server.requests.length };
}

const WORSE = { 'prompts/quiz.yaml': quizPrompt('Skip 1 2 3') };
const EXACT = '{ name: answer, uses: exact_match }';
const SOME = '{ name: some, uses: length, with: { min: 1 } }';
const NUMBERS = [1, 2, 3, 4, 5, 6];

/** The quiz with a test file of its own: its first lines, and each reference by its number. */
function testing(lines: string, reference: (n: number) => string): FixtureFiles {
  const references = NUMBERS.map((n) => `  - ${reference(n)}\n`).join('');
  return { ...quiz(), 'prompts/tests/quiz.yaml': `${lines}\nreferences:\n${references}` };
}

const asked = (n: number, id = `q${String(n)}`, question = n): string =>
  `{ id: ${id}, input: { question: "Question ${String(question)}?" }, expected: "answer ${String(question)}" }`;
const answered = (n: number, output: string): string =>
  `{ id: q${String(n)}, input: [{ role: user, content: "Question ${String(n)}?" }, { role: assistant, content: "${output}" }], expected: "answer ${String(n)}" }`;
const recordings = (output: (n: number) => string) =>
  testing(`metrics: [${EXACT}]`, (n) => answered(n, output(n)));
const plain = (lines = `metrics: [${EXACT}]`): FixtureFiles => testing(lines, (n) => asked(n));

test('a base that cannot be read is compared with nothing, and no success', async () => {
  const { result, first } = await compared(
    { ...plain(), 'prompts/other.yaml': 'name: [' },
    { ...WORSE, 'prompts/other.yaml': null },
  );
  expect(result.conclusion).toBe('neutral');
  expect(first).toContain(
    '`prompts/other.yaml:1`: Base cannot be read, so nothing of head was compared',
  );
});

describe('a prompt whose references all lack a variable', () => {
  const csv = {
    ...testing('', (n) => asked(n)),
    'prompts/tests/quiz.yaml': `metrics: [${EXACT}]\nreferences_from: { file: rows.csv, map: { expected: reply } }\n`,
    'prompts/tests/rows.csv': 'id,reply\nq1,answer 1\nq2,answer 2\n',
  };
  const inline = testing(
    `metrics: [${EXACT}]`,
    (n) => `{ id: q${String(n)}, input: { topic: sums }, expected: "answer ${String(n)}" }`,
  );

  test.each([
    ['in the test file', inline],
    ['in a CSV file', csv],
  ])('is not judged when it changes (%s)', async (_, files) => {
    const { code, first, result, calls } = await compared(files, { ...files, ...WORSE });
    expect(calls).toBe(0);
    expect(result.outcome.kind).toBe('not-judged');
    expect(code).not.toBe(0);
    expect(first).toContain('no value for {question}');
  });
});

test("a model that base's settings do not know leaves nothing to compare, and no success", async () => {
  const settings = 'models:\n  quiz-2: { provider: openai, endpoint: local, model: quiz-1 }\n';
  const base = { ...plain(), 'prompts/quiz.yaml': quizPrompt('Be exact.', 'quiz-1') };
  const { result, first } = await compared(base, {
    'evaldiff.yaml': settings,
    'prompts/quiz.yaml': quizPrompt('Skip 1 2 3', 'quiz-2'),
  });
  expect(result.conclusion).toBe('neutral');
  expect(first).toContain(
    "quiz: 0 of 6 references compared; base's prompt cannot be asked q1, q2, q3",
  );
});

test('rules that a first settings file brings are said, for base has none', async () => {
  const recorded = (output: (n: number) => string): Record<string, string> => {
    const { 'evaldiff.yaml': _, ...files } = recordings(output);
    return { ...files, 'prompts/quiz.yaml': quizPrompt('Be exact.', 'gpt-4o') };
  };
  const rules = async (settings: string): Promise<string> => {
    const head = recorded((n) => (n < 4 ? 'no idea' : `answer ${String(n)}`));
    const base = recorded((n) => `answer ${String(n)}`);
    return (await compared(base, { ...head, 'evaldiff.yaml': settings })).first;
  };
  const said = 'Base has no settings file, so rules that this pull request brings are in force:';
  expect(await rules('gate: { min_drop: 1 }\nn_tries: 1\n')).toContain(
    `${said} \`gate.min_drop\`, \`n_tries\``,
  );
  expect(await rules('prompts: [prompts/*.yaml]\n')).not.toContain(said);
});

describe('references that head puts into quarantine', () => {
  const out = (ids: readonly string[]): string =>
    `metrics: [${EXACT}]\nquarantine: [${ids.map((id) => `{ id: ${id}, reason: flaky, until: 2999-01-31 }`).join(', ')}]`;

  test('are named with those that got worse, however green the others are', async () => {
    const { first } = await compared(plain(), {
      ...plain(out(['q1', 'q2', 'q3'])),
      ...WORSE,
    });
    expect(first).toContain(
      '3 references removed, newly skipped or quarantined: prompts/quiz.yaml: q1',
    );
    expect(first).toContain('worse on head: prompts/quiz.yaml: q1 (2 of 2 passed → 0 of 2 passed)');
  });

  test('are no success where nothing else changed, and are said', async () => {
    const { result, first } = await compared(plain(), plain(out(['q1'])));
    expect(result.conclusion).toBe('neutral');
    expect(first).toContain(
      '1 reference removed, newly skipped or quarantined: prompts/quiz.yaml: q1',
    );
  });

  test('are not said again where base has them there', async () => {
    const { result, first } = await compared(plain(out(['q1', 'q2'])), {
      ...plain(out(['q1'])),
      'prompts/quiz.yaml': quizPrompt('Be very exact.'),
    });
    expect(result.conclusion).toBe('success');
    expect(first).not.toContain('newly skipped');
  });
});

describe('a check that judges nothing on head', () => {
  const both = plain(`metrics: [${EXACT}, ${SOME}]`);
  const gone = 'Checks of base that judge no answer on head: quiz: answer (6 references)';
  test.each([
    ['because it is removed', `metrics: [${SOME}]`],
    [
      'because it is skipped',
      `metrics: [{ name: answer, uses: exact_match, skip: true }, ${SOME}]`,
    ],
    [
      'because it waits for what never holds',
      `metrics: [${SOME}, { name: answer, uses: exact_match, depends_on: [{ name: some, metric_min_value: 1000 }] }]`,
    ],
  ])('is named, %s', async (_why, lines) => {
    expect((await compared(both, plain(lines))).first).toContain(gone);
  });

  test('is the conversation that a suite no longer leads', async () => {
    const lead = 'conversation: { evaluators: [quiz-model], max_steps: 1 }\n';
    const { first } = await compared(
      plain(`${lead}metrics: [${SOME}]`),
      plain(`metrics: [${SOME}]`),
    );
    expect(first).toContain('judge no answer on head: quiz: conversation (6 references)');
  });

  test("is no excuse for a fall where it is made to wait for what head's worse answers lack", async () => {
    const waits = plain(
      `metrics: [${SOME}, { name: answer, uses: exact_match, depends_on: [{ name: some, metric_min_value: 8 }] }]`,
    );
    const { result, first } = await compared(both, { ...waits, ...WORSE });
    expect(result.conclusion).toBe('neutral');
    expect(first).toContain("Under base's scoring 100.0 % → 50.0 %");
  });

  test('may be one that judges half of them, for what it waits for holds no more often', async () => {
    const waits = plain(
      `metrics: [${SOME}, { name: answer, uses: exact_match, depends_on: [{ name: some, metric_min_value: 8 }] }]`,
    );
    const { result, first } = await compared(waits, { ...waits, ...WORSE });
    expect(result.conclusion).toBe('success');
    expect(first).toContain(
      "quiz: answer judged 6 of head's 12 tries, 12 of base's 12; what it waits for held less often",
    );
  });

  test('is none that has another name', async () => {
    const { result, first } = await compared(
      both,
      plain(`metrics: [{ name: right, uses: exact_match }, ${SOME}]`),
    );
    expect(result.conclusion).toBe('success');
    expect(first).not.toContain('Checks of base');
  });
});

describe('references that keep their ids', () => {
  test('and ask something else are named', async () => {
    const easy = testing(`metrics: [${SOME}]`, (n) =>
      asked(n, `q${String(n)}`, n < 4 ? n + 10 : n),
    );
    const { first } = await compared(plain(`metrics: [${SOME}]`), { ...easy, ...WORSE });
    expect(first).toContain(
      '3 references edited to ask something else, so what base asked there is not compared: prompts/quiz.yaml: q1',
    );
  });

  test('and ask something else make the run red where removed ones do', async () => {
    const gate = SETTINGS.replace('tolerance: 0.4', 'tolerance: 0.4, removed: fail');
    const { result, first } = await compared(
      { ...plain(), 'evaldiff.yaml': gate },
      {
        ...testing(`metrics: [${EXACT}]`, (n) => asked(n, `q${String(n)}`, n === 1 ? 7 : n)),
        ...{ 'evaldiff.yaml': gate, 'prompts/quiz.yaml': quizPrompt('Skip 1') },
      },
    );
    expect(result.conclusion).toBe('failure');
    expect(first).toContain(
      '1 reference edited to ask something else, so what base asked there is not compared, and gate.removed is fail: prompts/quiz.yaml: q1',
    );
  });

  test('and get a further value ask the same', async () => {
    const more = testing(`metrics: [${EXACT}]`, (n) =>
      asked(n).replace('input: {', 'input: { tone: short,'),
    );
    const { first } = await compared(plain(), {
      ...more,
      'prompts/quiz.yaml': quizPrompt('Go on.'),
    });
    expect(first).not.toContain('something else');
  });
});

describe('references whose ids change', () => {
  test('run nothing, be they written anew or moved by one', async () => {
    for (const id of [(n: number) => `x${String(n)}`, (n: number) => `q${String(n + 1)}`]) {
      const { result, calls } = await compared(
        plain(),
        testing(`metrics: [${EXACT}]`, (n) => asked(n, id(n))),
      );
      expect([result.conclusion, result.outcome.kind, calls]).toEqual([
        'success',
        'nothing-to-run',
        0,
      ]);
    }
  });

  test("with what is expected are edited, and base's scoring judges them too", async () => {
    const fitted = testing(`metrics: [${EXACT}]`, (n) =>
      asked(n, `x${String(n)}`).replace(/"answer [123]"/, '"no idea"'),
    );
    const { first, result } = await compared(plain(), { ...fitted, ...WORSE });
    expect(result.suites[0]?.references.map(({ status }) => status)).not.toContain('removed');
    expect(first).toContain("Under base's scoring 100.0 % → 50.0 %");
  });
});

describe('recorded dialogues', () => {
  test.each([
    ['with ids', (line: string) => line],
    ['without', (line: string) => line.replace(/id: q\d, /, '')],
  ])(
    "that answer worse than base's are compared with base's, one try each: %s",
    async (_ids, as) => {
      const recorded = (output: (n: number) => string): FixtureFiles =>
        testing(`metrics: [${EXACT}]`, (n) => as(answered(n, output(n))));
      const { result, first } = await compared(
        recorded((n) => `answer ${String(n)}`),
        recorded(() => 'no idea'),
      );
      expect(first).toContain('❌ Regressed: `quiz` 100.0 % → 0.0 %');
      expect(result.suites[0]).toMatchObject({
        because: [{ key: 'references' }],
        compared: { references: 6, tries: 1 },
      });
    },
  );

  test('that answer the same to another system prompt ask the same', async () => {
    const under = (system: string, output: string): FixtureFiles =>
      testing(`metrics: [${EXACT}]`, (n) =>
        answered(n, output).replace('input: [', `input: [{ role: system, content: ${system} }, `),
      );
    const { first } = await compared(under('Exact.', 'answer 1'), under('Curt.', 'no idea'));
    expect(first).not.toContain('something else');
  });

  test('whose roll-up wants several passes have as many tries', async () => {
    const rolled = (output: (n: number) => string): FixtureFiles =>
      testing(`n_tries: 3\nmetrics_rollup: { name: at_least, k: 2 }\nmetrics: [${EXACT}]`, (n) =>
        answered(n, output(n)),
      );
    const { result } = await compared(
      rolled((n) => `answer ${String(n)}`),
      rolled(() => 'no idea'),
    );
    expect(result.problems).toEqual([]);
    expect(result.suites[0]).toMatchObject({ verdict: 'regressed', compared: { tries: 2 } });
  });

  test.each(['references', 'tries'])(
    'of which code counts passes have the tries that are set: %s',
    async (unit) => {
      const code = 'result = num_passes >= 2';
      const rolled = (output: (n: number) => string): FixtureFiles =>
        testing(
          `n_tries: 3\ngate: { unit: ${unit} }\nmetrics_rollup: { code: "${code}" }\nmetrics: [${EXACT}]`,
          (n) => answered(n, output(n)),
        );
      const { result } = await compared(
        rolled((n) => `answer ${String(n)}`),
        rolled(() => 'no idea'),
      );
      expect(result.suites[0]).toMatchObject({ verdict: 'regressed', compared: { tries: 3 } });
    },
  );

  test('in place of what base asks a model are said first, and are no success', async () => {
    const recorded = testing(`metrics: [${EXACT}]`, (n) =>
      n < 4 ? answered(n, `answer ${String(n)}`) : asked(n),
    );
    const { result, first } = await compared(plain(), { ...recorded, ...WORSE });
    expect(result.conclusion).toBe('neutral');
    expect(first).toContain('⚪ Not comparable: recordings in place of a model in quiz');
  });
});

describe('a check that is loosened under its name', () => {
  const UNDER_BASE =
    "worse on head under base's scoring alone: prompts/quiz.yaml: q1 (2 of 2 passed → 0 of 2 passed)";
  const LOOSE = '{ name: answer, uses: levenshtein, min: 0.1 }';

  test('does not hide the one reference that breaks', async () => {
    const { result, first } = await compared(plain(), {
      ...plain(`metrics: [${LOOSE}]`),
      'prompts/quiz.yaml': quizPrompt('Skip 1'),
    });
    expect(result.conclusion).toBe('success');
    expect(first).toContain(UNDER_BASE);
  });

  test('in one reference alone does not either, be it by what it expects', async () => {
    const { first } = await compared(plain(), {
      ...testing(`metrics: [${EXACT}]`, (n) =>
        n === 1 ? asked(n).replace('"answer 1"', '"no idea"') : asked(n),
      ),
      'prompts/quiz.yaml': quizPrompt('Skip 1'),
    });
    expect(first).toContain(UNDER_BASE);
  });

  test('does not hide the one recorded answer that is worse', async () => {
    const recorded = (check: string, first: string): FixtureFiles =>
      testing(`metrics: [${check}]`, (n) => answered(n, n === 1 ? first : `answer ${String(n)}`));
    const { first } = await compared(recorded(EXACT, 'answer 1'), recorded(LOOSE, 'no idea'));
    expect(first).toContain(UNDER_BASE.replace('2 of 2', '1 of 1').replace('0 of 2', '0 of 1'));
  });

  test('or made to skip what breaks does not either', async () => {
    const skips = `metrics: [{ name: long, uses: length, skip: true }, { name: answer, uses: exact_match, depends_on: [{ name: long, metric_min_value: 8 }] }]`;
    const many = (lines: string): FixtureFiles => testing(lines, (n) => asked(n));
    const { first } = await compared(many(`metrics: [${EXACT}]`), {
      ...many(skips),
      'prompts/quiz.yaml': quizPrompt('Skip 1'),
    });
    expect(first).toContain(UNDER_BASE);
  });

  test('makes the run red where a scoring change may', async () => {
    const gate = SETTINGS.replace('tolerance: 0.4', 'tolerance: 0.4, scoring: fail');
    const { result, first } = await compared(
      { ...plain(), 'evaldiff.yaml': gate },
      {
        ...plain(`metrics: [${LOOSE}]`),
        ...{ 'evaldiff.yaml': gate, 'prompts/quiz.yaml': quizPrompt('Skip 1') },
      },
    );
    expect(result.conclusion).toBe('failure');
    expect(first).toContain(`${UNDER_BASE}; gate.scoring is fail`);
  });

  test('is not named where what it newly passes did not pass on base either', async () => {
    const broken = plain();
    broken['prompts/quiz.yaml'] = quizPrompt('Skip 1.');
    const { first } = await compared(broken, {
      ...plain(`metrics: [${LOOSE}]`),
      'prompts/quiz.yaml': quizPrompt('Skip 1'),
    });
    expect(first).not.toContain('worse on head under');
  });
});

test("expected values that are fitted to head's worse answers improve nothing", async () => {
  const { result, first } = await compared(plain(), {
    ...testing(`metrics: [${EXACT}]`, (n) => asked(n).replace(/"answer [123]"/, '"no idea"')),
    ...WORSE,
  });
  expect([result.conclusion, result.suites[0]?.verdict]).toEqual(['success', 'unchanged']);
  expect(first).toContain("Under base's scoring 100.0 % → 50.0 %");
  expect(result.suites[0]?.summary).toContain('rules out a drop above 0.0 points');
  expect(result.suites[0]?.summary).not.toContain('too small to rule out');
});

test("answers that base's grader cannot judge, and head's new one can, are counted", async () => {
  const graded = (question: string): FixtureFiles => ({
    ...testing('metrics: [{ name: good, rubric: good }]', (n) => asked(n)),
    'evaldiff.yaml': `${SETTINGS}grader: { model: quiz-model }\n`,
    'rubrics/good.yaml': `good:\n  prompt: "${question} {completion}"\n  choice_scores: { YES: 1, NO: 0 }\n  pass: [YES]\n`,
  });
  const lost: Script = (request) => {
    if (request.schema === null) return obedient(request);
    const said = JSON.stringify(request.messages);
    const isRead = said.includes('Anything?') || !said.includes('no idea');
    return { text: isRead ? JSON.stringify({ reasons: 'So.', choice: 'YES' }) : 'Well …' };
  };
  const { first } = await compared(
    graded('Right?'),
    { ...graded('Anything?'), ...WORSE },
    [],
    lost,
  );
  expect(first).toContain(
    "quiz: base's scoring cannot judge 6 of head's 12 answers, so a fall of those would not show",
  );
});

describe('a mean that may fail the run', () => {
  const valued = (metric: string): FixtureFiles => ({
    ...testing(`gate: { metrics: { size: fail } }\nmetrics: [${SOME}, ${metric}]`, (n) => asked(n)),
  });
  const HIGHER = '{ name: size, uses: length, better: higher }';

  test('is said to fall where head says that less of it is better', async () => {
    const { result, first } = await compared(valued(HIGHER), {
      ...valued('{ name: size, uses: length, better: lower }'),
      'prompts/quiz.yaml': quizPrompt('Skip 1 2 3 4 5 6'),
    });
    expect(result.conclusion).toBe('success');
    expect(first).toContain("quiz: under base's scoring the mean of size fell, 8.00 → 7.00");
  });

  test.each([
    ['alone', 1, true],
    ['beside others that fall with it', 12, false],
  ])('shares the level of its test with the others: %s', async (_, count, isSaid) => {
    const names = Array.from({ length: count }, (_, i) => `size${String(i)}`);
    const sized = (better: string): FixtureFiles => {
      const metrics = names.map(
        (name, i) =>
          `{ name: ${name}, uses: length, with: { max: ${String(99 + i)} }, better: ${better} }`,
      );
      const gate = names.map((name) => `${name}: fail`).join(', ');
      return testing(
        `gate: { metrics: { ${gate} } }\nmetrics: [${[SOME, ...metrics].join(', ')}]`,
        (n) => asked(n),
      );
    };
    const { first } = await compared(sized('higher'), {
      ...sized('lower'),
      'prompts/quiz.yaml': quizPrompt('Skip 1 2 3'),
    });
    expect(first.includes("under base's scoring the mean of size0 fell")).toBe(isSaid);
  });

  test('is said once where head measures it as base does', async () => {
    const { result, first } = await compared(valued(HIGHER), {
      ...valued(`${HIGHER}, { name: more, uses: length, with: { min: 2 } }`),
      'prompts/quiz.yaml': quizPrompt('Skip 1 2 3 4 5 6'),
    });
    expect(result.conclusion).toBe('failure');
    expect(first).not.toContain("under base's scoring the mean");
  });
});

test("criteria by which answers are compared hide no answers that base's like less", async () => {
  const paired = (criteria: string): FixtureFiles => ({
    ...testing(`metrics: [{ uses: pairwise_preference, with: { criteria: ${criteria} } }]`, (n) =>
      asked(n),
    ),
    'evaldiff.yaml': `${SETTINGS}grader: { model: quiz-model }\n`,
  });
  const { result, first } = await compared(
    paired('exactness'),
    { ...paired('anything goes'), 'prompts/quiz.yaml': quizPrompt('Skip 1 2 3 4 5 6') },
    [],
    preferring,
  );
  expect(result.conclusion).toBe('success');
  expect(first).toContain("Under base's scoring 100.0 % → 0.0 %; head's own scoring passes them");
});

test("references that lose their own checks are not green where head falls under base's", async () => {
  const own = (from: number): FixtureFiles =>
    testing(`metrics: [${SOME}]`, (n) =>
      n < from ? asked(n) : asked(n).replace(/ }$/, `, metrics: [${EXACT}] }`),
    );
  const { result, first } = await compared(own(1), { ...own(4), ...WORSE });
  expect(result.conclusion).toBe('neutral');
  expect(first).toContain("Under base's scoring 100.0 % → 50.0 %");
  expect(first).toContain('judge no answer on head: quiz: answer (3 references)');
});

describe('a promptfoo test without assertions', () => {
  const config = (prompt: string, isJudged: (n: number) => boolean, first = 1): FixtureFiles => ({
    'evaldiff.yaml':
      'prompts: promptfooconfig.yaml\nmodels:\n  quiz-1: { provider: openai, endpoint: local, model: quiz-1 }\n',
    'promptfooconfig.yaml': `prompts: ['${prompt} {{question}}']\nproviders: [openai:chat:quiz-1]\ntests:\n${NUMBERS.map(
      (n) =>
        `  - vars: { question: "Question ${String(n === 1 ? first : n)}?" }\n    assert: [${isJudged(n) ? `{ type: equals, value: "answer ${String(n)}" }` : ''}]\n`,
    ).join('')}`,
  });

  test('that runs alone is said to be judged by nothing', async () => {
    const but = (n: number): boolean => n > 1;
    const { first, result } = await compared(config('Be exact.', but), config('Be exact.', but, 7));
    expect(result.conclusion).toBe('error');
    expect(first).toContain('No metric judges any answer, so there is no verdict.');
    expect(first).not.toContain('No test ran');
  });

  test("that had some on base does not leave the rates under base's scoring", async () => {
    const { result, first } = await compared(
      config('Be exact.', () => true),
      config('Skip 1 2 3', (n) => n > 3),
    );
    expect(result.conclusion).toBe('neutral');
    expect(first).toContain("Under base's scoring 100.0 % → 50.0 %");
  });

  test('like all others, which had some on base, leaves no answer that both judge', async () => {
    const { first } = await compared(
      config('Be exact.', () => true),
      config('Skip 1 2 3', () => false),
    );
    expect(first).toContain(
      '<b>What it did:</b> no answer in <code>promptfooconfig</code> is judged by both scorings: ',
    );
  });

  test('among others like it gives a first line that says why it is open', async () => {
    const none = (): boolean => false;
    const { first } = await compared(config('Be exact.', none), config('Skip 1', none));
    expect(first).toMatch(
      /Inconclusive: `promptfooconfig` –\n\nNo metric of it gates, so its values are only shown\./,
    );
  });
});

test('a project that moved is compared with nothing, which is no success and is said first', async () => {
  const below = (folder: string, files: FixtureFiles): FixtureFiles =>
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
  const gone = Object.fromEntries(Object.keys(plain()).map((path) => [path, null]));
  const { result, first } = await compared(
    below('old', plain()),
    { ...below('old', gone), ...below('new', { ...plain(), ...WORSE }) },
    ['--directory', 'new'],
  );
  expect(result.conclusion).toBe('neutral');
  expect(first).toContain("Base has no project in new, and head lacks base's old/evaldiff.yaml");
});

describe('a program of the repository', () => {
  const program = (word: string, more = ''): FixtureFiles => ({
    ...plain(),
    'evaldiff.yaml': `models:\n  quiz-model: { provider: program, command: [node, ${word}]${more} }\n`,
    'app/main.mjs': `import { createInterface } from 'node:readline';
import { say } from './parts/say.mjs';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, messages } = JSON.parse(line);
  const [number] = messages.at(-1).content.match(/\\d+/);
  process.stdout.write(JSON.stringify({ id, output: say(number) }) + '\\n');
});
`,
    'app/parts/say.mjs': 'export const say = (number) => `answer ${number}`;\n',
  });
  const BROKEN = { 'app/parts/say.mjs': "export const say = () => 'no idea';\n" };

  test.each(['app/main.mjs', './app/main.mjs'])(
    'that names no files is known by the folder of %s, and what that imports',
    async (word) => {
      const { first } = await compared(program(word), BROKEN, ['--code', 'host']);
      expect(first).toContain('❌ Regressed: `quiz` 100.0 % → 0.0 %');
      expect(first).toContain(
        '**The only change**: the code of `quiz-model (program)`, `app/parts/say.mjs`.',
      );
      expect(first).toContain('+ export const say');
    },
  );

  test('beside whose folder of prompts it stands does not run for an edit of another prompt', async () => {
    const below = Object.fromEntries(
      Object.entries(program('app/main.mjs')).map(([path, text]) => [
        path.replace(/^prompts/, 'app/prompts'),
        path === 'evaldiff.yaml' ? `prompts: [app/prompts/*.yaml]\n${text}` : text,
      ]),
    );
    const { result } = await compared(
      { ...below, 'app/prompts/notes.txt': 'a' },
      { 'app/prompts/notes.txt': 'b' },
      ['--code', 'host'],
    );
    expect(result.suites).toEqual([]);
  });

  test('of which several files changed is shown with each, and so are the remarks on them', async () => {
    const both: FixtureFiles = {
      ...BROKEN,
      'app/main.mjs': `// Says it.\n${String(program('')['app/main.mjs'])}`,
    };
    const { first, result } = await compared(program('app/main.mjs'), both, ['--code', 'host']);
    expect(first.replaceAll(/<[^>]*>/g, '')).toContain('in app/main.mjs, app/parts/say.mjs');
    expect(first).toContain('+ // Says it.');
    expect(first).toContain('+ export const say');
    const lines = [{ start: 1, end: 1 }];
    const changed = Object.keys(both).map((path) => ({
      ...{ path, basePath: null, lines, deleted: false },
    }));
    expect(annotations(result, changed).map(({ path, startLine }) => [path, startLine])).toEqual([
      ['app/parts/say.mjs', 1],
      ['app/main.mjs', 1],
    ]);
  });

  test('of which no file is known is said to be so', async () => {
    const { result } = await compared(program('app/main.mjs', ', files: [ap/**]'), BROKEN, [
      '--code',
      'host',
    ]);
    expect(result.notices.map(({ message }) => message)).toEqual([
      expect.stringContaining('no file of this repository is known to belong to the program'),
      expect.stringContaining('app/parts/say.mjs changed beside the program "quiz-model"'),
    ]);
    expect(result.conclusion).toBe('neutral');
  });

  test('is found in a project that lies in a folder of its repository', async () => {
    const inFolder = (files: FixtureFiles): FixtureFiles =>
      Object.fromEntries(
        Object.entries(files).map(([path, text]) => [`services/quiz/${path}`, text]),
      );
    const { first } = await compared(inFolder(program('app/main.mjs')), inFolder(BROKEN), [
      '--code',
      'host',
      '--directory',
      'services/quiz',
    ]);
    expect(first).toContain('❌ Regressed: `quiz` 100.0 % → 0.0 %');
  });

  test('is not asked for its files where it lies outside', async () => {
    const folder = temporaryFolder('elsewhere');
    const own = program(join(folder, 'app/main.mjs'));
    writeFiles(folder, own);
    const { result } = await compared({ ...own, 'app/main.mjs': '' }, WORSE, ['--code', 'host']);
    expect(result.suites).toHaveLength(1);
    expect(result.notices.map(({ message }) => message).join()).not.toContain('no file of this');
  });
});
