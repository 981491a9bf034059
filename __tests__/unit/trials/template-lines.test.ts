import { headReader } from '../../../src/app/run/read.ts';
import type { SuiteSide } from '../../../src/kernel/select/affected-suite.ts';
import { editOf, isWhatRan, withEdit } from '../../../src/trials/fix-edit.ts';
import { promptChange } from '../../../src/trials/prompt-units.ts';
import { hash, optionsOf, suiteOf, treeOf } from '../config/tree.ts';

const CONFIG = `prompts: [file://prompt.txt]
providers: [openai:gpt-4o]
tests:
  - { description: one, vars: { q: hi, user: { name: Ada } }, assert: [{ type: contains, value: ok }] }
`;

const filesOf = (lines: readonly string[]): Record<string, string> => ({
  'promptfooconfig.yaml': CONFIG,
  'prompt.txt': `${lines.join('\n')}\n`,
});

async function sideOf(lines: readonly string[]) {
  const suite = await suiteOf(filesOf(lines));
  const { model, parameters } = suite.prompt;
  const variant = { model, parameters, target: null };
  return { suite, variant, scoring: { settingsFile: 'evaldiff.yaml' } } as unknown as SuiteSide;
}

const BASE = ['You help.', 'Greet {{user.name}}.', 'Mind this about {{q}}.', 'End.', '{{ q }}'];

/**
 * The change between two versions of a template; `setBack(unit)` returns the file with one unit
 * reverted.
 */
async function changeOf(before: readonly string[], after: readonly string[]) {
  const change = promptChange(await sideOf(before), await sideOf(after), (side) =>
    `${(side === 'base' ? before : after).join('\n')}\n`.split('\n'),
  );
  if (change.units === null) throw new TypeError(change.reason);
  const lines = [...after, ''];
  const tree = treeOf(filesOf(after));
  const reread = headReader({ tree, read: optionsOf() }, hash);
  const setBack = async (unit: number) => {
    const own = change.units[unit];
    if (own === undefined) return null;
    const wanted = change.body(new Set([...change.units.keys()].filter((other) => other !== unit)));
    const edit = editOf(own, own.base_text, { head: change.head, wanted }, lines);
    const text = edit === null ? null : withEdit(lines.join('\n'), edit);
    const [asItIs] = await reread('prompt.txt', lines.join('\n'));
    const [read] = text === null ? [] : await reread('prompt.txt', text);
    const isIt = read !== undefined && asItIs !== undefined && isWhatRan(read, wanted, asItIs);
    return isIt ? text : null;
  };
  return { ...change, setBack };
}

describe("a changed line in another tool's template", () => {
  test('is reported at its line in the file, with the variables as the file writes them', async () => {
    const head = ['You help.', 'Hail {{user.name}}.', 'Mind that about {{q}}.', 'End.', '{{ q }}'];
    const { units } = await changeOf(BASE, head);
    expect(units).toMatchObject([
      { file: 'prompt.txt', lines: { from: 2, to: 2 }, head_text: 'Hail {{user.name}}.' },
      { file: 'prompt.txt', lines: { from: 3, to: 3 }, base_text: 'Mind this about {{q}}.' },
    ]);
  });

  test("is tested in evaldiff's syntax and reverted in the file's own syntax", async () => {
    const head = ['You help all.', 'Greet {{user.name}}.', 'Mind that.', '{{ q }}'];
    const { units, body, setBack } = await changeOf(BASE, head);
    expect(units).toMatchObject([
      { lines: { from: 1 } },
      { lines: { from: 3 } },
      { side: 'base', lines: { from: 4 }, head: { line: 4 } },
    ]);
    expect(body(new Set([0, 2])).messages[0]?.content).toBe(
      'You help all.\nGreet {user_name}.\nMind this about {q}.\n{q}',
    );
    expect(await setBack(1)).toBe(
      'You help all.\nGreet {{user.name}}.\nMind this about {{q}}.\n{{ q }}\n',
    );
    expect(await setBack(2)).toBe(
      'You help all.\nGreet {{user.name}}.\nMind that.\nEnd.\n{{ q }}\n',
    );
  });

  test('gets no edit that would split its file into several prompts', async () => {
    const head = ['You help.', 'Greet {{user.name}}.', 'Mind this about {{q}}.', 'End.', '{{ q }}'];
    const { head: own } = await changeOf(BASE, head.with(0, 'You assist.'));
    const reread = headReader({ tree: treeOf(filesOf(head)), read: optionsOf() }, hash);
    const read = await reread('prompt.txt', 'You assist.\n---\n{{q}}\n');
    expect(read.map(({ name }) => name === own.name)).not.toContain(true);
  });
});
