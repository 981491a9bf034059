import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { agentRow } from '../../../../src/features/agents/rows/index.ts';
import { factsOf } from '../../../../src/types/vendors.ts';
import { commandIn, withoutKeys } from '../../../stand-ins/command-line.ts';
import { createRepository, filesBelow } from '../../../stand-ins/repository.ts';

const SKILL =
  '---\nname: release-notes\ndescription: Writes release notes. Use this when: release notes are wanted.\n---\nBe brief.\n';

async function init(files: Record<string, string>, env: NodeJS.ProcessEnv = {}) {
  const { directory, write } = createRepository();
  write(files);
  const given = { env: { ...withoutKeys().env, ...env }, width: 200 };
  const command = ['init', '--from', 'our-account/evaldiff@v1.0.0'];
  const { code, out } = await commandIn(directory, command, given);
  const { code: validated, out: said } = await commandIn(
    directory,
    ['validate', '--code', 'host'],
    given,
  );
  const written = filesBelow(directory);
  const again = await commandIn(directory, command, given);
  return { code, validated, out, said, again: again.out, files: written };
}

const suiteIn = (files: Readonly<Record<string, string>>, path: string) =>
  parse(files[path] ?? '') as {
    agent: string;
    model: string;
    workspace?: object;
    tests: { references: { id: string; task: string; trigger?: string | null }[] };
  };

describe('evaldiff init with agent instructions', () => {
  test.each([
    ['a skill of Claude Code', '.claude/skills/release-notes/SKILL.md', 'claude-code', undefined],
    ['a skill that Codex finds', '.agents/skills/release-notes/SKILL.md', 'codex', undefined],
    ['a skill elsewhere', 'skills/release-notes/SKILL.md', 'claude-code', 'skills/release-notes'],
    ['a skill at the root', 'SKILL.md', 'claude-code', '.'],
  ])('writes a valid suite with trigger tests for %s', async (_, path, agent, placed) => {
    const { code, validated, said, out, again, files } = await init({ [path]: SKILL });
    expect([code, validated, said]).toEqual([0, 0, expect.stringContaining('no errors')]);
    expect(out).toContain(`wrote evals/release-notes.yaml: it tests ${path}\n`);
    const suite = suiteIn(files, 'evals/release-notes.yaml');
    expect(suite.agent).toBe(agent);
    expect(suite.workspace).toEqual({
      hide: ['evals'],
      ...(placed === undefined ? {} : { skills: { 'release-notes': placed } }),
    });
    expect(suite.tests.references.map(({ trigger }) => trigger)).toEqual([
      undefined,
      'release-notes',
      null,
    ]);
    expect(suite.tests.references[1]?.task).toMatch(/^Writes release notes\. Use this when: /);
    expect(files['prompts/support.yaml']).toBeUndefined();
    expect(again).not.toContain('wrote');
  });

  test.each([
    ['AGENTS.md', 'codex', 'openai'],
    ['CLAUDE.md', 'claude-code', 'anthropic'],
    ['.github/copilot-instructions.md', 'copilot', 'openai'],
  ] as const)('chooses an agent that reads %s for the new suite', async (path, agent, vendor) => {
    const { validated, out, files } = await init({ [path]: 'Be brief.\n' });
    expect(validated).toBe(0);
    const { starterModel, keyVariable } = factsOf(vendor);
    expect(suiteIn(files, 'evals/agents.yaml')).toMatchObject({ agent, model: starterModel });
    expect(out).toContain(`repository secret ${keyVariable}`);
    expect(out).toContain('npx evaldiff diff --code host');
  });

  test('prefers an agent whose vendor has a key', async () => {
    const { files, validated } = await init(
      { 'AGENTS.md': 'Be brief.\n' },
      { ANTHROPIC_API_KEY: 'k' },
    );
    expect([validated, suiteIn(files, 'evals/agents.yaml').agent]).toEqual([0, 'copilot']);
  });

  test('installs the agent in the workflow and allows it to run, with code: host', async () => {
    const { files } = await init({ 'AGENTS.md': 'Be brief.\n' });
    const { jobs } = parse(files['.github/workflows/evaldiff.yml'] ?? '') as {
      jobs: { evaldiff: { steps: object[] } };
    };
    const { npm, version } = agentRow('codex');
    expect(jobs.evaldiff.steps).toEqual([
      { run: `npm install --global ${npm?.package ?? ''}@${version ?? ''}` },
      expect.objectContaining({ with: expect.objectContaining({ code: 'host' }) }),
    ]);
  });

  test("hides the skill's evals from the agent", async () => {
    const { files, validated } = await init({
      'skills/release-notes/SKILL.md': SKILL,
      'skills/release-notes/evals/expected.md': 'x',
    });
    expect(validated).toBe(0);
    expect(suiteIn(files, 'evals/release-notes.yaml').workspace).toMatchObject({
      hide: ['skills/release-notes/evals', 'evals'],
    });
  });

  test('writes no suite if one already exists', async () => {
    const suite =
      'agent: codex\nmodel: gpt-5.4\ntests: { references: [{ task: Write., trigger: null }] }\n';
    const { files, validated } = await init({ 'AGENTS.md': 'x', 'evals/own.yaml': suite });
    expect(validated).toBe(0);
    expect(Object.keys(files).filter((path) => /^(?:evals|prompts)\//.test(path))).toEqual([
      'evals/own.yaml',
    ]);
  });
});
