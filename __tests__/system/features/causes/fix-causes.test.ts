import {
  BASE_LINES,
  CULPRIT,
  HEAD_LINES,
  shopModel,
  shopPrompt,
} from '../../../stand-ins/eight-lines.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { compareShop, FILE } from '../../app/commands/compare-shop.ts';

/** Reverses the usual fixture: base has the eight breaking lines and head the good ones. */
const fixing = (head: readonly string[], args: string[] = [], model: Script = shopModel([])) =>
  compareShop([], {
    args: ['--no-store', ...args],
    base: { [FILE]: shopPrompt(HEAD_LINES) },
    head: { [FILE]: shopPrompt(head) },
    model,
  });

/** The model answers questions about refunds only if both lines are present. */
const both: Script = (request) => {
  const system = request.messages[0]?.content ?? '';
  const isWhole = /refund period/i.test(system) && /as Ada\./.test(system);
  return isWhole || request.messages.at(-1)?.content.startsWith('Hours')
    ? shopModel([])(request)
    : { text: 'gladly' };
};

describe('the change that fixed tests', () => {
  test('is found by experiment among eight changes within the budget for causes', async () => {
    const { result, out, run } = await fixing(BASE_LINES);
    expect(result.conclusion).toBe('success');
    expect(result.causes).toBeUndefined();
    const [found] = result.fixed_by ?? [];
    expect(found?.causes).toMatchObject([
      { relation: 'alone', units: [{ lines: { from: CULPRIT } }] },
    ]);
    expect(found?.explained.calls).toBeLessThanOrEqual(120);
    const proof =
      `Fixed by: ${FILE}:${CULPRIT}. The new line on base fixes 6 of 6 tests; ` +
      'putting the old line back breaks them.';
    expect(out.replaceAll(/\s+/g, ' ')).toContain(proof);
    const changed = out.indexOf('Fixed by');
    const did = out.indexOf('What it did');
    expect(changed).toBeGreaterThan(-1);
    expect(out.slice(changed, did)).toMatch(/\n *- .*\n *\+ .*\n *↑ fixed it\n *… \d+ more lines/);
    expect(out.slice(did)).toMatch(/^What it did: .*refund-\w.*, 0 of \d → \d of \d passed/);
    expect(out.slice(did)).toMatch(/Base ✗ +\S.*\n *Head ✓ +\S/);
    const { said } = await run(['show', 'refund-a']);
    expect(said.replaceAll(/\s+/g, ' ')).toContain(proof);
  });

  test('can consist of two changes that work only together', async () => {
    const { out } = await fixing(BASE_LINES, [], both);
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      `Fixed by: ${FILE}:10 and line 16 (removed: L), only together. Adding both fixes 6 of 6 tests; ` +
        'undoing either breaks them.',
    );
  });

  test('is named without any call if the prompt has only one change', async () => {
    const lines = HEAD_LINES.map((line, at) => (at === 1 ? (BASE_LINES[1] ?? '') : line));
    const { result, out } = await fixing(lines);
    expect(result.fixed_by?.[0]).toMatchObject({
      causes: [{ relation: 'only-change' }],
      explained: { calls: 0 },
    });
    expect(out).toContain(`The only change: ${FILE}:${CULPRIT}.`);
    expect(out).toMatch(/The only change: .*\n+ *- .*\n *\+ /);
    expect(out).not.toContain('fixed it');
  });

  test('is not sought with explain.max_calls: 0', async () => {
    const { result, out } = await fixing(BASE_LINES, ['explain.max_calls=0']);
    expect(result.fixed_by?.[0]?.explained).toMatchObject({ status: 'not-started', calls: 0 });
    expect(out).not.toContain('Fixed by');
  });
});
