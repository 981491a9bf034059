import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { agentsFeature } from '../../../src/features/agents/index.ts';
import { agentRow } from '../../../src/features/agents/rows/index.ts';
import { limitsShape, taskShape, workspaceShape } from '../../../src/features/agents/schema.ts';
import { AGENT_NAMES } from '../../../src/features/agents/suite/spec.ts';
import { IMPORT_FORMATS } from '../../../src/features/imports/formats.ts';
import { untilTestEnds } from '../../stand-ins/after-test.ts';
import { SCRIPTED_AGENT } from '../../stand-ins/agents/scripted-agent.ts';
import { startAgentModel, type AgentModel } from '../../stand-ins/models/agent-model.ts';
import { fixtureEnvironment, temporaryFolder } from '../../stand-ins/repository.ts';
import { read } from '../../unit/config/tree.ts';
import { change, say, stepsOf, type Reader } from './reader.ts';

const PAGE = 'docs/agents.md';

let model: AgentModel;
beforeEach(async () => {
  model = await untilTestEnds(startAgentModel());
});

function newReader(files: Readonly<Record<string, string>>): Reader {
  const folder = temporaryFolder('reader');
  const store = join(mkdtempSync(join(tmpdir(), 'evaldiff-store-')), 'answers.sqlite');
  const reader = {
    folder,
    env: fixtureEnvironment({ OPENAI_API_KEY: undefined, EVALDIFF_STORE: store }),
    testOverrides: { vendorUrls: { anthropic: model.url } },
  };
  for (const [path, text] of Object.entries(files)) write(reader, path, text);
  return reader;
}

