import { checkModels } from '../../../../src/config/check-suites.ts';
import { resolveTarget } from '../../../../src/config/targets.ts';
import { placeFiles } from '../../../../src/features/agents/suite/rules.ts';
import { taskOf } from '../../../../src/features/agents/suite/spec.ts';
import { hash, treeOf } from '../../config/tree.ts';
import { readSuites } from './read-suites.ts';

const SUITE = `agent: claude-code@2.1.330
model: claude-sonnet-4-5
workspace:
  from: shop
  with: [AGENTS.md, '.claude/**']
  hide: [shop/secret.md]
limits: { turns: 12, usd: 0.5 }
tests:
  metrics:
    - { name: notes, uses: files, with: { exist: [NOTES.md], only_changed: [NOTES.md] } }
    - { name: tests, uses: runs, with: { run: npm test } }
  references:
    - { id: search, task: Write the notes. }
    - { id: chooses, task: Release it., trigger: notes }
    - { id: ignores, task: 'What is 2 + 2?', trigger: null }
`;

const PROJECT = {
  'evaldiff.yaml': 'prompts: [evals/*.yaml]\n',
  'AGENTS.md': 'Be brief.',
  '.claude/skills/notes/SKILL.md': 'Notes.',
  'shop/app.js': 'x',
  'shop/secret.md': 'expected',
  'other/app.js': 'x',
};

const read = (suite: string, more: Record<string, string> = {}) =>
  readSuites({ ...PROJECT, ...more, 'evals/notes.yaml': suite });

const withLine = (from: string, to: string) => SUITE.replace(from, to);

