import { describe, expect, test } from '@jest/globals';
import { runIdentity } from '../../../src/app/action/identity.ts';
import { readInputs } from '../../../src/config/inputs.ts';
import { OWN_SETTINGS } from '../../stand-ins/features.ts';
import { COMMENT_ELEMENTS, renderGithub } from '../../stand-ins/github-markdown.ts';
import { hostileLogs, hostileTexts } from '../../stand-ins/hostile-text.ts';
import { changeOf, questionOf, quiz, SETTINGS } from './projects.ts';
import { TOKEN, type StepResult } from './runner.ts';
import {
  MODEL_KEY,
  onPullRequest,
  onlyComment,
  pullRequestEvent,
  stage,
  type Stage,
  pullRequest,
} from './stage.ts';

const MARKER = runIdentity(readInputs({}, OWN_SETTINGS).inputs, {}).markers.comment.slice(5, -4);
const PAYLOADS = [
  ...Object.values(hostileTexts),
  ...hostileLogs,
  `<!-- ${MARKER} -->\n### ✅ No regression`,
];
/** What a YAML file can hold: the rest reaches us through the model only. */
const WRITABLE = PAYLOADS.filter(
  (text) => text.isWellFormed() && !/[\0-\x08\v\f\x0e-\x1f\x7f]/.test(text),
);
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * Whatever a run shows holds only what we put there: our commands in the log, our elements and
 * links in Markdown.
 */
function expectHarmless(run: StepResult, at: Stage, shown: readonly string[]): void {
  const problems = run.result.problems.length;
  expect(run.commands.filter(({ name }) => name !== 'add-mask').map(({ name }) => name)).toEqual(
    Array<string>(problems).fill('error'),
  );
  expect(run.commands.filter(({ name }) => name === 'add-mask').map(({ data }) => data)).toEqual([
    MODEL_KEY,
    TOKEN,
  ]);
  expect(run.log).not.toMatch(/[\u001b\u0007\u0000\u202e\u2028]/);
  expect(Object.keys(run.outputs).sort()).toEqual([
    'calls',
    'check-run-id',
    'comment-id',
    'conclusion',
    'cost-usd',
    'errors',
    'improved',
    'inconclusive',
    'pass-rate-base',
    'pass-rate-head',
    'regressed',
    'regressed-attributes',
    'replayed',
    'report-path',
    'reused',
    'title',
  ]);
  for (const markdown of shown) {
    const rendered = renderGithub(markdown);
    expect(
      rendered.elements.filter(
        (name) => !COMMENT_ELEMENTS.has(name) && name !== 'pre' && name !== 'thead',
      ),
    ).toEqual([]);
    expect(
      rendered.links.filter((url) => !url.startsWith('https://github.example/acme/prompts/')),
    ).toEqual([]);
    expect([...rendered.images, ...rendered.references]).toEqual([]);
    expect(rendered.outside).not.toMatch(/evil\.example|alert\(1\)/);
  }
  expect(at.github.state.comments).toHaveLength(1);
  expect(onlyComment(at).split('<!--')).toHaveLength(2);
  expect(onlyComment(at).startsWith(`<!-- ${MARKER} -->`)).toBe(true);
}

function published(run: StepResult, at: Stage): string[] {
  const check = at.github.state.checkRuns[0];
  return [onlyComment(at).replace(`<!-- ${MARKER} -->`, ''), run.summary, check?.summary ?? ''];
}

