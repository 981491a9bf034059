import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { SCRIPTED_AGENT } from '../../../stand-ins/agents/scripted-agent.ts';
import { clock } from '../../../stand-ins/clock.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { startAgentModel, type AgentModel } from '../../../stand-ins/models/agent-model.ts';
import { createRepository, fixtureEnvironment } from '../../../stand-ins/repository.ts';

const SUITE = `agent: { command: [node, tools/agent.mjs] }
model: claude-sonnet-4-5
workspace: { hide: [checks] }
limits: { turns: 8, minutes: 10 }
tests:
  n_tries: 2
  metrics:
    - { name: ends, uses: runs, with: { run: sh checks/ends.sh } }
  references:
    - { id: search, task: Write the notes for the search feature. }
    - { id: export, task: Write the notes for the export feature. }
    - { id: login, task: Write the notes for the login feature. }
`;

const BEFORE = `# Rules

Write short sentences.
Use the present tense.
Name the feature first.
When you write a file, end with GOOD.
Avoid abbreviations.
Keep one idea per line.
Do not use emoji.
Leave out marketing words.
`;

const AFTER = `# Rules

Write short, plain sentences.
Use the present tense throughout.
Name the feature in the first line.
When you write a file, end with a line break.
Avoid abbreviations and acronyms.
Keep one idea per line of text.
Do not use emoji or symbols.
Leave out all marketing words.
`;

const PROJECT = {
  'evaldiff.yaml': 'prompts: [evals/*.yaml]\nqualeval: off\n',
  'evals/notes.yaml': SUITE,
  'tools/agent.mjs': SCRIPTED_AGENT,
  'checks/ends.sh': 'tail -n 1 NOTES.md | grep -qx GOOD || { echo "no GOOD"; exit 1; }\n',
  'AGENTS.md': BEFORE,
  '.gitignore': 'report\n',
};

let model: AgentModel;

beforeAll(async () => {
  model = await startAgentModel();
});
afterAll(() => model.close());

async function diff(
  changed: Record<string, string>,
  settings: readonly string[] = [],
  project: Record<string, string> = PROJECT,
) {
  const { directory, commit, write } = createRepository();
  commit('base', project);
  write(changed);
  const before = model.requests.length;
  const args = ['diff', '--base', 'HEAD', '--code', 'host', '--report', 'report', ...settings];
  const { code, out } = await commandIn(directory, args, {
    env: fixtureEnvironment({
      EVALDIFF_STORE: join(mkdtempSync(join(tmpdir(), 'evaldiff-store-')), 'answers.sqlite'),
      ANTHROPIC_API_KEY: 'sk-ant-api03-real-key-0123456789abcdef',
    }),
    width: 300,
    testOverrides: { clock, vendorUrls: { anthropic: model.url } },
  });
  const comment = readFileSync(join(directory, 'report/comment.md'), 'utf8');
  const result = JSON.parse(readFileSync(join(directory, 'report/result.json'), 'utf8')) as Result;
  return { code, out, comment, result, paid: model.requests.length - before };
}

describe('the search for causes in an agent suite', () => {
  test('names the one of eight changed lines in AGENTS.md that broke the tasks', async () => {
    const { code, comment, result } = await diff({
      'AGENTS.md': AFTER,
      LICENSE: 'A new file, which the agent does not read.\n',
    });
    expect(code).toBe(1);
    const [{ causes = [], explained } = { causes: [] }] = result.causes ?? [];
    expect(causes).toMatchObject([
      {
        relation: 'alone',
        units: [
          {
            kind: 'line',
            file: 'AGENTS.md',
            lines: { from: 6, to: 6 },
            base_text: 'When you write a file, end with GOOD.',
          },
        ],
      },
    ]);
    expect(explained).toMatchObject({ status: 'found', units: 9, unexplained: [] });
    expect(comment).toContain('AGENTS.md:6');
    expect(comment).toContain('revert line 6 of `AGENTS.md`');
    // The comment shows both sides of the worst task.
    expect(comment).toMatch(/Write the notes for the \w+ feature\..*Last words.*Done: NOTES\.md/s);
    expect(comment).toMatch(/NOTES\.md<\/code><\/td>.*GOOD/);
    expect(comment).toMatch(/sh checks\/ends\.sh.*exit code.*no GOOD/);
    expect(comment).toMatch(/2 turns, 1 tool call, \$0\.00\d+.*: done/);
  });

  test('names the line that broke one metric although another fails on both sides', async () => {
    const absent =
      '    - { name: absent, uses: files, with: { exist: [missing.md] } }\n  references:';
    const project = { ...PROJECT, 'evals/notes.yaml': SUITE.replace('  references:', absent) };
    const { code, out, result } = await diff({ 'AGENTS.md': AFTER }, [], project);
    expect(code).toBe(1);
    const [{ causes = [], explained } = { causes: [] }] = result.causes ?? [];
    expect(causes).toMatchObject([{ relation: 'alone', units: [{ lines: { from: 6 } }] }]);
    expect(explained).toMatchObject({ status: 'found', metrics: ['ends'] });
    expect(out).toContain('Judged by ends alone.');
  });

  test('proposes a fix that restores the line, and tests it in a new run', async () => {
    const { result } = await diff(
      {
        'AGENTS.md': BEFORE.replace('end with GOOD.', 'end with a line break.'),
      },
      ['explain.fix=true', 'explain.max_calls=200'],
    );
    const [{ causes: [cause] } = { causes: [] }] = result.causes ?? [];
    expect(cause).toMatchObject({
      relation: 'only-change',
      fix: {
        kind: 'set back',
        file: 'AGENTS.md',
        lines: { from: 6, to: 6 },
        replaced: 'When you write a file, end with a line break.',
        replacement: 'When you write a file, end with GOOD.',
        restores: { references: 3, of: 3 },
      },
    });
  });

  test('stops once explain.max_calls is reached, and the report says so', async () => {
    const { result } = await diff({ 'AGENTS.md': AFTER }, ['explain.max_calls=5']);
    const [{ causes, explained } = { causes: [], explained: null }] = result.causes ?? [];
    expect(causes).toEqual([]);
    expect(explained).toMatchObject({
      status: 'not-settled',
      reason: 'explain.max_calls is reached',
      calls: 6,
    });
  });
});
