import { stringify } from 'yaml';
import type { Files } from '../measure/project.ts';

/** A project as plain data, from which its files and its calls are derived. */
export interface Project {
  model: string;
  tries: number;
  readme: string;
  rubric: string;
  prompts: readonly Prompt[];
}

export interface Prompt {
  name: string;
  file: string;
  comment: string;
  wording: string;
  temperature: number;
  /** `polite` calls a grader with the project's rubric. */
  metric: 'contains' | 'exact' | 'polite';
  references: readonly Reference[];
}

export interface Reference {
  item: number;
  expected: string;
}

/** Up to twenty prompts that differ only in wording; a rubric grades the last. */
export function projectOf(prompts: number, references: number): Project {
  return {
    model: 'model-1',
    tries: 3,
    readme: 'Prompts.',
    rubric: 'Is the answer polite?',
    prompts: Array.from({ length: prompts }, (_, index) => ({
      name: `prompt-${String(index)}`,
      file: `prompts/prompt-${String(index)}.yaml`,
      comment: '',
      wording: `Write in style ${'abcdefghijklmnopqrst'.charAt(index)} about`,
      temperature: 0,
      metric: index === prompts - 1 ? ('polite' as const) : ('contains' as const),
      references: Array.from({ length: references }, (__, item) => ({
        item,
        expected: String(item),
      })),
    })),
  };
}

/** The project with one changed prompt. */
export function withPrompt(
  project: Project,
  index: number,
  change: (prompt: Prompt) => Prompt,
): Project {
  return {
    ...project,
    prompts: project.prompts.map((prompt, at) => (at === index ? change(prompt) : prompt)),
  };
}

export function filesOf({ model, tries, readme, rubric, prompts }: Project): Files {
  return {
    'README.md': readme,
    'evaldiff.yaml': stringify({
      n_tries: tries,
      grader: 'judge',
      models: {
        writer: { provider: 'openai', endpoint: 'local', model },
        judge: { provider: 'openai', endpoint: 'local', model: 'judge-1' },
      },
    }),
    'rubrics/polite.yaml': stringify({
      polite: { prompt: `${rubric} {content}`, choice_scores: { YES: 1, NO: 0 }, better: 'higher' },
    }),
    ...Object.fromEntries(
      prompts.flatMap((prompt) => [
        [prompt.file, promptText(prompt)],
        [`prompts/tests/${prompt.name}.yaml`, testsText(prompt)],
      ]),
    ),
  };
}

function promptText({ name, comment, wording, temperature }: Prompt): string {
  return `${comment}${stringify({ name, model: 'writer', temperature, defaults: [`tests/${name}`], variables: [{ name: 'item' }], messages: [{ role: 'human', content: `${wording} item {item}` }] })}`;
}

function testsText({ metric, references }: Prompt): string {
  const how = {
    contains: { uses: 'contains' },
    exact: { uses: 'exact_match' },
    polite: { rubric: 'polite' },
  }[metric];
  return stringify({
    metrics: [{ name: 'judged', ...how }],
    references: references.map(({ item, expected }) => ({
      id: `item-${String(item)}`,
      input: { item },
      expected,
    })),
  });
}

/** The answer of any model: the item's number to a question, a pass to a grading request. */
export function answerTo(model: string, message: string): string {
  return model.startsWith('judge')
    ? JSON.stringify({ reasons: 'It is.', choice: 'YES' })
    : (/\d+$/.exec(message)?.[0] ?? '');
}
