import { createLastError } from '../../../../src/edges/providers/program-session.ts';

function heard(...lines: string[]) {
  const words = createLastError();
  for (const line of lines) words.add(line);
  return words.text();
}

describe('the last error of a program', () => {
  test.each([
    ['nothing', ['', '  '], ''],
    ['its last line', ['starting', 'no such package', ''], 'no such package'],
    [
      "the error above Node's stack and version",
      [
        'node:internal/modules/cjs/loader:1210',
        '  throw err;',
        '',
        "Error: Cannot find module '/app.mjs'",
        '    at Module._load (node:internal:1)',
        '  requireStack: []',
        '}',
        '',
        'Node.js v24.1.0',
      ],
      "Error: Cannot find module '/app.mjs'",
    ],
    [
      "a code beside the error's name",
      ['TypeError [ERR_X]: bad', '    at a', 'Node.js v24.1.0'],
      'TypeError [ERR_X]: bad',
    ],
    [
      'the last of several errors',
      [
        'ValueError: first',
        'During handling another occurred:',
        'app.errors.Timeout',
        "KeyError: 'id'",
      ],
      "KeyError: 'id'",
    ],
    [
      'the last line where the error is long past',
      [
        'Error: tried again',
        ...Array.from({ length: 31 }, (_, index) => `request ${index}`),
        'out of memory',
      ],
      'out of memory',
    ],
    ['no error where a word only looks like one', ['ErrorBudget fine', 'Error:', 'bye'], 'bye'],
  ])('is %s', (_, lines, words) => expect(heard(...lines)).toBe(words));

  test('is cleared when the program restarts', () => {
    const words = createLastError();
    words.add('Error: once');
    words.forget();
    expect(words.text()).toBe('');
  });
});
