/**
 * Pull requests that weaken their own tests. The first block of the comment reports what they
 * removed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../src/kernel/result/result.ts';
import { suiteSummary } from '../../src/wording/suites.ts';
import type { Script } from '../stand-ins/models/server.ts';
import { openProject } from '../stand-ins/project.ts';
import { annotations } from '../stand-ins/reports.ts';
import { temporaryFolder, writeFiles, type FixtureFiles } from '../stand-ins/repository.ts';
import { obedient, quiz, quizPrompt, SETTINGS } from '../system/end-to-end/projects.ts';

const CONTENT = JSON.stringify({
  analysis: 'So.',
  follow_up: '',
  understanding: 'yes',
  correctness: 'yes',
  completeness: 'yes',
});

/** A model that obeys its prompt, and an evaluator that accepts everything. */
const answer: Script = (request) =>
  request.schema === null ? obedient(request) : { text: CONTENT };

/**
 * A model that obeys its prompt, and a grader that prefers correct answers, or calls a tie if
 * "anything goes".
 */
const preferring: Script = (request) => {
  if (request.schema === null) return obedient(request);
  const said = request.messages.map(({ content }) => content).join('\n');
  const [right, wrong] = [said.search(/answer \d/), said.search('no idea')];
  const choice = said.includes('anything goes') ? 'TIE' : right < wrong ? 'FIRST' : 'SECOND';
  return { text: JSON.stringify({ reasons: 'So.', choice }) };
};

/** Runs `diff` on two states of a project. `first` is the comment above its folds. */
async function compared(
  base: FixtureFiles,
  head: FixtureFiles,
  more: string[] = [],
  script = answer,
) {
  const { repository, reported } = await openProject(base, {
    answer: script,
    env: { XDG_CACHE_HOME: temporaryFolder('cache') },
  });
  repository.commit('Head', head);
  const sides = ['--base', 'HEAD~1', '--head', 'HEAD'];
  const { code, result, calls } = await reported('diff', ...sides, ...more);
  const comment = readFileSync(join(repository.directory, 'report/comment.md'), 'utf8');
  const [first = ''] = comment.split('<details>');
  return { code, first, result, calls };
}

/** Compares two states and checks the conclusion (null: any) and the text of the first block. */
async function shows(
  [base, head, ...given]: Parameters<typeof compared>,
  conclusion: Result['conclusion'] | null,
  says: readonly string[],
  hides: readonly string[] = [],
) {
  const found = await compared(base, head, ...given);
  if (conclusion !== null) expect(found.result.conclusion).toBe(conclusion);
  for (const words of says) expect(found.first).toContain(words);
  for (const words of hides) expect(found.first).not.toContain(words);
  return found;
}

const prompt = (system: string, model?: string) => ({
  'prompts/quiz.yaml': quizPrompt(system, model),
});
const WORSE = prompt('Skip 1 2 3');
const ONE_WORSE = prompt('Skip 1');
const ALL_WORSE = prompt('Skip 1 2 3 4 5 6');
const EXACT = '{ name: answer, uses: exact_match }';
const SOME = '{ name: some, uses: length, with: { min: 1 } }';
const NUMBERS = [1, 2, 3, 4, 5, 6];

/** The quiz with its own test file: its first lines, and each reference by number. */
function testing(lines: string, reference: (n: number) => string): FixtureFiles {
  const references = NUMBERS.map((n) => `  - ${reference(n)}\n`).join('');
  return { ...quiz(), 'prompts/tests/quiz.yaml': `${lines}\nreferences:\n${references}` };
}

const asked = (n: number, id = `q${n}`, question = n) =>
  `{ id: ${id}, input: { question: "Question ${question}?" }, expected: "answer ${question}" }`;
const answered = (n: number, output: string) =>
  `{ id: q${n}, input: [{ role: user, content: "Question ${n}?" }, { role: assistant, content: "${output}" }], expected: "answer ${n}" }`;
