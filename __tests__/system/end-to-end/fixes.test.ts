import {
  CULPRIT,
  HEAD_LINES,
  shopFiles,
  shopModel,
  shopPrompt,
} from '../../stand-ins/eight-lines.ts';
import { ACTIONS_BOT, addPull, addReviewComment } from '../../stand-ins/github/index.ts';
import { changeOf, pushed, SETTINGS, type Change } from './projects.ts';
import { onPullRequest, onlyComment, PULL, pullRequestEvent, stage, type Stage } from './stage.ts';

const FILE = 'prompts/shop.yaml';
const DRAFT = 'Be warm about refunds, and name the refund period.';

function eightLines() {
  return changeOf(shopFiles(SETTINGS), { [FILE]: shopPrompt(HEAD_LINES) });
}

/** Runs the action on a pull request whose diff on GitHub shows these lines. */
function onDiff(
  at: Stage,
  change: Change,
  hunks: [number, number][],
  options?: Parameters<typeof onPullRequest>[2],
) {
  const { state } = at.github;
  const base = { ref: 'main', sha: change.base };
  const pull = state.pulls.get(PULL) ?? addPull(state, { number: PULL, base });
  pull.diff = { [FILE]: hunks };
  return onPullRequest(at, change, options);
}

const remarks = ({ github }: Stage) => github.state.reviewComments;

describe('a pull request with a proven fix', () => {
  test('gets the fix as a suggestion on the line of the cause, until that line is fixed', async () => {
    const at = await stage(shopModel([DRAFT]));
    const change = eightLines();
    const red = await onDiff(at, change, [[6, 19]]);
    expect(red.outputs['conclusion']).toBe('failure');
    expect(remarks(at)).toMatchObject([
      { path: FILE, line: CULPRIT, startLine: null, user: ACTIONS_BOT, commit: change.head },
    ]);
    expect(remarks(at)[0]?.body.split('\n').slice(0, 6)).toEqual([
      expect.stringMatching(/^<!-- evaldiff fix evaldiff [0-9a-f]{8} -->$/),
      '**Suggested fix** for `shop`: fixes 3 of 3 tests that the grader did not see and broke none of 4 others that passed.',
      '',
      '```suggestion',
      `      ${DRAFT}`,
      '```',
    ]);
    expect(onlyComment(at)).toContain(`\`\`\`diff\n- ${HEAD_LINES[1]}\n+ ${DRAFT}\n\`\`\``);

    // A second run keeps the same comment in the same place.
    const [first] = remarks(at).map(({ id }) => id);
    await onDiff(at, change, [[6, 19]]);
    expect(remarks(at).map(({ id }) => id)).toEqual([first]);

    // The suggestion is committed: its line has changed, and nothing is left to fix.
    const mended = pushed(change, {
      [FILE]: shopPrompt(HEAD_LINES.map((line, i) => (i === CULPRIT - 9 ? DRAFT : line))),
    });
    for (const remark of remarks(at)) remark.line = null;
    const green = await onDiff(at, mended, [[6, 19]]);
    expect(green.outputs['conclusion']).toBe('success');
    expect(remarks(at)).toEqual([]);
    expect(at.github.state.violations).toEqual([]);
  });

  test('gets the fix in the comment alone, with a warning, if the diff does not show its lines', async () => {
    const at = await stage(shopModel([DRAFT]));
    const change = eightLines();
    const run = await onDiff(at, change, [[14, 19]]);
    expect(remarks(at)).toEqual([]);
    expect(onlyComment(at)).toContain(`+ ${DRAFT}`);
    expect(run.messages).toEqual([
      expect.stringContaining('A suggested fix is only in the comment, not on line 10'),
    ]);
  });

  test('keeps an earlier suggestion if the run is from a fork, has comments off, or has no verdict', async () => {
    const at = await stage(shopModel([DRAFT]));
    const change = eightLines();
    addPull(at.github.state, { number: PULL, base: { ref: 'main', sha: change.base } });
    addReviewComment(at.github.state, {
      pull: PULL,
      user: ACTIONS_BOT,
      body: '<!-- evaldiff fix evaldiff -->\nOf an earlier run.',
      path: FILE,
      line: 12,
    });
    await onDiff(at, change, [[6, 19]], { inputs: { comment: 'never' } });
    const event = pullRequestEvent(change, 'pull_request_target.fork');
    await onDiff(at, change, [[6, 19]], { event });
    const broken = pushed(change, { [FILE]: 'name: shop\nmesages: []\n' });
    expect((await onDiff(at, broken, [[1, 12]])).outputs['conclusion']).toBe('error');
    expect(remarks(at).map(({ line }) => line)).toEqual([12]);
    expect(
      at.github.state.exchanges.filter(({ path }) => path.endsWith('/pulls/12/comments')),
    ).toEqual([]);
  });
});
