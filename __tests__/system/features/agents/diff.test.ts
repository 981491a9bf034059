import { factsIn } from '../../../../src/features/agents/suite/spec.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import type { Part } from '../../../../src/types/answer.ts';
import { SCRIPTED_AGENT } from '../../../stand-ins/agents/scripted-agent.ts';
import type { FixtureFiles } from '../../../stand-ins/repository.ts';
import { agentDiffs, editedRepository, KEY, PROJECT, SUITE } from './diff-setting.ts';

/** One task, one try and no command, for tests that do not need statistics. */
const SMALL = SUITE.replace('n_tries: 2', 'n_tries: 1').replace(
  / {4}- \{ (?:id: (?:export|login)|name: ends).*\n/g,
  '',
);

const RULE = 'When you write a file, end with GOOD.\n';

const RULES = `# Rules\n\nRead STYLE.md before you write.\n${RULE}`;

const diff = agentDiffs();

const repository = (changed: FixtureFiles, more: FixtureFiles = {}) =>
  editedRepository(
    {
      ...{ ...PROJECT, 'evals/notes.yaml': SMALL },
      ...{ 'AGENTS.md': RULES, 'STYLE.md': 'Be brief.\n', ...more },
    },
    changed,
  );

/** An agent that makes one call and reports success, whatever the answer is. */
const oneCall = (more: string, reports = '') => `
  const { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: token, EVALDIFF_MODEL } = process.env;
  const messages = [{ role: 'user', content: 'Answer with a word.' }];
  const body = JSON.stringify({ model: EVALDIFF_MODEL, max_tokens: 99, messages, ${more} });
  const headers = { 'x-api-key': token, 'anthropic-version': '2023-06-01' };
  await fetch(url + '/v1/messages', { method: 'POST', headers, body });
  ${reports}
  console.log('{"type":"end"}');`;

const headFacts = ({ suites: [suite] }: Result) =>
  (suite?.references ?? []).flatMap(({ head }) =>
    (head?.tries ?? []).flatMap(({ parts }) => factsIn({ parts: (parts ?? []) as Part[] }) ?? []),
  );

describe('evaldiff diff of an agent suite', () => {
  test('fails if a rule of AGENTS.md changes, even one that looks like a date', async () => {
    const dated = RULES.replace('When', 'The current date: when');
    const { directory } = repository(
      { 'AGENTS.md': dated.replace('GOOD', 'BAD') },
      { 'AGENTS.md': dated, 'evals/notes.yaml': SUITE },
    );
    const { code, paid, out, text, result } = await diff(directory);
    expect({ code, paid }).toEqual({ code: 1, paid: 2 * 3 * 2 * 3 });
    expect(result.suites[0]).toMatchObject({ verdict: 'regressed', reason: { metrics: ['ends'] } });
    expect(out).toContain('sh checks/ends.sh exits with 1: no GOOD');
    expect(text).not.toContain(KEY);
    expect(out).not.toContain('unknown part');
    const [facts] = headFacts(result);
    expect(facts).toMatchObject({
      context: 25,
      ended: 'done',
      turns: 3,
      calls: 2,
      files: [{ path: 'NOTES.md', kind: 'added' }],
      leaks: [],
      replies: { own: 3, other: 0, stored: 0 },
    });
  });

  test.each([
    ['ignores calls', "[{ name: 'skill', input_schema: { type: 'object' } }]", []],
    ['counts calls, as reported,', 'undefined', ['notes']],
  ])(
    '%s that only the agent reports if it offers the model these tools: %s',
    async (_, tools, skills) => {
      const call = '{"type":"tool_call","name":"skill","input":{"name":"notes"}}';
      const agent = oneCall(`tools: ${tools}`, `console.log('${call}');`);
      const { directory } = repository({ LICENSE: 'Edited.\n' }, { 'tools/agent.mjs': agent });
      const { result } = await diff(directory);
      const [facts] = headFacts(result);
      expect(facts).toMatchObject({ skills, turns: 1 });
      expect(facts?.reported).toBe(skills.length === 0 ? undefined : true);
    },
  );

  test('pays only for the calls that follow the reading of a changed file, and for none if no run reads it', async () => {
    const { directory, write, git } = repository({ LICENSE: 'Edited.\n' });
    const first = await diff(directory);
    // Both sides share the calls of each try.
    expect(first).toMatchObject({ code: 0, paid: 3 });
    expect(first.result.suites[0]).toMatchObject({ verdict: 'unchanged' });
    expect(first.out).toContain('base and head sent the model the same requests');
    git('commit', '-qam', 'edited');
    write({ LICENSE: 'Edited again.\n' });
    const second = await diff(directory);
    expect(second).toMatchObject({ code: 0, paid: 0 });
    expect(second.result.usage).toMatchObject({ calls: 0, cost_usd: 0 });
    expect(headFacts(second.result)[0]).toMatchObject({ turns: 3, seconds: null });
    const { directory: other } = repository({ 'STYLE.md': 'Be long.\n' });
    // The request before the file is read is answered from the store.
    expect(await diff(other)).toMatchObject({ code: 0, paid: 2 });
  });

  test.each([
    ['skills/notes/SKILL.md', 'Be brief and kind.\n', true],
    ['skills/notes/SKILL.md', null, true],
    ['AGENTS.md', RULES.replace('Read', 'Please read'), false],
    ['AGENTS.md', `${RULES}ok\n`, false],
  ])('says if no run read a changed instruction file: %s %j', async (path, text, isUnread) => {
    const skill = { 'skills/notes/SKILL.md': 'Be brief and exact.\n' };
    const { directory } = repository({ [path]: text }, skill);
    const { out, result } = await diff(directory);
    expect(result.conclusion).toBe('success');
    expect(out.includes(`no run read ${path}`)).toBe(isUnread);
    expect(result.notices.some(({ message }) => message.startsWith(`no run read ${path}`))).toBe(
      isUnread,
    );
  });

  test('does not run the agent if the agent may not read the only changed file', async () => {
    const { directory } = repository({ 'evals/notes.yaml': `# Edited\n${SMALL}` });
    const { code, paid, out } = await diff(directory);
    expect({ code, paid }).toEqual({ code: 0, paid: 0 });
    expect(out).toContain('no model call');
  });

  test('replays stored replies without an API key or network, and reports missing ones', async () => {
    const { directory } = repository({ LICENSE: 'Edited.\n' });
    await diff(directory);
    const env = { EVALDIFF_OFFLINE: '1', ANTHROPIC_API_KEY: undefined };
    const { directory: same } = repository({ LICENSE: 'Edited again.\n' });
    expect(await diff(same, { env })).toMatchObject({ code: 0, paid: 0 });
    const { directory: other } = repository({ 'AGENTS.md': 'New.\n' });
    const { paid, result } = await diff(other, { env });
    expect(paid).toBe(0);
    expect(result.suites[0]?.verdict).toBe('inconclusive');
    const [error] = result.suites[0]?.references[0]?.head?.tries ?? [];
    expect(error?.error).toContain('no reply is stored for call 1');
    expect(error?.error).toContain('run once without EVALDIFF_OFFLINE');
  });

  test('makes exactly as many calls as the cap allows', async () => {
    const { directory } = repository({ 'AGENTS.md': RULES.replace(RULE, '') });
    const { paid, result } = await diff(directory, { args: ['--max-calls', '5'] });
    expect(paid).toBe(5);
    expect(result.usage.calls).toBe(5);
  });

  test('compares what each run did before it reached its turn limit', async () => {
    const suite = SMALL.replace('turns: 8', 'turns: 1');
    const { directory } = repository({ LICENSE: 'Edited.\n' }, { 'evals/notes.yaml': suite });
    const { code, result } = await diff(directory);
    expect(code).toBe(0);
    expect(result.suites[0]?.pass_rate).toMatchObject({ base: 0, head: 0 });
    expect(headFacts(result)[0]).toMatchObject({ ended: 'turns', turns: 1 });
  });

  test.each([
    ['fails', { url: 'http://127.0.0.1:9' }, '', 'ECONNREFUSED'],
    ['has a tool of the vendor', {}, 'mcp_servers: []', 'add mcp to `workspace.network`'],
    ['names a different model', {}, 'model: "big"', 'write `models: [big]` in the suite'],
  ])('reports an error if a model call %s, even if the agent reports success', async (...row) => {
    const [, given, more, said] = row;
    const files = { 'tools/agent.mjs': oneCall(more) };
    const { directory } = repository({ LICENSE: 'Edited.\n' }, files);
    const { code, text } = await diff(directory, given);
    expect(code).toBe(2);
    expect(text).toContain(said);
  });

  test('reports a failed setup as an error of both sides', async () => {
    const suite = SMALL.replace('workspace: {', "workspace: { setup: ['echo broken; exit 3'],");
    const { directory } = repository({ LICENSE: 'Edited.\n' }, { 'evals/notes.yaml': suite });
    const { code, paid, text } = await diff(directory);
    expect({ code, paid }).toEqual({ code: 2, paid: 0 });
    expect(text).toContain('setup command \\"echo broken; exit 3\\" failed (exit code 3)');
  });
});

test('a check command that a pull request adds also runs on base', async () => {
  const metric = "    - { name: other, uses: runs, with: { run: 'test -s OTHER.md' } }\n";
  const added = SMALL.replace('  references:', `${metric}  references:`);
  const { directory } = repository({ 'evals/notes.yaml': added });
  const { code, result } = await diff(directory);
  expect(code).toBe(0);
  expect(result.suites[0]?.pass_rate).toMatchObject({ base: 0, head: 0 });
});

describe('a trigger test', () => {
  const SKILL =
    '---\nname: notes\ndescription: Use this when release notes are wanted.\n---\nBe brief.\n';
  const TRIGGERS = `agent: { command: [node, tools/agent.mjs], skill_tool: { name: activate_skill, argument: name } }
model: claude-sonnet-4-5
tests:
  n_tries: 4
  references:
    - { id: wanted, task: Write the release notes., trigger: notes }
    - { id: unwanted, task: Add two numbers., trigger: null }
`;
  const files = {
    'tools/agent.mjs': SCRIPTED_AGENT.replaceAll("'skill'", "'activate_skill'"),
    'skills/notes/SKILL.md': SKILL,
  };
  const edited = SKILL.replace('Use this when release notes are wanted', 'About notes');

  test('makes one call, and fails if the description no longer triggers the skill', async () => {
    const given = { ...files, 'evals/notes.yaml': TRIGGERS };
    const { directory } = repository({ 'skills/notes/SKILL.md': edited }, given);
    const { code, paid, result } = await diff(directory);
    expect({ code, paid }).toEqual({ code: 1, paid: 2 * 2 * 4 });
    expect(result.suites[0]?.references.map(({ id, status }) => [id, status])).toEqual([
      ['wanted', 'regressed'],
      ['unwanted', 'unchanged'],
    ]);
    expect(headFacts(result)[0]).toMatchObject({ ended: 'decided', turns: 1, skills: [] });
  });

  test('with null is not judged if the tool for skills is unknown', async () => {
    const unknown = TRIGGERS.replace(/, skill_tool: \{[^}]*\}/, '');
    const given = { ...files, 'evals/notes.yaml': unknown.replace('n_tries: 4', 'n_tries: 1') };
    const { directory } = repository({ 'skills/notes/SKILL.md': edited }, given);
    const { result } = await diff(directory);
    const [, unwanted] = result.suites[0]?.references ?? [];
    expect(unwanted?.status).toBe('ungraded');
    expect(unwanted?.head?.tries[0]?.scores[0]?.reason).toContain('skill_tool: { name: TOOL');
  });
});