const right = (n: number) => `answer ${n}`;
const wrong = () => 'no idea';
const recordings = (output: (n: number) => string, lines = `metrics: [${EXACT}]`) =>
  testing(lines, (n) => answered(n, output(n)));
const plain = (lines = `metrics: [${EXACT}]`): FixtureFiles => testing(lines, (n) => asked(n));
/** The first three expected values are the answers of head's worse prompt. */
const fitted = testing(`metrics: [${EXACT}]`, (n) =>
  asked(n).replace(/"answer [123]"/, '"no idea"'),
);
const FALL = "under base's scoring 100 → 50 %";

describe('a changed prompt whose references all lack a value for a variable', () => {
  const csv = {
    ...plain(''),
    'prompts/tests/quiz.yaml': `metrics: [${EXACT}]\nreferences_from: { file: rows.csv, map: { expected: reply } }\n`,
    'prompts/tests/rows.csv': 'id,reply\nq1,answer 1\nq2,answer 2\n',
  };
  const inline = testing(`metrics: [${EXACT}]`, (n) =>
    asked(n).replace(/input: \{[^}]*\}/, 'input: { topic: sums }'),
  );

  test.each([
    ['in the test file', inline, 'no value for {question}'],
    ['in a CSV file', csv, 'has no column "question" for {question}'],
  ])('is not judged if the references are %s', async (_, files, why) => {
    const { code, result, calls } = await shows([files, { ...files, ...WORSE }], null, [why]);
    expect([calls, result.outcome.kind]).toEqual([0, 'not-judged']);
    expect(code).not.toBe(0);
  });
});

test("if base's settings do not define a model, nothing is compared and the run is not green", () =>
  shows(
    [
      { ...plain(), ...prompt('Be exact.', 'quiz-1') },
      {
        'evaldiff.yaml':
          'models:\n  quiz-2: { provider: openai, endpoint: local, model: quiz-1 }\n',
        ...prompt('Skip 1 2 3', 'quiz-2'),
      },
    ],
    'neutral',
    ["quiz: 0 of 6 tests compared; base's prompt cannot answer q1, q2, q3"],
  ));

describe('the first settings file of a project', () => {
  const recorded = (output: (n: number) => string): FixtureFiles => {
    const { 'evaldiff.yaml': _, ...files } = recordings(output);
    return { ...files, ...prompt('Be exact.', 'gpt-4o') };
  };
  const bringing = (settings: string): [FixtureFiles, FixtureFiles] => [
    recorded(right),
    { ...recorded((n) => (n < 4 ? 'no idea' : right(n))), 'evaldiff.yaml': settings },
  ];
  const SAID = 'Base has no settings file, so rules that this pull request adds apply:';

  test('is reported with the rules that it adds', () =>
    shows(bringing('gate: { min_drop: 1 }\nn_tries: 1\n'), null, [
      `${SAID} \`gate.min_drop\`, \`n_tries\``,
    ]));

  test('is not reported if it has no rules', () =>
    shows(bringing('prompts: [prompts/*.yaml]\n'), null, [], [SAID]));
});

describe('references that head quarantines', () => {
  const out = (...ids: string[]): FixtureFiles =>
    plain(
      `metrics: [${EXACT}]\nquarantine: [${ids.map((id) => `{ id: ${id}, reason: flaky, until: 2999-01-31 }`).join(', ')}]`,
    );

  test('are named next to the tests that got worse, even if the other references are green', () =>
    shows([plain(), { ...out('q1', 'q2', 'q3'), ...WORSE }], null, [
      'Quarantined: 3 tests (`q1`, `q2`, `q3`)',
      'worse on head: prompts/quiz.yaml: q1 (2 of 2 passed → 0 of 2 passed)',
    ]));

  test('are not named if base also quarantines them', () =>
    shows(
      [out('q1', 'q2'), { ...out('q1'), ...prompt('Be very exact.') }],
      'success',
      [],
      ['newly skipped'],
    ));
});

