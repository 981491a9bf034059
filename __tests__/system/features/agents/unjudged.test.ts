import type { Result } from '../../../../src/kernel/result/result.ts';
import type { FixtureFiles } from '../../../stand-ins/repository.ts';
import { quizPrompt, quizTests, recordings } from '../../end-to-end/projects.ts';
import { diffIn, editedRepository } from './diff-setting.ts';

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

const OUTSIDER = ['--untrusted', '--code', 'host'];

const diff = (changed: FixtureFiles, args: readonly string[] = OUTSIDER, base = PROJECT) =>
  diffIn(editedRepository(base, changed).directory, args, {
    env: { EVALDIFF_STORE: 'off', ANTHROPIC_API_KEY: undefined },
  });

describe("an outside contributor's change to what an agent may read", () => {
  test.each([
    ['an edit', 'AGENTS.md', { 'AGENTS.md': 'Be long.\n' }],
    [
      'an edit with code: off',
      'AGENTS.md',
      { 'AGENTS.md': 'Be long.\n' },
      ['--untrusted', '--code', 'off'],
    ],
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
  ])('is not judged and costs nothing: %s', async (_what, file, changed, args = OUTSIDER) => {
    const { code, out, result } = await diff(changed, args);
    expect({ code, conclusion: result.conclusion }).toEqual({ code: 0, conclusion: 'neutral' });
    expect(result.reasons[0]).toMatchObject({ code: 'not-run', what: 'agents', fails: false });
    expect(JSON.stringify(result.reasons[0])).toContain(JSON.stringify(file));
    expect(result.usage.calls).toBe(0);
    expect(out).toMatch(/Agents do not run for outside contributors\. \w+ was not judged/);
  });

  test.each([
    ['README.md', { 'README.md': 'Hi.\n' }],
    ["a file next to a task's file", { 'data/more.md': 'More.\n' }],
    ['a comment in the suite', { 'evals/notes.yaml': `# Edited\n${SUITE}` }],
  ])('leaves the run green if no agent may read it: %s', async (_what, changed) => {
    const { code, result } = await diff(changed);
    expect({ code, conclusion: result.conclusion }).toEqual({ code: 0, conclusion: 'success' });
  });
});

function withTask(id: string) {
  return SUITE.replace('references: [', `references: [{ id: ${id}, task: Do it. }, `);
}

describe("a member's change to what an agent may read", () => {
  test('is an error without code: host, because the author can set it', async () => {
    const { code, out } = await diff({ 'AGENTS.md': 'Be long.\n' }, ['--code', 'off']);
    expect(code).toBe(2);
    expect(out).toContain('Agents run only with code: host');
  });
});

const RIGHT = (question: number) => `answer ${question}`;
const WRONG = () => 'no idea';

/** A prompt whose answers are recorded, so that its edits need no key. */
const PROMPT: FixtureFiles = {
  'evaldiff.yaml': `prompts: [prompts/*.yaml]
qualeval: off
n_tries: 3
models: { recorded: { provider: replay, file: old.jsonl, model: old } }
`,
  'prompts/old.yaml': quizPrompt('Be exact.', 'recorded', 'old'),
  'prompts/tests/old.yaml': quizTests(),
  'old.jsonl': [
    recordings(['old', 'Be exact.', 3], RIGHT),
    recordings(['old', 'Be kind.', 3], RIGHT),
    recordings(['old', 'Be silly.', 3], WRONG),
  ].join(''),
  'README.md': 'Hello.\n',
};
/** Its variable has the name of a task's files. */
const FILES_PROMPT = `name: f
model: recorded
variables: [{ name: files }]
messages: [{ role: user, content: 'List {files}' }]
tests:
  metrics: [{ name: answer, uses: exact_match }]
  references: [{ id: a, input: { files: a.txt }, expected: a }]
`;
const edited = (system: string) => ({ 'prompts/old.yaml': quizPrompt(system, 'recorded', 'old') });
const SETTINGS = String(PROMPT['evaldiff.yaml']);
const named = (more = '') => ({
  ...PROMPT,
  'evaldiff.yaml': `${SETTINGS}agent: { agent: codex, model: gpt-5.4-mini }\n${more}`,
});

