import { answerTo, type Project, type Prompt, type Reference } from './project.ts';

/**
 * The minimum calls to compare `head` with `base`: one per distinct model, parameters, messages and
 * try, for the answers and grades of changed references. Computed from the projects alone, without
 * evaldiff.
 */
export function callsToCompare(base: Project, head: Project): Set<string> {
  const calls = new Set<string>();
  for (const prompt of head.prompts) {
    const before = base.prompts.find(({ name }) => name === prompt.name) ?? null;
    for (const reference of prompt.references) {
      const old = before?.references.find(({ item }) => item === reference.item) ?? null;
      if (before !== null && old !== null && same([base, before, old], [head, prompt, reference]))
        continue;
      // If base has the prompt, it answers head's question too.
      addCalls(
        calls,
        before === null
          ? [[head, prompt]]
          : [
              [base, before],
              [head, prompt],
            ],
        reference,
      );
    }
  }
  return calls;
}

/** All calls of a project's full sweep. */
export function callsToSweep(project: Project): Set<string> {
  const calls = new Set<string>();
  for (const prompt of project.prompts)
    for (const reference of prompt.references) addCalls(calls, [[project, prompt]], reference);
  return calls;
}

type Side = readonly [Project, Prompt];

/** Whether a reference has the same question and scoring on both sides. */
function same(
  [base, before, old]: [...Side, Reference],
  [head, prompt, reference]: [...Side, Reference],
): boolean {
  const what = (
    project: Project,
    { wording, temperature, metric }: Prompt,
    { expected }: Reference,
  ): string =>
    JSON.stringify([
      project.model,
      wording,
      temperature,
      metric,
      expected,
      metric === 'polite' ? project.rubric : null,
    ]);
  return what(base, before, old) === what(head, prompt, reference);
}

/** Adds each side's answers and, for rubrics, a grade of each answer by each side's rubric. */
function addCalls(calls: Set<string>, sides: readonly Side[], { item }: Reference): void {
  for (const [project, { wording, temperature }] of sides) {
    const message = `${wording} item ${String(item)}`;
    for (let index = 0; index < project.tries; index++) {
      calls.add(JSON.stringify([project.model, temperature, message, index]));
      for (const [{ rubric }, { metric }] of sides) {
        // The rubric sees only the answer.
        if (metric === 'polite')
          calls.add(
            JSON.stringify(['judge-1', `${rubric} ${answerTo(project.model, message)}`, index]),
          );
      }
    }
  }
}
