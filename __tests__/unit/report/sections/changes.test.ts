import fc from 'fast-check';
import type { Cause } from '../../../../src/features/causes/result.ts';
import type { ChangedText } from '../../../../src/kernel/result/changes.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { markdownOf } from '../../../../src/report/markdown.ts';
import { changedLines } from '../../../../src/report/sections/changes.ts';
import { COMMENT_LEVELS } from '../../../../src/report/sections/detail.ts';
import { NO_LINKS } from '../../../../src/report/sections/document.ts';
import type { ChangeUnit } from '../../../../src/trials/change-unit.ts';
import { forAll } from '../../../fuzz.ts';
import { inTerminal, REPORTS } from '../../../stand-ins/reports.ts';
import { regression } from '../results.ts';

const FILE = 'prompts/p.yaml';

/** A file with lines 7 to 6 + `count` reworded and line 30 of base deleted. */
function changed(count: number): ChangedText {
  const words = (at: number, what: string) => `      ${what} ${7 + at}`;
  const at = Array.from({ length: count }, (_, i) => i);
  return {
    file: FILE,
    base_file: FILE,
    suites: ['p'],
    hunks: [
      {
        base: 7,
        head: 7,
        lines: at.flatMap((i) => [
          { sign: 'removed', text: words(i, 'old') },
          { sign: 'added', text: words(i, 'new') },
        ]),
      },
      {
        base: 99,
        head: 99,
        lines: [
          { sign: 'same', text: '      same' },
          { sign: 'removed', text: '      gone' },
        ],
      },
    ],
    more: 0,
  };
}

function unit(side: ChangeUnit['side'], line: number): ChangeUnit {
  return {
    kind: 'line',
    name: null,
    file: FILE,
    side,
    lines: { from: line, to: line },
    head: { file: FILE, line },
    base_text: side === 'head' ? `old ${line}` : 'gone',
    head_text: side === 'head' ? `new ${line}` : null,
  };
}

function withCauses(relation: Cause['relation'], units: ChangeUnit[], count = 3): Result {
  const whole = regression();
  const worst = whole.suites.find(({ verdict }) => verdict === 'regressed');
  if (worst === undefined) throw new Error('no suite is regressed');
  const { path, name: suite, variant } = worst;
  const held = { references: 0, of: 0 };
  const explained = { status: 'found' as const, reason: null, units: 4, harmless: [] };
  return {
    ...whole,
    changes: [{ ...changed(count), suites: [suite] }],
    causes: [
      {
        path,
        suite,
        variant,
        causes: [{ relation, units, references: [], held, p: null, calls: 0 }],
        explained: { ...explained, unexplained: [], calls: 0 },
      },
    ],
  };
}

/** The first `lines` changed lines, and what follows them. */
function block(result: Result, lines = 24) {
  const [detail] = COMMENT_LEVELS;
  if (detail === undefined) throw new Error('there is no detail');
  const text = markdownOf(changedLines(result, { ...detail, lines }, REPORTS), NO_LINKS);
  const shown = text.split('\n');
  return shown.slice(shown.indexOf('```diff') + 1, -1);
}