describe("a metric that no longer judges head's answers", () => {
  const both = plain(`metrics: [${EXACT}, ${SOME}]`);

  test('is named in the report if it is removed', () =>
    shows([both, plain(`metrics: [${SOME}]`)], null, [
      'Checks of base that judge no answer on head: quiz: answer (6 tests)',
    ]));

  test('is also named if head removes the conversation that it judges', () =>
    shows(
      [
        plain(`conversation: { evaluators: [quiz-model], max_steps: 1 }\nmetrics: [${SOME}]`),
        plain(`metrics: [${SOME}]`),
      ],
      null,
      ['judge no answer on head: quiz: conversation (6 tests)'],
    ));

  test('is not reported if it was only renamed', () =>
    shows(
      [both, plain(`metrics: [{ name: right, uses: exact_match }, ${SOME}]`)],
      'success',
      [],
      ['Checks of base'],
    ));
});

describe('references that keep their ids', () => {
  test('but have new inputs are named in the report', () => {
    const easy = testing(`metrics: [${SOME}]`, (n) => asked(n, undefined, n < 4 ? n + 10 : n));
    return shows([plain(`metrics: [${SOME}]`), { ...easy, ...WORSE }], null, [
      '3 tests edited to ask something else, so the old version is not compared: prompts/quiz.yaml: q1',
    ]);
  });

  test('but get an additional input value count as unchanged', () => {
    const more = testing(`metrics: [${EXACT}]`, (n) =>
      asked(n).replace('input: {', 'input: { tone: short,'),
    );
    return shows([plain(), { ...more, ...prompt('Go on.') }], null, [], ['something else']);
  });
});

describe('references whose ids change', () => {
  test.each<[string, (n: number) => string]>([
    ['are new', (n) => `x${n}`],
    ['move by one', (n) => `q${n + 1}`],
  ])('are not run again if nothing else changes: they %s', async (_, id) => {
    const head = testing(`metrics: [${EXACT}]`, (n) => asked(n, id(n)));
    const { result, calls } = await shows([plain(), head], 'success', []);
    expect([result.outcome.kind, calls]).toEqual(['nothing-to-run', 0]);
  });

  test("are also judged by base's expected values if head edits those", async () => {
    const renamed = testing(`metrics: [${EXACT}]`, (n) =>
      asked(n, `x${n}`).replace(/"answer [123]"/, '"no idea"'),
    );
    const { result } = await shows([plain(), { ...renamed, ...WORSE }], null, [FALL]);
    expect(result.suites[0]?.references.map(({ status }) => status)).not.toContain('removed');
  });
});

describe('recorded dialogues', () => {
  test.each([
    ['with ids', (line: string) => line],
    ['without ids', (line: string) => line.replace(/id: q\d, /, '')],
  ])('each count as one try, and a drop on head is reported: %s', async (_ids, as) => {
    const recorded = (output: (n: number) => string): FixtureFiles =>
      testing(`metrics: [${EXACT}]`, (n) => as(answered(n, output(n))));
    const { result } = await shows([recorded(right), recorded(wrong)], null, [
      '`quiz` 100 → 0 %: ',
    ]);
    expect(result.suites[0]).toMatchObject({
      because: [{ key: 'references' }],
      compared: { references: 6, tries: 1 },
    });
  });

  test('with the same answer and a different system prompt count as unchanged', () => {
    const under = (system: string, output: string): FixtureFiles =>
      testing(`metrics: [${EXACT}]`, (n) =>
        answered(n, output).replace('input: [', `input: [{ role: system, content: ${system} }, `),
      );
    const sides = [under('Exact.', 'answer 1'), under('Curt.', 'no idea')] as const;
    return shows([...sides], null, [], ['something else']);
  });

  test.each([
    ['as many tries as the roll-up requires passes', 'metrics_rollup: { name: at_least, k: 2 }', 2],
    ['all n_tries of the suite', 'n_tries: 3\nmetrics_rollup: { name: at_least, k: 2 }', 3],
    ...['references', 'tries'].map((unit): [string, string, number] => [
      `all n_tries if code combines them and the verdict counts ${unit}`,
      `n_tries: 3\ngate: { unit: ${unit} }\nmetrics_rollup: { code: "result = num_passes >= 2" }`,
      3,
    ]),
  ])('can count as several tries: %s', async (_, lines, tries) => {
    const all = `${lines}\nmetrics: [${EXACT}]`;
    const { result } = await compared(recordings(right, all), recordings(wrong, all));
    expect(result.problems).toEqual([]);
    expect(result.suites[0]).toMatchObject({ verdict: 'regressed', compared: { tries } });
  });

  test("that replace a model's answers are reported in the first line and prevent a green verdict", () => {
    const recorded = testing(`metrics: [${EXACT}]`, (n) =>
      n < 4 ? answered(n, right(n)) : asked(n),
    );
    return shows([plain(), { ...recorded, ...WORSE }], 'neutral', [
      '⚪ Not comparable: recordings in place of a model in quiz',
    ]);
  });
});

