import { openProject, type OpenProject, type ProjectOptions } from '../../../stand-ins/project.ts';
import type { FixtureFiles } from '../../../stand-ins/repository.ts';

/** A small project with one prompt. */
export type Shop = OpenProject;

export interface ShopOptions extends Partial<ProjectOptions> {
  references?: number;
  price?: string;
  settings?: string;
  rubric?: boolean;
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
  ...options
}: ShopOptions = {}): Promise<Shop> {
  const files: FixtureFiles = {
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
  };
  return openProject(files, { answer, ...options });
}