describe('changed lines in a report', () => {
  test('mark the cause with a word and not only with colour', () => {
    expect(block(withCauses('alone', [unit('head', 8)]))).toEqual([
      '- old 8',
      '+ new 8',
      '  ↑ cause',
      '  … 5 more lines',
    ]);
    // With two other changed lines, the cause is shown among them.
    expect(block(withCauses('alone', [unit('head', 7)], 1))).toEqual([
      '- old 7',
      '+ new 7',
      '  ↑ cause',
      '  …',
      '  same',
      '- gone',
    ]);
    const terminal = inTerminal(withCauses('alone', [unit('head', 8)]));
    expect(terminal).toMatch(/\+ new 8\n +↑ cause\n/);
  });

  test.each<[Cause['relation'], ChangeUnit[], string[]]>([
    [
      'together',
      [unit('head', 7), unit('base', 100)],
      ['+ new 7', '  ↑ cause', '- gone', '  ↑ cause'],
    ],
    [
      'either',
      [unit('head', 7), unit('head', 9)],
      ['+ new 7', '  ↑ cause', '+ new 9', '  ↑ cause'],
    ],
    ['only-change', [unit('head', 7)], []],
    [
      'alone',
      [{ ...unit('head', 7), file: 'prompts/o.yaml', head: { file: 'prompts/o.yaml', line: 7 } }],
      [],
    ],
  ])('mark every line that is a cause: %s', (relation, units, expected) => {
    const lines = block(withCauses(relation, units));
    expect(
      lines.flatMap((line, at) => (line.startsWith('  ↑') ? [lines[at - 1], line] : [])),
    ).toEqual(expected);
  });

  test('show only the cause if there is too little room for all lines', () => {
    const lines = block(withCauses('alone', [unit('head', 30)], 40), 8);
    expect(lines).toEqual(['- old 30', '+ new 30', '  ↑ cause', '  … 79 more lines']);
  });

  test('begin and end with a line that has text', () => {
    const blank = { sign: 'same', text: '' } as const;
    const removed = { sign: 'removed', text: 'old' } as const;
    const lines = [blank, removed, blank, { ...removed, text: '' }, blank];
    const whole = withCauses('alone', []);
    const changes = (whole.changes ?? []).map((each) => ({
      ...each,
      hunks: [{ base: 7, head: 7, lines }],
    }));
    expect(block({ ...whole, changes }).map((line) => line.trimEnd())).toEqual(['- old', '', '-']);
  });

  test('never leave out a line of the cause, whatever else changed', () => {
    const line = fc.record({
      sign: fc.constantFrom('same', 'removed', 'added'),
      indent: fc.constantFrom('', '  ', '      '),
    });
    const file = fc.record({
      lines: fc.array(line, { maxLength: 30 }),
      more: fc.nat({ max: 50 }),
      /** Where the cause is: a changed line of the result, or the lines that it leaves out. */
      cause: fc.nat(),
      kind: fc.constantFrom('line', 'parameter'),
    });
    const files = fc.array(file, { minLength: 1, maxLength: 5 });
    forAll([files, fc.constantFrom(...COMMENT_LEVELS)], (drawn, { lines: most }) => {
      const { result, texts } = withCausesIn(drawn);
      const shown = block(result, most)
        .join('\n')
        .replaceAll(/^([-+]) +/gm, '$1 ');
      if (most > 0) for (const text of texts) expect(shown).toContain(text);
    });
  });
});

interface DrawnFile {
  lines: { sign: 'same' | 'removed' | 'added'; indent: string }[];
  more: number;
  cause: number;
  kind: 'line' | 'parameter';
}

/** A result in which each file's suite is regressed because of one of the file's lines. */
function withCausesIn(drawn: readonly DrawnFile[]): { result: Result; texts: string[] } {
  const whole = regression();
  const [worst] = whole.suites.filter(({ verdict }) => verdict === 'regressed');
  if (worst === undefined) throw new Error('no suite is regressed');
  const files = drawn.map((file, index) => causedFile(file, index));
  const suites = files.map(({ change }) => ({ ...worst, name: change.file, path: change.file }));
  return {
    result: {
      ...whole,
      suites,
      changes: files.map(({ change }) => change),
      causes: files.map(({ change, cause }) => ({
        path: change.file,
        suite: change.file,
        variant: worst.variant,
        causes: [cause],
        explained: FOUND,
      })),
    },
    texts: files.flatMap(({ text }) => [text, `${text}\n  ↑ cause`]),
  };
}

const FOUND = {
  status: 'found' as const,
  reason: null,
  units: 4,
  harmless: [],
  unexplained: [],
  calls: 0,
};

function causedFile(
  { lines, more, cause: at, kind }: DrawnFile,
  index: number,
): { change: ChangedText; cause: Cause; text: string } {
  const file = `prompts/${index}.yaml`;
  let [base, head] = [7, 7];
  const numbered = lines.map(({ sign, indent }, place) => {
    const text = `${indent}words ${index}.${place}.`;
    const line = { sign, text, on: sign === 'removed' ? base : head, head };
    if (sign !== 'added') base += 1;
    if (sign !== 'removed') head += 1;
    return line;
  });
  const changedLines = numbered.filter(({ sign }) => sign !== 'same');
  const known = changedLines[at % (changedLines.length + 1)];
  const text = known?.text.trim() ?? `words ${index}.left-out.`;
  const isRemoved = known?.sign === 'removed';
  const place = unit(isRemoved ? 'base' : 'head', known?.on ?? 500);
  const cause: ChangeUnit = {
    ...place,
    file,
    kind: known === undefined ? 'line' : kind,
    head: { file, line: known?.head ?? 500 },
    base_text: isRemoved ? text : null,
    head_text: isRemoved ? null : text,
  };
  const hunk = { base: 7, head: 7, lines: numbered.map(({ sign, text }) => ({ sign, text })) };
  return {
    change: { ...changed(1), file, base_file: file, suites: [file], hunks: [hunk], more },
    cause: {
      relation: 'alone',
      units: [cause],
      references: [],
      p: null,
      calls: 0,
      held: { references: 0, of: 0 },
    },
    text: `${isRemoved ? '-' : '+'} ${text}`,
  };
}