describe('a metric that is loosened but keeps its name', () => {
  const UNDER_BASE =
    "worse on head under base's scoring alone: prompts/quiz.yaml: q1 (2 of 2 passed → 0 of 2 passed)";
  const LOOSE = '{ name: answer, uses: levenshtein, min: 0.1 }';
  const loose = plain(`metrics: [${LOOSE}]`);

  test('does not hide the one reference that breaks', () =>
    shows([plain(), { ...loose, ...ONE_WORSE }], 'success', [UNDER_BASE]));

  test('does not hide that a reference breaks whose expected value was changed', () => {
    const one = testing(`metrics: [${EXACT}]`, (n) =>
      n === 1 ? asked(n).replace('"answer 1"', '"no idea"') : asked(n),
    );
    // Base's answers fail head's expected value, so there are more tries. Head still fixed nothing.
    const five = UNDER_BASE.replace('2 of 2', '5 of 5').replace('0 of 2', '0 of 5');
    return shows([plain(), { ...one, ...ONE_WORSE }], null, [five], ['Fixed']);
  });

  test('does not hide the one recorded answer that got worse', () => {
    const first = (n: number) => (n === 1 ? 'no idea' : right(n));
    return shows([recordings(right), recordings(first, `metrics: [${LOOSE}]`)], null, [
      UNDER_BASE.replace('2 of 2', '1 of 1').replace('0 of 2', '0 of 1'),
    ]);
  });

  test('does not hide a broken answer by skipping it', () => {
    const skips = plain(
      `metrics: [{ name: long, uses: length, skip: true }, { name: answer, uses: exact_match, depends_on: [{ name: long, metric_min_value: 8 }] }]`,
    );
    return shows([plain(), { ...skips, ...ONE_WORSE }], null, [UNDER_BASE]);
  });

  test('is not reported for a reference that already failed on base', () =>
    shows(
      [
        { ...plain(), ...prompt('Skip 1.') },
        { ...loose, ...ONE_WORSE },
      ],
      null,
      [],
      ['worse on head under'],
    ));
});

test('expected values that head adapted to its worse answers do not count as an improvement', async () => {
  const { result } = await shows([plain(), { ...fitted, ...WORSE }], 'success', [FALL]);
  const [suite] = result.suites;
  expect(suite?.verdict).toBe('unchanged');
  expect(suiteSummary(suite!)).toContain('90 % sure to lie between +3.7 and +96.3');
  expect(suiteSummary(suite!)).not.toContain('too small to exclude');
});

