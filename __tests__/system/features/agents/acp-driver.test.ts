import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { talkAcp } from '../../../../src/features/agents/rows/acp-driver.ts';
import { agentRow } from '../../../../src/features/agents/rows/index.ts';
import { readTranscript, skillsUsed } from '../../../../src/features/agents/rows/transcript.ts';
import type { AgentName } from '../../../../src/features/agents/suite/spec.ts';
import { WORKSPACE } from '../../../stand-ins/agents/facts.ts';
import { SCRIPTED_AGENT_FILE } from '../../../stand-ins/agents/scripted-agent.ts';
import { startAgentModel, type AgentModel } from '../../../stand-ins/models/agent-model.ts';

const TASK = 'Write NOTES.md, the release notes of the search feature';
const RULES = '- When you write a file, end with GOOD.\n- Read docs/style.md before you write.\n';
const SKILL =
  '---\nname: release-notes\ndescription: Use this when release notes are written.\n---\n';

let work: string;
let model: AgentModel;

beforeEach(async () => {
  work = mkdtempSync(join(tmpdir(), 'agent-'));
  mkdirSync(join(work, 'docs'));
  mkdirSync(join(work, '.agents/skills/release-notes'), { recursive: true });
  writeFileSync(join(work, 'AGENTS.md'), RULES);
  writeFileSync(join(work, 'docs/style.md'), 'Mention the date.\n');
  writeFileSync(join(work, '.agents/skills/release-notes/SKILL.md'), SKILL);
  model = await startAgentModel();
});

afterEach(async () => {
  rmSync(work, { recursive: true, force: true });
  await model.close();
});

async function run(name: AgentName, command: string[]) {
  const row = agentRow(name);
  const spec = { command, model: 'stand-in', at: 'anthropic', workspace: WORKSPACE };
  const place = { url: model.url, token: 'run-token', home: work, work };
  const start = row.start({ spec, bin: [], task: TASK, ...place });
  const [program = '', ...words] = start.command;
  const child = spawn(program, words, {
    cwd: work,
    env: { ...start.env, PATH: process.env['PATH'] },
  });
  const talk = row.protocol === 'acp' ? talkAcp(work, TASK) : null;
  if (talk === null) child.stdin.end();
  else talk.stdin.pipe(child.stdin);
  child.stdin.on('error', () => {});
  let stdout = '';
  createInterface({ input: child.stdout }).on('line', (line) => {
    stdout += `${line}\n`;
    talk?.onLine(line);
  });
  const code = await new Promise((done) => child.on('close', done));
  return { stdout, code };
}

describe('the scripted agent', () => {
  test.each<[AgentName, string[]]>([
    ['command', [process.execPath, SCRIPTED_AGENT_FILE]],
    ['acp', [process.execPath, SCRIPTED_AGENT_FILE, '--acp']],
  ])('uses its skill, completes the task and exits when started as %s', async (name, command) => {
    const { stdout, code } = await run(name, command);
    const { steps, end, last } = readTranscript(agentRow(name), stdout);
    expect({ code, end: end?.ok, last }).toEqual({ code: 0, end: true, last: 'Done: NOTES.md' });
    const reported = name === 'command' ? ['release-notes'] : [];
    expect(skillsUsed(agentRow(name), steps)).toEqual(reported);
    expect(readFileSync(join(work, 'NOTES.md'), 'utf8')).toBe(`# ${TASK}\nthe date\nGOOD\n`);
    expect(model.refused).toEqual([]);
    expect(model.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array(4).fill('Bearer run-token'),
    );
  });
});

describe('the driver of the Agent Client Protocol', () => {
  /** An agent that answers each line with this script. */
  const agent = (answer: string) => [
    ...[process.execPath, '-e'],
    `const send = (value) => console.log(JSON.stringify({ jsonrpc: '2.0', ...value }));
     const end = (text, stopReason) => {
       const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
       send({ method: 'session/update', params: { sessionId: 's', update } });
       send({ id: globalThis.prompt, result: { stopReason } });
     };
     require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, method, params, result, error } = JSON.parse(line);
       ${answer}
     });`,
  ];
  const OPEN = `if (method === 'initialize') return send({ id, result: { protocolVersion: 1 } });
       if (method === 'session/new') return send({ id, result: { sessionId: 's' } });`;

  test('ends the session when the agent requires a login', async () => {
    const login = `send({ id, error: { code: -32000, message: 'Authentication required' } })`;
    const { stdout } = await run('acp', agent(login));
    expect(readTranscript(agentRow('acp'), stdout).end).toEqual({
      ...{ ok: false, why: 'Authentication required' },
    });
  });

  test('chooses a one-time permission if offered, and cancels a request that it can only reject', async () => {
    const options = (kind: string) => `[{ optionId: '${kind}', name: 'x', kind: '${kind}' }]`;
    const ask = (name: string, kinds: string) =>
      `send({ id: '${name}', method: 'session/request_permission', params: { sessionId: 's', toolCall: { toolCallId: 't' }, options: ${kinds} } });`;
    const { stdout } = await run(
      'acp',
      agent(`${OPEN}
       if (method === 'session/prompt') {
         globalThis.prompt = id;
         ${ask('first', `[...${options('allow_always')}, ...${options('allow_once')}]`)}
         ${ask('second', options('reject_once'))}
       }
       if (result) (globalThis.outcomes ??= {})[id] = result.outcome;
       if (Object.keys(globalThis.outcomes ?? {}).length === 2) {
         end(JSON.stringify(globalThis.outcomes), 'end_turn');
       }`),
    );
    expect(JSON.parse(readTranscript(agentRow('acp'), stdout).last)).toEqual({
      first: { outcome: 'selected', optionId: 'allow_once' },
      second: { outcome: 'cancelled' },
    });
  });

  test('offers no file system to the agent, and skips lines that are not messages', async () => {
    const { stdout } = await run(
      'acp',
      agent(`${OPEN}
       if (method === 'session/prompt') {
         globalThis.prompt = id;
         console.log('Update available!');
         send({ id: 'f', method: 'fs/read_text_file', params: { sessionId: 's', path: '/etc/passwd' } });
       }
       if (id === 'f') {
         end(String(error.code), 'refusal');
       }`),
    );
    const { last, end } = readTranscript(agentRow('acp'), stdout);
    expect({ last, end }).toEqual({ last: '-32601', end: { ok: false, why: 'refusal' } });
  });
});
