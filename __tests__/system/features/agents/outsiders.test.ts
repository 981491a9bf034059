import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import {
  createRepository,
  fixtureEnvironment,
  type FixtureFiles,
} from '../../../stand-ins/repository.ts';

const SUITE = `agent: { command: [node, tools/agent.mjs] }
model: claude-sonnet-4-5
workspace: { from: app, with: [AGENTS.md, tools, .claude], hide: ['app/checks/**'] }
tests:
  n_tries: 1
  metrics: [{ name: notes, uses: files, with: { exist: [NOTES.md] } }]
  references: [{ id: search, task: Write the notes., files: { DATA.md: data/search.md } }]
`;

const PROJECT: FixtureFiles = {
  'evaldiff.yaml': 'prompts: [evals/*.yaml]\nqualeval: off\n',
  'evals/notes.yaml': SUITE,
  'AGENTS.md': 'Be brief.\n',
  'app/STYLE.md': 'No jokes.\n',
  'app/run.sh': 'true\n',
  'app/checks/ends.sh': 'true\n',
  'tools/agent.mjs': 'console.log("{}");\n',
  'data/search.md': 'Search is new.\n',
  '.claude/skills/notes/SKILL.md': 'Write notes.\n',
  'README.md': 'Hello.\n',
};

async function diff(
  changed: FixtureFiles,
  args: readonly string[] = ['--untrusted', '--code', 'host'],
  base = PROJECT,
) {
  const { directory, commit, write } = createRepository();
  commit('base', base);
  write(changed);
  const command = ['diff', '--base', 'HEAD', '--report', 'report', ...args];
  const { code, out } = await commandIn(directory, command, {
    env: fixtureEnvironment({ EVALDIFF_STORE: 'off', ANTHROPIC_API_KEY: undefined }),
    width: 300,
  });
  const text = readFileSync(join(directory, 'report/result.json'), 'utf8');
  return { code, out, result: JSON.parse(text) as Result };
}

describe("an outside contributor's change to what an agent may read", () => {
  const [host, off] = [
    ['--untrusted', '--code', 'host'],
    ['--untrusted', '--code', 'off'],
  ];
  test.each<[string, string, FixtureFiles, string[]?]>([
    ['an edit', 'AGENTS.md', { 'AGENTS.md': 'Be long.\n' }],
    ['an edit with code: off', 'AGENTS.md', { 'AGENTS.md': 'Be long.\n' }, off],
    ['an edit without code: host', 'AGENTS.md', { 'AGENTS.md': 'Be long.\n' }, ['--untrusted']],
    ['a deletion', 'app/STYLE.md', { 'app/STYLE.md': null }],
    ['an addition', 'app/CLAUDE.md', { 'app/CLAUDE.md': 'Be long.\n' }],
    ['a renaming', 'app/STYLE.md', { 'app/STYLE.md': null, 'app/TONE.md': 'No jokes.\n' }],
    ['a new mode', 'app/run.sh', { 'app/run.sh': { program: 'true\n' } }],
    ['a link', 'app/STYLE.md', { 'app/STYLE.md': { link: 'run.sh' } }],
    ['a skill', '.claude/skills/notes/SKILL.md', { '.claude/skills/notes/SKILL.md': 'No.\n' }],
    ["the agent's program", 'tools/agent.mjs', { 'tools/agent.mjs': 'process.exit(1);\n' }],
    ["a task's file", 'data/search.md', { 'data/search.md': 'Search is old.\n' }],
    ['a hidden check', 'app/checks/ends.sh', { 'app/checks/ends.sh': 'false\n' }],
    ['a task that is added', 'evals/notes.yaml', { 'evals/notes.yaml': withTask('export') }],
    [
      'a suite that is deleted together with an edit',
      'AGENTS.md',
      { 'evals/notes.yaml': null, 'AGENTS.md': 'Be long.\n' },
    ],
    ['a suite that is added', 'evals/other.yaml', { 'evals/other.yaml': SUITE }],
  ])('is not judged and costs nothing: %s', async (_what, file, changed, args = host) => {
    const { code, out, result } = await diff(changed, args);
    expect({ code, conclusion: result.conclusion }).toEqual({ code: 0, conclusion: 'neutral' });
    expect(result.reasons[0]).toMatchObject({ code: 'not-run', what: 'agents', fails: false });
    expect(JSON.stringify(result.reasons[0])).toContain(JSON.stringify(file));
    expect(result.usage.calls).toBe(0);
    expect(out).toMatch(/Agents do not run for outside contributors\. \w+ was not judged/);
  });

  test.each<[string, FixtureFiles]>([
    ['README.md', { 'README.md': 'Hi.\n' }],
    ["a file next to a task's file", { 'data/more.md': 'More.\n' }],
    ['a comment in the suite', { 'evals/notes.yaml': `# Edited\n${SUITE}` }],
  ])('leaves the run green if no agent may read it: %s', async (_what, changed) => {
    const { code, result } = await diff(changed);
    expect({ code, conclusion: result.conclusion }).toEqual({ code: 0, conclusion: 'success' });
  });
});

function withTask(id: string): string {
  return SUITE.replace('references: [', `references: [{ id: ${id}, task: Do it. }, `);
}

describe("a member's change to what an agent may read", () => {
  test('is an error without code: host, because the author can set it', async () => {
    const { code, out } = await diff({ 'AGENTS.md': 'Be long.\n' }, ['--code', 'off']);
    expect(code).toBe(2);
    expect(out).toContain('runs only with code: host');
  });
});
