import { describe, expect, test } from '@jest/globals';
import { arrange } from '../../src/core/arrange.ts';
import { sources } from '../../src/core/trust.ts';
import { gate, metric, project, reference, settings, suite } from './builders.ts';

const strict = gate({ alpha: 0.01 });
const loose = gate({ alpha: 0.5 });

describe('gate and budget of a pull request', () => {
  const base = project([suite()], { settings: settings({ gate: strict, budget: { max_calls: 10, max_cost_usd: null } }) });
  const head = project([suite()], { settings: settings({ gate: loose, budget: { max_calls: 999, max_cost_usd: null } }) });

  test.each(['member', 'untrusted'] as const)('are base\'s at level %s, and a change to them is said', (level) => {
    const arranged = arrange(base, head, sources(level));
    expect(arranged.gate).toEqual(strict);
    expect(arranged.budget.max_calls).toBe(10);
    expect(arranged.notices.filter(({ kind }) => kind === 'settings').map(({ message }) => message)).toEqual([
      "this pull request changes `gate`; base's settings are in force until it is merged",
      "this pull request changes `budget`; base's settings are in force until it is merged",
    ]);
  });

  test('are head\'s where base has no settings file, and on trusted events', () => {
    const bare = project([suite()], { settings: settings({ file: null, gate: strict }) });
    expect(arrange(bare, head, sources('member')).gate).toEqual(loose);
    expect(arrange(null, head, sources('member')).gate).toEqual(loose);
    expect(arrange(base, head, sources('trusted')).gate).toEqual(loose);
  });
});

describe('a changed number of tries', () => {
  const base = project([suite()], { settings: settings({ n_tries: 3 }) });
  const told = (head: typeof base, level: 'trusted' | 'member' | 'untrusted' = 'member') =>
    arrange(base, head, sources(level)).notices.map(({ kind, place, message }) => [kind, place?.file, message.includes('`n_tries`')]);

  test('is said of the settings and of each test file, as nothing runs because of it', () => {
    expect(told(project([suite()], { settings: settings({ n_tries: 'adaptive' }) }))).toEqual([['settings', 'evaldiff.yaml', true]]);
    expect(told(project([suite({ tests: { n_tries: 5 } })], { settings: settings({ n_tries: 3 }) }), 'trusted')).toEqual([['settings', 'prompts/tests/p.yaml', true]]);
    expect(told(base)).toEqual([]);
  });

  test('is not said where it is not used', () => {
    expect(told(project([suite()], { settings: settings({ n_tries: 9 }) }), 'untrusted')).toEqual([]);
  });
});

describe('a pull request from outside', () => {
  const base = project([suite({
    prompt: { model: 'gpt-4o', parameters: { temperature: 0 } },
    tests: { metrics: [metric('strict')], references: [reference('a', { expected: 'eight' }), reference('dropped')] },
  })]);
  const head = project([suite({
    prompt: { model: 'o3-expensive', parameters: { temperature: 2 }, messages: [{ role: 'user', content: 'New {q}', place: { file: 'p', line: 1 } }] },
    tests: { metrics: [metric('lenient')], references: [reference('a', { expected: 'anything', skip: true }), reference('new', { expected: 'n' })] },
  })], { settings: settings({ n_tries: 50 }) });
  const arranged = arrange(base, head, sources('untrusted'));
  const [measured] = arranged.head.suites;

  test('brings its prompt text, and base keeps model, parameters, metrics and settings', () => {
    expect(measured?.prompt.messages[0]?.content).toBe('New {q}');
    expect([measured?.prompt.model, measured?.prompt.parameters]).toEqual(['gpt-4o', { temperature: 0 }]);
    expect(measured?.tests.metrics.map(({ name }) => name)).toEqual(['strict']);
    expect(arranged.head.settings.n_tries).toBe(3);
  });

  test('cannot change expected values, skip references or drop them', () => {
    expect(measured?.tests.references.map(({ id, expected, skip }) => [id, expected, skip])).toEqual([
      ['a', 'eight', false], ['new', 'n', false], ['dropped', 'yes', false],
    ]);
  });

  test('is told what of it was not used', () => {
    const messages = arranged.notices.map(({ message }) => message);
    expect(messages).toContainEqual(expect.stringContaining('changes code (metrics). The base version was run.'));
    expect(messages).toContainEqual(expect.stringContaining("changes the model or its parameters. Base's were used."));
  });

  test('with a new prompt or prompt code has that prompt left out, and said', () => {
    const code = { source: 'output = 1', language: 'python' as const, place: { file: 'p', line: 1 } };
    const outside = project([suite({ prompt: { code } }), suite({ prompt: { file: 'prompts/n.yaml', name: 'n' } })]);
    const { head: left, notices } = arrange(base, outside, sources('untrusted'));
    expect(left.suites).toEqual([]);
    expect(notices.map(({ place }) => place?.file)).toEqual(['prompts/p.yaml', 'prompts/n.yaml']);
  });

  test('changes nothing of a member\'s pull request', () => {
    expect(arrange(base, head, sources('member')).head).toBe(head);
  });
});
