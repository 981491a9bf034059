import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '../../../stand-ins/models/server.ts';
import { openProject, type OpenProject } from '../../../stand-ins/project.ts';
import type { FixtureFiles } from '../../../stand-ins/repository.ts';

/**
 * A project that covers everything a sweep can contain, with `run --shard` and `merge` on the
 * command line.
 */
export interface Sharded extends OpenProject {
  /** Evaluates all parts, each on a separate machine, and returns their folders. */
  shards(count: number, ...more: string[]): Promise<string[]>;
  /** The text of `result.json` that a command wrote. */
  report(...argv: string[]): Promise<string>;
  read(path: string): string;
}

const words = JSON.stringify({
  analysis: 'So.',
  understanding: 'yes',
  correctness: 'yes',
  completeness: 'yes',
  follow_up: '',
});

/**
 * Depends only on the prompt: half of the answers are right, prompts with "refused" are refused.
 */
export const correctModel: Script = ({ model, messages, schema }) => {
  const text = messages.map(({ content }) => content).join('\n');
  if (model === 'judge-1') {
    // The second answer of a dialogue is complete.
    const answers = text.match(/^<<<answer /gm)?.length ?? 0;
    return {
      text:
        answers >= 2
          ? words
          : words.replace(
              '"completeness":"yes","follow_up":""',
              '"completeness":"no","follow_up":"And then?"',
            ),
    };
  }
  if (schema !== null) {
    const label = /answer to (\d*[02468])\b/.test(text) ? 'Yes' : 'No';
    return { text: JSON.stringify({ reasons: 'because', label, choice: label, answer: label }) };
  }
  if (text.includes('refused'))
    return { status: 400, error: { message: 'this question is refused' } };
  const number = /\d+/.exec(messages.at(-1)?.content ?? '')?.[0] ?? '';
  return { text: `answer to ${number}` };
};

const references = (count: number, more = '') =>
  `references:\n${Array.from({ length: count }, (_, index) => `  - { id: r${index}, input: { q: "question ${index}" }, expected: "answer to ${index % 3}" }\n`).join('')}${more}`;
const prompt = (name: string, model = 'm', text = 'Answer: {q}') =>
  `name: ${name}\nmodel: ${model}\ndefaults: [tests/${name}]\nvariables: [q]\nmessages: [{ role: user, content: "${text}" }]\n`;
const EXACT = 'metrics: [{ name: exact, uses: exact_match }]\n';

function taped(temperature: number, n: string) {
  const messages = [{ role: 'user', content: `Answer: question ${n}` }];
  const asked = { provider: 'openai', model: 'taped', parameters: { temperature }, messages };
  const reply = { output: `answer to ${n}`, usage: { input_tokens: 4, output_tokens: 3 } };
  return `${JSON.stringify({ request: { ...asked, try: 0 }, reply })}\n`;
}

export const PROJECT: FixtureFiles = {
  'evaldiff.yaml': [
    'models:',
    '  m: { provider: openai, endpoint: local, model: model-1, price: { input: 1000, output: 1000 } }',
    '  judge: { provider: openai, endpoint: local, model: judge-1 }',
    '  app: { provider: program, command: [sh, app.sh] }',
    '  taped: { provider: replay, file: tape.jsonl }',
    'grader: { model: m }',
    'sweep: { temperature: [0, 0.7] }',
    '',
  ].join('\n'),
  // This suite has its own roll-up and number of tries, a skipped reference, and a rubric that
  // depends on another metric.
  'prompts/ask.yaml': prompt('ask'),
  'prompts/tests/ask.yaml': [
    'metrics:',
    '  - { name: says, uses: contains, with: { value: "answer" } }',
    '  - { name: even, rubric: even, threshold: 1, depends_on: [{ name: says, metric_min_value: 1 }] }',
    'metrics_rollup:',
    '  code: |',
    '    result = num_passes > num_fails',
    references(
      9,
      '  - { id: skipped, input: { q: "question 90" }, skip: true }\n  - { id: often, input: { q: "question 91" }, n_tries: 4 }\n  - { id: no, input: { q: "refused 1" } }\n',
    ),
  ].join('\n'),
  'rubrics/even.yaml':
    'even:\n  prompt: "Is it even? {completion}"\n  choice_scores: { "Yes": 1, "No": 0 }\n',
  // The same questions in a second suite with another name.
  'prompts/twin.yaml': prompt('twin'),
  'prompts/tests/twin.yaml': `${EXACT}${references(6)}`,
  'prompts/talk.yaml': prompt('talk'),
  'prompts/tests/talk.yaml': `conversation: { max_steps: 3, evaluators: [judge] }\n${references(3)}`,
  'prompts/taped.yaml': prompt('taped', 'taped'),
  'prompts/tests/taped.yaml': `n_tries: 1\n${EXACT}${references(2)}`,
  'tape.jsonl': [0, 0.7]
    .flatMap((temperature) => [0, 1].map((index) => taped(temperature, String(index))))
    .join(''),
  'prompts/app.yaml': prompt('app', 'app'),
  'prompts/tests/app.yaml': `${EXACT}${references(3)}`,
  // A shell program, because a shell starts ten times as fast as Node.
  'app.sh': [
    'while IFS= read -r line; do',
    '  id=${line#*\\"id\\":}',
    '  number=${line#*question }',
    '  printf \'{"id":%s,"output":"answer to %s"}\\n\' "${id%%[,\\}]*}" "${number%%[!0-9]*}"',
    'done',
    '',
  ].join('\n'),
};

/** For sweeps of `twin` alone: keeps one other suite, which starts nothing. */
export const TWIN: FixtureFiles = Object.fromEntries(
  ['ask', 'taped', 'app'].flatMap((name) => [
    [`prompts/${name}.yaml`, null],
    [`prompts/tests/${name}.yaml`, null],
  ]),
);

export async function openSharded({
  answer = correctModel,
  files = {},
}: { answer?: Script; files?: FixtureFiles } = {}): Promise<Sharded> {
  const project = await openProject({ ...PROJECT, ...files }, { answer });
  const { repository } = project;
  const evaldiff: Sharded['evaldiff'] = (...argv) => project.evaldiff(...argv, '--code', 'host');
  const read = (path: string) => readFileSync(join(repository.directory, path), 'utf8');
  let reports = 0;
  return {
    ...project,
    evaldiff,
    read,
    async shards(count, ...more) {
      const folders = Array.from({ length: count }, (_, index) => ({
        shard: `${index + 1}/${count}`,
        folder: `part-${index + 1}`,
      }));
      for (const { shard, folder } of folders) {
        const places = ['--shard-to', folder, '--store', `store-of-${folder}.sqlite`];
        const { code, err } = await evaldiff('run', '--shard', shard, ...places, ...more);
        if (code !== 0) throw new Error(`shard ${shard} ended with ${code}: ${err}`);
      }
      return folders.map(({ folder }) => folder);
    },
    async report(...argv) {
      const folder = `report-${(reports += 1)}`;
      const { err } = await evaldiff(...argv, '--report', folder);
      try {
        return read(`${folder}/result.json`);
      } catch {
        throw new Error(err);
      }
    },
  };
}
