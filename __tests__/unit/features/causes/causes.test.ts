import { expect, test } from '@jest/globals';
import type { SuiteCauses } from '../../../../src/features/causes/result.ts';
import { referenceCauses } from '../../../../src/features/causes/section.ts';
import type { ReferenceStatus } from '../../../../src/kernel/result/reference-result.ts';
import { renderBlocks } from '../../../../src/report/terminal.ts';
import { annotations } from '../../../stand-ins/reports.ts';
import { causeUnit } from '../../app/run/builders.ts';
import { regression } from '../../report/results.ts';

/** Line 4 broke `a`; `b` is not explained; further ones were not tried. */
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
const CAUSE = 'Cause: p.yaml:4 (Be curt.). Setting it back alone fixes 2 of 2 references';

const said = (id: string, status: ReferenceStatus, suite = SUITE): string =>
  renderBlocks(referenceCauses({ id, status }, suite), { width: 500, colour: false });

test('a reference has the causes that were proven on it, with its own tries', () => {
  expect(said('a', 'regressed')).toContain(CAUSE);
  expect(said('a', 'regressed')).toContain(
    'This reference: 4 of 5 tries pass with it set back, 1 of 3 with it put into base.',
  );
});

test('where words were only taken out of a line, they are what is named, not what is left of it', () => {
  const [cause] = SUITE.causes;
  const text = 'Returns within 30 days. Parcels go with Northmail.';
  const left = 'Parcels go with Northmail.';
  const units = [{ ...causeUnit(), base_text: text, head_text: left }];
  const cut: SuiteCauses = { ...SUITE, causes: cause === undefined ? [] : [{ ...cause, units }] };
  expect(said('a', 'regressed', cut)).toContain(
    'Cause: p.yaml:4 (removed: Returns within 30 days.). ',
  );
});

test('a reference that nothing explains, or that was not tried, says so; one that held says nothing', () => {
  expect(said('b', 'regressed').trim()).toBe(
    'Cause: what was found does not explain this reference.',
  );
  const other = said('c', 'fell');
  expect(other).toContain('Cause of the fall of others, not tried on this reference:');
  expect(other).toContain(CAUSE);
  expect(other).not.toContain('This reference:');
  expect(said('c', 'unchanged')).toBe('');
});

test('where nothing was found, or looked for, a reference that fell has the reason', () => {
  const explained = { ...SUITE.explained, unexplained: ['a'] };
  const unsettled: SuiteCauses = {
    ...SUITE,
    causes: [],
    explained: { ...explained, status: 'not-settled', reason: 'not settled within 5 calls' },
  };
  expect(said('a', 'fell', unsettled).trim()).toBe('Cause: not settled within 5 calls.');
  expect(said('c', 'unchanged', unsettled)).toBe('');
});

test('the only change is not called a cause, in the report or beside its line', () => {
  const [cause] = SUITE.causes;
  if (cause === undefined) throw new Error('no cause');
  const untried: SuiteCauses = { ...SUITE, causes: [{ ...cause, relation: 'only-change' }] };
  const text = said('a', 'regressed', untried);
  expect(text.trim()).toBe('The only change: p.yaml:4 (Be curt.).');
  const changed = { path: 'p.yaml', basePath: null, lines: [{ start: 4, end: 4 }], deleted: false };
  const remarks = annotations({ ...regression(), causes: [untried] }, [changed]);
  expect(remarks.map(({ title, message }) => `${title}\n${message}`).join('\n')).not.toMatch(
    /cause|made/i,
  );
  expect(remarks.map(({ title }) => title)).toContain('The only change before s got worse');
});
