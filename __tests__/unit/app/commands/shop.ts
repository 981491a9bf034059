import { join } from 'node:path';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { untilTestEnds } from '../../../stand-ins/after-test.ts';
import {
  beginIn,
  localEndpoint,
  type Running,
  type Said,
} from '../../../stand-ins/command-line.ts';
import {
  startModelServer,
  type ModelServer,
  type Script,
} from '../../../stand-ins/models/server.ts';
import { createRepository, type FixtureRepository } from '../../../stand-ins/repository.ts';

/**
 * A small project in a real git repository. Its commands call a model server on loopback until the
 * test ends.
 */
export interface Shop {
  repository: FixtureRepository;
  server: ModelServer;
  /** Runs a command in the project and returns its output and exit code. */
  evaldiff(...argv: string[]): Promise<Said>;
  /** Runs a command in a subfolder. */
  inFolder(folder: string, ...argv: string[]): Promise<Said>;
  /** Starts a command that runs until the test stops it. */
  begin(...argv: string[]): Running;
  /** Runs a command with `--json` and parses its output. */
  result(...argv: string[]): Promise<Result>;
}

export interface ShopOptions {
  references?: number;
  price?: string;
  settings?: string;
  rubric?: boolean;
  answer?: Script;
  env?: NodeJS.ProcessEnv;
  /** A server that the caller closes. Default: the shop starts its own. */
  server?: ModelServer;
}

/** The prompt with this message, and `more` lines. */
export const promptSaying = (content: string, more = '') => ({
  'prompts/ask.yaml': `name: ask\nmodel: m\n${more}defaults: [tests/ask]\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "${content}" }]\n`,
});

const PRICE = ', price: { input: 1000, output: 1000 }';

export async function openShop({
  references = 4,
  price = PRICE,
  settings = '',
  rubric = false,
  answer = () => ({ text: 'Yes, 5' }),
  env = {},
  server: given,
}: ShopOptions = {}): Promise<Shop> {
  const server = given ?? (await untilTestEnds(startModelServer({ answer })));
  const repository = createRepository();
  repository.commit('begin', {
    'evaldiff.yaml': `n_tries: 2\nmodels:\n  m: { provider: openai, endpoint: local, model: model-1${price} }\n${rubric ? 'grader: { model: m }\n' : ''}${settings}`,
    ...promptSaying('Answer: {q}'),
    'prompts/tests/ask.yaml': [
      'metrics:',
      rubric
        ? '  - { name: polite, rubric: polite, threshold: 1 }'
        : '  - { name: has, uses: contains, with: { value: "5" } }',
      'references:',
      ...Array.from(
        { length: references },
        (_, index) => `  - { id: r${index}, input: { q: "question ${index}" }, expected: "5" }`,
      ),
      '',
    ].join('\n'),
    ...(rubric
      ? {
          'rubrics/polite.yaml':
            'polite:\n  prompt: "Is it polite? {completion}"\n  choice_scores: { "Yes": 1, "No": 0 }\n',
        }
      : {}),
  });
  const start = (folder: string, argv: readonly string[]): Running =>
    beginIn(join(repository.directory, folder), argv, {
      env: localEndpoint(server, env),
      width: 160,
    });
  const evaldiff: Shop['evaldiff'] = (...argv) => start('', argv).ended;
  return {
    repository,
    server,
    evaldiff,
    inFolder: (folder, ...argv) => start(folder, argv).ended,
    begin: (...argv) => start('', argv),
    async result(...argv) {
      const { out, err } = await evaldiff(...argv, '--json');
      if (!out.startsWith('{')) throw new Error(`no result: ${out}${err}`);
      return JSON.parse(out) as Result;
    },
  };
}
