import { UserError, problem } from '../../../../src/errors.ts';
import type { OpenProject } from '../../../../src/features/workbench/look.ts';
import { createRefresher, initialState } from '../../../../src/features/workbench/refresh.ts';

const asked = {
  suite: { path: 'p.yaml', name: 'p', variant: { model: 'm', parameters: {} } },
  id: 'a',
  tries: 2,
};

function lookingAt(error: Error) {
  const refused = () => Promise.reject(error);
  const state = initialState({ calls: 0, cost: 0, unpriced: false, maxCalls: 1, maxCost: 1 });
  const project = { root: '/', inSession: refused, withFiles: refused } as unknown as OpenProject;
  return { state, looking: createRefresher(project, state) };
}

test('a failed refresh after a button click ends the workbench without an unhandled rejection', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const { looking } = lookingAt(full);
  await looking.run(asked);
  expect(looking.failed.reason).toBe(full);
  await looking.refresh();
  await looking.idle();
});

test("the page shows errors in the project's files and the workbench keeps running", async () => {
  const { looking, state } = lookingAt(new UserError([problem(null, 'the files are odd')]));
  await looking.refresh();
  expect([state.problems, state.isBad, looking.failed.aborted]).toEqual([
    ['the files are odd'],
    true,
    false,
  ]);
});
