/**
 * Fourteen pull requests of a shop with three suites and a model that sometimes errs. Each must get
 * the verdict, the names and the line that a human reviewer would give.
 */
import { visibleText } from '../../../scripts/gallery/visible.ts';
import { kilnFiles, kilnModel } from '../../stand-ins/kiln.ts';
import type { FixtureFiles } from '../../stand-ins/repository.ts';
import { README, type History } from './projects.ts';
import { pullRequest } from './stage.ts';

const BASE = kilnFiles();
const ROUTE = 'prompts/route.yaml';
const ANSWER = 'prompts/answer.yaml';
const ORDER = 'prompts/order.yaml';
const TICKETS = 'data/tickets.csv';

/** A file of the project with pairs of texts replaced: old, new, old, new, … */
function edited(path: string, ...texts: string[]): Record<string, string> {
  let file = BASE[path] ?? '';
  for (let at = 0; at < texts.length; at += 2) {
    const [before = '', after = ''] = texts.slice(at, at + 2);
    if (!file.includes(before)) throw new Error(`${path} lacks "${before}"`);
    file = file.replace(before, after);
  }
  return { [path]: file };
}

const PARCELS = '      Parcels that arrive broken go to shipping, not to returns.\n';
const SOURCE = '      Name the source in brackets, such as [S3].\n';
const misrouted = edited(ROUTE, PARCELS, '');
const unsourced = edited(ANSWER, SOURCE, '');
const reworded = edited(
  ROUTE,
  'Answer with the department alone',
  'Reply with the department only',
);
const fourMore = {
  [TICKETS]: `${BASE[TICKETS] ?? ''}t27,Where is my order of plaster?,shipping
t28,The extruder leaks oil.,workshop
t29,Please book me a course.,billing
t30,How long until my clay arrives?,shipping
`,
};

interface Change {
  base?: FixtureFiles;
  head: FixtureFiles;
  history?: History;
  shipped?: boolean;
}

async function reviewed({ base = BASE, head, history, shipped = false }: Change) {
  const options = history === undefined ? {} : { history };
  const { at, run } = await pullRequest(base, head, {
    answer: kilnModel(),
    shipped,
    ...options,
  });
  const [check] = at.github.state.checkRuns.slice(-1);
  const causes = (run.result.causes ?? []).flatMap(({ suite, causes }) =>
    causes.map(({ relation, units }) => [
      ...[suite, relation],
      ...units.map(({ file, lines }) => [file, lines?.from]),
    ]),
  );
  return {
    run,
    text: visibleText(at.github.state.comments.map(({ body }) => body).join('')),
    verdict: [run.outputs['conclusion'], run.result.outcome.kind],
    calls: at.models.requests.length,
    comments: at.github.state.comments.length,
    lines: (check?.annotations ?? []).map(({ path, start_line }) => [path, start_line]),
    causes,
  };
}

describe('the check is red', () => {
  test("for a change of a tool's schema, at the changed property", async () => {
    const types = ['quantity: { type', 'amount: { type', '[item, quantity]', '[item, amount]'];
    const { verdict, text, lines } = await reviewed({ head: edited(ORDER, ...types) });
    expect(verdict).toEqual(['failure', 'regressed']);
    expect(text).toContain('❌ Regressed: order');
    expect(text).toContain('The only change: quantity → amount in the tool create_order');
    expect(lines).toEqual([[ORDER, 14]]);
  });

  test("for four changes of which one is the cause, and names that one's line", async () => {
    const { verdict, text, lines, causes } = await reviewed({
      head: edited(
        ROUTE,
        ...[
          'temperature: 0.3',
          'temperature: 0.5',
          'Invoices, refunds and',
          'Refunds, invoices and',
        ],
        ...[PARCELS, '', 'Answer with', 'Reply with'],
      ),
      shipped: true,
    });
    expect(verdict).toEqual(['failure', 'regressed']);
    expect(text).toContain('❌ Regressed: route');
    expect(text).toContain('Cause: prompts/route.yaml:12');
    expect(causes).toEqual([['route', 'alone', [ROUTE, 12]]]);
    expect(lines).toEqual([[ROUTE, 12]]);
  });

  test('for two suites, and shows the cause of each', async () => {
    const { verdict, text, lines, causes } = await reviewed({
      head: { ...misrouted, ...unsourced },
    });
    expect(verdict).toEqual(['failure', 'regressed']);
    expect(text).toContain('❌ Regressed: answer, route');
    expect(causes).toEqual([
      ['answer', 'only-change', [ANSWER, 10]],
      ['route', 'only-change', [ROUTE, 12]],
    ]);
    expect(lines).toEqual([
      [ANSWER, 10],
      [ROUTE, 12],
    ]);
  });

  test("for a new test that fails, if base's settings say so", async () => {
    const settings = edited('evaldiff.yaml', 'grader: judge', 'grader: judge\ngate: { new: fail }');
    const { verdict, text } = await reviewed({ base: { ...BASE, ...settings }, head: fourMore });
    expect(verdict).toEqual(['failure', 'failed']);
    expect(text).toContain('New: 4 tests, 2 fail');
  });
});