function write({ folder }: Reader, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** A scripted agent that replaces a CLI. */
function scripted(text: string): string {
  return text
    .replace(/^agent: .*$/m, 'agent: { command: [node, tools/agent.mjs] }')
    .replace(/^model: .*$/m, 'model: claude-sonnet-4-5');
}

const REPOSITORY = { 'tools/agent.mjs': SCRIPTED_AGENT, '.gitignore': 'node_modules\n' };

describe('the guide to testing a skill', () => {
  test('leads step by step to a failed comparison with the results that the guide shows', async () => {
    const reader = newReader(REPOSITORY);
    await say(reader, 'git init --initial-branch main');
    const said: string[] = [];
    const outputs = new Map<string, string>();
    for (const step of stepsOf(PAGE, 'Test a skill')) {
      if (step.kind === 'file') write(reader, step.path, scripted(step.text));
      else
        for (const line of step.lines) {
          const { code, out } = await say(reader, line);
          said.push(`${String(code)} ${line}`);
          outputs.set(line, out);
          if (line.startsWith('git switch'))
            change(
              join(reader.folder, 'skills/release-notes/SKILL.md'),
              'Mention breaking changes.\n',
              '',
            );
        }
    }
    expect(said).toEqual([
      '0 npx evaldiff init',
      '0 npx evaldiff validate --code host',
      '0 git add .',
      '0 git commit --message "Test the skill"',
      '0 git switch --create shorter',
      '0 export ANTHROPIC_API_KEY=sk-ant-...',
      '0 npx evaldiff plan --code host',
      '1 npx evaldiff diff --code host',
    ]);
    expect(outputs.get('npx evaldiff init')).toContain('wrote evals/release-notes.yaml');
    const diff = outputs.get('npx evaldiff diff --code host') ?? '';
    const line = 'The only change in release-notes: skills/release-notes/SKILL.md:7';
    for (const words of ['Regressed', line, 'grep -qi', 'exits with 1'])
      expect(diff).toContain(words);
  });
});

describe('the guide to testing AGENTS.md', () => {
  test('shows a suite that fails if a rule is removed', async () => {
    const script = 'grep -rq TESTED src NOTES.md';
    const reader = newReader({
      ...REPOSITORY,
      'AGENTS.md': 'Be brief.\nWhen you write a file, end with TESTED.\n',
      'src/math.js': 'export {};\n',
      'package.json': JSON.stringify({ name: 'shop', scripts: { test: script } }),
      'package-lock.json': JSON.stringify({
        ...{ name: 'shop', lockfileVersion: 3, requires: true, packages: { '': { name: 'shop' } } },
      }),
    });
    await say(reader, 'git init --initial-branch main');
    await say(reader, 'export ANTHROPIC_API_KEY=sk-ant-...');
    await say(reader, 'npx evaldiff init');
    for (const step of stepsOf(PAGE, 'Test AGENTS.md'))
      if (step.kind === 'file') write(reader, step.path, scripted(step.text));
    await say(reader, 'git add .');
    await say(reader, 'git commit --message Base');
    change(join(reader.folder, 'AGENTS.md'), 'When you write a file, end with TESTED.\n', '');
    const { code, out } = await say(reader, 'npx evaldiff diff --code host n_tries=4');
    expect([code, out]).toEqual([1, expect.stringContaining('Regressed')]);
  });
});

const page = readFileSync(PAGE, 'utf8');

function rowsOf(section: string): string[][] {
  const part = page.split(/^## /m).find((each) => each.startsWith(`${section}\n`)) ?? '';
  return [...part.matchAll(/^\|(.+)\|$/gm)]
    .slice(2)
    .map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
}

const codes = (cell = ''): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

describe('the page about agents', () => {
  test('contains only valid suites', async () => {
    for (const section of ['Test a skill', 'Test AGENTS.md']) {
      const files = stepsOf(PAGE, section).flatMap((step) => (step.kind === 'file' ? step : []));
      const tree = Object.fromEntries(files.map(({ path, text }) => [path, text]));
      const { problems, project } = await read(
        { 'AGENTS.md': 'Be brief.', 'package.json': '{}', ...tree },
        { formats: agentsFeature.formats ?? {} },
      );
      expect([section, problems]).toEqual([section, []]);
      expect(project.suites.length).toBeGreaterThan(0);
    }
  });

  test('shows settings that run evals.json with an agent', async () => {
    const [step] = stepsOf(PAGE, "A skill's evals.json");
    const evals = {
      skill_name: 'notes',
      evals: [{ id: 1, prompt: 'Write.', expectations: ['Short.'] }],
    };
    const { problems, project } = await read(
      {
        'evaldiff.yaml': step?.kind === 'file' ? step.text : '',
        'skills/notes/SKILL.md': 'Be brief.',
        'skills/notes/evals/evals.json': JSON.stringify(evals),
      },
      { formats: { ...IMPORT_FORMATS, ...agentsFeature.formats } },
    );
    expect(problems).toEqual([]);
    expect(project.suites[0]?.prompt.model).toContain('claude-code with');
  });

  test('states the same versions, instruction files and skill folders as the code', () => {
    const rows = rowsOf('Agents');
    const clis = AGENT_NAMES.map(agentRow).filter(({ npm }) => npm !== null);
    expect(rows.map(([name]) => codes(name)[0])).toEqual(clis.map(({ name }) => name));
    for (const [index, { version, npm, instructionFiles, skillFolders, wires }] of clis.entries()) {
      const [, tried, oldest, apis, files, folders] = rows[index] ?? [];
      expect([tried, oldest]).toEqual([version, npm?.oldest]);
      expect(apis?.toLowerCase().split(', ').sort()).toEqual([...wires].sort());
      expect(instructionFiles).toEqual(expect.arrayContaining(codes(files)));
      expect(skillFolders).toEqual(expect.arrayContaining(codes(folders)));
    }
  });

  test('documents every key of a suite', () => {
    const said = rowsOf('Keys of a suite').map(([keys = '', words = '']) => `${keys} ${words}`);
    const keys = [
      ...['agent', 'model', 'limits'],
      ...Object.keys(workspaceShape).map((key) => `workspace.${key}`),
      ...[...Object.keys(limitsShape), ...Object.keys(taskShape)],
    ];
    for (const key of keys) expect(said.join('\n')).toContain(`\`${key}\``);
  });

  test('shows a workflow with the inputs that init writes for agents', () => {
    const [step] = stepsOf(PAGE, 'The workflow');
    const { jobs } = parse(step?.kind === 'file' ? step.text : '') as {
      jobs: { evaldiff: { steps: { uses: string; with: object }[] } };
    };
    expect(jobs.evaldiff.steps[0]).toMatchObject({
      uses: '<owner>/evaldiff@v1',
      with: { code: 'host' },
    });
  });

  test('has at most 1,200 words', () => {
    const words = page
      .replace(/^\|[-| ]+\|$/gm, '')
      .split(/[\s|]+/)
      .filter((word) => word !== '');
    expect(words.length).toBeLessThanOrEqual(1200);
  });
});
