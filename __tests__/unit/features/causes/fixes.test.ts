import { fixOf, type FixBench } from '../../../../src/features/causes/fixes.ts';
import type { Cause } from '../../../../src/features/causes/result.ts';
import type { Prompt } from '../../../../src/kernel/suite/suite.ts';
import { fixWords } from '../../../../src/report/sections/fixes.ts';
import type { Fix } from '../../../../src/trials/fix.ts';
import type { PromptChange } from '../../../../src/trials/prompt-units.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import {
  answer,
  causeUnit,
  hostedTarget,
  prompt,
  referenceResult,
  sideResult,
  suite,
  suiteSide,
} from '../../app/run/builders.ts';

const FILE = ['messages:', '  - content: |', '      You help.', '      Be curt.'];

function promptOf(lines: readonly string[]) {
  const content = lines.slice(2).map((line) => line.trim());
  const place = { file: 'p.yaml', line: 2 };
  return prompt({ messages: [{ role: 'user', content: content.join('\n'), place }] });
}

interface Bench {
  /** Outcomes of head's tries for each regressed reference. */
  fell: Outcome[][];
  held?: number;
  drafts?: string[];
  /** The prompt read from the edited file; default: the file as edited. */
  reread?(prompt: Prompt): Prompt | null;
  /** Another prompt of the project, if the edited file has this text. */
  other?(text: string): Prompt;
  /** Whether a try with this wording passes; null: not judged. */
  passes(words: string, reference: string, tries: number): boolean | null;
}

/** Searches a fix for the one changed line; `ran` counts the tries by wording and reference. */
async function look({ fell, held = 10, drafts = [], passes, ...files }: Bench) {
  const { reread = (own) => own, other = () => promptOf(FILE) } = files;
  const unit = causeUnit();
  const references = [
    ...fell.map((head, i) =>
      referenceResult(`fell-${i}`, { base: sideResult(['pass']), head: sideResult(head) }),
    ),
    ...Array.from({ length: held }, (_, i) => referenceResult(`held-${i}`)),
  ];
  const none = { passes: 0, tries: 0 };
  const cause: Cause = {
    relation: 'alone',
    units: [unit],
    references: references
      .slice(0, fell.length)
      .map(({ id }) => ({ id, restored: none, broken: none })),
    held: { references: 0, of: 0 },
    p: 0.01,
    calls: 0,
  };
  const ran = new Map<string, number>();
  let asked = 0;
  const change: PromptChange = {
    units: [unit],
    generation: () => ({ kind: 'impossible', message: 'nothing is asked here' }),
    head: promptOf(FILE),
    revert: () => null,
    body: () => promptOf([...FILE.slice(0, 3), unit.base_text ?? '']),
  };
  const bench: FixBench = {
    change,
    side: suiteSide('head', suite({ prompt: promptOf(FILE) })),
    references,
    fell: references.slice(0, fell.length),
    stable: references.slice(fell.length),
    retestRate: 1,
    make: (wanted) =>
      Promise.resolve(
        wanted.map(({ reference, prompt }) => {
          const words = prompt.replace(/^fix |^insight .* → /, '');
          const id = references[reference]?.id ?? '';
          const key = `${words} ${id}`;
          ran.set(key, (ran.get(key) ?? 0) + 1);
          return passes(words, id, ran.get(key) ?? 0);
        }),
      ),
    lines: () => Promise.resolve(FILE),
    reread: (_, text) => {
      const own = reread(promptOf(text.split('\n')));
      return Promise.resolve(own && { own, others: [other(text)] });
    },
    grader: {
      grader: { target: hostedTarget('grader'), parameters: {} },
      complete: () => {
        asked += 1;
        const insights = drafts.map((becomes) => ({ was: 'Be curt.', becomes }));
        return Promise.resolve(answer(JSON.stringify({ insights })));
      },
      random: () => 'delimiter',
    },
    packet: (shown) => ({
      materials: { task: '', change: '', groups: '', cases: shown.map(({ id }) => id).join() },
      quotes: (text) => text.includes('order-42'),
    }),
    ended: () => null,
  };
  return { ...(await fixOf(cause, bench)), ran, asked };
}

const FAILED: Outcome[] = ['fail', 'fail'];
const FIVE = Array<Outcome[]>(5).fill(FAILED);
const restored = ({ fix }: { fix?: Fix | null }) => {
  if (!fix) return null;
  const { kind, restores, costs, tries } = fix;
  return `${kind}: ${restores.references} of ${restores.of}, breaks ${costs.references} of ${costs.of}, ${tries} tries`;
};

const DRAFTED = { fell: FIVE, held: 45, drafts: ['Be brief.'] };

