import type { Result } from '../../../../src/kernel/result/result.ts';
import { CULPRIT, HEAD_LINES, shopModel, shopPrompt } from '../../../stand-ins/eight-lines.ts';
import { compareShop, FILE } from '../../app/commands/compare-shop.ts';

const DRAFT = 'Be warm about refunds, and name the refund period.';

function found({ causes = [] }: Result): unknown {
  return causes.map(({ causes: own, explained }) => ({
    units: own.map(({ relation, units, fix }) => [relation, units, fix]),
    harmless: explained.harmless,
    calls: explained.calls,
  }));
}

test('a second run confirms the drop with new tries and names the same line and fix', async () => {
  const { result, server, again } = await compareShop([DRAFT], {
    args: ['--store', 'kept.sqlite'],
  });
  const asked = server.requests.length;
  expect(result.causes?.[0]?.explained.calls).toBeGreaterThan(0);
  expect(result.causes?.[0]?.causes).toMatchObject([
    { units: [{ lines: { from: CULPRIT } }], fix: { kind: 'draft' } },
  ]);
  const second = await again(['--store', 'kept.sqlite']);
  const { suspects } = second.suites[0]!.confirmation!;
  const pairs = suspects.reduce((sum, { base, head }) => sum + base.tries + head.tries, 0);
  expect(server.requests).toHaveLength(asked + pairs);
  expect(second.usage).toMatchObject({ calls: pairs, reused: asked });
  expect(found(second)).toEqual(found(result));
});

test('evaldiff show explains what made the reference worse, the effect and the proven fix', async () => {
  const { run, server } = await compareShop([DRAFT]);
  const asked = server.requests.length;
  const { said } = await run(['show', 'refund-a']);
  const inOrder = [
    'refund-a in shop',
    `Cause: ${FILE}:${CULPRIT}. Putting the old line back fixes`,
    '7 other changes have no effect on these tests.',
    `Suggested fix, ${FILE}:${CULPRIT}: fixes 3 of 3 tests`,
    '- Be warm about refunds.',
    `+ ${DRAFT}`,
    'Prompt as sent by base',
  ];
  const joined = said.replaceAll(/\s+/g, ' ');
  let at = -1;
  for (const words of inOrder) {
    const next = joined.indexOf(words, at + 1);
    expect([words, next > at]).toEqual([words, true]);
    at = next;
  }
  const other = await run(['show', 'hours-g']);
  expect(other.said).toContain('hours-g in shop');
  expect(other.said).not.toContain('Cause');
  const quiet = { err: () => undefined };
  const printed = (await run(['show', 'refund-a', '--json'], quiet)).said;
  const [json] = JSON.parse(printed) as unknown[];
  expect(json).toMatchObject({
    causes: [{ relation: 'alone', units: [{ lines: { from: CULPRIT } }], fix: { kind: 'draft' } }],
  });
  expect(server.requests).toHaveLength(asked);
});

test('a change from messages to code has no cause, and the reason is given', async () => {
  const code = [
    'defaults: [tests/shop]',
    'name: shop',
    'variables:',
    '  - name: question',
    'language: javascript',
    'code: |',
    '  output = question.startsWith("Refund") ? "gladly" : "9 to 5";',
    '',
  ].join('\n');
  const { result, out } = await compareShop([], {
    args: ['--no-store', '--code', 'host'],
    head: { [FILE]: code },
  });
  expect(result.conclusion).toBe('failure');
  expect(result.causes).toMatchObject([
    {
      causes: [],
      explained: {
        status: 'not-started',
        reason:
          'the change cannot be split into parts: one side sends messages and the other runs code',
        calls: 0,
      },
    },
  ]);
  expect(out).toContain(
    'Cause not looked for: the change cannot be split into parts: one side sends',
  );
});

test('if two suites regress, the second reports that the first used up the calls', async () => {
  const answer = shopModel([]);
  const twin = 'prompts/twin.yaml';
  const named = (text: string) => text.replace('name: shop', 'name: twin');
  const { result } = await compareShop([], {
    args: ['--no-store', 'explain.max_calls=1', 'explain.fix=false'],
    model: answer,
    base: {
      [twin]: named(shopPrompt(HEAD_LINES).replace(HEAD_LINES[1] ?? '', 'Name the refund period.')),
    },
    head: {
      [FILE]: shopPrompt(HEAD_LINES),
      [twin]: named(shopPrompt(HEAD_LINES.map((line) => line.replace('Sign', 'Signed')))),
    },
  });
  expect(result.causes?.map(({ explained: { status, reason } }) => [status, reason])).toEqual([
    ['not-settled', '1 call was not enough'],
    ['not-started', 'other suites used up the calls'],
  ]);
});

test('a parameter in shared defaults is found as the cause next to a harmless line', async () => {
  const shared = 'prompts/shared/limits.yaml';
  const own = (name: string) =>
    shopPrompt(HEAD_LINES.map((line, n) => (n === 1 ? 'Name the refund period.' : line)))
      .replace('[tests/shop]', '[tests/shop, shared/limits]')
      .replace('Sign', name);
  const { result, out } = await compareShop([], {
    args: ['--no-store', 'explain.fix=false'],
    base: { [FILE]: own('Sign'), [shared]: 'temperature: 0\nmax_tokens: 60\n' },
    head: { [FILE]: own('Signed'), [shared]: 'temperature: 0\nmax_tokens: 5\n' },
    model: ({ messages, body }) => {
      const isRefund = messages.at(-1)?.content.startsWith('Refund') === true;
      return { text: isRefund && body.max_tokens !== 5 ? '30 days' : '9 to 5' };
    },
  });
  expect(result.causes?.flatMap(({ causes }) => causes)).toMatchObject([
    { units: [{ kind: 'parameter', name: 'max_tokens', file: shared, lines: { from: 2 } }] },
  ]);
  expect(out).toContain(`Cause: max_tokens (60 → 5), ${shared}:2.`);
});
