import { withPrompt, type Project, type Prompt, type Reference } from './project.ts';

/** A pull request. `earlier` is a previous push that evaldiff already compared. */
export interface Scenario {
  title: string;
  head: Project;
  earlier?: Project;
}

/** Pull requests against a main with at least six prompts and two references. */
export function scenariosOf(base: Project): readonly Scenario[] {
  const reworded = withPrompt(base, 3, (prompt) => ({
    ...prompt,
    wording: 'Say something new about',
  }));
  const added = ({ references: { length } }: Prompt): Reference => ({
    item: length,
    expected: String(length),
  });
  return [
    { title: 'nothing that concerns prompts', head: { ...base, readme: 'Other words.' } },
    {
      title: 'a comment in a prompt file',
      head: withPrompt(base, 3, (prompt) => ({ ...prompt, comment: '# Reviewed.\n\n' })),
    },
    {
      title: 'a prompt file renamed',
      head: withPrompt(base, 3, (prompt) => ({ ...prompt, file: 'prompts/renamed.yaml' })),
    },
    { title: 'tries of each reference 3 → 5 in the settings', head: { ...base, tries: 5 } },
    { title: 'one prompt of twenty reworded', head: reworded },
    {
      title: 'one reference added',
      head: withPrompt(base, 3, (prompt) => ({
        ...prompt,
        references: [...prompt.references, added(prompt)],
      })),
    },
    {
      title: 'one expected value edited',
      head: withPrompt(base, 3, (prompt) => ({
        ...prompt,
        references: prompt.references.map((reference) =>
          reference.item === 1 ? { ...reference, expected: '' + 'em' } : reference,
        ),
      })),
    },
    {
      title: 'the metric of one prompt changed',
      head: withPrompt(base, 3, (prompt) => ({ ...prompt, metric: 'exact' })),
    },
    {
      title: 'the rubric of one prompt changed',
      head: { ...base, rubric: 'Is the answer polite and short?' },
    },
    {
      title: 'the prompt that a rubric judges reworded',
      head: withPrompt(base, base.prompts.length - 1, (prompt) => ({
        ...prompt,
        wording: 'Kindly say something about',
      })),
    },
    {
      title: 'a parameter of one prompt changed',
      head: withPrompt(base, 3, (prompt) => ({ ...prompt, temperature: 0.5 })),
    },
    {
      title: 'the model behind all prompts changed in the settings',
      head: { ...base, model: 'model-2' },
    },
    {
      title: 'a prompt copied under a new name',
      head: {
        ...base,
        prompts: [
          ...base.prompts,
          ...base.prompts
            .slice(3, 4)
            .map((prompt) => ({ ...prompt, name: 'copy', file: 'prompts/copy.yaml' })),
        ],
      },
    },
    {
      title: 'the reworded prompt again: the job is run a second time',
      head: reworded,
      earlier: reworded,
    },
    {
      title: 'a second push that rewords another prompt',
      head: withPrompt(reworded, 4, (prompt) => ({ ...prompt, wording: 'Tell a story about' })),
      earlier: reworded,
    },
  ];
}
