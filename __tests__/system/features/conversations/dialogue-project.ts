import type { Result } from '../../../../src/kernel/result/result.ts';
import { untilTestEnds } from '../../../stand-ins/after-test.ts';
import { commandIn, localEndpoint } from '../../../stand-ins/command-line.ts';
import { startModelServer, type Script, type Seen } from '../../../stand-ins/models/server.ts';
import { createRepository } from '../../../stand-ins/repository.ts';

export const JUDGE = 'judge';

export const DIFF = ['diff', '--base', 'HEAD~1', '--head', 'HEAD', '--no-store'];
export const RUN = ['run', '--no-store', 'n_tries=1', '--fail-on', 'never'];

const SETTINGS =
  'models:\n  app: { provider: openai, endpoint: local, model: app }\n  judge: { provider: openai, endpoint: local, model: judge }\ngrader: judge\n';

export const promptOf = (system: string, more = '', question = '{q}'): string =>
  `name: t\nmodel: app\n${question === '' ? '' : 'variables: [q]\n'}messages:\n  - { role: system, content: ${system} }\n${question === '' ? '' : `  - { role: human, content: '${question}' }\n`}${more}`;

export const rows = (list: readonly object[]): string =>
  list.map((row) => `${JSON.stringify(row)}\n`).join('');

export const questions = (count = 8): string =>
  `references:\n${Array.from({ length: count }, (_, index) => `  - { id: r${String(index + 1)}, input: { q: 'How do I close account ${String(index + 1)}?' } }\n`).join('')}`;

/** An evaluator's reply: satisfied, or with the next question. */
export const verdict = (next: string | null): { text: string } => ({
  text: JSON.stringify({
    analysis: 'So.',
    understanding: 'yes',
    correctness: 'yes',
    completeness: next === null ? 'yes' : 'no',
    follow_up: next ?? '',
  }),
});

export const textOf = ({ messages }: Pick<Seen, 'messages'>): string =>
  messages.map(({ content }) => content).join('\n');

export const answersShown = (request: Pick<Seen, 'messages'>): number =>
  textOf(request).match(/^<<<answer /gm)?.length ?? 0;

/** A repository with one prompt; its models are a loopback server that checks transcripts. */
export async function openProject(answer: Script, files: Record<string, string>) {
  const server = await untilTestEnds(startModelServer({ answer }));
  const repository = createRepository();
  repository.commit('base', { 'evaldiff.yaml': SETTINGS, ...files });
  const evaldiff = (...argv: string[]) =>
    commandIn(repository.directory, argv, { env: localEndpoint(server), width: 160 });
  return {
    ...{ server, repository, evaldiff },
    result: async (...argv: string[]) => {
      const { out, err } = await evaldiff(...argv, '--json');
      if (!out.startsWith('{')) throw new Error(`${out}${err}`);
      return JSON.parse(out) as Result;
    },
    of: (model: string) => server.requests.filter((request) => request.model === model),
  };
}
