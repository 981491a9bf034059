import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startAgentModel, type AgentModel } from '../../__tests__/stand-ins/models/agent-model.ts';
import { filePathsBelow } from '../../scripts/entries-below.ts';
import { main } from '../../src/app/commands/program.ts';
import { agentRow } from '../../src/features/agents/rows/index.ts';
import { factsIn, type AgentName } from '../../src/features/agents/suite/spec.ts';
import { FEATURES } from '../../src/features.ts';
import type { Result } from '../../src/kernel/result/result.ts';
import type { Part } from '../../src/types/answer.ts';

export interface MeasuredCase {
  title: string;
  exit: number;
  verdict: string;
  paid: number;
  /** Model calls of head's runs, including replayed ones. */
  calls: number;
  runs: number;
  /** Runs that ended in an error; `error` is the first message. */
  errors: number;
  error: string | null;
  /** Mean over head's runs that paid for a call; null: there is none. */
  seconds: number | null;
  /** Whether any of head's runs used the skill. */
  usedSkill: boolean;
}

export interface MeasuredAgent {
  name: AgentName;
  version: string | null;
  cases: MeasuredCase[];
  rejected: string[];
  wrongKeys: number;
  /** Files that contain the vendor's key. */
  leaks: number;
}

interface AgentToMeasure {
  name: AgentName;
  version: string | null;
  tries: number;
  /** An empty folder. */
  place: string;
  cache: string;
}

const KEY = 'sk-ant-api03-the-key-of-the-vendor-0123456789';

const RULE = '- When you write a file, end with GOOD.\n';
const RULES = `# Rules\n\n${RULE}- Read docs/style.md before you write.\n`;

const SKILL = `---
name: release-notes
description: Use this when release notes are to be written.
---
# Release notes

One line per change.
`;

const MODELS = {
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-5.4-mini',
  gemini: 'gemini-2.5-flash',
};

function suite({ name, version, tries }: AgentToMeasure): string {
  const [wire = 'openai'] = agentRow(name).wires;
  const script = { acp: '[node, agent.mjs, --acp]', command: '[node, agent.mjs]' };
  const agent =
    name === 'acp' || name === 'command'
      ? `{ ${name}: ${script[name]} }`
      : `${name}@${version ?? ''}`;
  return `agent: ${agent}
model: ${MODELS[wire]}
limits: { turns: 20, minutes: 5 }
tests:
  n_tries: ${tries}
  metrics:
    - { name: notes, uses: files, with: { only_changed: ['*.md'] } }
    - { name: ends, uses: runs, with: { run: 'tail -n 1 *.md | grep -q GOOD' } }
  references:
    - { id: search, task: 'Write NOTES.md, the release notes of the search feature' }
    - { id: login, task: Write NOTES.md about the login mend }
    - { id: export, task: Write NOTES.md about the export }
`;
}

export async function measureAgent(agent: AgentToMeasure): Promise<MeasuredAgent> {
  const model = await startAgentModel();
  const repository = join(agent.place, 'repository');
  try {
    install(agent);
    commit(repository, filesOf(agent));
    const style = 'docs/style.md';
    const offline = { EVALDIFF_OFFLINE: '1' };
    const rules = RULES.replace(RULE, '');
    const removed = Object.fromEntries(instructionFiles(agent.name).map((path) => [path, rules]));
    const run = (title: string, changed: Record<string, string>, more = {}) =>
      measureCase(title, changed, { agent, model, repository, env: environment(agent, more) });
    const cases = [
      await run('a rule is removed', removed),
      await run('a file that no run reads, offline', { LICENSE: 'Edited.\n' }, offline),
      await run('a file that is read at step 2', { [style]: 'Mention the author.\n' }),
    ];
    return {
      name: agent.name,
      version: agent.version,
      cases,
      rejected: model.refused,
      wrongKeys: model.requests.filter(({ headers }) => !JSON.stringify(headers).includes(KEY))
        .length,
      leaks: filesWith(KEY, agent.place),
    };
  } finally {
    await model.close();
  }
}

function install({ name, version, cache }: AgentToMeasure): void {
  const { npm } = agentRow(name);
  if (npm === null) return;
  const words = ['install', '--prefix', join(cache, name), '--no-audit', '--no-fund'];
  execFileSync('npm', [...words, `${npm.package}@${version ?? ''}`], { stdio: 'ignore' });
}

