import { agentsReport } from '../../../../src/features/agents/report.ts';
import { factsPart, type AgentFacts } from '../../../../src/features/agents/suite/spec.ts';
import type { TryResult } from '../../../../src/kernel/result/reference-result.ts';
import { markdownOf } from '../../../../src/report/markdown.ts';
import { COMMENT_LEVELS } from '../../../../src/report/sections/detail.ts';
import { NO_LINKS } from '../../../../src/report/sections/document.ts';
import type { Part, Step } from '../../../../src/types/answer.ts';
import { FACTS } from '../../../stand-ins/agents/facts.ts';
import { referenceOf, resultOf, sideOfTries, suiteOf } from '../../report/results.ts';

const call = (name: string, result: string | null): Step => ({
  type: 'tool_call',
  name,
  arguments: '{"path":"NOTES.md"}',
  result,
});

const RUN = {
  words: 'Done: NOTES.md',
  diff: '+# Notes\n+GOOD\n',
  steps: [call('read', 'rules'), call('write', 'written')],
  facts: FACTS,
};

function made({ words, diff, steps, facts }: typeof RUN): TryResult {
  const parts: Part[] = [
    ...(words === '' ? [] : [{ type: 'text' as const, text: words }]),
    { type: 'file', path: 'NOTES.md', diff },
    factsPart(facts),
  ];
  return {
    try: 0,
    outcome: 'pass',
    parts,
    error: null,
    scores: [],
    usage: null,
    latency_ms: null,
    reused: false,
    ended: 'stop',
    steps,
  };
}

function viewOf(tryResult: TryResult) {
  const view = agentsReport.onTry?.(tryResult) ?? null;
  if (view === null) throw new TypeError('the try is not an agent');
  return view;
}

const beside = (base: typeof RUN, head: typeof RUN) =>
  markdownOf(viewOf(made(base)).beside(made(head), 300), NO_LINKS);

describe('report of two runs of an agent', () => {
  test('shows last messages, files, commands, cost and turns of both sides', () => {
    const head = {
      ...RUN,
      diff: '+# Notes\n+BAD\n',
      facts: {
        ...FACTS,
        turns: 7,
        usd: 0.0301,
        seconds: null,
        checks: [{ name: 'npm test', code: 1, output: 'no GOOD' }],
      },
    };
    const shown = beside(RUN, head);
    expect(shown).toContain('Last words');
    expect(shown).toMatch(/NOTES\.md.*GOOD.*BAD/);
    expect(shown).toMatch(/npm test.*exit code .*0.*ok.*exit code .*1.*no GOOD/);
    expect(shown).toMatch(
      /3 turns, 2 tool calls, \$0\.0021, 4\.1 s: done.*7 turns, 2 tool calls, \$0\.03: done/,
    );
    expect(shown).toContain('The first 2 steps are equal.');
  });

  test('shows the steps from the first difference on', () => {
    const head = { ...RUN, steps: [call('read', 'rules'), call('web_fetch', null), call('x', '')] };
    const shown = beside(RUN, head);
    expect(shown).toMatch(/Step 2.*write.*written.*web_fetch.*no result/);
    expect(shown).toMatch(/Step 3.*none.*x\(/);
    expect(shown).not.toContain('Step 1');
    expect(shown).toContain('The first 1 step is equal.');
  });

  test('omits equal files and commands, and says how many steps are omitted', () => {
    const many = Array.from({ length: 9 }, (_, at) => call(`tool_${at}`, 'done'));
    const shown = beside(RUN, { ...RUN, steps: many });
    expect(shown).not.toContain('<code>NOTES.md</code></td>');
    expect(shown).not.toContain('npm test');
    expect(shown).toContain('5 more steps not shown.');
  });

  test.each<[string, Partial<AgentFacts>]>([
    ['2 calls answered by another run', { replies: { own: 1, other: 2, stored: 0 } }],
    ['1 call answered by the store', { replies: { own: 2, other: 0, stored: 1 } }],
    ['models m, m-small', { models: ['m', 'm-small'] }],
    ['2 tool calls reported by the agent', { reported: true }],
  ])('names who answered and who reported: %s', (words, facts) => {
    expect(beside(RUN, RUN)).not.toContain(words);
    expect(beside(RUN, { ...RUN, facts: { ...FACTS, ...facts } })).toContain(words);
  });

  test('says that one reply counted for both sides if all requests were the same', () => {
    const said = (...requests: string[]) => {
      const side = (asked: readonly string[]) =>
        sideOfTries(
          asked.map((each, at) => ({
            ...made({ ...RUN, facts: { ...FACTS, requests: each } }),
            try: at,
          })),
        );
      const sides = { base: side(['r', 'r']), head: side(requests) };
      const suite = suiteOf('notes', [referenceOf('a', 'unchanged', sides)]);
      const context = { reports: [], links: NO_LINKS };
      const { why } = agentsReport.sections ?? {};
      const [level] = COMMENT_LEVELS;
      const blocks = level && why?.(resultOf({ suites: [suite] }), level, context);
      return markdownOf(blocks ?? [], NO_LINKS);
    };
    expect(said('r', 'r')).toContain('notes: base and head sent the model the same requests');
    expect(said('r', 'other')).toBe('');
    expect(said()).toBe('');
  });

  test('names the limit at which a run stopped, and a leaked key', () => {
    const at = (facts: Partial<AgentFacts>) =>
      JSON.stringify(viewOf(made({ ...RUN, facts: { ...FACTS, ...facts } })).why(100));
    expect(at({})).toBe('[]');
    expect(at({ ended: 'turns' })).toContain('stopped at limits.turns');
    expect(at({ leaks: ['NOTES.md'] })).toContain('NOTES.md');
  });

  test('shows a single run with its files', () =>
    expect(JSON.stringify(viewOf(made(RUN)).whole(200))).toContain('GOOD'));

  test('shows completed tasks and turns beside the ranking of a sweep', () => {
    const task = (id: string, outcome: 'pass' | 'fail', turns: number) => {
      const run = { ...made({ ...RUN, facts: { ...FACTS, turns } }), outcome };
      return referenceOf(id, outcome, { head: sideOfTries([run]) });
    };
    const suite = suiteOf('notes', [task('a', 'pass', 2), task('b', 'fail', 7)]);
    expect(agentsReport.ranked?.(suite)).toEqual([
      { name: 'Completed', value: '1 of 2 tasks' },
      { name: 'Turns', value: '4.50' },
    ]);
    expect(agentsReport.ranked?.(suiteOf('other', []))).toEqual([]);
  });

  test('does not affect answers that are not from an agent', () => {
    const { parts: _, ...rest } = made(RUN);
    expect(agentsReport.onTry?.({ ...rest, parts: [{ type: 'text', text: 'Hi' }] })).toBeNull();
    expect(agentsReport.onTry?.({ ...rest, parts: null })).toBeNull();
  });
});
