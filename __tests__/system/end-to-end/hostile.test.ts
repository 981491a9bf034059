import { runIdentity } from '../../../src/app/action/identity.ts';
import { outputsOf } from '../../../src/app/action/publish.ts';
import { readInputs } from '../../../src/config/inputs.ts';
import { OWN_SETTINGS } from '../../stand-ins/features.ts';
import { addPull } from '../../stand-ins/github/state.ts';
import { COMMENT_ELEMENTS, renderGithub } from '../../stand-ins/github-markdown.ts';
import {
  asciiQuoted as quoted,
  canBeWritten,
  hostileLogs,
  hostileTexts,
} from '../../stand-ins/hostile-text.ts';
import { REPORTS } from '../../stand-ins/reports.ts';
import { changeOf, questionOf, quiz, README, SETTINGS } from './projects.ts';
import { TOKEN, type StepResult } from './runner.ts';
import {
  MODEL_KEY,
  onPullRequest,
  onlyComment,
  PULL,
  pullRequest,
  pullRequestEvent,
  stage,
  type Stage,
} from './stage.ts';

const MARKER = runIdentity(readInputs({}, OWN_SETTINGS).inputs, {}).markers.comment.slice(5, -4);
const PAYLOADS = [
  ...Object.values(hostileTexts),
  ...hostileLogs,
  `<!-- ${MARKER} -->\n### ✅ No regression`,
];
/** The other payloads can only come from the model. */
const WRITABLE = PAYLOADS.filter(canBeWritten);
const writable = (n: number) => WRITABLE[n % WRITABLE.length]!;

/**
 * Every output contains only what evaldiff wrote: its commands in the log, its elements and links
 * in Markdown.
 */
function expectHarmless(run: StepResult, at: Stage) {
  const named = (is: (name: string) => boolean) => run.commands.filter(({ name }) => is(name));
  expect(named((name) => name !== 'add-mask').map(({ name }) => name)).toEqual(
    run.result.problems.map(() => 'error'),
  );
  const masked = named((name) => name === 'add-mask').map(({ data }) => data);
  expect(masked).toEqual([MODEL_KEY, TOKEN]);
  expect(run.log).not.toMatch(/[\u001b\u0007\u0000\u202e\u2028]/);
  const known = outputsOf(run.result, { commentId: 1, checkRunId: 2 }, '', REPORTS);
  expect(Object.keys(run.outputs).sort()).toEqual(Object.keys(known).sort());
  const comment = onlyComment(at);
  const { summary = '' } = at.github.state.checkRuns[0] ?? {};
  for (const markdown of [comment.replace(`<!-- ${MARKER} -->`, ''), run.summary, summary ?? '']) {
    const { elements, links, images, references, outside } = renderGithub(markdown);
    const ours = new Set([...COMMENT_ELEMENTS, 'pre', 'thead']);
    expect(elements.filter((name) => !ours.has(name))).toEqual([]);
    const foreign = links.filter((url) => !url.startsWith('https://github.example/acme/prompts/'));
    expect([...foreign, ...images, ...references]).toEqual([]);
    expect(outside).not.toMatch(/evil\.example|alert\(1\)/);
  }
  expect(comment.split('<!--')).toHaveLength(2);
  expect(comment.startsWith(`<!-- ${MARKER} -->`)).toBe(true);
}

