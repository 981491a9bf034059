import { formatProblem, problem } from '../../../../src/errors.ts';
import { explainCalls } from '../../../../src/features/attributes/cost.ts';
import { NO_LIST } from '../../../../src/money/price.ts';
import type { Forecast } from '../../../../src/money/priced-calls.ts';
import type { Target } from '../../../../src/types/model.ts';
import { reasonsInWords } from '../../../../src/wording/reasons.ts';
import { wholeResultSchema } from '../../../stand-ins/features.ts';
import { setUp } from '../../../unit/edges/store/setting.ts';
import { failure, type Script } from './scripted-grader.ts';
import { TOPICS, reader } from './sixty.ts';
import { desk, friendlyIsWrong, runDesk, type Desk } from './support.ts';

/** Each explanation runs many permutations, and the machine may be busy. */

const [EXACT, FRIENDLY] = [desk('Be exact.'), desk('Be friendly.')];
const SETTINGS = EXACT['evaldiff.yaml'] ?? '';
const FILE = 'evaldiff.attributes.yaml';
const PINNED =
  `domains: [${TOPICS.join(', ')}]\nsubtasks: [calculate amounts, quote a rule, apologise]\n`.replace(
    /[\w ]+(?=[,\]])/g,
    (name) => ` { name: ${name.trim()} }`,
  );
const { stringContaining: has, stringMatching: like, objectContaining: with_ } = expect;

/** Runs the pull request that makes answers friendlier. */
async function friendlier(changes: Partial<Desk> = {}) {
  const run = await runDesk({ base: EXACT, head: FRIENDLY, ...changes });
  const { attributes, notices, problems, conclusion, title, insights } = run.result;
  const call = run.of;
  const { certain, possible } = run.plan ?? {};
  /** The planned calls about attributes. */
  const planned = {
    certain: certain?.['qualeval_calls'],
    possible: possible?.['qualeval_possible'],
  };
  return {
    ...run,
    ...{ conclusion, title, attributes, insights, notices, planned },
    regressed: attributes.filter(({ verdict }) => verdict === 'regressed').map(({ id }) => id),
    names: attributes.map(({ name }) => name),
    billing: attributes.find(({ name }) => name === 'billing'),
    said: notices.filter(({ kind }) => kind === 'qualeval').map(({ message }) => message),
    problems: problems.map(formatProblem),
    calls: { prompt: call('prompt'), qualeval: call('qualeval'), fix: call('fix') },
    explaining: call('qualeval') + call('fix'),
  };
}
type Seen = Awaited<ReturnType<typeof friendlier>>;
type Shown = { [key in keyof Seen]?: unknown };
const shows = (title: string, changes: Partial<Desk>, shown: Shown) =>
  test(title, async () => expect(await friendlier(changes)).toMatchObject(shown));

/** Expects exactly one notice about attributes. */
const says = (title: string, changes: Partial<Desk>, message: unknown, shown: Shown = {}) =>
  shows(title, changes, { ...shown, said: [message] });
/** Expects the run to fail with one problem before any call. */
const refuses = (title: string, changes: Partial<Desk>, problem: unknown) =>
  shows(title, changes, { problems: [problem], asked: [] });

const both = (more: Record<string, string>): Pick<Desk, 'base' | 'head'> => ({
  base: { ...EXACT, ...more },
  head: { ...FRIENDLY, ...more },
});
const settings = (lines: string) => both({ 'evaldiff.yaml': `${SETTINGS}${lines}\n` });
const pinned = (lines: string) =>
  both({ 'evaldiff.yaml': `${SETTINGS}${lines}\n`, [FILE]: PINNED });
const withFiles = (base: string | null, head: string | null): Partial<Desk> => ({
  base: base === null ? EXACT : { ...EXACT, [FILE]: base },
  head: head === null ? FRIENDLY : { ...FRIENDLY, [FILE]: head },
});
const priced = (price: string, models = /model: (\w+) }/g) =>
  SETTINGS.replaceAll(models, `model: $1, price: ${price} }`);
const foreseen = (alignment = false) => explainCalls(60, { pinned: null, most: 15, alignment });
const noKey = (message: string): NonNullable<Desk['edges']> => ({
  missingKeys: (targets) =>
    targets.some(({ model }) => model === 'judge') ? [problem(null, message)] : [],
});