function instructionFiles(name: AgentName): string[] {
  const [first = 'AGENTS.md'] = agentRow(name).instructionFiles;
  return [first];
}

function filesOf(agent: AgentToMeasure): Record<string, string> {
  const { skillFolders } = agentRow(agent.name);
  return {
    ...Object.fromEntries(instructionFiles(agent.name).map((path) => [path, RULES])),
    'evaldiff.yaml': 'prompts: [evals/*.yaml]\nqualeval: off\n',
    'evals/notes.yaml': suite(agent),
    'docs/style.md': 'Mention the date.\n',
    [`${skillFolders?.[0] ?? '.agents/skills'}/release-notes/SKILL.md`]: SKILL,
    'agent.mjs': readFileSync(new URL('../../fixtures/agents/agent.mjs', import.meta.url), 'utf8'),
    LICENSE: 'Nobody reads it.\n',
    '.gitignore': 'report\n',
  };
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const GIT = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

function git(folder: string, ...words: string[]): void {
  const names = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  execFileSync('git', ['-C', folder, ...names, ...words], { env: { ...process.env, ...GIT } });
}

export function commit(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  write(folder, files);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'base');
}

function environment({ name, place, cache }: AgentToMeasure, more: object): NodeJS.ProcessEnv {
  const home = join(place, 'home');
  mkdirSync(join(home, 'evaldiff'), { recursive: true });
  return {
    PATH: `${join(cache, name, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    ...{ LANG: 'C.UTF-8', HOME: home, XDG_CACHE_HOME: cache, ...GIT },
    EVALDIFF_STORE: join(place, 'answers.sqlite'),
    ...{ ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY, GEMINI_API_KEY: KEY },
    ...more,
  };
}

interface CaseTools {
  agent: AgentToMeasure;
  model: AgentModel;
  repository: string;
  env: NodeJS.ProcessEnv;
}

/** `evaldiff diff` of a change that is not committed yet. */
async function measureCase(
  title: string,
  changed: Readonly<Record<string, string>>,
  { agent, model, repository, env }: CaseTools,
): Promise<MeasuredCase> {
  git(repository, 'checkout', '-q', '.');
  write(repository, changed);
  const before = model.requests.length;
  let said = '';
  const hear = (text: string): void => {
    said += text;
  };
  const vendorUrls = {
    anthropic: model.url,
    openai: `${model.url}/v1`,
    gemini: `${model.url}/v1beta/openai`,
  };
  const exit = await main(['diff', '--base', 'HEAD', '--code', 'host', '--report', 'report'], {
    ...{ env, cwd: repository, isTerminal: false, width: 200, features: FEATURES },
    testOverrides: { vendorUrls },
    out: hear,
    err: hear,
  });
  const file = join(repository, 'report/result.json');
  if (!existsSync(file)) throw new Error(`${agent.name}, ${title}: ${said}`);
  const text = readFileSync(file, 'utf8');
  cpSync(join(repository, 'report'), join(agent.place, 'reports', title), { recursive: true });
  writeFileSync(join(agent.place, `${title}.txt`), said);
  return {
    title,
    exit,
    paid: model.requests.length - before,
    ...factsOf(JSON.parse(text) as Result),
  };
}

function factsOf({ suites: [suite] }: Result): Omit<MeasuredCase, 'title' | 'exit' | 'paid'> {
  const tries = (suite?.references ?? []).flatMap(({ head }) => head?.tries ?? []);
  const errors = tries.flatMap(({ error }) => error ?? []);
  const facts = tries.flatMap(({ parts }) => factsIn({ parts: (parts ?? []) as Part[] }) ?? []);
  const seconds = facts.flatMap((each) => each.seconds ?? []);
  return {
    verdict: suite?.verdict ?? 'none',
    runs: tries.length,
    errors: errors.length,
    error: errors[0] ?? null,
    calls: facts.reduce((sum, { turns }) => sum + turns, 0),
    seconds:
      seconds.length === 0 ? null : seconds.reduce((sum, each) => sum + each, 0) / seconds.length,
    usedSkill: facts.some(({ skills }) => skills.includes('release-notes')),
  };
}

function filesWith(text: string, folder: string): number {
  return filePathsBelow(folder).filter((path) => readFileSync(join(folder, path)).includes(text))
    .length;
}
