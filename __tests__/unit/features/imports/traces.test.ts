import { chooseTraces } from '../../../../src/features/imports/traces/choose.ts';
import { createPersonalData } from '../../../../src/features/imports/traces/personal.ts';
import fc from '../../../fuzz.ts';

const PERSONAL = `203.0.113.7:443, client:203.0.113.8: gone, [2001:db8::1]:443, ::ffff:192.168.0.1
de89370400440532013000 and be68 5390 0754 7034 paid
5551234567, Tel.+49 30 1234567`;

const HIDDEN = `[IP-1]:443, client:[IP-2]: gone, [[IP-3]]:443, ::ffff:[IP-4]
[IBAN-1] and [IBAN-2] paid
[phone-1], Tel.[phone-2]`;

const OTHER = `AB12 3456 7890 1234 5678, bad::face at 12:30:45, v1.2.3.4
1764460800 s, 0.8414709848`;

const LONG = ['漢', 'x', '1', '-:', 'a1:'].map((text) => text.repeat(400_000)).join('\n');

test.each([
  ['personal data', PERSONAL, HIDDEN],
  ['no other text', OTHER, OTHER],
  ['nothing in long text, in time', LONG, LONG],
])('hides %s', (_, text, hidden) => {
  expect(createPersonalData('').hide(text)).toBe(hidden);
});

test('chooses the same traces in any order, and from those that it chose before', () => {
  const trace = fc.tuple(fc.nat(20), fc.nat(3)).map(([rank, version]) => ({
    group: rank % 3,
    rank: `${rank}`,
    version: `${version}`,
    isUrgent: version === 0,
  }));
  fc.assert(
    fc.property(fc.array(trace), fc.array(trace), fc.nat(6), (some, others, most) => {
      const chosen = chooseTraces([...others, ...some], most);
      expect(chooseTraces([...chooseTraces(some, most), ...others], most)).toEqual(chosen);
    }),
  );
});
