import type { Script, Seen } from '../../../stand-ins/models/server.ts';
import { openProject } from '../../../stand-ins/project.ts';

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
  `references:\n${Array.from({ length: count }, (_, index) => `  - { id: r${index + 1}, input: { q: 'How do I close account ${index + 1}?' } }\n`).join('')}`;

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

/** A project with one prompt, whose server checks transcripts. */
export async function openDialogues(answer: Script, files: Record<string, string>) {
  const project = await openProject({ 'evaldiff.yaml': SETTINGS, ...files }, { answer });
  const of = (model: string) =>
    project.server.requests.filter((request) => request.model === model);
  return { ...project, of };
}
