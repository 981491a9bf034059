import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { agentRow } from '../../../src/features/agents/rows/index.ts';
import { agentSchema } from '../../../src/features/agents/schema.ts';
import { instructionSettings } from '../../../src/features/agents/settings.ts';
import { AGENT_NAMES } from '../../../src/features/agents/suite/spec.ts';

const page = readFileSync('docs/agents.md', 'utf8');
const runsPage = readFileSync('docs/agent-runs.md', 'utf8');

function rowsOf(section: string) {
  const part = page.split(/^## /m).find((each) => each.startsWith(`${section}\n`)) ?? '';
  return [...part.matchAll(/^\|(.+)\|$/gm)]
    .slice(2)
    .map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
}

const codes = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

describe('the page about agents', () => {
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

  test('lists the lines of an own agent with their fields, and names its tool for skills', () => {
    const lines = {
      message: { text: 'a' },
      tool_call: { id: '1', name: 'b', input: { c: 1 } },
      tool_result: { id: '1', output: 'd' },
      end: { ok: false, reason: 'e' },
    };
    const { read } = agentRow('command');
    for (const [type, fields] of Object.entries(lines)) {
      const row = new RegExp(`^\\| \`${type}\` +\\| (.*)$`, 'm').exec(runsPage)?.[1];
      expect(codes(row)).toEqual(Object.keys(fields));
      const [event] = read({ type, ...fields });
      expect(Object.values(event ?? {})).toEqual(expect.arrayContaining(Object.values(fields)));
    }
    const [, agent] = /^agent: (\{.*skill_tool.*)$/m.exec(runsPage) ?? [];
    expect(agentSchema.safeParse(parse(agent ?? '')).success).toBe(true);
  });

  test('shows a map of patterns that the settings accept', () => {
    const [, modes] = /^instructions: (\{.*\})$/m.exec(runsPage) ?? [];
    expect(instructionSettings.schema.safeParse(parse(modes ?? '')).success).toBe(true);
  });

  test('has at most 1,350 words', () => {
    const words = page
      .replace(/^\|[-| ]+\|$/gm, '')
      .split(/[\s|]+/)
      .filter((word) => word !== '');
    expect(words.length).toBeLessThanOrEqual(1350);
  });
});
