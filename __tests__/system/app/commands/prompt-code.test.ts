import type { Result } from '../../../../src/kernel/result/result.ts';
import { answerText } from '../../../../src/report/answers/text.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { createRepository, fixtureEnvironment } from '../../../stand-ins/repository.ts';

/** llmeval's own example, unchanged. */
const PING = `defaults:
  - tests/ping
name: ping
model: gpt-4-16k
temperature: 0.0
variables:
  - name: message
code: |
  import json
  from langchain.chat_models import ChatOpenAI
  from langchain.schema import HumanMessage
 
  messages = [
    HumanMessage(content="You are a ping pong machine"),
    HumanMessage(content="{message}"),
  ]
 
  llm = ChatOpenAI()
  output = llm(messages)
`;

const TESTS = `metrics:
  - name: exact_match
    code: |
      metric = prompt
      result = actual == expected
references:
  - { input: { message: ping }, expected: pong to ping }
  - { input: { message: 'say "hi" + {message}\\n' }, expected: 'pong to say "hi" + {message}\\n' }
  - { input: { message: '" + open("/etc/passwd").read() + "' }, expected: 'pong to " + open("/etc/passwd").read() + "' }
`;

/** Replaces the package. It repeats its input. */
const LANGCHAIN = {
  'lib/langchain/__init__.py': '',
  'lib/langchain/schema.py':
    'class HumanMessage:\n    def __init__(self, content): self.content = content\n',
  'lib/langchain/chat_models.py':
    'from langchain.schema import HumanMessage\nclass ChatOpenAI:\n    def __call__(self, messages): return HumanMessage("pong to " + messages[-1].content)\n',
};

test("llmeval's own example of a prompt in code runs unchanged", async () => {
  const { directory, commit } = createRepository();
  commit('ping', {
    'llmeval.yaml': 'n_tries: 1\n',
    'prompts/ping.yaml': PING,
    'prompts/tests/ping.yaml': TESTS,
    ...LANGCHAIN,
  });
  const env = { ...fixtureEnvironment(), PYTHONPATH: `${directory}/lib` };
  const argv = ['run', '--code', 'host', '--code-env', 'PYTHONPATH', '--json'];
  const { out, err } = await commandIn(directory, argv, { env });
  expect(err).not.toContain('error');
  expect(err).toContain('cost unknown (prompt code may make calls of its own)');
  const { suites, problems } = JSON.parse(out) as Result;
  expect(problems).toEqual([]);
  const tries = suites[0]?.references.flatMap(({ head }) => head?.tries ?? []);
  expect(tries?.map(({ outcome, parts }) => [outcome, answerText({ parts })])).toEqual([
    ['pass', 'pong to ping'],
    ['pass', String.raw`pong to say "hi" + {message}\n`],
    ['pass', 'pong to " + open("/etc/passwd").read() + "'],
  ]);
  const { usage } = JSON.parse(out) as Result;
  expect(usage).toMatchObject({ calls: 3, cost_usd: null, unpriced: 'programs' });
  expect(tries?.map(({ latency_ms }) => latency_ms)).toEqual([null, null, null]);
  const asked = tries?.flatMap(({ scores }) => scores.map(({ value }) => value));
  expect(asked?.[0]).toBe('user: You are a ping pong machine\nuser: ping');
});
