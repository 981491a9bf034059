import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { SCRIPTED_AGENT } from '../../../stand-ins/agents/scripted-agent.ts';
import { clock } from '../../../stand-ins/clock.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { startAgentModel, type AgentModel } from '../../../stand-ins/models/agent-model.ts';
import {
  createRepository,
  fixtureEnvironment,
  temporaryFolder,
  type FixtureFiles,
} from '../../../stand-ins/repository.ts';

export const SUITE = `agent: { command: [node, tools/agent.mjs] }
model: claude-sonnet-4-5
workspace: { hide: [checks] }
limits: { turns: 8, minutes: 10 }
tests:
  n_tries: 2
  metrics:
    - { name: notes, uses: files, with: { exist: [NOTES.md], only_changed: ['*.md'] } }
    - { name: ends, uses: runs, with: { run: sh checks/ends.sh } }
    - { name: calm, uses: steps, with: { max: 3, never: [web_fetch] } }
  references:
    - { id: search, task: Write the notes for the search feature. }
    - { id: export, task: Write the notes for the export feature. }
    - { id: login, task: Write the notes for the login feature. }
`;

/** A project whose scripted agent obeys AGENTS.md. */
export const PROJECT: FixtureFiles = {
  'evaldiff.yaml': 'prompts: [evals/*.yaml]\nqualeval: off\n',
  'evals/notes.yaml': SUITE,
  'tools/agent.mjs': SCRIPTED_AGENT,
  'checks/ends.sh': 'tail -n 1 NOTES.md | grep -qx GOOD || { echo "no GOOD"; exit 1; }\n',
  LICENSE: 'Nobody reads it.\n',
  '.gitignore': 'report\n',
};

export const KEY = 'sk-ant-api03-real-key-0123456789abcdef';

/** A repository with these files on base and these edits in the work tree. */
export function editedRepository(base: FixtureFiles, changed: FixtureFiles) {
  const made = createRepository();
  made.commit('base', base);
  made.write(changed);
  return made;
}

/** Runs `evaldiff diff` and reads its reports. */
export async function diffIn(
  directory: string,
  args: readonly string[],
  { env, ...given }: NonNullable<Parameters<typeof commandIn>[2]>,
) {
  const command = ['diff', '--base', 'HEAD', '--report', 'report', ...args];
  const { code, out } = await commandIn(directory, command, {
    ...{ env: fixtureEnvironment(env ?? {}), width: 300 },
    ...given,
  });
  const report = (name: string) => readFileSync(join(directory, 'report', name), 'utf8');
  const text = report('result.json');
  return { code, out, text, comment: report('comment.md'), result: JSON.parse(text) as Result };
}

interface Given {
  env?: NodeJS.ProcessEnv;
  args?: readonly string[];
  url?: string;
}

/** Runs `evaldiff diff` of agents with one model per test file and one store per test. */
export function agentDiffs() {
  let model: AgentModel;
  let store: string;
  beforeAll(async () => {
    model = await startAgentModel();
  });
  afterAll(() => model.close());
  beforeEach(() => {
    store = join(temporaryFolder('store'), 'answers.sqlite');
  });
  return async (directory: string, { env, args = [], url = model.url }: Given = {}) => {
    const before = model.requests.length;
    const done = await diffIn(directory, ['--code', 'host', ...args], {
      env: { EVALDIFF_STORE: store, ANTHROPIC_API_KEY: KEY, ...env },
      testOverrides: { clock, vendorUrls: { anthropic: url } },
    });
    return { ...done, paid: model.requests.length - before };
  };
}
