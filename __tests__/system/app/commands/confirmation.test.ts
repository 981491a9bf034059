import { answerBody } from '../../../stand-ins/models/replies.ts';
import { openProject } from '../../../stand-ins/project.ts';
import { capitals, promptBeginning } from './capitals.ts';

const REFERENCES = 30;

/**
 * A project whose changed prompt breaks the first questions, and whose model later fails every
 * second question.
 */
async function openCapitals(gate = '{}', more: readonly string[] = []) {
  const prompts = (words: string) => ({
    ...promptBeginning(words),
    ...Object.assign({}, ...more.map((name) => promptBeginning(`${words} ${name}:`, name))),
  });
  let hasDrifted = false;
  let served = 'model-1';
  const { repository, evaldiff, reported } = await openProject(
    { ...capitals(REFERENCES, gate), ...prompts('Answer:') },
    {
      width: 200,
      answer: (seen) => {
        const asked = seen.messages.at(-1)?.content ?? '';
        const number = Number(/Question (\d+)/.exec(asked)?.[1] ?? '0');
        const isWrong =
          (hasDrifted && number % 2 === 1) ||
          (asked.startsWith('Broken') && number < 6) ||
          asked.startsWith('All broken');
        const body = answerBody(seen, { text: isWrong ? 'Rome' : 'Oslo' });
        const named = { model: served };
        return { body: JSON.stringify({ ...(body as object), ...named }) };
      },
    },
  );
  return {
    drift() {
      hasDrifted = true;
    },
    serve(model: string) {
      served = model;
    },
    async plan(words: string) {
      repository.write(prompts(words));
      return (await evaldiff('plan', '--base', 'HEAD', '--store', '../answers.sqlite')).out;
    },
    /** Compares base with another text of the prompt, always with the same store. */
    async diff(words: string, ...args: string[]) {
      repository.write(prompts(words));
      const store = ['--store', '../answers.sqlite'];
      const run = await reported('diff', '--base', 'HEAD', ...store, ...args);
      return { ...run, suite: run.result.suites[0]! };
    },
  };
}

describe('a pull request after the provider changed the model', () => {
  test('is not red for a harmless rewording, and the report names the model', async () => {
    const { diff, drift } = await openCapitals();
    expect((await diff('Please answer:')).code).toBe(0);
    drift();
    const { code, out, result, suite } = await diff('Kindly answer:');
    expect(code).toBe(0);
    expect(result.outcome).toMatchObject({ kind: 'model-changed', fails: false });
    expect(result.conclusion).toBe('neutral');
    expect(suite).toMatchObject({
      verdict: 'inconclusive',
      reason: { by: 'model' },
      confirmation: { status: 'model', drift: { stored: 1, today: 0.5 } },
    });
    expect(out).toContain('The model changed, not your prompt');
    expect(result).not.toHaveProperty('causes');
  });

  test('is not red for a harmless rewording of several prompts', async () => {
    const { diff, drift } = await openCapitals('{}', ['towns', 'rivers']);
    await diff('Please answer:');
    drift();
    const { code, result } = await diff('Kindly answer:');
    expect(result.suites.map(({ reason }) => reason?.by)).toEqual(['model', 'model', 'model']);
    expect([code, result.outcome.kind]).toEqual([0, 'model-changed']);
  });

  test("stores base's new answers, so that the next pull request is green", async () => {
    const { diff, drift } = await openCapitals();
    await diff('Please answer:');
    drift();
    await diff('Kindly answer:');
    const next = await diff('Now answer:');
    expect([next.code, next.suite.verdict]).toEqual([0, 'unchanged']);
  });

  test('is red for a prompt that broke six references, after new tries confirm it', async () => {
    const { diff, drift } = await openCapitals();
    await diff('Please answer:');
    drift();
    const { code, out, suite } = await diff('Broken:');
    expect([code, suite.verdict]).toEqual([1, 'regressed']);
    expect(suite.confirmation).toMatchObject({ status: 'confirmed', limit: null });
    expect(out).toContain('The only change: ');
    const today = new Date(suite.confirmation!.stored.oldest!).toISOString().slice(0, 10);
    expect(out).toContain(`Confirmed by new answers; the oldest stored one is from ${today}.`);
  });

  test("reports in a single notice that base dropped as well, even if every reference confirms head's regression", async () => {
    const { diff, drift } = await openCapitals('{ gate_on: suite }');
    await diff('Please answer:');
    drift();
    const { code, result } = await diff('All broken:');
    expect(code).toBe(1);
    expect(result.notices.filter(({ kind }) => kind === 'served')).toEqual([
      {
        kind: 'served',
        place: null,
        message:
          'capitals: base also drops when re-run today (100 → 50 %): the model changed, ' +
          'and new answers of both sides show that head is worse',
      },
    ]);
  });

  test('is inconclusive if the call limit leaves no calls for confirmation', async () => {
    const { diff, drift } = await openCapitals();
    const first = await diff('Please answer:');
    drift();
    const { code, out, suite } = await diff(
      'Kindly answer:',
      '--max-calls',
      String(first.calls / 2 + 4),
    );
    expect(out).toContain(
      'It fell against stored answers, and max_calls left too few calls to run it again.',
    );
    expect([code, suite.verdict, suite.reason?.by]).toEqual([0, 'inconclusive', 'unconfirmed']);
    expect(suite.confirmation).toMatchObject({ status: 'unconfirmed', limit: 'max_calls' });
  });
});

test('if answers are already stored, a plan includes the calls that would confirm a regression', async () => {
  const { diff, plan } = await openCapitals();
  expect(await plan('Please answer:')).not.toContain('if something regresses');
  await diff('Please answer:');
  // Ten pairs of tries for five suspicious references, and three tries of all references on both
  // sides.
  expect(await plan('Kindly answer:')).toContain(
    `up to ${2 * (5 * 10 + 3 * REFERENCES)} more calls if something regresses or is fixed`,
  );
});

describe('a second run of the same commit', () => {
  test('costs nothing if the first was green', async () => {
    const { diff } = await openCapitals();
    await diff('Please answer:');
    expect(await diff('Please answer:')).toMatchObject({ code: 0, calls: 0 });
  });

  test('makes new calls if the first run was red', async () => {
    const { diff } = await openCapitals();
    const first = await diff('Broken:');
    expect(first.suite).not.toHaveProperty('confirmation');
    expect(first.out).toContain('The only change: ');
    const second = await diff('Broken:');
    expect([first.code, second.code]).toEqual([1, 1]);
    expect(second.suite.confirmation).toMatchObject({ status: 'confirmed', by: 'references' });
    expect(second.calls).toBeGreaterThan(0);
    expect(second.calls).toBeLessThan(first.calls / 2);
  });
});

describe('stored answers of a model that the server has replaced', () => {
  test('are replaced with new answers, even if the comparison is green', async () => {
    const { diff, drift, serve } = await openCapitals();
    serve('model-1-2603');
    await diff('Please answer:');
    drift();
    serve('model-1-2611');
    const { code, suite, result } = await diff('Kindly answer:');
    expect([code, suite.verdict, suite.pass_rate.base]).toEqual([0, 'unchanged', 0.5]);
    expect(result.notices).toContainEqual({
      kind: 'served',
      place: null,
      message:
        'openai local model-1 is answered by model-1-2611 now; ' +
        '60 stored answers of model-1-2603 were asked again',
    });
  });
});
