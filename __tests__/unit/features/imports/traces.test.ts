import { chooseTraces, type RankedTrace } from '../../../../src/features/imports/traces/choose.ts';
import { createPersonalData } from '../../../../src/features/imports/traces/personal.ts';
import fc from '../../../fuzz.ts';

describe('personal data', () => {
  test.each([
    ['203.0.113.7:443 and client:203.0.113.8: gone', '[IP-1]:443 and client:[IP-2]: gone'],
    ['[2001:db8::1]:443, ::ffff:192.168.0.1', '[[IP-1]]:443, ::ffff:[IP-2]'],
    ['de89370400440532013000', '[IBAN-1]'],
    ['be68 5390 0754 7034 paid', '[IBAN-1] paid'],
    ['5551234567, Tel.+49 30 1234567', '[phone-1], Tel.[phone-2]'],
  ])('hides %j', (text, hidden) => {
    expect(createPersonalData('').hide(text)).toBe(hidden);
  });

  test.each([
    'AB12 3456 7890 1234 5678',
    'bad::face at 12:30:45',
    '1764460800 s, 0.8414709848',
    'v1.2.3.4',
  ])('leaves %j', (text) => {
    expect(createPersonalData('').hide(text)).toBe(text);
  });

  test.each(['漢', 'x', '1', '.', '-:', 'a1:'])('is sought in %j without spaces in time', (text) => {
    const long = text.repeat(400_000);
    expect(createPersonalData('').hide(long) === long).toBe(true);
  });
});

test('chooses the same traces in any order, and from those that it chose before', () => {
  const trace = fc
    .record({ rank: fc.integer({ max: 20, min: 0 }), preference: fc.integer({ max: 3, min: 0 }) })
    .map(({ rank, preference }): RankedTrace => {
      const [group, isUrgent] = [rank % 3, preference === 0];
      return { group, isUrgent, rank: `${rank}`, version: `${preference}` };
    });
  fc.assert(
    fc.property(fc.array(trace), fc.array(trace), fc.integer({ max: 6, min: 1 }), (a, b, most) => {
      const all = chooseTraces([...a, ...b], most);
      expect(chooseTraces([...b, ...a], most)).toEqual(all);
      expect(chooseTraces([...chooseTraces(a, most), ...b], most)).toEqual(all);
    }),
  );
});
