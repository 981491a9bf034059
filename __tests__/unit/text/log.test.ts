import { logJson, logLine, logText } from '../../../src/text/log.ts';
import fc, { anyCharacter, draws, forAll } from '../../fuzz.ts';
import { hostileLogs, hostileTexts } from '../../stand-ins/hostile-text.ts';
import { commandsIn } from '../../stand-ins/runner-commands.ts';

describe('test parser for workflow commands', () => {
  test.each([
    [
      '  ::error file=a,line=1::boom',
      [{ form: '::', name: 'error', properties: 'file=a,line=1', data: 'boom' }],
    ],
    ['x ##[Warning]y', [{ form: '##[', name: 'warning', properties: '', data: 'y' }]],
    ['a\r::debug::b', [{ name: 'debug' }]],
    ['x ::error::y\n::nonsense::z\n##[nonsense]q\n| ::error::y\nstd::vector::begin', []],
    // The runner ignores commands between stop-commands and its token.
    [
      '::stop-commands::tok\n::error::a\n::tok::\n::error::b',
      [
        { name: 'stop-commands', data: 'tok' },
        { name: 'error', data: 'b' },
      ],
    ],
  ])("finds in %j the same commands as GitHub's runner", (text, commands) =>
    expect(commandsIn(text)).toMatchObject(commands),
  );
});

describe('logText', () => {
  test.each(hostileLogs)('removes every command from %j', (text) => {
    expect(commandsIn(logText(text))).toEqual([]);
    expect(commandsIn(logLine(text))).toEqual([]);
    expect(commandsIn(`note: ${logLine(text)}`)).toEqual([]);
  });

  test('is tested with texts that contain real commands', () => {
    expect(hostileLogs.filter((text) => commandsIn(text).length > 0).length).toBeGreaterThan(12);
  });

  test('prefixes every line and keeps visible text', () => {
    expect(logText('one\r\ntwo\rthree std::vector\n\u001b[31mred')).toBe(
      '| one\n| two\n| three std:\\:vector\n| \\u{1b}[31mred',
    );
  });

  test('removes commands and raw control characters from any text, after any prefix', () => {
    const bit = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      fc.constantFrom('::', '##[', ']', ':', '#', '[', 'error', 'set-output'),
      fc.constantFrom('\r', '\n', '\u2028', ' '),
    );
    forAll(
      [fc.array(bit, { maxLength: 20 })],
      (bits) => {
        const text = bits.join('');
        for (const shown of [logText(text), logLine(text)]) {
          expect(commandsIn(shown)).toEqual([]);
          expect(shown).not.toMatch(/::|##\[/);
          expect(shown.replace(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u);
        }
        expect(logLine(text)).not.toContain('\n');
      },
      { numRuns: draws(500) },
    );
  });

  test.each(Object.entries(hostileTexts))('removes every command from %s', (_what, text) =>
    expect(commandsIn(logText(text))).toEqual([]),
  );
});

describe('logJson', () => {
  test('escapes hidden and direction-changing characters without changing the value', () => {
    const hidden = { a: 'x\u202ey\u2066z\u200b\u{e0041}\u009b1m\u007f', '\u2028': 'ж 👍' };
    const json = logJson(hidden);
    expect(JSON.parse(json)).toEqual(hidden);
    expect(json).toBe(
      '{\n "a": "x\\u202ey\\u2066z\\u200b\\udb40\\udc41\\u009b1m\\u007f",\n "\\u2028": "ж 👍"\n}',
    );
  });

  test('produces equivalent JSON without runner commands', () => {
    forAll([fc.jsonValue(), fc.constantFrom(...hostileLogs)], (value, text) => {
      const whole = { value, text, [text]: [text, { [`${text}x`]: `a ${text}` }] };
      const json = logJson(whole);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(whole)));
      expect(commandsIn(json)).toEqual([]);
    });
    expect(commandsIn(JSON.stringify({ a: 'x ##[error]y' }, null, 1))).toHaveLength(1);
  });
});