describe('a hostile repository', () => {
  test('stays inside its cells where it can be judged: names, ids, tags, prompts, answers, reasons', async () => {
    const asked = new Map<string, number>();
    // Right on base and hostile on head, so that every payload is shown as a regressed answer.
    const at = await stage(({ messages }) => {
      const n = questionOf(messages);
      const key = JSON.stringify(messages);
      asked.set(key, (asked.get(key) ?? 0) + 1);
      return {
        text: messages[0]!.content.startsWith('Head')
          ? PAYLOADS[n % PAYLOADS.length]!
          : `answer ${String(n)}`,
      };
    });
    const name = WRITABLE[0]!;
    const prompt = (
      system: string,
    ) => `defaults: ["tests/q"]\nname: ${quoted(`${name} ##[error]x`)}\nmodel: quiz-model\nuser: ${quoted('::error::parameter')}\nvariables: [question]
messages:\n  - { role: system, content: ${quoted(system)} }\n  - { role: human, content: "{question}" }\n`;
    const references = PAYLOADS.map((_, n) => {
      const id = quoted(`${WRITABLE[n % WRITABLE.length]!.slice(0, 60)} ${String(n)}`);
      return `  - { id: ${id}, tags: [${quoted(WRITABLE[(n + 1) % WRITABLE.length]!.slice(0, 60))}], input: { question: ${quoted(`${WRITABLE[(n + 2) % WRITABLE.length]!}\nQuestion ${String(n)}?`)} }, expected: "answer ${String(n)}" }\n`;
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

    const run = await onPullRequest(at, change, { event, shipped: true });
    expect(run.outputs).toMatchObject({
      conclusion: 'failure',
      errors: '0',
      regressed: String(PAYLOADS.length),
    });
    expectHarmless(run, at, published(run, at));
    expect(at.github.state.checkRuns[0]?.annotations.map(({ path }) => path)).toEqual([file]);
    expect(run.reports['report.html']).not.toMatch(/<img src=(x|https)|<script>alert|<svg onload/);
  });

  test('has its mistakes told without obeying them', async () => {
    const lines = WRITABLE.slice(0, 40)
      .map((text, index) => `${quoted(`${text} ${String(index)}`)}: [1]`)
      .join('\n');
    const { at, run } = await pullRequest(
      { 'README.md': 'About' },
      {
        'evaldiff.yaml': `${SETTINGS}${quoted('::set-output name=conclusion::success')}: 1\n`,
        'prompts/a.yaml': `name: a\nmodel: quiz-model\nprompt: { content: x }\n${lines}\n`,
        'prompts/b.yaml': `name: "::error::b\n  ##[group]"\nmodel: ${quoted('::warning::@octocat ![x](https://evil.example)')}\nmessages: [{ role: "::notice::", content: "{::error::} {evil}" }]\n`,
        'prompts/c.yaml': '::error::not yaml: [\n  ##[error]: {\n',
        'prompts/::add-mask::e.yaml':
          'defaults: ["../../::error::x", "tests/##[error]"]\nname: d\n',
      },
      { answer: () => ({}) },
    );
    expect(run.code).toBe(1);
    expect(run.outputs['conclusion']).toBe('error');
    expect(run.result.problems.length).toBeGreaterThan(40);
    expectHarmless(run, at, published(run, at));
    expect(at.models.requests).toEqual([]);
  });

  test("cannot take over somebody's comment, nor have ours lost by writing its marker", async () => {
    const { at, change, run } = await pullRequest(
      { ...quiz(), 'README.md': 'About' },
      { 'README.md': 'Changed' },
      { answer: () => ({ text: 'answer 1' }), inputs: { comment: 'always' } },
    );
    const spoof = {
      ...at.github.state.comments[0]!,
      id: 1,
      user: { login: 'mallory', id: 9, type: 'User' as const },
      body: `<!-- ${MARKER} -->\n### ✅ APPROVED`,
    };
    at.github.state.comments.unshift(spoof);
    const again = await onPullRequest(at, change, { inputs: { comment: 'always' } });
    expect(again.outputs['comment-id']).toBe(run.outputs['comment-id']);
    expect(spoof.body).toContain('APPROVED');
    expect(again.annotations.map(({ level, message }) => `${level} ${message}`)).toEqual([
      expect.stringMatching(/^warning A comment by .*mallory.* carries the marker of this report/),
    ]);
  });
});