test("the report counts answers that only head's new grader can judge", () => {
  const graded = (question: string): FixtureFiles => ({
    ...plain('metrics: [{ name: good, rubric: good }]'),
    'evaldiff.yaml': `${SETTINGS}grader: { model: quiz-model }\n`,
    'rubrics/good.yaml': `good:\n  prompt: "${question} {completion}"\n  choice_scores: { YES: 1, NO: 0 }\n  pass: [YES]\n`,
  });
  const lost: Script = (request) => {
    if (request.schema === null) return obedient(request);
    const said = JSON.stringify(request.messages);
    const isRead = said.includes('Anything?') || !said.includes('no idea');
    return { text: isRead ? JSON.stringify({ reasons: 'So.', choice: 'YES' }) : 'Well …' };
  };
  return shows([graded('Right?'), { ...graded('Anything?'), ...WORSE }, [], lost], null, [
    "quiz: base's scoring cannot judge 6 of head's 12 answers, so a drop in those would not be noticed",
  ]);
});

describe('a mean that can fail the run', () => {
  const valued = (metric: string): FixtureFiles =>
    plain(`gate: { metrics: { size: fail } }\nmetrics: [${SOME}, ${metric}]`);
  const HIGHER = '{ name: size, uses: length, better: higher }';

  test("is reported if it got worse by base's settings, even if head swaps whether higher or lower is better", () => {
    const lower = valued('{ name: size, uses: length, better: lower }');
    return shows([valued(HIGHER), { ...lower, ...ALL_WORSE }], 'success', [
      "quiz: under base's scoring the mean of size fell, 8.00 → 7.00",
    ]);
  });

  test('is reported once if base and head compute it in the same way', () => {
    const head = valued(`${HIGHER}, { name: more, uses: length, with: { min: 2 } }`);
    return shows(
      [valued(HIGHER), { ...head, ...ALL_WORSE }],
      'failure',
      [],
      ["under base's scoring the mean"],
    );
  });
});

test("a preference for base's answers under base's criteria is reported even if head changes the criteria", () => {
  const paired = (criteria: string): FixtureFiles => ({
    ...plain(`metrics: [{ uses: pairwise_preference, with: { criteria: ${criteria} } }]`),
    'evaldiff.yaml': `${SETTINGS}grader: { model: quiz-model }\n`,
  });
  const head = { ...paired('anything goes'), ...ALL_WORSE };
  return shows([paired('exactness'), head, [], preferring], 'success', [
    "under base's scoring 100 → 0 %; head's own scoring passes them",
  ]);
});

test("a run is not green if references lose their own metrics and head's answers fail those metrics", () => {
  const own = (from: number): FixtureFiles =>
    testing(`metrics: [${SOME}]`, (n) =>
      n < from ? asked(n) : asked(n).replace(/ }$/, `, metrics: [${EXACT}] }`),
    );
  return shows([own(1), { ...own(4), ...WORSE }], 'neutral', [
    FALL,
    'judge no answer on head: quiz: answer (3 tests)',
  ]);
});

describe('a promptfoo test without assertions', () => {
  const config = (prompt: string, isJudged: (n: number) => boolean, first = 1): FixtureFiles => ({
    'evaldiff.yaml':
      'prompts: promptfooconfig.yaml\nmodels:\n  quiz-1: { provider: openai, endpoint: local, model: quiz-1 }\n',
    'promptfooconfig.yaml': `prompts: ['${prompt} {{question}}']\nproviders: [openai:chat:quiz-1]\ntests:\n${NUMBERS.map(
      (n) =>
        `  - vars: { question: "Question ${n === 1 ? first : n}?" }\n    assert: [${isJudged(n) ? `{ type: equals, value: "answer ${n}" }` : ''}]\n`,
    ).join('')}`,
  });
  const all = () => true;
  const none = () => false;

  test('causes an error without a verdict if no other test runs', () => {
    const but = (n: number) => n > 1;
    return shows(
      [config('Be exact.', but), config('Be exact.', but, 7)],
      'error',
      ['No metric judges any answer, so there is no verdict.'],
      ['No test ran'],
    );
  });

  test('is still judged by the assertions that it had on base', () =>
    shows([config('Be exact.', all), config('Skip 1 2 3', (n) => n > 3)], 'neutral', [FALL]));

  test('is not compared if head removes the assertions of all tests, and the report says why', () =>
    shows([config('Be exact.', all), config('Skip 1 2 3', none)], null, [
      '<b>What it did:</b> no answer in <code>promptfooconfig</code> is judged by both scorings: ',
    ]));

  test('makes the run inconclusive if it had none on base either, which the first line explains', () =>
    shows([config('Be exact.', none), config('Skip 1', none)], null, [
      'Inconclusive: `promptfooconfig`\n\n`promptfooconfig`: none of its metrics decides, so their values are only shown',
    ]));
});

