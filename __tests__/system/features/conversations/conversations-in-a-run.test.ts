import { reasonsInWords } from '../../../../src/wording/reasons.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { openProject } from '../../../stand-ins/project.ts';

const DIFF = ['diff', '--base', 'HEAD~1', '--head', 'HEAD'];

const prompt = (text: string) =>
  `name: mentor\nmodel: m\ndefaults: [tests/mentor]\nvariables: [q]\nmessages: [{ role: user, content: "${text} {q}" }]\n`;
const tests = (more = '') =>
  `conversation:\n  max_steps: 3\n  evaluators: [judge]\n${more}references:\n${Array.from({ length: 8 }, (_, index) => `  - { id: r${index}, input: { q: "question ${index}" } }\n`).join('')}`;

async function project(answer: Script) {
  const opened = await openProject(
    {
      'evaldiff.yaml':
        'n_tries: 3\nmodels:\n  m: { provider: openai, endpoint: local, model: assistant-1 }\n  judge: { provider: openai, endpoint: local, model: judge-1 }\n',
      'prompts/mentor.yaml': prompt('Answer:'),
      'prompts/tests/mentor.yaml': tests(),
    },
    { answer, width: 140 },
  );
  const asked = (model: string) =>
    opened.server.requests.filter((request) => request.model === model).length;
  return { ...opened, asked };
}

const words = (yes: boolean) =>
  JSON.stringify({
    analysis: 'So.',
    understanding: 'yes',
    correctness: 'yes',
    completeness: yes ? 'yes' : 'no',
    follow_up: yes ? '' : 'And then?',
  });

/**
 * The old prompt's first answer is complete (`strict`: only its second). Answers of prompts with
 * `Briefly` never are.
 */
const script: Script = ({ model, messages }) => {
  const text = messages.map(({ content }) => content).join('\n');
  if (model === 'assistant-1')
    return { text: `${messages[0]?.content ?? ''} -> answer ${(messages.length + 1) / 2}` };
  const answers = text.match(/^<<<answer /gm)?.length ?? 0;
  return {
    text: words(!text.includes('Briefly') && answers >= (text.includes('be strict') ? 2 : 1)),
  };
};