describe('a hostile repository', () => {
  test('cannot break out of table cells with names, ids, tags, prompts, answers or reasons', async () => {
    // Correct on base and hostile on head, so that every payload appears as a regressed answer.
    const at = await stage(({ messages }) => {
      const n = questionOf(messages);
      const isHead = messages[0]!.content.startsWith('Head');
      return { text: isHead ? PAYLOADS[n % PAYLOADS.length]! : `answer ${n}` };
    });
    const name = quoted(`${writable(0)} ##[error]x`);
    const prompt = (system: string) =>
      `defaults: ["tests/q"]\nname: ${name}\nmodel: quiz-model\nuser: ${quoted('::error::parameter')}\nvariables: [question]
messages:\n  - { role: system, content: ${quoted(system)} }\n  - { role: human, content: "{question}" }\n`;
    const references = PAYLOADS.map((_, n) => {
      const id = quoted(`${writable(n).slice(0, 60)} ${n}`);
      const tag = quoted(writable(n + 1).slice(0, 60));
      const question = quoted(`${writable(n + 2)}\nQuestion ${n}?`);
      return `  - { id: ${id}, tags: [${tag}], input: { question: ${question} }, expected: "answer ${n}" }\n`;
    });
    const file = 'prompts/::error::@octocat <b>x.yaml';
    const tests = `n_tries: 3\nmetrics: [{ name: ${quoted('<img src=x> ::error::m')}, uses: exact_match }]\nreferences:\n${references.join('')}`;
    const change = changeOf(
      { 'evaldiff.yaml': SETTINGS, [file]: prompt('Base'), 'prompts/tests/q.yaml': tests },
      { [file]: prompt(`Head ${PAYLOADS.slice(0, 9).join(' ').replaceAll('\u0000', '')}`) },
    );
    const event = pullRequestEvent(change);
    const payload = event.payload as { pull_request: { title: string; head: { ref: string } } };
    payload.pull_request.title = PAYLOADS.join(' ');
    payload.pull_request.head.ref = 'a$(id)`id`<b>@octocat';
    const body = PAYLOADS.flatMap((text) => [`Fixes: ${text}`, `Fixes: \`${text}\``]).join('\n');
    addPull(at.github.state, { number: PULL, base: { ref: 'main', sha: change.base }, body });

    const run = await onPullRequest(at, change, { event, shipped: true });
    const regressed = String(PAYLOADS.length);
    expect(run.outputs).toMatchObject({ conclusion: 'failure', errors: '0', regressed });
    expectHarmless(run, at);
    expect(at.github.state.checkRuns[0]?.annotations.map(({ path }) => path)).toEqual([file]);
    expect(run.reports['report.html']).not.toMatch(/<img src=(x|https)|<script>alert|<svg onload/);
  });

  test('gets its errors reported and none of its commands obeyed', async () => {
    const keys = WRITABLE.slice(0, 40).map((text, at) => `${quoted(`${text} ${at}`)}: [1]`);
    const model = quoted('::warning::@octocat ![x](https://evil.example)');
    const { at, run } = await pullRequest(README, {
      'evaldiff.yaml': `${SETTINGS}${quoted('::set-output name=conclusion::success')}: 1\n`,
      'prompts/a.yaml': `name: a\nmodel: quiz-model\nprompt: { content: x }\n${keys.join('\n')}\n`,
      'prompts/b.yaml': `name: "::error::b\n  ##[group]"\nmodel: ${model}\nmessages: [{ role: "::notice::", content: "{::error::} {evil}" }]\n`,
      'prompts/c.yaml': '::error::not yaml: [\n  ##[error]: {\n',
      'prompts/::add-mask::e.yaml': 'defaults: ["../../::error::x", "tests/##[error]"]\nname: d\n',
    });
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error' } });
    expect(run.result.problems.length).toBeGreaterThan(40);
    expectHarmless(run, at);
    expect(at.models.requests).toEqual([]);
  });

  test("cannot change another user's comment, or hide evaldiff's comment by copying its marker", async () => {
    const base = { ...quiz(), 'README.md': 'Before' };
    const inputs = { comment: 'always' };
    const answer = () => ({ text: 'answer 1' });
    const { at, run, change } = await pullRequest(base, README, { answer, inputs });
    const { comments } = at.github.state;
    const user = { login: 'mallory', id: 9, type: 'User' } as const;
    const spoof = { ...comments[0]!, id: 1, user, body: `<!-- ${MARKER} -->\n### ✅ APPROVED` };
    comments.unshift(spoof);
    const again = await onPullRequest(at, change, { inputs });
    expect(again.outputs['comment-id']).toBe(run.outputs['comment-id']);
    expect(spoof.body).toContain('APPROVED');
    const message = /^A comment by .*mallory.* contains the marker of this report/;
    expect(again.annotations).toMatchObject([
      { level: 'warning', message: expect.stringMatching(message) },
    ]);
  });
});
