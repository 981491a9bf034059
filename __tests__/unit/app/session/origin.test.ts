import { readOrigin } from '../../../../src/app/session/origin.ts';

describe('--from', () => {
  test.each(['acme/evaldiff@20261128', '7/e@release_1'])('accepts %s', (text) => {
    const [repository, ref] = text.split('@');
    expect(readOrigin(text)).toEqual({ repository, ref });
  });

  test.each([
    'acme/evaldiff@',
    'evaldiff@v1',
    'https://github.com/acme/evaldiff@v1',
    'git@github.com:acme/evaldiff.git',
    '-acme/evaldiff@v1',
    'acme--corp/evaldiff@v1',
    '<owner>/evaldiff@v1',
    'acme/evaldiff.git@v1',
    'acme/evaldiff/dist@v1',
    'acme/..@v1',
    'acme/evaldiff@v1..2',
    'acme/evaldiff@v1.lock',
    'acme/evaldiff@-v1',
    'acme/evaldiff@v1 # ${{ secrets.A }}',
    'acme/evaldiff@0123abc',
    '',
  ])('rejects %j', (text) => expect(() => readOrigin(text)).toThrow('is not OWNER/REPO@TAG'));
});
