import type { Clock } from '../../../../src/edges/providers/clock.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { untilTestEnds } from '../../../stand-ins/after-test.ts';
import { commandIn, type Said } from '../../../stand-ins/command-line.ts';
import {
  startModelServer,
  vendorUrls,
  type ModelServer,
  type ServerOptions,
} from '../../../stand-ins/models/server.ts';
import {
  createRepository,
  fixtureEnvironment,
  type FixtureRepository,
} from '../../../stand-ins/repository.ts';
import { testClock, type TestClock } from '../../../unit/edges/providers/providers-setting.ts';

export const BATCH_KEY = 'sk-batch-51fgTY7qqPPab90XYZ';

/** A project whose models use batches, with both vendors' hosts as loopback servers. */
export interface BatchProject {
  repository: FixtureRepository;
  server: ModelServer;
  clock: TestClock;
  evaldiff(...argv: string[]): Promise<Said>;
  /** Runs the command line with another clock. */
  at(clock: Clock, ...argv: string[]): Promise<Said>;
  result(...argv: string[]): Promise<{ result: Result; code: number; err: string }>;
}

export interface BatchProjectOptions extends ServerOptions {
  settings?: string;
  references?: number;
  metrics?: string;
  /** The prompt's limit of output tokens. Without it, the first answer comes alone. */
  limit?: string;
}

export const MODELS =
  'models:\n  gpt-4o: { provider: openai, transport: batch, price: { input: 1000, output: 1000 } }\n  claude-x: { provider: anthropic, transport: batch, price: { input: 1000, output: 1000 } }\n';

export async function openBatchProject({
  settings = MODELS,
  references = 4,
  limit = 'max_tokens: 300\n',
  metrics = '  - { name: has, uses: contains, with: { value: "5" } }',
  ...served
}: BatchProjectOptions = {}): Promise<BatchProject> {
  const server = await untilTestEnds(
    startModelServer({
      key: BATCH_KEY,
      answer: ({ schema }) => ({
        text: schema === null ? 'Yes, 5' : '{"reasons":"kind","choice":"Yes"}',
      }),
      ...served,
    }),
  );
  const repository = createRepository();
  repository.commit('begin', {
    'evaldiff.yaml': `n_tries: 2\n${settings}`,
    'prompts/ask.yaml': `name: ask\nmodel: gpt-4o\n${limit}defaults: [tests/ask]\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "Answer: {q}" }]\n`,
    'prompts/tests/ask.yaml': [
      'metrics:',
      metrics,
      'references:',
      ...Array.from(
        { length: references },
        (_, index) => `  - { id: r${index}, input: { q: "question ${index}" }, expected: "5" }`,
      ),
      '',
    ].join('\n'),
    'rubrics/polite.yaml':
      'polite:\n  prompt: "Is it polite? {completion}"\n  choice_scores: { "Yes": 1, "No": 0 }\n',
  });
  const clock = testClock();
  const at: BatchProject['at'] = (its, ...argv) =>
    commandIn(repository.directory, argv, {
      env: fixtureEnvironment({ OPENAI_API_KEY: BATCH_KEY, ANTHROPIC_API_KEY: BATCH_KEY }),
      width: 160,
      testOverrides: { vendorUrls: vendorUrls(server), clock: its },
    });
  const evaldiff: BatchProject['evaldiff'] = (...argv) => at(clock, ...argv);
  return {
    repository,
    server,
    clock,
    evaldiff,
    at,
    async result(...argv) {
      const { out, err, code } = await evaldiff(...argv, '--json');
      if (!out.startsWith('{')) throw new Error(`no result: ${out}${err}`);
      return { result: JSON.parse(out) as Result, code, err };
    },
  };
}
