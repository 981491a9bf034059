import { createRedactor, createSecretRegister, redactAll } from '../../../src/text/redact.ts';
import fc, { draws, forAll } from '../../fuzz.ts';

const KEY = 'sk-proj-A1b2"C3/d4&E5+f6 G7h8I9j0KLMN';
const redact = createRedactor([KEY]);
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('createRedactor', () => {
  test.each([
    ['as it is', KEY],
    ['in JSON', JSON.stringify({ error: `bad key ${KEY}` })],
    ['in JSON with escaped slashes', JSON.stringify(KEY).replaceAll('/', '\\/')],
    ['URL-encoded', `https://x.example/?key=${encodeURIComponent(KEY)}&a=1`],
    ['as a form field', new URLSearchParams({ key: KEY }).toString()],
    [
      'in lower-case URL encoding',
      encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ['in HTML', '<b>sk-proj-A1b2&quot;C3/d4&amp;E5+f6 G7h8I9j0KLMN</b>'],
    ['in hexadecimal', Buffer.from(KEY).toString('hex')],
    ['in base64', base64(KEY)],
    ['in base64 after one byte', base64(`:${KEY}`)],
    ['in base64 after two bytes', base64(`x:${KEY}`)],
    ['in base64 in the middle', base64(`user:${KEY}:more`)],
    ['in URL-safe base64', Buffer.from(`a:${KEY}>>>`).toString('base64url')],
    ['as its first eight characters', 'the key sk-proj- was refused'],
    ['as its first and last characters', 'Incorrect API key: sk-proj-****************KLMN.'],
    ['as its last eight characters', 'key ending in I9j0KLMN'],
    ['cut after twenty characters', KEY.slice(0, 20)],
  ])('removes the key %s', (_where, text) => {
    const clean = redact(text);
    expect(clean).toContain('***');
    const encoded = [
      Buffer.from(KEY).toString('hex').slice(8, 24),
      base64(KEY).slice(4, 16),
      base64(`:${KEY}`).slice(8, 20),
      base64(`x:${KEY}`).slice(8, 20),
    ];
    for (const piece of ['A1b2', 'I9j0', 'G7h8', 'KLMN', ...encoded])
      expect(clean).not.toContain(piece);
  });

  test.each([64, 76])('removes a long key in base64 with lines of %s characters', (width) => {
    const key = `${KEY} ${'q7Rt9'.repeat(20)} ${KEY}`;
    const lines = base64(key).match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
    const clean = createRedactor([key])(lines.join('\n'));
    expect(clean.replaceAll(/\*\*\*|\n/g, '').length).toBeLessThanOrEqual(8);
  });

  test.each([
    ['OpenAI or Anthropic', 'sk-ant-api03-abcdEFGH1234ijklMNOP5678', 'sk-abcdefghij1234567890abcd'],
    ['GitHub', ...['ghp', 'ghs'].map((kind) => `${kind}_abcdefghij1234567890abcdefghij123456`)],
    ['GitHub, fine-grained', 'github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz'],
    ['Slack or AWS', 'xoxb-1234567890-abcdefghijkl', 'AKIAIOSFODNN7EXAMPLE'],
    ['Google', 'AIzaSyA1234567890abcdefghijklmnopqrstuv'],
    ['Hugging Face or Groq', 'hf_abcdefghij1234567890ab', 'gsk_abcdefghij1234567890ab'],
  ])('removes strings that look like a key of %s', (_, ...keys) => {
    const other = createRedactor([]);
    const at = (key: string) => `https://x-access-token:${key}@github.com`;
    for (const key of keys) {
      expect(other(`error: ${key}, sorry`)).toMatch(/^error: \*\*\*,? sorry$/);
      expect(other(at(key))).toBe(at('***'));
    }
  });

  test('leaves ordinary text unchanged', () => {
    const text =
      'The risk-adjusted task-sk-learn classification of task-1 used sk-learn and AKIA; see https://example.com/a_b-c.';
    expect(redact(text)).toBe(text);
  });

  test('removes every line of a private key', () => {
    const clean = createRedactor([
      '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END KEY-----\n',
    ]);
    expect(clean('x\\nAQEFAASCBKcwggSjAgEAAoIB\\ny')).toBe('x\\n***\\ny');
    expect(clean('log: MIIEvQIBADANBgkqhkiG9w0B')).toBe('log: ***');
  });

  test('ignores empty lists and values too short to be secrets', () => {
    expect(createRedactor(['', ' ', 'abc'])('abc a b c')).toBe('abc a b c');
    expect(createRedactor([])('nothing')).toBe('nothing');
  });

  test('treats regular-expression characters in a secret literally', () => {
    expect(createRedactor(['a.*[b](c)+$^{|}\\-'])('x a.*[b](c)+$^{|}\\- y')).toBe('x *** y');
    expect(createRedactor(['a.*[b](c)'])('axxxb')).toBe('axxxb');
  });

  test('removes the secret in any context, and never lengthens a text', () => {
    const secret = fc
      .string({ unit: 'grapheme-ascii', minLength: 16, maxLength: 60 })
      .filter((value) => value.trim() === value && !value.includes('*'));
    const around = fc.string({ maxLength: 30 });

    forAll(
      [secret, around, around],
      (value, before, after) => {
        const clean = createRedactor([value]);
        const given = `${before}${value}${after}`;
        for (const encode of [String, base64, encodeURIComponent, JSON.stringify]) {
          const out = clean(encode(given));
          expect(out).toContain('***');
          expect(out).not.toContain(value);
          expect(out.length).toBeLessThanOrEqual(encode(given).length);
        }
      },
      { numRuns: draws(300) },
    );
  });

  test.each(['sk-', 'sk-proj-', 'a', '*', '-', '.', 'ghp_', 'sk-1a', '%41', ' ', 'c2stcHJvai1'])(
    'finishes on 100 kB of %j',
    (unit) => {
      const text = unit.repeat(100_000 / unit.length);
      expect(redact(text).length).toBeLessThanOrEqual(text.length);
    },
  );
});

test('redactAll redacts lists, objects and keys, and keeps other values', () => {
  const value = { a: [`x ${KEY}`, 1, null, true], [KEY]: { b: 'ok' }, c: undefined };
  expect(redactAll(value, redact)).toEqual({
    a: ['x ***', 1, null, true],
    '***': { b: 'ok' },
    c: undefined,
  });
});

test('redactAll copies only the objects that contain a secret', () => {
  const value = { clean: { a: ['x'] }, told: [{ b: KEY }, { b: 'y' }] };
  const redacted = redactAll(value, redact);
  expect(redacted).toEqual({ clean: { a: ['x'] }, told: [{ b: '***' }, { b: 'y' }] });
  expect(value.told[0]).toEqual({ b: KEY });
  expect(redacted.clean).toBe(value.clean);
  expect(redacted.told[1]).toBe(value.told[1]);
  expect(redactAll({ [KEY]: 1 }, redact)).toEqual({ '***': 1 });
});

describe('createSecretRegister', () => {
  test('ignores values so short that masking them would blank the log', () => {
    const masked: string[] = [];
    const register = createSecretRegister((secret) => masked.push(secret));
    register.add(['1', '12', ' 7 ', 'pa55', '']);
    expect(masked).toEqual(['pa55']);
    expect(register.redact('1 of 12 with pa55')).toBe('1 of 12 with ***');
  });
});
