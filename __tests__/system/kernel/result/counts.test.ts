import type { Reference } from '../../../../src/kernel/suite/suite.ts';
import { renderComment, renderJunit } from '../../../stand-ins/reports.ts';
import { project, reference, settings } from '../../../unit/app/run/builders.ts';
import { NEW, OLD, runPipeline, shop } from '../../app/run/pipeline.ts';

/** One of 60 references breaks in all five tries; seven others pass about half of the time. */
async function oneOfMany(changes: Partial<Reference> = {}) {
  const own = { settings: settings({ n_tries: 5 }) };
  const references = Array.from({ length: 60 }, (_, index) =>
    reference(`r${String(index).padStart(2, '0')}`, index === 0 ? changes : {}),
  );
  const { result } = await runPipeline(
    project([shop(OLD, 0, { tests: { references } })], own),
    project([shop(NEW, 0, { tests: { references } })], own),
    ({ try: index }, question) => {
      const at = Number(/r(\d+)/.exec(question)?.[1]);
      if (at === 0) return question.startsWith('New') ? 'no' : 'yes';
      return at > 7 || (index + at + (question.startsWith('New') ? 1 : 0)) % 2 === 1 ? 'yes' : 'no';
    },
  );
  return result;
}

describe('a worse reference in a suite that is not regressed', () => {
  test('is named in the title and the verdict line', async () => {
    const result = await oneOfMany();
    expect(result.suites[0]).toMatchObject({
      verdict: 'inconclusive',
      reason: { by: 'named', references: ['r00'] },
    });
    expect(result.suites[0]?.references[0]?.status).toBe('regressed');
    expect(result.suites[0]?.references[0]?.p).toBeCloseTo(1 / 252, 12);
    expect(result).toMatchObject({
      conclusion: 'neutral',
      title:
        'Inconclusive: p: r00 5 of 5 → 0 of 5: worse, but not enough to call the suite regressed',
    });
    const comment = renderComment(result, { marker: 'm' });
    expect(comment).toContain('Inconclusive');
    expect(comment).toContain(
      '`r00` 5 of 5 → 0 of 5: worse, but not enough to call the suite regressed',
    );
    expect(comment).not.toContain('No regression');
  });

  test('is not a failure in the JUnit file if the check is green', async () => {
    const xml = renderJunit(await oneOfMany());
    expect(xml).toContain('failures="0"');
    expect(xml).toContain(
      'got worse, but not enough to call the suite regressed: 5 of 5 passed on base, 0 of 5 passed on head',
    );
  });

  test('is not counted if it does not affect the verdict', async () => {
    expect((await oneOfMany({ skip: true })).title).toBe('No regression: p 94.2 → 93.9 %');
  });
});
