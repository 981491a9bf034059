import { readFileSync } from 'node:fs';
import { runFault } from '../../../../src/features/agents/completion.ts';
import { agentRow } from '../../../../src/features/agents/rows/index.ts';
import { readTranscript, skillsUsed } from '../../../../src/features/agents/rows/transcript.ts';
import { AGENT_NAMES, type AgentName } from '../../../../src/features/agents/suite/spec.ts';
import type { JsonMap } from '../../../../src/types/plain.ts';
import { WORKSPACE } from '../../../stand-ins/agents/facts.ts';

/** Recorded by the pinned CLIs with our model server; long texts are cut. */
function recorded(name: string) {
  return readFileSync(`fixtures/agents/events/${name}.jsonl`, 'utf8');
}

function callsOf(name: AgentName): [tool: string, input: unknown, result: string | null][] {
  const { steps } = readTranscript(agentRow(name), recorded(name));
  return steps.flatMap((step) =>
    step.type === 'tool_call'
      ? [[step.name, JSON.parse(step.arguments) as unknown, step.result]]
      : [],
  );
}

type Ended = Parameters<typeof runFault>[1];

const run = (more: Partial<Ended> = {}): Ended => ({
  ended: 'exit',
  code: 0,
  stderr: '',
  ...more,
});
const silent = { end: null, last: '' };

describe('a recorded run', () => {
  test.each(AGENT_NAMES)("of %s ends with the agent's last message", (name) => {
    const transcript = readTranscript(agentRow(name), recorded(name));
    expect(transcript.last).toBe('Done: NOTES.md');
    expect(transcript.end).toMatchObject({ ok: true });
    expect(runFault(agentRow(name), run(), transcript, 10)).toBeNull();
  });

  test.each(AGENT_NAMES)(
    'of %s shows the tool calls that only a custom command reports',
    (name) => {
      const calls = callsOf(name);
      const tools = ['skill', 'read_file', 'write_file'];
      expect(calls.map(([tool]) => tool)).toEqual(name === 'command' ? tools : []);
      expect(calls.every(([, , result]) => result !== null)).toBe(true);
    },
  );

  test.each(AGENT_NAMES.filter((name) => name !== 'copilot'))(
    "of %s is an error with the gateway's reason if the gateway refused a call",
    (name) => {
      const row = agentRow(name);
      const transcript = readTranscript(row, recorded(`${name}-refused`));
      expect(transcript.end).toMatchObject({ ok: false });
      expect(runFault(row, run({ code: 1 }), transcript, 10)).toContain(
        'the limit of 1 turn is reached',
      );
    },
  );

  test('of copilot reports success even if the gateway refused a call', () => {
    const { end, last } = readTranscript(agentRow('copilot'), recorded('copilot-refused'));
    expect(end).toEqual({ ok: true, why: 'end_turn' });
    expect(last).toContain('the limit of 1 turn is reached');
  });
});

describe('skills', () => {
  const used = (agent: AgentName, name: string, input: JsonMap) =>
    skillsUsed(agentRow(agent), [
      { type: 'tool_call', name, arguments: JSON.stringify(input), result: null },
    ]);

  test.each<[AgentName, string, string]>([
    ['claude-code', 'Skill', 'skill'],
    ['gemini-cli', 'activate_skill', 'name'],
    ['copilot', 'skill', 'skill'],
    ['opencode', 'skill', 'name'],
    ['acp', 'skill', 'name'],
    ['command', 'skill', 'name'],
  ])('of %s are used if the model calls %s', (agent, tool, argument) => {
    expect(used(agent, tool, { [argument]: 'release-notes' })).toEqual(['release-notes']);
    expect(used(agent, 'other', { [argument]: 'release-notes' })).toEqual([]);
  });

  test.each<[AgentName, string, string[]]>([
    ['codex', 'cat .agents/skills/release-notes/SKILL.md', ['release-notes']],
    ['codex', 'cat /w/.codex/skills/a/SKILL.md && cat .agents/skills/b/SKILL.md', ['a', 'b']],
    ['codex', 'cat .claude/skills/release-notes/SKILL.md', []],
    ['codex', 'ls .agents/skills', []],
    ['command', 'cat skills/release-notes/SKILL.md', ['release-notes']],
  ])('of %s are used if the command %s opens their file', (agent, cmd, skills) => {
    expect(used(agent, 'exec_command', { cmd })).toEqual(skills);
  });
});

