import type { Cause, SuiteCauses } from '../../../../src/features/causes/result.ts';
import { referenceCauses } from '../../../../src/features/causes/section.ts';
import type { ReferenceStatus } from '../../../../src/kernel/result/reference-result.ts';
import { renderBlocks } from '../../../../src/report/terminal.ts';
import { annotations } from '../../../stand-ins/reports.ts';
import { causeUnit } from '../../app/run/builders.ts';
import { regression } from '../../report/results.ts';

/** Line 4 broke `a`. The cause of `b` is unknown. Other references were not tried. */
const SUITE: SuiteCauses = {
  path: 'p.yaml',
  suite: 's',
  variant: { model: 'm', parameters: {} },
  causes: [
    {
      relation: 'alone',
      units: [causeUnit()],
      references: [
        { id: 'a', restored: { passes: 4, tries: 5 }, broken: { passes: 1, tries: 3 } },
        { id: 'z', restored: { passes: 2, tries: 2 }, broken: { passes: 0, tries: 2 } },
      ],
      held: { references: 0, of: 0 },
      p: 0.01,
      calls: 20,
    },
  ],
  explained: {
    status: 'found',
    reason: null,
    units: 3,
    harmless: [],
    unexplained: ['b'],
    calls: 30,
  },
};
const CAUSE =
  'Cause: p.yaml:4. Putting the old line back fixes 2 of 3 tests; the new line on base breaks them.';

const said = (id: string, status: ReferenceStatus, suite = SUITE) =>
  renderBlocks(referenceCauses({ id, status }, suite), { width: 500, colour: false });

test('the text of a reference lists its proven causes', () => {
  expect(said('a', 'regressed')).toContain(CAUSE);
});

test('a cause names the removed words of a line if nothing else changed', () => {
  const [cause] = SUITE.causes;
  const text = 'Returns within 30 days. Parcels go with Northmail.';
  const left = 'Parcels go with Northmail.';
  const units = [{ ...causeUnit(), base_text: text, head_text: left }];
  const cut: SuiteCauses = { ...SUITE, causes: cause === undefined ? [] : [{ ...cause, units }] };
  expect(said('a', 'regressed', cut)).toContain(
    'Cause: p.yaml:4 (removed: Returns within 30 days.). ',
  );
});

const tries = (passes: number) => ({ passes, tries: 2 });
const removed = causeUnit({ side: 'base', head_text: null });
const warm = causeUnit({ kind: 'parameter', name: 'temperature', base_text: '0', head_text: '1' });
const far = causeUnit({ lines: { from: 9, to: 9 } });

test.each<[Partial<Cause>, string]>([
  [
    { units: [removed] },
    'Cause: p.yaml:4 (removed). Putting it back fixes 2 of 2 tests; removing it from base breaks them.',
  ],
  [
    { units: [causeUnit({ base_text: null })] },
    'Cause: p.yaml:4. Removing it fixes 2 of 2 tests; adding it to base breaks them.',
  ],
  [
    { units: [warm] },
    'Cause: temperature (0 → 1), p.yaml:4. Putting the old value back fixes 2 of 2 tests; the new value on base breaks them.',
  ],
  [
    { relation: 'together', units: [causeUnit(), far] },
    'Cause: p.yaml:4 and line 9, only together. Undoing either fixes 2 of 2 tests; adding both breaks them.',
  ],
  [
    { relation: 'either', units: [causeUnit(), far] },
    'Cause: p.yaml:4 or line 9, each alone. Undoing both fixes 2 of 2 tests; adding either to base breaks them.',
  ],
  [
    { held: { references: 2, of: 3 } },
    'Cause: p.yaml:4. Putting the old line back fixes 2 of 2 tests; the new line on base breaks them. Undoing it breaks 1 of 3 others.',
  ],
])('a cause is described in at most 30 words: %j', (changes, sentence) => {
  const references = ['a', 'z'].map((id) => ({ id, restored: tries(2), broken: tries(0) }));
  const [cause] = SUITE.causes;
  if (cause === undefined) throw new Error('no cause');
  const causes = [{ ...cause, references, ...changes }];
  const suite = { ...SUITE, causes, explained: { ...SUITE.explained, unexplained: [] } };
  const [first = ''] = said('a', 'regressed', suite).split('\n\n');
  expect(first.trim()).toBe(sentence);
  expect(sentence.split(' ').length).toBeLessThanOrEqual(30);
});

test('changes that the experiment did not rule out are shown as suspects instead of causes', () => {
  const reason = '5 calls were not enough';
  const explained = { ...SUITE.explained, reason, suspects: [causeUnit(), far] };
  expect(said('a', 'fell', { ...SUITE, causes: [], explained }).trim()).toBe(
    'Likely one of: p.yaml:4 or line 9. Not proven: 5 calls were not enough.',
  );
  const changed = { path: 'p.yaml', basePath: null, lines: [{ start: 4, end: 9 }], deleted: false };
  const result = { ...regression(), causes: [{ ...SUITE, causes: [], explained }] };
  expect(annotations(result, [changed])).toMatchObject([
    {
      startLine: 4,
      title: 'This line or another made s worse',
      message: expect.stringContaining('or line 9'),
    },
  ]);
});

test('the text of a reference says if its cause is not known or not tested, and is empty if the reference did not get worse', () => {
  expect(said('b', 'regressed').trim()).toBe('Cause not found: no change explains this test.');
  const other = said('c', 'fell');
  expect(other).toContain('Cause of other tests, not tried on this one:');
  expect(other).toContain(CAUSE);
  expect(said('c', 'unchanged')).toBe('');
});

test('the text of a regressed reference says why no cause was found', () => {
  const explained = { ...SUITE.explained, unexplained: ['a'] };
  const unsettled: SuiteCauses = {
    ...SUITE,
    causes: [],
    explained: { ...explained, status: 'not-settled', reason: '5 calls were not enough' },
  };
  expect(said('a', 'fell', unsettled).trim()).toBe('Cause not found: 5 calls were not enough.');
  expect(said('c', 'unchanged', unsettled)).toBe('');
});

test('a change is not called a cause if it is the only one, because the cause search did not test it', () => {
  const [cause] = SUITE.causes;
  if (cause === undefined) throw new Error('no cause');
  const untried: SuiteCauses = { ...SUITE, causes: [{ ...cause, relation: 'only-change' }] };
  const text = said('a', 'regressed', untried);
  expect(text.trim()).toBe('The only change: p.yaml:4.');
  const changed = { path: 'p.yaml', basePath: null, lines: [{ start: 4, end: 4 }], deleted: false };
  const remarks = annotations({ ...regression(), causes: [untried] }, [changed]);
  expect(remarks.map(({ title, message }) => `${title}\n${message}`).join('\n')).not.toMatch(
    /cause|made/i,
  );
  expect(remarks.map(({ title }) => title)).toContain('The only change before s got worse');
});
