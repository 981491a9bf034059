import type { Edges } from '../../../../src/app/run/record.ts';
import { driftForm } from '../../../../src/features/noise/drift-report.ts';
import { measureDrift, type Drift } from '../../../../src/features/noise/drift.ts';
import { DRIFT } from '../../../../src/features/noise/measurement.ts';
import { renderBlocks } from '../../../../src/report/terminal.ts';
import type { Completion, KeptRecords, Request } from '../../../../src/types/model.ts';
import { coin, edgesOf, files, inputOf } from './edges.ts';

const TESTS = 21;

/** Runs of one project, with one store. */
function openWatch(tree = files(TESTS, '', 'n_tries: 3\nbudget: { max_cost_usd: null }\n')) {
  const notes = new Map<string, string>();
  const store: KeptRecords = {
    outcomes: () => new Map(),
    note: (name) => notes.get(name) ?? null,
    setNote: (name, body) => notes.set(name, body).size > 0,
  };
  const answers = new Map<string, Completion>();
  return {
    store,
    answers,
    async on(
      day: number,
      reply: (request: Request) => Completion,
      of = tree,
      changes: Partial<Edges> = {},
    ) {
      const kept = () => Promise.resolve([store]);
      const stored = (request: Request): Completion => {
        const key = `${request.messages[0]?.content ?? ''} ${request.try}`;
        const known = answers.get(key);
        const made = known ?? reply(request);
        if (made.status === 'ok')
          answers.set(key, { ...made, reused: true, ...({ stored: true } as const) });
        return made;
      };
      const { edges, seen } = edgesOf(stored, { kept, ...changes });
      const today = new Date(Date.UTC(2026, 0, 5 + day)).toISOString().slice(0, 10);
      return { drift: await measureDrift(inputOf(of, 1, { today }), edges), ...seen };
    },
  };
}

const statuses = ({ suites }: Drift) => suites.map(({ status }) => status);

const printed = (drift: Drift) =>
  renderBlocks(driftForm.blocks(drift, 50), { width: 400, colour: false });