describe('the start of an agent', () => {
  const start = (name: AgentName, network: 'off' | readonly string[]) => {
    const workspace = { ...WORKSPACE, network };
    const spec = { command: [], model: 'suite-model', at: 'anthropic', workspace };
    const paths = { url: 'http://gateway', home: '/home', work: '/work' };
    const started = agentRow(name).start({ spec, bin: ['agent'], task: 'T', token: 't', ...paths });
    return JSON.stringify(started).replaceAll('\\', '');
  };

  test.each<[AgentName, string, string]>([
    ['claude-code', 'web_search', 'WebSearch'],
    ['codex', 'web_search', 'web_search="disabled"'],
    ['gemini-cli', 'googleSearch', 'google_web_search'],
    ['gemini-cli', 'urlContext', 'web_fetch'],
  ])("disables %s's tool that runs at the vendor, unless the suite names %s", (name, tool, off) => {
    const isOff = (network: 'off' | readonly string[]) => start(name, network).includes(off);
    expect([isOff('off'), isOff(['example.com']), isOff([tool])]).toEqual([true, true, false]);
  });

  test.each<[AgentName, RegExp]>([
    ['claude-code', /"ANTHROPIC_SMALL_FAST_MODEL":"suite-model"/],
    ['claude-code', /"ANTHROPIC_DEFAULT_HAIKU_MODEL":"suite-model"/],
    ['claude-code', /"CLAUDE_CODE_SUBAGENT_MODEL":"suite-model"/],
    ['gemini-cli', /customOverrides.*"model":"suite-model"/],
    ['opencode', /small_model.*suite-model/],
  ])("points %s's smaller models to the suite's model", (name, pattern) => {
    expect(start(name, 'off')).toMatch(pattern);
  });
});

describe('an agent run as a custom command', () => {
  const read = (...lines: string[]) => readTranscript(agentRow('command'), lines.join('\n'));

  test('may print plain text instead of JSON lines', () => {
    expect(read('Looking…', 'Done.', '').steps).toEqual([
      { type: 'message', role: 'assistant', text: 'Looking…\nDone.\n' },
    ]);
    expect(read('Looking…', 'Done.', '').last).toBe('Looking…\nDone.');
  });

  test('may omit ids: a result then belongs to the latest call', () => {
    const { steps } = read(
      '{"type":"tool_call","name":"run","input":{"command":"ls"}}',
      '{"type":"tool_result","output":"a.md"}',
    );
    expect(steps).toEqual([
      { type: 'tool_call', name: 'run', arguments: '{"command":"ls"}', result: 'a.md' },
    ]);
  });
});

describe('a run without a usable report', () => {
  test.each<[string, AgentName, Partial<Ended>, string]>([
    [
      'that takes too long names the limit',
      'codex',
      { code: null, ended: 'time' },
      'codex did not finish within 10 minutes; raise `limits.minutes` or make the task smaller',
    ],
    [
      'that asks for a login says so',
      'claude-code',
      { code: 1, stderr: 'Not logged in · Please run /login' },
      'claude-code asks for a login instead of using the gateway: Not logged in · Please run /login; write only `agent: claude-code` for the version that evaldiff is tested with',
    ],
    [
      'whose program is missing says so',
      'command',
      { code: 127, stderr: 'sh: my-agent: not found' },
      'command cannot be started: sh: my-agent: not found',
    ],
    [
      'that crashes shows its exit code and last line',
      'codex',
      { code: 3, stderr: 'warning\nout of memory\n' },
      'codex ended with an error (exit code 3): out of memory',
    ],
    [
      'that does not know an argument shows the error, not the tip after it',
      'codex',
      {
        code: 2,
        stderr:
          "error: unexpected argument '--ephemeral' found\n\nFor more information, try '--help'.\n",
      },
      "codex ended with an error (exit code 2): error: unexpected argument '--ephemeral' found",
    ],
    [
      'that exits without its report is an error',
      'codex',
      {},
      'codex ended without the report that evaldiff reads; write only `agent: codex` for the version that evaldiff is tested with',
    ],
  ])('%s', (_, name, ended, message) => {
    expect(runFault(agentRow(name), run(ended), silent, 10)).toBe(message);
  });

  test('is accepted from a custom command that exits with 0', () => {
    expect(runFault(agentRow('command'), run(), silent, 10)).toBeNull();
  });
});
