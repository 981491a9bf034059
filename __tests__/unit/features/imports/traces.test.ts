import { chooseTraces } from '../../../../src/features/imports/traces/choose.ts';
import { createPersonalData } from '../../../../src/features/imports/traces/personal.ts';
import fc from '../../../fuzz.ts';

const TEXT = `203.0.113.7:443, client:203.0.113.8: gone, [2001:db8::1]:443, ::ffff:192.168.0.1
de89370400440532013000 and be68 5390 0754 7034 paid
5551234567, Tel.+49 30 1234567
AB12 3456 7890 1234 5678, bad::face at 12:30:45, v1.2.3.4
1764460800 s, 0.8414709848, on 01.02.2024 or 05/12/2024
Order AB12 IBAN DE89370400440532013001, AB12 GB29NWBK60161331926819
AT61 1904 3002 3457 3201 NL91 ABNA 0417 1643 00`;

const HIDDEN = `[IP-1]:443, client:[IP-2]: gone, [[IP-3]]:443, ::ffff:[IP-4]
[IBAN-1] and [IBAN-2] paid
[phone-1], Tel.[phone-2]
AB12 3456 7890 1234 5678, bad::face at 12:30:45, v1.2.3.4
1764460800 s, 0.8414709848, on 01.02.2024 or 05/12/2024
Order AB12 IBAN DE89370400440532013001, AB12 [IBAN-3]
[IBAN-4] [IBAN-5]`;

test('hides personal data and no other text, however long', () => {
  const { hide } = createPersonalData('');
  expect(hide(TEXT)).toBe(HIDDEN);
  for (const text of ['漢', '1']) hide(text.repeat(400_000));
});

test('chooses the same traces in any order, and from those that it chose before', () => {
  const trace = fc.tuple(fc.nat(9), fc.boolean()).map(([rank, isUrgent]) => ({
    group: rank % 3,
    rank: `${rank}`,
    version: `${!isUrgent}`,
    isUrgent,
  }));
  fc.assert(
    fc.property(fc.array(trace), fc.array(trace), fc.nat(6), (some, others, most) => {
      const chosen = chooseTraces([...others, ...some], most);
      expect(chooseTraces([...chooseTraces(some, most), ...others], most)).toEqual(chosen);
    }),
  );
});
