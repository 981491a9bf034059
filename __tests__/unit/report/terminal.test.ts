import stringWidth from 'string-width';
import { columnsOf } from '../../../src/report/terminal-rows.ts';
import { inTerminal, renderTerminal } from '../../stand-ins/reports.ts';
import { commandsIn } from '../../stand-ins/runner-commands.ts';
import {
  goldens,
  hostile,
  referenceOf,
  regression,
  resultOf,
  suiteOf,
  passed,
  failed,
} from './results.ts';

const ESCAPE = '\u001b';

test('the terminal counts the columns of a character as string-width does, alone and next to another one', () => {
  const differing = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).filter(
    (char) => [char, `a${char}`, `${char}·`].some((text) => columnsOf(text) !== stringWidth(text)),
  );
  expect(differing).toEqual([]);
});

describe('renderTerminal', () => {
  test.each([20, 30, 44, 60, 80, 100, 120, 200])(
    'fits %i columns, including hostile text and wide characters',
    (width) => {
      const sides = { base: passed('😀'.repeat(90)), head: failed('ｆｕｌｌ'.repeat(30)) };
      const reference = referenceOf('漢'.repeat(90), 'regressed', sides);
      const name = '日本語の長い名前'.repeat(6);
      const wide = resultOf({ suites: [suiteOf(name, [reference], { verdict: 'regressed' })] });
      for (const result of [
        regression(),
        wide,
        ...([20, 60, 120].includes(width) ? [hostile()] : []),
      ]) {
        for (const line of inTerminal(result, width).split('\n'))
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
      }
    },
  );

  test('aligns a table at 100 columns with verdict, numbers and reason', () => {
    const lines = inTerminal(regression()).split('\n');
    const head = lines.findIndex((line) => /^  Suite +Pass rate +Changed/.test(line));
    const row = lines.find((line) => line.startsWith('  ✗ regressed'));
    expect(row).toMatch(/^ {2}✗ regressed +92\.2 % → 82\.4 % +messages/);
    expect(lines[lines.findIndex((line) => line === row) + 1]).toMatch(
      /^ {2}capitals +−9\.8 points/,
    );
    for (const [column, value] of [
      ['Suite', '✗ regressed'],
      ['Pass rate', '92.2 %'],
      ['Changed', 'messages[0].content in prompts/'],
    ] as const)
      expect(row?.indexOf(value)).toBe(lines[head]?.indexOf(column));
  });

  test('begins with the verdict, the change and its effect, in this order', () => {
    const shown = inTerminal(regression(), 140);
    const order = [
      '✗ Regressed: capitals',
      'capitals 92 → 82 %: 3 of 17 tests broke',
      'What changed: prompts/capitals.yaml:4',
      '-   content: Name the capital of {{country}}, nothing else.',
      'What it did: australia (prompts/tests/capitals.yaml:14) of capitals, 3 of 3 → 0 of 3 passed; 2 more failed exact_match too',
      'Head ✗       The capital of Australia is Canberra.',
      'Pass rate ',
    ].map((words) => shown.indexOf(words));
    expect(order.every((at) => at >= 0)).toBe(true);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  test('shows the answers of three similar failures and one line for each further failure', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const references = ids.map((id) =>
      referenceOf(id, 'regressed', { base: passed(`was ${id}`), head: failed(`is ${id}`) }),
    );
    const result = resultOf({ suites: [suiteOf('s', references, { verdict: 'regressed' })] });
    const shown = inTerminal(result, 140);
    const shownIds = ids.filter((id) => new RegExp(`Head ✗ +is ${id}`).test(shown));
    expect(shownIds).toEqual(['a', 'b', 'c']);
    for (const id of ['d', 'e', 'f'])
      expect(shown).toMatch(new RegExp(`^ *s › +regressed .*\\n *${id} .*passed *$`, 'm'));
  });

  test('marks line breaks of an answer without breaking the line', () => {
    const answer = '{\n  "city": "Paris"\r\n}\n::error::no\n##[group]';
    const result = resultOf({
      suites: [
        suiteOf('s', [referenceOf('r', 'regressed', { base: passed('x'), head: failed(answer) })], {
          verdict: 'regressed',
        }),
      ],
    });
    const shown = inTerminal(result, 200);
    expect(shown).toContain('{ ↵ "city": "Paris" ↵ } ↵ :\\:error:\\:no ↵ ##\\[group]');
    expect(commandsIn(shown)).toEqual([]);
  });

  test('never separates a number from its percent sign', () => {
    for (let width = 30; width <= 130; width += 1)
      expect(inTerminal(regression(), width)).not.toMatch(/^ *%/m);
  });

  test('moves the last column below its row if the table is too wide', () => {
    const shown = inTerminal(regression(), 44);
    expect(shown).toMatch(/^ {2}Suite +Pass rate$/m);
    expect(shown).toContain('\n    Changed: messages[0].content in prompts/\n');
  });

  test.each([44, 52, 60, 80, 100])(
    'at %i columns never begins a line with a comma or closing bracket',
    (width) => {
      const names = Array.from({ length: 12 }, (_, index) => `reference-${'x'.repeat(index)}`);
      const changed = regression().scoring.map((change) => ({
        ...change,
        flipped: names.map((id) => ({ id, from: 'fail' as const, to: 'pass' as const })),
      }));
      const notice = {
        kind: 'added' as const,
        place: { file: 'prompts/tests/capitals.yaml', line: 9 },
        message: 'capitals: 2 references added by this change: norway, egypt',
      };
      const lines = inTerminal(resultOf({ scoring: changed, notices: [notice] }), width).split(
        '\n',
      );
      expect(lines.join(' ')).toContain('egypt');
      expect(lines.filter((line) => /^\s*[,;:.)]/.test(line))).toEqual([]);
    },
  );

  test('collapses the same sections as a comment, shows only their titles, and explains how to see all', () => {
    const shown = (folded: boolean) =>
      renderTerminal(regression(), { width: 100, colour: false, folded }).split('\n');
    const [screen, all] = [shown(true), shown(false)];
    const titles = screen.flatMap((line) => /^▸ (?!collapsed here)(.*)/.exec(line)?.[1] ?? []);
    expect(titles.length).toBeGreaterThan(1);
    expect(all).toEqual(expect.arrayContaining(titles));
    const unfolded = screen.filter((line) => line !== '' && !line.startsWith('▸ '));
    expect(all).toEqual(expect.arrayContaining(unfolded));
    expect(screen.length).toBeLessThan(all.length / 2);
    expect(screen.at(-2)).toBe(
      '▸ collapsed here. To see everything, pipe the output (| less) or open report.html (--report).',
    );
    expect(all.join('\n')).not.toContain('▸');
  });

  test('shows a list if no table fits', () =>
    expect(inTerminal(regression(), 30)).toMatch(
      /\n {4}Suite +✗ regressed\n +capitals\n {4}Pass rate +92\.2 % → 82\.4 %\n/,
    ));

  test('has no colour unless requested, and colour does not change the words', () => {
    for (const build of Object.values(goldens)) {
      const plain = inTerminal(build(), 90);
      const coloured = renderTerminal(build(), { width: 90, colour: true });
      expect(plain).not.toContain(ESCAPE);
      expect(coloured).toContain(`${ESCAPE}[1m`);
      expect(coloured.replace(/\u001b\[\d+m/g, '').replace(/ +$/gm, '')).toBe(plain);
    }
    expect(renderTerminal(regression(), { width: 90, colour: true })).toContain(
      `${ESCAPE}[31m✗ regressed${ESCAPE}[0m`,
    );
  });

  test('contains no terminal control characters and no runner commands', () => {
    for (const width of [20, 80]) {
      const shown = inTerminal(hostile(), width);
      expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200b\p{Cs}]/u);
      expect(commandsIn(shown)).toEqual([]);
      expect(shown).not.toMatch(/##\[|::/);
    }
  });
});