describe('an agent suite', () => {
  test('treats wildcard characters in folder names literally', async () => {
    const suite = withLine('from: shop', 'from: app/[id]').replace(
      '  hide: [shop/secret.md]\n',
      '',
    );
    const { entry, problems } = await read(suite, { 'app/[id]/page.js': 'x' });
    expect(problems).toEqual([]);
    expect(entry?.files).toContain('app/\\[id\\]/**');
  });

  test('becomes a prompt whose model is a program that gets each task', async () => {
    const { suites, problems, notices, entry, spec } = await read(SUITE);
    expect({ problems, notices }).toEqual({ problems: [], notices: [] });
    const [suite] = suites;
    expect(suite?.prompt).toMatchObject({ name: 'notes', file: 'evals/notes.yaml' });
    expect(suite?.tests.references.map(({ id, input, place }) => ({ id, input, place }))).toEqual([
      {
        id: 'search',
        input: { task: 'Write the notes.' },
        place: { file: 'evals/notes.yaml', line: 13 },
      },
    ]);
    expect(entry).toMatchObject({
      provider: 'program',
      model: 'claude-code with claude-sonnet-4-5',
      process: 'try',
      calls: { model: 'claude-sonnet-4-5', most: 12, usd: 0.5 },
    });
    expect(spec).toEqual({
      agent: 'claude-code',
      version: '2.1.330',
      command: [],
      models: [],
      allow: [],
      model: 'claude-sonnet-4-5',
      at: 'anthropic',
      workspace: {
        from: 'shop',
        with: ['AGENTS.md', '.claude/**'],
        hide: ['shop/secret.md'],
        own: ['evals/notes.yaml', 'evaldiff.yaml', 'rubrics/*.{yaml,yml}'],
        setup: { run: [], network: 'off' },
        network: 'off',
      },
      limits: { turns: 12, minutes: 10, usd: 0.5 },
      checks: ['npm test'],
      watch: ['NOTES.md'],
    });
  });

  test('keeps trigger tests in a separate suite, with one model call each', async () => {
    const {
      settings,
      suites: [, suite],
    } = await read(SUITE);
    expect(suite?.prompt.name).toBe('notes: triggers');
    expect(settings.models.get(suite?.prompt.model ?? '')?.calls?.most).toBe(1);
    expect(suite?.tests.metrics).toEqual([]);
    expect(suite?.tests.references.map(({ input }) => taskOf(input))).toEqual([
      { task: 'Release it.', trigger: 'notes' },
      { task: 'What is 2 + 2?', trigger: null },
    ]);
    expect(suite?.tests.references.map(({ metrics }) => metrics?.[0]?.source)).toEqual([
      { kind: 'built-in', uses: 'skill_used', with: { name: 'notes' } },
      { kind: 'built-in', uses: 'skill_used', with: { none: true } },
    ]);
  });

  test('shows turns, cost and other figures of each run, which do not affect the verdict', async () => {
    const { suites } = await read(SUITE);
    const values = suites[0]?.tests.metrics.filter(({ skip }) => skip) ?? [];
    expect(values.map(({ name }) => name).join(' ')).toBe(
      'turns calls cost seconds files_changed context tokens',
    );
    expect(values.map(({ definition }) => definition?.better)).not.toContain('higher');
  });

  test('depends on exactly the files that a run may read', async () => {
    const { settings, suites } = await read(SUITE);
    const idsOf = (changed: Record<string, string>) => {
      const tree = treeOf({ ...PROJECT, 'evals/notes.yaml': SUITE, ...changed });
      const place = { file: '', line: 0 };
      const model = suites[0]?.prompt.model ?? '';
      const target = resolveTarget(model, place, { settings, tree, hash });
      return 'files' in target ? target.files : '';
    };
    const before = idsOf({});
    const inside = ['AGENTS.md', '.claude/skills/notes/SKILL.md', 'shop/app.js', 'shop/new.js'];
    // Hidden from the agent, but not from commands that run afterwards.
    for (const path of [...inside, 'shop/secret.md'])
      expect(idsOf({ [path]: 'edited' })).not.toBe(before);
    for (const path of ['other/app.js', 'evals/notes.yaml', 'README.md'])
      expect(idsOf({ [path]: 'edited' })).toBe(before);
  });

  test("uses the endpoint and model name from the model's settings entry", async () => {
    const settings =
      'prompts: [evals/*.yaml]\nmodels: { claude-sonnet-4-5: { provider: anthropic, ' +
      'endpoint: proxy, model: sonnet } }\n';
    const { spec, problems } = await read(SUITE, { 'evaldiff.yaml': settings });
    expect(problems).toEqual([]);
    expect(spec).toMatchObject({ model: 'sonnet', at: 'proxy' });
  });

  test('passes further models by their own names, and checks them against allowed-models', async () => {
    const settings =
      'prompts: [evals/*.yaml]\nmodels: { small: { provider: anthropic, model: claude-haiku-4-5 } }\n';
    const suite = SUITE.replace('limits: {', 'models: [small]\nallow: [speed]\nlimits: {');
    const { project, spec, problems } = await read(suite, { 'evaldiff.yaml': settings });
    expect(problems).toEqual([]);
    expect(spec).toMatchObject({ models: ['claude-haiku-4-5'], allow: ['speed'] });
    const allowed = (...names: string[]) =>
      checkModels(project.settings, project.suites, names).map(({ message }) => message);
    expect(allowed('claude-sonnet-4-5', 'claude-haiku-4-5')).toEqual([]);
    expect(allowed('claude-sonnet-4-5')).toContain(
      'model "small" stands for "claude-haiku-4-5", which is not in allowed-models',
    );
  });

  test.each([
    [
      'unknown',
      'serch',
      ['evals/notes.yaml:15: quarantine[1]: there is no reference "serch"; did you mean "search"?'],
    ],
    ['no text', [{}], ['evals/notes.yaml:15: quarantine[1].id must be text']],
  ])('reports a quarantined id that is %s once, at its line', async (_, id, expected) => {
    const rows = ['chooses', 'search', id].map(
      (id) => `    - ${JSON.stringify({ id, reason: 'odd', until: '2027-01-01' })}\n`,
    );
    const { problems } = await read(
      withLine('  references:', `  quarantine:\n${rows.join('')}  references:`),
    );
    expect(problems).toEqual(expected);
  });

  test("puts a task's files only into that task's workspace", async () => {
    const task = '{ id: search, task: Write the notes., files: { data.csv: other/app.js } }';
    const { suites, entry, problems } = await read(
      withLine('{ id: search, task: Write the notes. }', task),
    );
    expect(problems).toEqual([]);
    expect(taskOf(suites[0]?.tests.references[0]?.input ?? {}).files).toEqual({
      'data.csv': 'other/app.js',
    });
    expect(entry?.files).toContain('other/app.js');
  });

  test.each([
    ['claude-code@2.1.330', '.claude/skills/pdf'],
    ['{ command: [node, agent.mjs] }', '.agents/skills/pdf'],
  ])('puts skills into the folder in which %s looks for them', async (agent, folder) => {
    const suite = SUITE.replace('claude-code@2.1.330', agent)
      .replace('from: shop', 'skills: { pdf: ./other/pdf/ }')
      .replace('trigger: notes', 'trigger: pdf');
    const files = { 'other/pdf/SKILL.md': 'x', 'other/pdf/scripts/a.py': 'x' };
    const { spec, entry, problems } = await read(suite, files);
    expect(problems).toEqual([]);
    expect(spec?.workspace.skills).toEqual({ [folder]: 'other/pdf' });
    const placed = spec && placeFiles(Object.keys(files), spec.workspace);
    expect(placed?.get(`${folder}/scripts/a.py`)).toBe('other/pdf/scripts/a.py');
    expect(entry?.files).toContain('other/pdf/**');
  });

  test.each([
    ['.agents/skills/rn/SKILL.md', 'Be brief.', 'r-n', '; did you mean "rn"?'],
    ['tools/skills/a/SKILL.md', '---\nname: notes\n---\n', 'note', '; did you mean "notes"?'],
    [
      'skills/pdf/SKILL.md',
      '---\nname: >-\n  read-pdf\n---\n',
      'docx',
      '; known are pdf, read-pdf',
    ],
    ['skills/pdf/SKILL.md', '---\nname: read-pdf\n---\n', 'read-pdf', null],
    ['docs/a.md', 'No skill.', 'built-in', null],
  ])(
    'of your own agent with %s containing %j may name only its skills: %s',
    async (file, text, skill, hint) => {
      const suite = `agent: { command: [node, agent.mjs] }
model: claude-sonnet-4-5
workspace: { hide: ['.claude/**'] }
tests:
  metrics: [{ name: used, uses: skill_used, with: { name: ${skill} } }]
  references: [{ id: a, task: Write. }, { id: b, task: Write., trigger: ${skill} }]
`;
      const { problems } = await read(suite, { [file]: text });
      const message = `command does not find the skill "${skill}": the workspace has no skill`;
      expect(problems).toEqual(
        hint === null
          ? []
          : [
              `evals/notes.yaml:6: ${message} with this name${hint}`,
              `evals/notes.yaml:5: ${message} with this name${hint}`,
            ],
      );
    },
  );

  test.each([
    ['{ command: [node, agent.mjs], skill_tool: { name: load_skill, argument: id } }', []],
    ['{ acp: [node, agent.mjs], skill_tool: { name: load_skill, argument: id } }', []],
    [
      '{ command: [node, agent.mjs], skill_tool: load_skill }',
      ['1: agent must be one of claude-code'],
    ],
    [
      '{ acp: [node, agent.mjs], skill_tool: { name: load_skill } }',
      ['skill_tool: { name: …, argument: … }'],
    ],
  ])('may name the tool for skills: %s', async (agent, messages) => {
    const { spec, problems } = await read(withLine('claude-code@2.1.330', agent));
    expect(problems).toEqual(messages.map((message) => expect.stringContaining(message)));
    const known = messages.length === 0 ? { name: 'load_skill', argument: 'id' } : undefined;
    expect(spec?.skillTool).toEqual(known);
  });

  test.each([
    [
      'trigger: notes',
      'trigger: note',
      '14: claude-code does not find the skill "note": the workspace has no .claude/skills/note/SKILL.md; did you mean "notes"?',
    ],
    ['agent: claude-code@2.1.330', 'agent: claude', '1: agent must be one of claude-code'],
    ['agent: claude-code@2.1.330', 'agent: { command: [] }', '1: agent.command must not be empty'],
    ['@2.1.330', '@2.0.1', '1: agent: claude-code 2.0.1 is too old'],
    ['@2.1.330', '@latest', '1: agent must be one of claude-code'],
    ['claude-sonnet-4-5', 'gpt-5.4', '2: model: claude-code calls the API of anthropic'],
    ['trigger: notes', 'trigger: pdf', '14: claude-code does not find the skill "pdf"'],
    ['model: claude-sonnet-4-5', 'model: sonet', '2: model: no vendor has a model "sonet"'],
    ['model: claude-sonnet-4-5\n', '', ': "model" is missing'],
    ['from: shop', 'from: shpo', '4: workspace.from: there is no folder shpo'],
    ['from: shop', 'from: ../shop', '4: workspace.from: ../shop must be a folder inside'],
    ['[AGENTS.md,', '[AGENT.md,', '5: workspace.with: AGENT.md matches no file'],
    ['hide: [shop/secret.md]', "hide: ['**']", '6: workspace: no file is left'],
    ['from: shop', 'skills: { pdf: shop }', '4: workspace.skills: pdf: there is no shop/SKILL.md'],
    ['from: shop', 'skills: { ../a: shop }', 'workspace.skills: "../a" is not the name of a skill'],
    ['hide: [shop/secret.md]', 'network: on', '6: workspace.network must be off, or a list'],
    ['hide: [shop/secret.md]', 'network: [web_serch]', 'or a tool like web_search'],
    ['hide: [shop/secret.md]', 'network: [a.com, localhost:80]', '6: workspace.network: localhost'],
    ['hide: [shop/secret.md]', 'network: [web_search, 0x7f.1]', '0x7f.1 is not a public host'],
    ['hide: [shop/secret.md]', 'network: ["192.168.7.7:80"]', '192.168.7.7:80 is not a public'],
    ['limits: {', 'models: [haiko]\nlimits: {', '7: model: no vendor has a model "haiko"'],
    ['limits: {', 'models: [gpt-5.4]\nlimits: {', '7: model: gpt-5.4 is not at anthropic'],
    ['limits: {', 'allow: n\nlimits: {', '7: allow must be a list of names like [service_tier]'],
    ['turns: 12', 'turns: 0', '7: limits.turns must be a whole number from 1 to 1000'],
    ['turns: 12', 'turn: 12', '7: unknown key "turn" in limits; did you mean "turns"?'],
    ['usd: 0.5', 'usd: 0', '7: limits.usd must be a number from 0.001 to 1000'],
    ['with: { run: npm test }', 'with: {}', '11: metric "tests": with.run is missing'],
    ['exist: [NOTES.md], only_changed: [NOTES.md]', '', 'needs at least one of exist, absent'],
    ['task: Write the notes.', "task: ''", '13: tests.references[0].task must not be empty'],
    ['task: Write the notes.', 'tags: [a]', '13: tests.references[0]: "task" is missing'],
    ['task: Write the notes.', 'input: { a: b }', '13: a task has no input; write task: TEXT'],
    ['trigger: notes', 'trigger: [a]', '14: tests.references[1].trigger must be the name'],
    ['trigger: notes', 'files: { ../x: AGENTS.md }', '14: files: ../x must be a path in the'],
    ['trigger: notes', 'files: { x: nowhere.md }', '14: files: nowhere.md does not exist'],
    ['trigger: notes', 'files: { sub/.GIT/x: AGENTS.md }', '14: files: sub/.GIT/x must not be in'],
    [
      'agent: claude-code@2.1.330',
      'agent: { command: [node, ./other/app.js] }',
      '1: agent: the workspace does not contain other/app.js; add it with `with`',
    ],
    ['hide: [shop/secret.md]', 'setup: { network: off }', '6: workspace.setup: "run" is missing'],
    ['limits: {', 'limit: {', '7: unknown key "limit"; did you mean "limits"?'],
  ])('is an error if %j is replaced by %j', async (from, to, message) => {
    const { problems } = await read(withLine(from, to));
    expect(problems).toEqual([expect.stringContaining(message)]);
  });
});