describe('a changed instruction file that no workspace holds', () => {
  const saysOf = ({ reasons, notices }: Result) =>
    JSON.stringify([reasons, notices.map(({ message }) => message)]);

  test.each<[string, string, FixtureFiles?, FixtureFiles?]>([
    ['AGENTS.md', 'AGENTS.md'],
    ['CLAUDE.md', 'packages/api/CLAUDE.md'],
    ['GEMINI.md', 'GEMINI.md', { 'GEMINI.md': null }, { 'GEMINI.md': 'Be brief.\n' }],
    ['.claude', '.claude/rules/tone.md'],
    ['.cursor', '.cursor/rules/style.mdc'],
    ['.github', '.github/copilot-instructions.md'],
    ['.github', '.github/instructions/a.md'],
    ['a link', 'CLAUDE.md', { 'CLAUDE.md': { link: 'README.md' } }],
    [
      'a renamed skill',
      'skills/docx/SKILL.md, skills/pdf/SKILL.md',
      { 'skills/pdf/SKILL.md': null, 'skills/docx/SKILL.md': 'Read it.\n' },
      { 'skills/pdf/SKILL.md': 'Read it.\n' },
    ],
    [
      "a file in a skill's folder",
      'skills/pdf/references/forms.md',
      { 'skills/pdf/references/forms.md': 'Fill them.\n' },
      { 'skills/pdf/SKILL.md': 'Read it.\n' },
    ],
  ])(
    'is named and neutral if an agent is named: %s',
    async (_what, path: string, changed = { [path]: 'Be long.\n' }, more = {}) => {
      const { code, result } = await diff(changed, [], { ...named(), ...more });
      expect({ code, conclusion: result.conclusion }).toEqual({ code: 0, conclusion: 'neutral' });
      expect(saysOf(result)).toContain(`${path} changed outside every agent's workspace`);
      expect(saysOf(result)).toContain('workspace: { with: [PATH] }');
    },
  );

  test.each([
    ['the README', named(), { 'README.md': 'Hi.\n' }],
    ["a page in the skill's neighbourhood", named(), { 'skills/README.md': 'Hi.\n' }],
    ['instructions: off', named('instructions: off\n'), { 'AGENTS.md': 'Be long.\n' }],
    [
      'instructions: off for its folder',
      named("instructions: { 'docs/**': off }\n"),
      { 'docs/AGENTS.md': 'Be long.\n' },
    ],
    ["a skill's evaluation", named(), { 'skills/pdf/evals/x.md': 'Hi.\n' }],
  ])('leaves the run green: %s', async (_what, base, changed) => {
    const more = { 'skills/pdf/SKILL.md': 'Read it.\n' };
    const { result } = await diff(changed, [], { ...base, ...more });
    expect(result).toMatchObject({ conclusion: 'success', notices: [] });
  });

  test.each([
    ["base's setting", named(), named('instructions: off\n'), 'neutral'],
    [
      'judge without an agent',
      { ...PROMPT, 'evaldiff.yaml': `${SETTINGS}instructions: judge\n` },
      {},
      'neutral',
    ],
    ['tell with an agent', named('instructions: tell\n'), {}, 'success'],
    ['no agent', PROMPT, {}, 'success'],
  ])('is named by the setting that applies: %s', async (_what, base, head, conclusion) => {
    const settings = 'evaldiff.yaml' in head ? { 'evaldiff.yaml': head['evaldiff.yaml'] } : {};
    const changed = { ...settings, 'AGENTS.md': 'Be long.\n' };
    const { result } = await diff(changed, [], base);
    expect(result.conclusion).toBe(conclusion);
    expect(saysOf(result)).toContain('AGENTS.md changed');
    expect(result.suites).toEqual([]);
  });

  test.each([
    ['a member', ['--code', 'host'], { 'AGENTS.md': 'Be long.\n' }, 'AGENTS.md changed outside'],
    ['an outside contributor', OUTSIDER, {}, 'evals/notes.yaml'],
  ])(
    'or whose suite %s deletes is named next to a harmless edit of a prompt',
    async (_who, args, more, words) => {
      const both = SETTINGS.replace('prompts/*.yaml', 'prompts/*.yaml, evals/*.yaml');
      const changed = { ...edited('Be kind.'), 'evals/notes.yaml': null, ...more };
      const { result } = await diff(changed, args, {
        ...PROJECT,
        ...PROMPT,
        'evaldiff.yaml': both,
      });
      expect(result).toMatchObject({ conclusion: 'neutral', usage: { calls: 0 } });
      expect(saysOf(result)).toContain(words);
    },
  );

  test('of many changes of a project without agents adds no comment and no neutral check', async () => {
    const paths = [
      ...['README.md', 'docs/guide.md', 'CONTRIBUTING.md', '.github/workflows/ci.yml', 'src/a.ts'],
      ...['.github/dependabot.yml', '.gitignore', 'packages/api/README.md', 'package-lock.json'],
      ...['AGENTS.md', '.cursor/rules/style.mdc', '.github/copilot-instructions.md'],
      ...['skills/pdf/SKILL.md', '.claude/settings.json', 'scripts/build.sh', 'references/a.md'],
    ];
    const changed = Object.fromEntries(paths.map((path) => [path, `${path}\n`]));
    const files = { 'prompts/f.yaml': FILES_PROMPT };
    const { out, result } = await diff(changed, [], { ...PROMPT, ...files });
    expect(result).toMatchObject({ conclusion: 'success', suites: [], problems: [], reasons: [] });
    expect(result.notices).toHaveLength(1);
    expect(out).toContain('changed; no suite asks an agent (npx evaldiff init)');
    expect(out).not.toContain('README.md changed');
  });

  test.each([
    ['Be kind.', 'neutral', 'unchanged', /Partly judged: +old/],
    ['Be silly.', 'failure', 'regressed', /Regressed: +old/],
  ])('is named next to the verdict of a prompt: %s', async (system, conclusion, verdict, words) => {
    const changed = { ...edited(system), 'AGENTS.md': 'Be long.\n' };
    const { out, result } = await diff(changed, [], named());
    expect(result).toMatchObject({ conclusion, suites: [{ verdict }] });
    expect(out).toMatch(words);
    expect(out).toContain("AGENTS.md changed outside every agent's workspace");
  });

  test.each([
    [
      'jugde',
      'instructions: jugde',
      'instructions must be one of judge, tell, off; did you mean "judge"?',
    ],
    ['a mode of a pattern', "instructions: { 'docs/**': of }", 'did you mean "off"?'],
    ['a pattern', 'instructions: { ../docs: off }', '../docs is outside the repository'],
    ['the key', 'instruction: off', 'did you mean "instructions"?'],
  ])('has a setting that refuses %s', async (_what, line, words) => {
    const changed = { 'evaldiff.yaml': `${SETTINGS}${line}\n` };
    const { code, result } = await diff(changed, [], PROMPT);
    expect(code).toBe(2);
    expect(JSON.stringify(result.problems).replaceAll('\\"', '"')).toContain(words);
  });
});