describe('a program that answers instead of a model', () => {
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
  const HOST = ['--code', 'host'];
  const RED = '`quiz` 100 → 0 %: ';
  const BROKEN = { 'app/parts/say.mjs': "export const say = () => 'no idea';\n" };

  test.each(['app/main.mjs', './app/main.mjs'])(
    'is identified by its imports and the folder of %s if the settings list no files',
    (word) =>
      shows([program(word), BROKEN, HOST], null, [
        RED,
        '**The only change**: the code of `quiz-model (program)`, `app/parts/say.mjs`.',
        '+ export const say',
      ]),
  );

  test('does not run again if an unrelated file changes in a prompts folder next to its code', async () => {
    const beside = Object.fromEntries(
      Object.entries(program('app/main.mjs')).map(([path, text]) => [
        path.replace(/^prompts/, 'app/prompts'),
        path === 'evaldiff.yaml' ? `prompts: [app/prompts/*.yaml]\n${text}` : text,
      ]),
    );
    const notes = (text: string) => ({ 'app/prompts/notes.txt': text });
    const { result } = await compared({ ...beside, ...notes('a') }, notes('b'), HOST);
    expect(result.suites).toEqual([]);
  });

  test('is reported with all its changed files, and each file is annotated', async () => {
    const both: FixtureFiles = {
      ...BROKEN,
      'app/main.mjs': `// Says it.\n${String(program('')['app/main.mjs'])}`,
    };
    const { first, result } = await shows([program('app/main.mjs'), both, HOST], null, [
      '+ // Says it.',
      '+ export const say',
    ]);
    expect(first.replaceAll(/<[^>]*>/g, '')).toContain(
      '**The only change**: the code of `quiz-model (program)`.',
    );
    const lines = [{ start: 1, end: 1 }];
    const changed = Object.keys(both).map((path) => ({
      path,
      basePath: null,
      lines,
      deleted: false,
    }));
    expect(annotations(result, changed).map(({ path, startLine }) => [path, startLine])).toEqual([
      ['app/parts/say.mjs', 1],
      ['app/main.mjs', 1],
    ]);
  });

  test('causes a notice if evaldiff cannot find any of its files', async () => {
    const nowhere = program(`-e, "import('./app/main.mjs')"`, ', files: [ap/**]');
    const { result } = await compared(nowhere, BROKEN, HOST);
    expect(result.notices.map(({ message }) => message)).toEqual([
      expect.stringContaining('evaldiff does not know the files of the program'),
    ]);
  });

  test('makes the check neutral if a changed file is missing from its list of files', async () => {
    const elsewhere = program('app/main.mjs', ', files: [ap/**]');
    const { result } = await shows([elsewhere, BROKEN, HOST], 'neutral', []);
    expect(result.notices.map(({ message }) => message)).toEqual([
      expect.stringContaining('app/parts/say.mjs changed next to the program "quiz-model"'),
    ]);
  });

  test('causes no notice about missing files if it lies outside the repository', async () => {
    const folder = temporaryFolder('elsewhere');
    const own = program(join(folder, 'app/main.mjs'));
    writeFiles(folder, own);
    const { result } = await compared({ ...own, 'app/main.mjs': '' }, WORSE, HOST);
    expect(result.suites).toHaveLength(1);
    expect(result.notices.map(({ message }) => message).join()).not.toContain('no file of this');
  });
});