describe('evaldiff drift', () => {
  const good = coin(() => 0.9);
  const bad = coin(() => 0.5);

  test('makes new tries on each day, and repeats those of the same day', async () => {
    const watch = openWatch();
    const [first, again, next] = [
      await watch.on(0, good),
      await watch.on(0, good),
      await watch.on(7, good),
    ];
    const tries = ({ requests }: typeof first) =>
      requests.map(({ messages, try: index }) => `${messages[0]?.content ?? ''} ${index}`).sort();
    expect(first.requests).toHaveLength(3 * (TESTS - 1));
    expect(tries(again)).toEqual(tries(first));
    expect(tries(next).filter((tried) => tries(first).includes(tried))).toEqual([]);
    expect([first, again, next].map(({ drift }) => statuses(drift)[0])).toEqual([
      'started',
      'started',
      'unchanged',
    ]);
  });

  test('counts the answers of references that ask the same once', async () => {
    const settings = 'n_tries: 3\nbudget: { max_cost_usd: null }\n';
    const tree = files(4, '', settings);
    const twice = `${tree['prompts/tests/quiz.yaml']}  - { id: twin, input: { q: question 2 }, expected: "yes" }\n`;
    const { drift, requests } = await openWatch({
      ...tree,
      'prompts/tests/quiz.yaml': twice,
    }).on(0, good);
    expect(requests).toHaveLength(3 * 3);
    expect(drift.suites[0]?.after.tries).toBe(3 * 3);
  });

  test('reports a model that changed behind its name once, with both pass rates', async () => {
    const watch = openWatch();
    for (let week = 0; week < 4; week += 1) await watch.on(7 * week, good);
    const told: number[] = [];
    let drift: Drift | null = null;
    for (let week = 4; week < 10; week += 1) {
      const { drift: found } = await watch.on(7 * week, bad);
      if (DRIFT.isAlarm(found)) {
        told.push(week);
        drift = found;
        // A repeated job reports the same.
        expect((await watch.on(7 * week, bad)).drift.suites).toEqual(found.suites);
      }
    }
    expect(told).toHaveLength(1);
    expect(told[0]).toBeLessThanOrEqual(6);
    expect(printed(drift!)).toMatch(
      /^Answers changed in 1 of 1 suite\.[^]*- quiz \(gpt-4o\): changed since 2026-02-02: \d\d\.\d % of \d+ tries passed, before \d\d\.\d % of \d+ tries passed/,
    );
  });

  test('starts again when a question or its scoring changes', async () => {
    const watch = openWatch();
    for (let week = 0; week < 4; week += 1) await watch.on(7 * week, good);
    const settings = 'n_tries: 3\nbudget: { max_cost_usd: null }\n';
    const edited = files(TESTS + 1, '', settings);
    expect(statuses((await watch.on(28, bad, edited)).drift)).toEqual(['started']);
    expect(statuses((await watch.on(35, good)).drift)).toEqual(['unchanged']);
  });

  test('does not count a day on which tries ended in errors', async () => {
    const watch = openWatch();
    await watch.on(0, good);
    const broken = (request: Request): Completion =>
      request.messages[0]?.content === 'question 3'
        ? { status: 'error', kind: 'server', message: 'down' }
        : good(request);
    const { drift } = await watch.on(7, broken);
    expect(statuses(drift)).toEqual(['skipped']);
    expect(drift.problems).toEqual([]);
    expect(printed(drift)).toContain('Not compared: 1 of 1 suite');
    expect(DRIFT.code(drift)).toBe(2);
    expect(printed(drift)).toContain('not compared, because some tries ended in errors');
    const { suites } = JSON.parse(watch.store.note('drift') ?? '') as { suites: object };
    expect(Object.values(suites)).toMatchObject([{ days: [{ day: '2026-01-05' }] }]);
    await watch.on(7, good);
    watch.answers.clear();
    expect(statuses((await watch.on(7, broken)).drift)).toEqual(['skipped']);
  });

  test('adds only new answers when it is repeated on the same day', async () => {
    const watch = openWatch();
    const day = () => {
      const { suites } = JSON.parse(watch.store.note('drift') ?? '') as { suites: object };
      return Object.values(suites).flatMap(({ days }: { days: { tries: number }[] }) => days);
    };
    const tries = 3 * (TESTS - 1);
    await watch.on(0, good);
    await watch.on(0, good);
    expect(day()).toMatchObject([{ tries }]);
    const fewer = files(TESTS, '', 'n_tries: 1\nbudget: { max_cost_usd: null }\n');
    await watch.on(0, good, fewer);
    expect(day()).toMatchObject([{ tries }]);
    watch.answers.clear();
    const { drift } = await watch.on(0, bad);
    expect(day()).toMatchObject([{ tries: 2 * tries }]);
    expect(drift.suites).toMatchObject([{ status: 'started', after: { tries: 2 * tries } }]);
    // Some tests have new answers and some do not, so that their mix differs from other days.
    for (const key of [...watch.answers.keys()].slice(0, 5)) watch.answers.delete(key);
    await watch.on(0, bad);
    expect(day()).toMatchObject([{ tries: 2 * tries }]);
  });

  test('keeps what it reported when the same day is repeated with other answers', async () => {
    const watch = openWatch();
    const never = coin(() => 0);
    for (const week of [0, 7, 14]) await watch.on(week, good);
    expect(statuses((await watch.on(21, never)).drift)).toEqual(['changed']);
    watch.answers.clear();
    const always = coin(() => 1);
    for (let again = 0; again < 4; again += 1) {
      watch.answers.clear();
      expect(statuses((await watch.on(21, always)).drift)).toEqual(['changed']);
    }
  });

  test('continues with the pass rates of all stores', async () => {
    const [one, other] = [openWatch(), openWatch()];
    await one.on(0, good);
    await other.on(0, good, files(TESTS + 1, '', 'n_tries: 1\nbudget: { max_cost_usd: null }\n'));
    const stores = [other.store, one.store];
    const { drift } = await other.on(7, good, undefined, { kept: async () => stores });
    expect(statuses(drift)).toEqual(['unchanged']);
  });

  test('names the other model if the server says that another one answers', async () => {
    const watch = openWatch();
    const served =
      (model: string) =>
      (request: Request): Completion => {
        const made = good(request);
        return made.status === 'ok'
          ? { ...made, served: { model, fingerprint: null, at: null } }
          : made;
      };
    await watch.on(0, served('gpt-4o-a'));
    const { drift } = await watch.on(7, served('gpt-4o-b'));
    expect(printed(drift)).toContain('the server names another model: gpt-4o-a, now gpt-4o-b');
  });
});
