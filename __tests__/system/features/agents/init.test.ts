import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { agentRow } from '../../../../src/features/agents/rows/index.ts';
import { factsOf } from '../../../../src/types/vendors.ts';
import { commandIn, withoutKeys } from '../../../stand-ins/command-line.ts';
import { createRepository, filesBelow } from '../../../stand-ins/repository.ts';

const SKILL =
  '---\nname: release-notes\ndescription: Writes release notes. Use this when: release notes are wanted.\n---\nBe brief.\n';

async function init(given: Record<string, string>, env: NodeJS.ProcessEnv = {}) {
  const { directory, write } = createRepository();
  write(given);
  const terminal = { env: { ...withoutKeys().env, ...env }, width: 200 };
  const command = ['init', '--from', 'our-account/evaldiff@v1.0.0'];
  const { code, out } = await commandIn(directory, command, terminal);
  const validated = await commandIn(directory, ['validate', '--code', 'host'], terminal);
  const files = filesBelow(directory);
  const again = await commandIn(directory, command, terminal);
  return { code, out, validated: validated.code, said: validated.out, again: again.out, files };
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
    expect(suite.tests.references.map(({ trigger }) => trigger)).toEqual([undefined, null]);
    expect(files['evals/release-notes.yaml']).toContain('# - { id: chosen, task: "…", trigger: ');
    expect(out).toContain('for a skill a trigger test, into evals/release-notes.yaml');
    expect(files['prompts/support.yaml']).toBeUndefined();
    expect(again).not.toContain('wrote');
  });

  test.each([
    ['AGENTS.md', 'codex', 'openai'],
    ['CLAUDE.md', 'claude-code', 'anthropic'],
    ['.github/copilot-instructions.md', 'copilot', 'openai'],
    ['GEMINI.md', 'gemini-cli', 'gemini'],
    ['packages/api/AGENTS.md', 'codex', 'openai'],
    ['packages/api/GEMINI.md', 'gemini-cli', 'gemini'],
  ] as const)('chooses an agent that reads %s for the new suite', async (path, agent, vendor) => {
    const { validated, out, files } = await init({ [path]: 'Be brief.\n' });
    expect(validated).toBe(0);
    const { starterModel, keyVariable } = factsOf(vendor);
    expect(suiteIn(files, 'evals/agents.yaml')).toMatchObject({ agent, model: starterModel });
    expect(suiteIn(files, 'evals/agents.yaml').workspace).toEqual(
      path.startsWith('packages/') ? { from: 'packages/api' } : undefined,
    );
    expect(out).not.toContain('left');
    expect(out).toContain(`repository secret ${keyVariable}`);
    expect(out).toContain('npx evaldiff diff --code host');
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

  test.each<[string, string, object, Record<string, string>, NodeJS.ProcessEnv?]>([
    [
      'prefers an agent whose vendor has a key',
      'evals/agents.yaml',
      { agent: 'copilot' },
      { 'AGENTS.md': 'Be brief.\n' },
      { ANTHROPIC_API_KEY: 'k' },
    ],
    [
      "hides the skill's evals from the agent",
      'evals/release-notes.yaml',
      { workspace: { hide: ['skills/release-notes/evals', 'evals'] } },
      { 'skills/release-notes/SKILL.md': SKILL, 'skills/release-notes/evals/expected.md': 'x' },
    ],
  ])('%s', async (_, path, suite, given, env = {}) => {
    const { files, validated } = await init(given, env);
    expect(validated).toBe(0);
    expect(suiteIn(files, path)).toMatchObject(suite);
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

  const skill = (name: string, description = `Works with ${name} files.`) =>
    `---\nname: ${name}\ndescription: ${description}\n---\nBe brief.\n`;
  const leftIn = (out: string) => [...out.matchAll(/^left {2}(.*)$/gm)].map(([, of = '']) => of);

  test.each<[string, Record<string, string>, string[], string[]]>([
    [
      'many skills and a template',
      {
        'template/SKILL.md': skill('template-skill', 'Replace with description of the skill.'),
        'skills/docx/SKILL.md': skill('docx', '>\n  Works with\n  documents.'),
        'skills/pdf/SKILL.md': skill('pdf'),
      },
      ['evals/docx.yaml'],
      ['skills/pdf/SKILL.md: no suite tests it yet', 'template/SKILL.md: it is a template'],
    ],
    [
      'placeholders in a block of text',
      {
        'skills/a/SKILL.md': skill('a', '|-\n  TODO: say when to use it'),
        'skills/b/SKILL.md': skill('b', '"<what it does>"'),
        'skills/email-templates/SKILL.md': skill('email-templates', 'Replaces texts in templates.'),
      },
      ['evals/email-templates.yaml'],
      ['skills/a/SKILL.md: it is a template', 'skills/b/SKILL.md: it is a template'],
    ],
    [
      'a skill beside instruction files',
      {
        'skills/pdf/SKILL.md': skill('pdf'),
        'AGENTS.md': 'Be brief.\n',
        'GEMINI.md': 'Be brief.\n',
        'packages/api/CLAUDE.md': 'Be brief.\n',
      },
      ['evals/agents.yaml', 'evals/pdf.yaml'],
      ['GEMINI.md: no suite tests it yet', 'packages/api/CLAUDE.md: no suite tests it yet'],
    ],
    [
      'skills with and without evals.json',
      {
        'skills/pdf/SKILL.md': skill('pdf'),
        'skills/pdf/evals/evals.json':
          '{"skill_name":"pdf","evals":[{"prompt":"a","expectations":["b"]}]}',
        'skills/docx/SKILL.md': skill('docx'),
        'AGENTS.md': 'Be brief.\n',
      },
      [],
      ['skills/docx/SKILL.md: no suite tests it yet', 'AGENTS.md: no suite tests it yet'],
    ],
    [
      'prompts',
      {
        'prompts/a.yaml':
          'model: gpt-5.4\nprompt: Say {q}\ntests: { metrics: [{ name: a, uses: exact_match }], references: [{ input: { q: a }, expected: a }] }\n',
        'CLAUDE.md': 'x',
      },
      [],
      ['CLAUDE.md: no suite tests it yet'],
    ],
  ])('names the files without a suite in a project with %s', async (_, given, suites, left) => {
    const { out, again, said, files } = await init(given);
    expect(said).toContain('no errors');
    const written = Object.keys(files).filter((path) => /^evals\//.test(path));
    expect(written).toEqual(suites);
    expect([leftIn(out), leftIn(again)]).toEqual([left, left]);
    expect(files['prompts/support.yaml']).toBeUndefined();
    const isOpen = left.some((line) => line.includes('no suite'));
    expect(out.includes('For each file listed as left')).toBe(isOpen);
    expect(out.includes('The cases in evals.json of pdf run as prompts')).toBe(
      'skills/pdf/evals/evals.json' in given,
    );
  });

  test('uses one key for the suites of a skill and of AGENTS.md', async () => {
    const { files } = await init({ '.claude/skills/pdf/SKILL.md': skill('pdf'), 'AGENTS.md': 'x' });
    const agents = ['evals/pdf.yaml', 'evals/agents.yaml'].map((path) => suiteIn(files, path));
    expect(agents.map(({ agent }) => agent)).toEqual(['copilot', 'copilot']);
    expect(agents[0]?.model).toBe(agents[1]?.model);
  });

  test('writes suites that other commands describe as suites of agents', async () => {
    const { directory, commit, write } = createRepository();
    write({ '.claude/skills/pdf/SKILL.md': skill('pdf') });
    const given = { ...withoutKeys(), width: 500 };
    await commandIn(directory, ['init', '--from', 'our-account/evaldiff@v1.0.0'], given);
    const suite = readFileSync(join(directory, 'evals/pdf.yaml'), 'utf8');
    commit('base', {});
    write({ '.claude/skills/pdf/SKILL.md': skill('pdf', 'Reads PDFs.') });
    const said = async (...args: string[]) => (await commandIn(directory, args, given)).out;
    expect(await said('validate', '--code', 'host')).toContain('1 agent suite with 2 tasks: no');
    expect(await said('validate')).toContain(
      'claude-code with claude-sonnet-5-5 is an agent. Agents run only with code: host',
    );
    const plan = await said('plan', '--code', 'host');
    expect(plan).toContain('1 reference because of workspace (.claude/skills/pdf/SKILL.md)');
    expect(plan).toMatch(
      /Agents cost at most \$\d+\.00 by the limits in their suites; the run stops at \$20,/,
    );
    write({ 'evals/pdf.yaml': suite.replace('turns: 30', 'turns: 9') });
    expect(await said('plan', '--code', 'host')).toContain('because of agent (evals/pdf.yaml)');
    expect(await said('diff', '--code', 'host', '--max-calls', '1')).toContain(
      'answers for 2 tasks of 1 agent suite on both sides',
    );
  });
});