describe('fix', () => {
  test('is tested on five references with two tries each, or with five tries if only one reference got worse', async () => {
    const six = await look({ fell: Array<Outcome[]>(6).fill(FAILED), passes: () => true });
    expect(restored(six)).toBe('set back: 5 of 5, breaks 0 of 10, 2 tries');
    const one = await look({ fell: [['fail', 'fail', 'fail']], passes: () => true });
    expect(restored(one)).toBe('set back: 1 of 1, breaks 0 of 4, 5 tries');
  });

  test.each([
    ['that dropped', 'fell-1'],
    ['that did not change', 'held-3'],
  ])('is not proposed if one of its tries on a reference %s could not be judged', async (_, id) => {
    const found = await look({
      fell: FIVE,
      passes: (_words, reference, tries) => (reference === id && tries === 2 ? null : true),
    });
    expect(found).toMatchObject({
      fix: null,
      no_fix: 'some tries of possible fixes were not judged',
    });
  });

  test('needs stronger evidence if more candidates are tested', async () => {
    // Two failures against five passes have p = 2.4 %: below 5 % for one candidate, above 1.7 % for
    // three.
    const bench: Bench = { fell: [FAILED], passes: () => true };
    expect((await look(bench)).fix?.kind).toBe('set back');
    expect(await look({ ...bench, drafts: ['One.', 'Two.'] })).toMatchObject({
      fix: null,
      no_fix: expect.stringContaining('of the 3 candidates that were tried, none fixes'),
    });
  });

  test('that a model wrote is kept only after a test on every reference that passes on both sides', async () => {
    const kept = await look({ ...DRAFTED, passes: () => true });
    expect(kept.fix).toMatchObject({ kind: 'draft', costs: { references: 0, of: 45 } });
    const asked = [...kept.ran].filter(([key]) => key.startsWith('Be brief. held-'));
    expect(asked).toHaveLength(45);
  });

  test.each([44, 25, 11])(
    'that a model wrote is dropped if it breaks one reference (number %i) of 45 passing ones',
    async (broken) => {
      const found = await look({
        ...DRAFTED,
        passes: (words, reference) => words !== 'Be brief.' || reference !== `held-${broken}`,
      });
      expect(found.fix?.kind).toBe('set back');
      const last = `Be brief. held-${Math.min(44, Math.floor(broken / 10) * 10 + 10)}`;
      expect(found.ran.has(last)).toBe(broken > 39);
    },
  );

  test('that a model wrote is kept only if it restores references that the model did not see', async () => {
    const overfit = await look({
      ...DRAFTED,
      passes: (words, reference) => words !== 'Be brief.' || !/fell-[13]/.test(reference),
    });
    expect(overfit.fix?.kind).toBe('set back');
    const { fix, ran } = await look({ ...DRAFTED, passes: () => true });
    expect(fix).toMatchObject({ restores: { references: 2, of: 2 }, withheld: true });
    expect([0, 2, 4].map((at) => ran.has(`Be brief. fell-${at}`))).not.toContain(true);
    expect(fix && fixWords(fix)).toBe(
      'fixes 2 of 2 tests that the grader did not see and broke none of 45 others that passed',
    );
  });

  test('that a model wrote is dropped if it quotes an identifier of a reference that the model saw', async () => {
    const found = await look({ ...DRAFTED, drafts: ['Tell order-42 yes.'], passes: () => true });
    expect([found.asked, found.fix?.kind]).toEqual([1, 'set back']);
    expect([...found.ran.keys()].some((key) => key.startsWith('Tell'))).toBe(false);
  });

  test('that a model wrote is kept if a reference fails by chance, but dropped if it keeps failing', async () => {
    const failing = (until: number) =>
      look({
        ...DRAFTED,
        passes: (words, reference, tries) =>
          words !== 'Be brief.' || reference !== 'held-7' || tries > until,
      });
    expect((await failing(1)).fix?.kind).toBe('draft');
    expect((await failing(2)).fix?.kind).toBe('draft');
    expect((await failing(3)).fix?.kind).toBe('set back');
  });

  test('that a model wrote is dropped if all other references fail slightly more often with it', async () => {
    const found = await look({
      ...DRAFTED,
      passes: (words, reference, tries) =>
        words !== 'Be brief.' || !/held-\d$/.test(reference) || tries !== 1,
    });
    expect(found.fix?.kind).toBe('set back');
  });

  test('that a model wrote is dropped if a passing reference cannot be judged', async () => {
    const found = await look({
      ...DRAFTED,
      passes: (words, reference) =>
        words === 'Be brief.' && reference === 'held-44' ? null : true,
    });
    expect(found.fix?.kind).toBe('set back');
  });

  test('is rejected if the edited file would not give the tested prompt, or would change another one', async () => {
    const bench: Bench = { fell: [FAILED], drafts: ['One.'], passes: () => true };
    const blank = (prompt: Prompt): Prompt => ({
      ...prompt,
      messages: prompt.messages.map((each) => ({ ...each, content: `${each.content}\n` })),
    });
    const shared = (text: string) => promptOf(text.split('\n'));
    for (const files of [{ reread: blank }, { reread: () => null }, { other: shared }]) {
      const found = await look({ ...bench, ...files });
      expect(found).toMatchObject({
        fix: null,
        no_fix: 'no edit of the file gives exactly the prompt to try',
      });
      expect(found.ran.size).toBe(0);
    }
  });

  test.each([
    'Mind this {% include "../secret.txt" %}',
    'Mind {{ env.OPENAI_API_KEY }}',
    'Mind {{other}}',
    'Mind {# it #}',
    'Mind {{{q}}',
    'Mind {other}',
  ])('that a model wrote is dropped if it has template syntax: %s', async (draft) => {
    const found = await look({ fell: FIVE, drafts: [draft], passes: () => true });
    expect(found.asked).toBe(1);
    expect([...found.ran.keys()].every((key) => key.startsWith('Be polite.'))).toBe(true);
    expect(found.fix?.kind).toBe('set back');
  });

  test('restores the old line, and says so if no other reference can show its side effects', async () => {
    const found = await look({ ...DRAFTED, held: 0, passes: () => true });
    expect(found.asked).toBe(0);
    expect(restored(found)).toBe('set back: 5 of 5, breaks 0 of 0, 2 tries');
    expect(found.fix && fixWords(found.fix)).toBe(
      'fixes 5 of 5 tests; no other test passes on both sides, so what it breaks is not known',
    );
  });
});