describe('a compared suite of conversations', () => {
  test('is red when dialogues no longer reach their goal, and shows both dialogues', async () => {
    const { repository, evaldiff, asked } = await project(script);
    repository.commit('shorter', { 'prompts/mentor.yaml': prompt('Briefly:') });
    const { code, out } = await evaldiff(...DIFF);
    expect(code).toBe(1);
    expect(out).toMatch(/Completed\s+100\.0 % →\s+−100\.0 points\n\s+0\.0 %/);
    expect(out).toContain('Answer 3: Briefly: question 0 -> answer 3');
    expect(out).toContain('3 turns: no steps left');
    expect(out).toMatch(/Why\s+judge says: So\./);
    expect([asked('assistant-1'), asked('judge-1')]).toEqual([8 * 3 * (1 + 3), 8 * 3 * (1 + 3)]);
  });

  test("shows a metric's result for every turn of both dialogues, and where they differ", async () => {
    const longer: Script = (request) => {
      const { model, messages } = request;
      const first = messages[0]?.content ?? '';
      return model === 'assistant-1'
        ? {
            text:
              messages.length === 3 && first.includes('Briefly')
                ? 'Never mind.'
                : 'Let me help you.',
          }
        : { text: words((messages.at(-1)?.content.match(/^<<<answer /gm)?.length ?? 0) >= 3) };
    };
    const { repository, evaldiff, result } = await project(longer);
    const metrics = (share: string) =>
      `metrics:\n  - { name: helps, uses: contains, with: { value: help }, ${share}, depends_on: [{ name: tutor, metric_min_value: 1 }] }\n  - { name: tutor, uses: is_role, with: { role: assistant }, every: true, skip: true }\n`;
    repository.commit('every turn', {
      'prompts/tests/mentor.yaml': `${metrics('every: true')}${tests()}`,
    });
    repository.commit('shorter', { 'prompts/mentor.yaml': prompt('Briefly:') });
    const compared = await result(...DIFF);
    const [suite] = compared.suites;
    expect(compared.outcome).toMatchObject({ kind: 'failed', fails: true });
    expect(reasonsInWords(compared).join('\n')).toContain(
      'turns that pass helps fell, 100 → 67 %, over 8 tests',
    );
    const helps = suite?.metrics.find(({ name }) => name === 'helps');
    const dialogues = (helps?.judged_base ?? 0) * 3;
    expect(helps?.objects).toMatchObject({
      level: 'Turn',
      base: { passes: dialogues, judged: dialogues },
      head: { passes: (dialogues * 2) / 3, judged: dialogues },
    });
    expect(helps?.objects?.difference).toBeCloseTo(-1 / 3);
    const { out } = await evaldiff(...DIFF);
    expect(out).toMatch(/Base ✓✓✓\s+Head ✓✗✓\s+part at turn 2: lacks "help"/);
    const [score] = suite?.references[0]?.head?.tries[0]?.scores.slice(1) ?? [];
    expect(score?.reason).toBe('2 of 3 turns pass; turn 2: lacks "help"');
    repository.commit('all turns', {
      'prompts/tests/mentor.yaml': `${metrics('every: 1')}${tests()}`,
    });
    expect((await result('run', '--fail-on', 'never')).suites[0]?.pass_rate.head).toBe(0);
    // Two of three answers are enough for this share.
    repository.commit('most turns', {
      'prompts/tests/mentor.yaml': `${metrics('every: 0.6')}${tests()}`,
    });
    const most = await result('run', '--fail-on', 'never');
    expect(most.suites[0]?.pass_rate.head).toBe(1);
  });

  test('runs scripted questions, and shows the turn whose answer differs from the expected one', async () => {
    const heard: string[] = [];
    const { repository, evaldiff, result, server } = await project(({ model, messages }) => {
      const last = messages.at(-1)?.content ?? '';
      if (model !== 'assistant-1') {
        heard.push(messages.map(({ content }) => content).join('\n'));
        return { text: words(true).replace('}', ', "is_kind": "yes"}') };
      }
      const isBrief = (messages[0]?.content ?? '').includes('Briefly');
      return { text: last.includes('refund') && isBrief ? 'No.' : `Yes: ${last}` };
    });
    const turns =
      'turns: [{ expected: "Yes" }, { user: My order is late }, { user: I want a refund, expected: "Yes" }]';
    const references = Array.from(
      { length: 8 },
      (_, index) =>
        `  - { id: r${index}, input: { q: "q ${index}" }, persona: buyer ${index}, goal: a refund, criteria: { is_kind: no blame }, ${turns} }\n`,
    );
    const scripted =
      'metrics: [{ name: agrees, uses: contains, every: true }]\nconversation:\n  max_steps: 3\n  evaluators: [judge]\n  instructions: "You are {persona}."\nreferences:\n' +
      references.join('');
    repository.commit('scripted', { 'prompts/tests/mentor.yaml': scripted });
    repository.commit('shorter', { 'prompts/mentor.yaml': prompt('Briefly:') });
    const compared = await result(...DIFF);
    expect(compared.problems).toEqual([]);
    const [suite] = compared.suites;
    const [head] = suite?.references[0]?.head?.tries ?? [];
    expect(head?.conversation?.turns.map(({ question }) => question)).toEqual([
      'Briefly: q 0',
      'My order is late',
      'I want a refund',
    ]);
    expect(head?.scores.find(({ metric }) => metric === 'agrees')).toMatchObject({
      value: 0.5,
      reason: '1 of 2 turns pass; turn 3: fails, expected Yes: lacks "Yes"',
      objects: { scores: [{ turn: 1 }, { turn: 3, status: 'fail' }] },
    });
    expect(compared.outcome).toMatchObject({ kind: 'failed', fails: true });
    expect(heard[0]).toMatch(/^You are buyer \d\.\nWhat the person wants: a refund\n/);
    expect(heard[0]).toContain('- is_kind: no blame\n');
    expect(suite?.metrics.find(({ name }) => name === 'agrees')?.values).toMatchObject({
      base: 1,
      head: 0.5,
      moved: 'worse',
    });
    const { out } = await evaldiff(...DIFF);
    expect(out).toContain('part at turn 3: fails, expected Yes: lacks "Yes"');
    // Another persona asks other questions, so the conversation runs again.
    const before = server.requests.length;
    repository.commit('other buyers', {
      'prompts/tests/mentor.yaml': scripted.replaceAll('persona: buyer', 'persona: seller'),
    });
    expect((await result(...DIFF)).suites[0]?.because[0]?.key).toContain('references');
    expect(server.requests.length).toBeGreaterThan(before);
    expect(heard.at(-1)).toMatch(/^You are seller \d\./);
  });

  test('pays for each dialogue once: a second run without a regression makes no model calls', async () => {
    const { repository, server, evaldiff, result } = await project(script);
    repository.commit('kinder', { 'prompts/mentor.yaml': prompt('Kindly:') });
    const first = await result(...DIFF);
    const made = server.requests.length;
    // Ten pairs of tries for five suspicious references and three tries of all, each with up to
    // three judged turns.
    const { out } = await evaldiff('plan', ...DIFF.slice(1));
    expect(out).toContain(
      `up to ${2 * (5 * 10 + 3 * 8) * 3 * 2} more calls if something regresses or is fixed`,
    );
    const second = await result(...DIFF);
    expect(server.requests).toHaveLength(made);
    expect(second.suites[0]?.conversation).toEqual(first.suites[0]?.conversation);
    expect(second.usage).toMatchObject({ calls: 0, reused: first.usage.calls });
  });

  test('is refused before any call if its plan with evaluators is over the cap', async () => {
    const { repository, server, result } = await project(script);
    repository.commit('shorter', { 'prompts/mentor.yaml': prompt('Briefly:') });
    const refused = await result(...DIFF, '--max-calls', '95');
    expect(refused.problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^This run would make 96 model calls \(48 answers .* \+ at least 48 calls for evaluators\); the limit is 95/,
      ),
    ]);
    expect(server.requests).toEqual([]);
  });

  test('stops at the cap within dialogues and reports it', async () => {
    const { repository, server, result } = await project(script);
    repository.commit('shorter', { 'prompts/mentor.yaml': prompt('Briefly:') });
    const stopped = await result(...DIFF, '--max-calls', '100');
    expect(server.requests.length).toBeLessThanOrEqual(100);
    expect(stopped.conclusion).not.toBe('success');
    expect(JSON.stringify([reasonsInWords(stopped), stopped.notices])).toContain(
      'the limit of 100 model calls (--max-calls) is reached',
    );
  });
});