describe('the check is green', () => {
  test('for a pull request that restores a prompt, and shows the tests that it fixes', async () => {
    const { verdict, text, lines } = await reviewed({
      base: { ...BASE, ...misrouted },
      head: edited(ROUTE),
    });
    expect(verdict).toEqual(['success', 'fixed']);
    expect(text).toContain('✅ Fixed: 3 of 26 tests of route (t05, t12, t20)');
    expect(lines).toEqual([[ROUTE, 12]]);
  });

  test('for four added tests, and names the two that fail', async () => {
    const { verdict, text, lines } = await reviewed({ head: fourMore });
    expect(verdict).toEqual(['success', 'new-failing']);
    expect(text).toContain('New: 4 tests, 2 fail');
    expect(text).toMatch(/t28.*t29/);
    expect(lines).toContainEqual([TICKETS, 29]);
  });

  test('for the pull request that adds the suite, and names failing tests', async () => {
    const { verdict, text } = await reviewed({ base: README, head: { ...BASE, ...misrouted } });
    expect(verdict).toEqual(['success', 'new-failing']);
    expect(text).toContain('New: 52 tests, 5 fail');
    expect(text).toMatch(/New, fails: t05 of route.*Answer ❌ returns.*New, fails: t12 of route/);
  });

  test('for a harmless rewording', async () => {
    const { verdict, text } = await reviewed({ head: reworded });
    expect(verdict).toEqual(['success', 'no-regression']);
    expect(text).toContain('✅ No regression');
    expect(text).not.toContain('inconclusive');
  });

  test('for a stricter rubric, shown as a change of the scoring', async () => {
    const rubric = [
      'greets or thanks the',
      'thanks the',
      'YES: it',
      'YES: it wishes them well and',
    ];
    const { verdict, text, lines } = await reviewed({
      head: edited('rubrics/tone.yaml', ...rubric),
    });
    expect(verdict).toEqual(['success', 'scoring-changed']);
    expect(text).toContain('Scoring changed: 9 of 24 answers now fail (rubric is_friendly)');
    expect(lines).toEqual([['rubrics/tone.yaml', 4]]);
  });

  test('for a renamed prompt, which runs nothing', async () => {
    const { verdict, calls, comments } = await reviewed({
      head: {
        [ROUTE]: null,
        'prompts/tests/route.yaml': null,
        'prompts/routing.yaml': (BASE[ROUTE] ?? '').replace('name: route', 'name: routing'),
        'prompts/tests/routing.yaml': BASE['prompts/tests/route.yaml'] ?? '',
      },
    });
    expect([verdict, calls, comments]).toEqual([['success', 'nothing-to-run'], 0, 0]);
  });

  test('for a harmless branch, even if main broke a different suite in the meantime', async () => {
    const { verdict, text, run } = await reviewed({
      head: reworded,
      history: { behind: [unsourced] },
    });
    expect(verdict).toEqual(['success', 'no-regression']);
    expect(run.result.suites.map(({ name }) => name)).toEqual(['route']);
    expect(text).not.toContain('answer');
  });

  test('for a change of the docs alone, without a comment', async () => {
    const { verdict, calls, comments } = await reviewed({ head: { 'docs/kiln.md': 'Fire.' } });
    expect([verdict, calls, comments]).toEqual([['success', 'nothing-to-run'], 0, 0]);
  });
});
