import { codeSecrets } from '../../../../src/app/session/access.ts';

describe('codeSecrets', () => {
  test.each([
    ['an ordinary word', 'production', false],
    ['a path', '/home/runner/work/My-Prompts2/data', false],
    ['a path of Python', '/opt/hostedtoolcache/Python/3.12.4/x64/lib', false],
    ['a token', 'pc-71f0ca9a-canary', true],
    ['a key that begins with a slash', '/Zk3abcDEF0123456789ghiJKLmnoPQR4567stuV', true],
    ['a key with more slashes', '/Zk3abcDEF0123456789/hiJKLmno/QR4567stuV', true],
  ])('recognizes whether %s is a secret', (_what, value, isSecret) => {
    expect(codeSecrets(['VALUE'], { VALUE: value })).toEqual(isSecret ? [value] : []);
  });
});