let cleanUp: (() => void) | null = null;
afterEach(() => {
  cleanUp?.();
  cleanUp = null;
});
function store() {
  const { open, remove } = setUp();
  const opened = open();
  cleanUp = () => {
    opened.close();
    remove();
  };
  return opened;
}

test('every model called must have a price, even one used only for explanations', async () => {
  const targets: Target[] = [];
  const { asked, calls } = await friendlier({
    edges: {
      pricing: async (given) => {
        targets.push(...given);
        return { list: NO_LIST };
      },
    },
  });
  expect(calls.qualeval).toBeGreaterThan(0);
  const models = (of: Target[]) => [...new Set(of.map(({ model }) => model))];
  expect(models(targets)).toEqual(
    expect.arrayContaining(models(asked.map(({ target }) => target))),
  );
});

describe('a pull request that worsens answers about one topic', () => {
  test('has only this topic reported as regressed, with an explanation and a tested fix', async () => {
    const { result, calls, regressed, attributes, insights, billing, plan, planned, explaining } =
      await friendlier();
    expect(result.suites[0]?.verdict).toBe('regressed');
    expect(regressed).toEqual(['domain-billing']);
    expect(attributes.filter(({ verdict }) => verdict === 'regressed')).toHaveLength(1);
    const path = 'prompts/support.yaml';
    expect(billing).toMatchObject({ path, variant: { model: 'desk' }, n: expect.any(Number) });
    expect(billing?.high).toBeLessThan(0);
    const [insight] = insights;
    expect(insight).toMatchObject({
      ...{ path, attribute: 'domain-billing' },
      fix: {
        ...{ file: path, kind: 'draft', replaced: has('Be friendly.') },
        ...{
          replacement: has('Be exact and kind.'),
          restores: { references: 5, of: 5 },
          withheld: true,
        },
      },
    });
    expect(insight?.references.length).toBeGreaterThan(0);
    expect(insight?.references.every((id) => billing?.references.includes(id))).toBe(true);
    expect(wholeResultSchema.safeParse(JSON.parse(JSON.stringify(result))).success).toBe(true);
    expect(result.usage.by_purpose).toMatchObject({
      qualeval: { calls: calls.qualeval, reused: 0 },
      fix: { calls: 1 },
    });
    // The plan lists these calls as possible, not as certain.
    expect(plan?.prompt_calls).toBe(360);
    expect(planned).toEqual({ certain: 0, possible: foreseen() + 400 });
    expect(explaining).toBeLessThanOrEqual(foreseen() + 1);
  });

  test('has its cause sought separately among the regressed references of each topic', async () => {
    const falls: Record<string, number> = { billing: 0, returns: 0.4 };
    const { result, regressed } = await friendlier({
      rate: (tone, topic) => (tone === 'Be exact.' ? 1 : (falls[topic] ?? 1)),
    });
    expect(regressed).toEqual(['domain-billing', 'domain-returns']);
    const examined = new Set(
      result.causes?.[0]?.causes.flatMap(({ references }) => references.map(({ id }) => id)),
    );
    const topics = (result.suites[0]?.references ?? [])
      .filter(({ id }) => examined.has(id))
      .map(({ input }) => /about (\w+),/.exec(String(input['mail']))?.[1]);
    expect(topics).toHaveLength(8);
    expect(topics.filter((topic) => topic === 'returns').length).toBeGreaterThan(2);
  });

  test('shows an attribute that all references have with the same pass rates as the suite', async () => {
    const name = 'prompts/tests/support.yaml';
    const uneven = (EXACT[name] ?? '').replaceAll(
      /- \{ id: (case-\d*[13579]),/g,
      '- { id: $1, n_tries: 7,',
    );
    expect(uneven).toContain('n_tries: 7');
    const all = 'domains: [{ name: mail }]\nsubtasks: [{ name: answer }]\n';
    const affinity: NonNullable<Script['affinity']> = (_, list) => ({
      ratings: list.map(({ id }) => ({ id, evidence: '', score: 5 })),
    });
    const { result, attributes } = await friendlier({
      ...both({ [FILE]: all, [name]: uneven }),
      script: { ...reader, affinity },
    });
    expect(attributes.map(({ n }) => n)).toEqual([60, 60]);
    const rate = result.suites[0]?.pass_rate;
    for (const attribute of attributes)
      for (const key of ['base', 'head', 'difference', 'low', 'high'] as const)
        expect(attribute[key]).toBeCloseTo(Number(rate?.[key]), 9);
  });

  test('is explained from stored answers the second time, and other pull requests reuse the ratings', async () => {
    const kept = store();
    const first = await friendlier({ store: kept });
    expect(first.calls.qualeval).toBeGreaterThan(60);
    const second = await friendlier({ store: kept });
    // Answers that confirm the regression are new.
    expect(second.asked.filter(({ anew }) => anew !== true)).toEqual([]);
    expect(second.attributes).toEqual(first.attributes);
    expect(second.insights).toEqual(first.insights);
    expect(second.result.usage).toMatchObject({
      by_purpose: {
        qualeval: { calls: 0, reused: first.calls.qualeval },
        fix: { calls: 0, reused: 1 },
      },
    });
    const other = await friendlier({
      head: desk('Be friendly and brief.'),
      rate: (tone, topic) => (tone.includes('brief') && topic === 'returns' ? 0.1 : 0.95),
      store: kept,
    });
    expect(other).toMatchObject({
      regressed: ['domain-returns'],
      calls: { qualeval: 0, fix: 1 },
    });
  });

  test('with qualeval.alignment on, also has its answers rated for the skills that they use', async () => {
    const { attributes, planned, asked } = await friendlier(
      settings('qualeval: { alignment: true }'),
    );
    expect(planned.possible).toBe(foreseen(true) + 400);
    const about = asked.flatMap(({ schema, messages }) =>
      schema?.name === 'affinity'
        ? (/^Answer: (.*)$/m.exec(messages[1]?.content ?? '')?.[1] ?? [])
        : [],
    );
    expect(about.length).toBeGreaterThan(10);
    expect(new Set(about)).toEqual(new Set(['something else, 0']));
    const rated = attributes.filter(
      ({ kind, alignment }) => kind === 'subtask' && alignment?.head !== null,
    );
    expect(rated).toHaveLength(3);
    const without = (await friendlier()).attributes;
    expect(without.every(({ alignment }) => alignment === null)).toBe(true);
  });
});

const NOTHING = { calls: { qualeval: 0, fix: 0 } };
const RED = { conclusion: 'failure', attributes: [] };
const UNEXPLAINED = { conclusion: 'failure', ...NOTHING };
const MISSING = 'prompts/support.yaml: attributes were not computed: ';
const MODELS = 'models: { desk: { provider: openai, model: desk } }\n';
const NO_KEY = { edges: noKey('OpenAI has no key') };
const overloaded = { attributes: () => failure('the model is overloaded') };
const unchanged = { rate: () => 1 };
const dear = both({ [FILE]: PINNED, 'evaldiff.yaml': priced('{ input: 100, output: 1000 }') });
const mystery = (more = '') =>
  both({ 'evaldiff.yaml': `n_tries: 3\ngrader: mystery\n${MODELS}${more}` });

describe('a pull request', () => {
  says(
    'is not explained, and keeps its verdict, when the grader fails',
    { script: overloaded },
    'prompts/support.yaml: attributes are based on only part of the references: 12 of 12 questions about them failed (the model is overloaded)',
    { ...RED, insights: [] },
  );
  const proposing = (becomes: string): Partial<Desk> => ({
    script: {
      ...reader,
      insights: () => ({ insights: [{ was: 'Be friendly.', becomes }] }),
    },
  });
  const useless =
    'the only candidate that ran does not fix what broke without breaking other tests';
  const unproven = (no_fix: string) => ({
    insights: [expect.objectContaining({ attribute: 'domain-billing', fix: null, no_fix })],
  });
  shows(
    'shows no insight whose change recovers nothing',
    {
      ...proposing('Be kind.'),
      rate: (tone, topic) => (tone === 'Be exact.' || topic !== 'billing' ? 0.95 : 0.2),
    },
    unproven(useless),
  );
  shows(
    'shows no insight whose change breaks other tests',
    {
      ...proposing('Be curt.'),
      rate: (tone, topic) =>
        tone === 'Be curt.' && topic === 'returns' ? 0.1 : friendlyIsWrong(tone, topic),
    },
    unproven(useless),
  );
  shows(
    'shows no insight if its calls do not suffice to try it',
    settings('qualeval: { insight_calls: 30 }'),
    { ...unproven('30 calls were used up'), planned: { possible: foreseen() + 30 } },
  );
  const pinnedFew = { [FILE]: 'domains: [{ name: billing }]\n' };
  shows(
    'plans calls for insights of a small suite only if its attributes are pinned',
    {
      base: desk('Be exact.', pinnedFew, 12),
      head: desk('Be friendly.', pinnedFew, 12),
      ...unchanged,
    },
    { planned: { possible: 400 } },
  );
  shows(
    'plans none for a small suite without them',
    { base: desk('Be exact.', {}, 12), head: desk('Be friendly.', {}, 12), ...unchanged },
    { planned: { possible: 0 } },
  );
  shows('has no insights with insight_calls: 0', settings('qualeval: { insight_calls: 0 }'), {
    ...{ insights: [], said: [], calls: { fix: 0 }, planned: { possible: foreseen() } },
  });
  shows(
    'tries no change if it is of an outside contributor',
    { input: { trust: 'untrusted' } },
    {
      ...unproven('changes of an outside contributor are not tried'),
      regressed: ['domain-billing'],
      calls: { fix: 0 },
    },
  );
  shows('is not explained with qualeval: off', settings('qualeval: off'), {
    ...{ ...UNEXPLAINED, attributes: [], insights: [], said: [] },
    planned: { certain: 0, possible: 0 },
  });
  shows('is not explained if nothing regressed', unchanged, NOTHING);
  shows(
    'asks a grader whose ratings cannot be read ten times',
    { ...pinned('qualeval: on'), ...unchanged, script: { affinity: () => 'four' } },
    { calls: { qualeval: 10 }, said: [has('60 of 60 references could not be rated')] },
  );
  const on = settings('qualeval: on');
  const same = { base: on.base, head: on.base };
  const nothing = { asked: [], planned: { certain: 0, possible: 0 } };
  shows('is not explained if nothing runs', same, nothing);
  says(
    'is not explained without a grader',
    both({ 'evaldiff.yaml': `n_tries: 3\n${MODELS}` }),
    'prompts/support.yaml: attributes need a grader model; add grader: { model: … } to the settings file',
    {
      ...{ ...NOTHING, planned: { possible: 0 } },
      insights: [],
    },
  );
  const noKeyShown = { ...UNEXPLAINED, insights: [] };
  says('names the missing key of its grader', NO_KEY, `${MISSING}OpenAI has no key`, noKeyShown);
  refuses(
    'is refused if the key of a grader that is asked in any case is missing',
    { ...both({ [FILE]: PINNED }), ...NO_KEY },
    'OpenAI has no key',
  );
  says(
    'is judged without attributes if GitHub withholds the key of its grader',
    { ...both({ [FILE]: PINNED }), input: { trust: 'untrusted', withheld: 'fork' }, ...NO_KEY },
    `${MISSING}OpenAI has no key`,
    {
      ...{ conclusion: 'failure', calls: { prompt: 360, qualeval: 0 } },
      result: { reasons: expect.arrayContaining([{ code: 'keys-withheld', from: 'fork' }]) },
    },
  );
  says(
    'is judged without attributes if a grader that may be asked is unknown',
    mystery(),
    has(`${MISSING}it is unknown which provider has the model "mystery"`),
    { conclusion: 'failure' },
  );
  refuses(
    'is refused if a grader that is asked in any case is unknown',
    mystery('qualeval: on\n'),
    like(/^evaldiff\.yaml:2: it is unknown which provider has the model "mystery"/),
  );
  refuses(
    'is refused if its certain calls exceed the cap on calls',
    { ...on, input: { maxCalls: 400 } },
    like(
      /^This run would make 4\d\d model calls \(360 answers for 60 references of 1 prompt on both sides \+ 0 grader calls \+ up to \d+ calls about attributes\); the limit is 400 \(input max-calls\)\. Nothing was sent\.$/,
    ),
  );
  refuses(
    'is refused if its price exceeds the cap on cost',
    { ...dear, input: { maxCost: 1 } },
    like(
      /^This run would cost about \$\d+\.\d\d for its first answers and grades; the limit is \$1 /,
    ),
  );
  const limit = has('no call was made: the limit of 366 model calls (input max-calls) is reached');
  const capped = { input: { maxCalls: 366 } };
  const judged = { ...RED, title: like(/^Regressed: support/) };
  const said = expect.arrayContaining([limit]);
  shows('keeps its verdict if a cap is reached on the way', capped, { ...judged, said });
});

test('with qualeval: on, attributes are rated and compared even in a run without regressions', async () => {
  const on = await friendlier({ ...settings('qualeval: on'), rate: () => 1 });
  expect(on).toMatchObject({
    planned: { certain: foreseen(), possible: 400 },
    regressed: [],
  });
  expect(on.explaining).toBeLessThanOrEqual(foreseen());
  expect(on.attributes).toHaveLength(7);
});

test('the plan includes the price of the attribute ratings', async () => {
  const forecasts: Forecast[] = [];
  await friendlier({
    ...dear,
    edges: {
      planned: ({ forecast }) => {
        forecasts.push(forecast);
      },
    },
  });
  // A rating of seven attributes has a reply of 280 tokens and a slightly longer prompt.
  expect(forecasts[0]?.models.find(({ purpose }) => purpose === 'qualeval')).toMatchObject({
    ...{ model: 'judge', calls: 60, output_tokens: 60 * 280, cost_usd: expect.any(Number) },
  });
});

test('an interrupted run computes no attributes', async () => {
  let answers = 0;
  const why = 'the run took longer than 5 minutes (timeout)';
  const run = await friendlier({
    edges: {
      answered: () => {
        answers += 1;
      },
      halted: () => (answers < 360 ? null : { code: 'time', why }),
    },
  });
  expect(run).toMatchObject({ ...NOTHING, insights: [] });
  expect(run.said).toEqual([`${MISSING}no further call is made, because ${why}`]);
});

describe('two prompts of one file and one model', () => {
  const promptfoo = (tone: string, more = ''): Record<string, string> => {
    const tests = EXACT['prompts/tests/support.yaml'] ?? '';
    const mails = tests.matchAll(/input: \{ mail: (".*?") \}, expected: (".*?") \}/g);
    const cases = [...mails].map(
      ([, mail = '', expected = '']) =>
        `  - { vars: { mail: ${mail} }, assert: [{ type: equals, value: ${expected} }] }\n`,
    );
    const prompt = (content: string) =>
      JSON.stringify(
        JSON.stringify([
          { role: 'system', content },
          { role: 'user', content: '{{mail}}' },
        ]),
      );
    const raw = `[{ label: first, raw: ${prompt(tone)} }, { label: second, raw: ${prompt(`${tone} Be short.`)} }]`;
    return {
      'evaldiff.yaml': `${SETTINGS}prompts: promptfooconfig.yaml\n${more}`,
      'promptfooconfig.yaml': `prompts: ${raw}\nproviders: [openai:desk]\ntests:\n${cases.join('')}`,
    };
  };
  const two = (more = '') =>
    friendlier({ base: promptfoo('Be exact.', more), head: promptfoo('Be friendly.', more) });

  test('have separate attributes and explanations, but shared calls are planned and made only once', async () => {
    const { result, planned, explaining, attributes, insights } = await two();
    expect(
      result.suites.map(({ name, path, variant, verdict }) => [name, path, variant.model, verdict]),
    ).toEqual([
      ['first', 'promptfooconfig.yaml', 'desk', 'regressed'],
      ['second', 'promptfooconfig.yaml', 'desk', 'unchanged'],
    ]);
    const fell = attributes.filter(({ verdict }) => verdict === 'regressed');
    expect(fell.map(({ suite, id }) => [suite, id])).toEqual([['first', 'domain-billing']]);
    expect(insights.map(({ suite }) => suite)).toEqual(['first']);
    expect(planned).toMatchObject({ possible: foreseen() + 400 });
    expect(explaining).toBeLessThanOrEqual(foreseen() + 1);
  });

  test('give separate reasons if both make the run fail', async () => {
    const { result, attributes } = await two('gate: { attributes: fail }\nqualeval: on\n');
    expect(attributes.filter(({ suite }) => suite === 'second')).toHaveLength(7);
    const reasons = reasonsInWords(result).filter((reason) => reason.includes('gate.attributes'));
    expect(reasons).toEqual([like(/^first: the domain "b/)]);
  });
});

test.each([
  // Both prompts answer new references. No prompt answers removed ones.
  ['adds', 50, 60, 60],
  ['removes', 60, 50, 50],
])(
  'a pull request that %s references gets attributes for all of them, but compares only those that both sides run',
  async (_, before, after, compared) => {
    const of = (tone: string, count: number) => desk(tone, {}, count);
    const [run, unchanged] = [
      await friendlier({ base: of('Be exact.', before), head: of('Be friendly.', after) }),
      await friendlier(),
    ];
    const assigned = ({ attributes }: Seen) =>
      attributes.map(({ id, references }) => [id, references]);
    expect(assigned(run)).toEqual(assigned(unchanged));
    expect(run.regressed).toEqual(['domain-billing']);
    const answered = run.billing?.references.filter((id) => Number(id.slice(5)) < compared);
    expect(run.billing?.n).toBe(answered?.length);
    expect(run.calls.qualeval).toBe(unchanged.calls.qualeval);
  },
);

describe('pinned attributes', () => {
  test('replace discovery in every pull request that runs references', async () => {
    const run = await friendlier({ ...both({ [FILE]: PINNED }), rate: () => 0.95 });
    expect(run.names).toEqual([...TOPICS, 'calculate amounts', 'quote a rule', 'apologise']);
    expect(new Set(run.asked.flatMap(({ schema }) => schema?.name ?? []))).toEqual(
      new Set(['affinity']),
    );
    expect(run).toMatchObject({ planned: { certain: 60 }, calls: { qualeval: 60 } });
  });

  test('add no calls to a plan if their ratings are stored', async () => {
    const [kept, files] = [store(), both({ [FILE]: PINNED })];
    expect((await friendlier({ ...files, store: kept })).planned.certain).toBe(60);
    const head = { ...desk('Be brief.'), [FILE]: PINNED };
    const later = { ...files, head, rate: () => 0.95, input: { maxCalls: 370 } };
    const run = await friendlier({ ...later, store: kept });
    expect(run).toMatchObject({
      planned: { certain: 0 },
      calls: { qualeval: 0 },
      problems: [],
    });
    expect(run.attributes).toHaveLength(7);
    expect((await friendlier(later)).problems[0]).toContain(
      '360 answers for 60 references of 1 prompt on both sides + 0 grader calls + up to 60 calls about attributes',
    );
  });

  const changed = PINNED.replace('{ name: billing }', '{ name: invoices }');
  const place = { file: FILE, line: 0 };
  const notes = (title: string, changes: Partial<Desk>, notice: object, shown: Shown = {}) =>
    shows(title, changes, {
      ...{ names: expect.arrayContaining(['billing']), ...shown },
      notices: expect.arrayContaining([with_(notice)]),
    });
  const outside = (base: string | null, head: string): Partial<Desk> => ({
    ...withFiles(base, head),
    input: { trust: 'untrusted' },
  });

  notes("are base's in a pull request that changes them", withFiles(PINNED, changed), {
    kind: 'settings',
    place,
    message: `this pull request changes ${FILE}; base's attributes apply until it is merged`,
  });
  shows(
    'run nothing if they alone change',
    { base: { ...EXACT, [FILE]: PINNED }, head: { ...EXACT, [FILE]: changed } },
    { conclusion: 'success', asked: [], notices: [{ kind: 'settings' }] },
  );
  notes("are head's where base has none", withFiles(null, PINNED), {
    message: `this pull request adds ${FILE}; it does not start a run by itself, but applies to every prompt that runs`,
  });
  const invalid = 'domains: [{ name: ';
  notes("are base's for an outsider, whose own file is not even read", outside(PINNED, invalid), {
    kind: 'trust',
    message: `this pull request comes from an outside contributor and changes ${FILE}. Base's attributes were used.`,
  });
  notes(
    'are not used if an outsider adds them',
    { ...outside(null, PINNED), ...unchanged },
    { kind: 'trust', message: has('It was not used.') },
    { names: [], ...NOTHING },
  );
  // The unit tests cover all errors of this file.
  refuses(
    'are an error of the run, at its line, if their file has one',
    withFiles(null, 'task: 2\ndomains: [{ name: billing }]\n'),
    `${FILE}:1: task must be text`,
  );
  refuses('are an error if they are not YAML', withFiles(null, 'domains: [\n'), has(`${FILE}:2: `));
  notes("are head's if base's cannot be read", withFiles('task: 2\n', PINNED), {
    message: "base's attributes cannot be read, so head's are used: task must be text",
  });
  says(
    'are reported if their file does not exist',
    { ...settings('qualeval: { attributes: kinds.yaml }'), ...unchanged },
    like(
      /^qualeval\.attributes: kinds\.yaml does not exist at \w+; attributes are discovered when needed$/,
    ),
  );
  refuses(
    'are an error if their file is outside the working directory',
    settings('qualeval: { attributes: ../kinds.yaml }'),
    'evaldiff.yaml:5: qualeval.attributes must be a path below the working directory',
  );

  test('cause a notice if their prompt does not exist, and still apply if it is renamed', async () => {
    const sections = (path: string) =>
      `prompts:\n  ${path}:\n    domains: [{ name: billing }, { name: returns }]\n`;
    const unknown = await friendlier(
      both({ [FILE]: `${sections('prompts/suport.yaml')}${PINNED}` }),
    );
    expect(unknown.notices).toContainEqual({
      kind: 'unused',
      place: { file: FILE, line: 2 },
      message:
        'prompts/suport.yaml is not a prompt of this project with tests, so these attributes are ignored',
    });
    const { 'prompts/support.yaml': prompt = '', ...rest } = FRIENDLY;
    const renamed = await friendlier({
      base: { ...EXACT, [FILE]: sections('prompts/support.yaml') },
      head: { ...rest, 'prompts/mails.yaml': prompt, [FILE]: sections('prompts/mails.yaml') },
    });
    const path = 'prompts/mails.yaml';
    expect(renamed.attributes).toMatchObject([
      { path, name: 'billing' },
      { path, name: 'returns' },
    ]);
  });

  test('have pass rates of one side only in a run without a base', async () => {
    const { planned, calls, billing, insights } = await friendlier({
      base: {},
      head: { ...FRIENDLY, [FILE]: PINNED },
      input: { mode: 'sweep', base: null },
    });
    expect([planned.certain, calls.qualeval]).toEqual([60, 60]);
    const shown = { base: null, difference: null, verdict: 'no change found', p: null };
    expect(billing).toMatchObject(shown);
    expect(billing?.head).toBeLessThan(0.8);
    expect(insights).toMatchObject([{ attribute: 'domain-billing', fix: null }]);
  });
});

describe('gate.attributes: fail', () => {
  // A suite that is not a regression by itself.
  const FAIL = 'gate: { attributes: fail, gate_on: suite, min_drop: 0.9 }';
  const NO_EFFECT = 'gate.attributes is fail, but attributes cannot fail this run: ';

  test('makes a regressed attribute fail the run and gives the reason', async () => {
    const { result, conclusion, title } = await friendlier(pinned(FAIL));
    expect(result.suites[0]?.verdict).not.toBe('regressed');
    expect(conclusion).toBe('failure');
    expect(title).toMatch(
      /^support: the domain "billing" regressed: pass rate .* over \d+ tests; gate\.attributes is fail$/,
    );
  });

  shows(
    'is not a success if attributes could not be worked out',
    { ...pinned(FAIL), ...unchanged, script: { affinity: () => failure('down') } },
    {
      conclusion: 'neutral',
      title:
        'support: its attributes could not be computed (see the notices), and gate.attributes is fail',
    },
  );
  says(
    'is reported to have no effect if attributes are worked out only after a regression',
    { ...settings(FAIL), ...unchanged },
    has(`${NO_EFFECT}attributes are computed only if a suite already regressed`),
  );
  says(
    'is reported to have no effect with qualeval: off',
    { ...settings(`${FAIL}\nqualeval: off`), ...unchanged },
    `${NO_EFFECT}qualeval is off`,
  );
  const kept =
    "this pull request changes qualeval (enabled auto → off); base's settings apply until it is merged";
  shows(
    'cannot be switched off by the pull request that it judges',
    {
      base: pinned(FAIL).base,
      head: { ...FRIENDLY, [FILE]: PINNED, 'evaldiff.yaml': `${SETTINGS}qualeval: off\n` },
    },
    {
      title: has('the domain "billing" regressed'),
      notices: expect.arrayContaining([with_({ message: kept })]),
    },
  );
});
