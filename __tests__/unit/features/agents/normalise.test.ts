import { describe, expect, test } from '@jest/globals';
import { normaliserFor } from '../../../../src/features/agents/gateway/normalise.ts';
import type { AgentName } from '../../../../src/features/agents/suite/spec.ts';
import type { JsonMap } from '../../../../src/types/plain.ts';

const ID = '3f2a9c4e-1b2c-4d5e-8f90-a1b2c3d4e5f6';
const COMMIT = 'c0ffee1234567890c0ffee1234567890c0ffee12';
const said = (text: string): JsonMap => ({ messages: [{ role: 'user', content: text }] });
const result = (content: string): JsonMap => ({
  messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] }],
});
const output = (text: string): JsonMap => ({
  input: [{ type: 'function_call_output', call_id: 'call_1', output: text }],
});
const same = (agent: AgentName, a: JsonMap, b: JsonMap, known: readonly string[][] = []): boolean =>
  JSON.stringify(normaliserFor(agent, known[0] ?? [])(a)) ===
  JSON.stringify(normaliserFor(agent, known[1] ?? known[0] ?? [])(b));

describe('requests of two runs of an agent', () => {
  test.each<[string, AgentName, JsonMap, JsonMap]>([
    [
      'session fields',
      'claude-code',
      { metadata: { user_id: 'a' } },
      { metadata: { user_id: 'b' } },
    ],
    ['cache keys', 'codex', { prompt_cache_key: 'a', input: 'x' }, { input: 'x' }],
    [
      'call ids',
      'gemini-cli',
      { contents: [{ parts: [{ functionCall: { id: '1', name: 'read' } }] }] },
      { contents: [{ parts: [{ functionCall: { id: '2', name: 'read' } }] }] },
    ],
    [
      'session folders',
      'copilot',
      said(`see /session/${ID}`),
      said('see /session/' + ID.replace('3', '4')),
    ],
    [
      'the time',
      'copilot',
      said('<current_datetime>2026-11-26T10:00:00Z</current_datetime>'),
      said('<current_datetime>2026-11-27T09:30:00Z</current_datetime>'),
    ],
    [
      'the date',
      'claude-code',
      said("Today's date is 2026-11-26.\n"),
      said("Today's date is 2026-11-27.\n"),
    ],
    [
      'the kernel',
      'claude-code',
      said('OS Version: Linux 6.8\n'),
      said('OS Version: Linux 6.11\n'),
    ],
    ['shell ids', 'codex', output('Chunk ID: a1\nok'), output('Chunk ID: b2\nok')],
    [
      'seconds',
      'codex',
      output('Wall time: 0.1 seconds\nok'),
      output('Wall time: 12.5 seconds\nok'),
    ],
    [
      'process numbers',
      'gemini-cli',
      {
        contents: [
          { parts: [{ functionResponse: { response: { output: 'Process Group PGID: 1' } } }] },
        ],
      },
      {
        contents: [
          { parts: [{ functionResponse: { response: { output: 'Process Group PGID: 2' } } }] },
        ],
      },
    ],
  ])('count as equal if they differ only in %s', (_, agent, a, b) => {
    expect(same(agent, a, b)).toBe(true);
    expect(same('command', a, b)).toBe(true);
  });

  test.each<[string, AgentName, JsonMap, JsonMap]>([
    [
      'a time in an instruction',
      'copilot',
      said('Freeze at 2026-11-26T10:00:00Z'),
      said('Freeze at 2026-11-27T10:00:00Z'),
    ],
    [
      'a date in an instruction',
      'claude-code',
      said('Release on 2026-11-26.'),
      said('Release on 2026-11-27.'),
    ],
    ['an id in an instruction', 'copilot', said(`Use ${ID}`), said('Use ' + ID.replace('3', '4'))],
    [
      'a date in the result of a tool',
      'codex',
      result("Today's date is 2026-11-26."),
      result("Today's date is 2026-11-27."),
    ],
    [
      'an id in the input of a tool',
      'claude-code',
      { messages: [{ content: [{ type: 'tool_use', input: { id: '1' } }] }] },
      { messages: [{ content: [{ type: 'tool_use', input: { id: '2' } }] }] },
    ],
    [
      'the user in the input of a tool',
      'codex',
      { input: [{ type: 'custom_tool_call', input: { user: 'a' } }] },
      { input: [{ type: 'custom_tool_call', input: { user: 'b' } }] },
    ],
    [
      'the output of a shell in the input of a tool',
      'codex',
      { input: [{ type: 'custom_tool_call', input: { response: 'Chunk ID: a1' } }] },
      { input: [{ type: 'custom_tool_call', input: { response: 'Chunk ID: b2' } }] },
    ],
    [
      'a field of a schema',
      'claude-code',
      { tools: [{ input_schema: { properties: { id: { type: 'string' } } } }] },
      { tools: [{ input_schema: { properties: { id: { type: 'number' } } } }] },
    ],
    ['the model', 'codex', { model: 'a' }, { model: 'b' }],
    [
      "another agent's clock",
      'codex',
      said('<current_datetime>1</current_datetime>'),
      said('<current_datetime>2</current_datetime>'),
    ],
    [
      'metadata below the top',
      'claude-code',
      { messages: [{ metadata: 1 }] },
      { messages: [{ metadata: 2 }] },
    ],
  ])('count as different if they differ in %s', (_, agent, a, b) => {
    expect(same(agent, a, b)).toBe(false);
  });

  test('count as equal if they differ only in values of the run itself, such as the commit', () => {
    const other = 'bada55e1234567890bada55e1234567890bada55';
    const known = [
      [COMMIT, '/tmp/run-1'],
      [other, '/tmp/run-2'],
    ];
    const body = (commit: string, folder: string): JsonMap => ({
      ...said(`at ${commit} in ${folder}`),
      ...output(`${commit.slice(0, 7)} first\n${commit.slice(0, 12)}`),
    });
    expect(same('codex', body(COMMIT, '/tmp/run-1'), body(other, '/tmp/run-2'), known)).toBe(true);
    // These are not short forms of the commits.
    expect(same('codex', said('c0ffee1b'), said('bada55e1b'), known)).toBe(false);
    expect(same('codex', said('c0ff'), said('bada'), known)).toBe(false);
  });

  test('cannot set the prototype of an object', () => {
    const body = JSON.parse('{"messages":[{"__proto__":{"a":1}}]}') as JsonMap;
    expect(JSON.stringify(normaliserFor('codex', [])(body))).toBe(JSON.stringify(body));
  });
});
