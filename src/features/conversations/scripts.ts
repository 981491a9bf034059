import { problem } from '../../errors.ts';
import type { Reference, Suite } from '../../kernel/suite/suite.ts';
import { isVariableName, placeholders } from '../../kernel/suite/template.ts';
import { didYouMean } from '../../text/suggest.ts';
import type { Problem } from '../../types/plain.ts';
import type { Script } from '../../types/script.ts';
import type { Conversation } from './conversation-rules.ts';

const OWN_VARIABLES: readonly string[] = ['persona', 'goal'];

export function withScripts(
  { instructions, instructionsAt, examples, max_steps }: Conversation,
  references: readonly Reference[],
  problems: Problem[],
): Reference[] {
  const names = [...new Set(placeholders(instructions ?? '').map(({ name }) => name))];
  const known = new Set(references.flatMap((reference) => [...scriptValues(reference).keys()]));
  const refuse = (place: Reference['place'], message: string) => {
    problems.push(problem(place, message));
  };
  for (const name of names.filter((each) => !known.has(each)))
    refuse(
      instructionsAt,
      `conversation.instructions: no reference sets {${name}}` +
        (OWN_VARIABLES.includes(name) ? '' : didYouMean(name, [...known, ...OWN_VARIABLES])) +
        `; add ${scriptKey(name)} to the references, or write {{${name}}} if you mean the literal text`,
    );
  if (names.length > 0 && examples.length > 0)
    refuse(
      instructionsAt,
      `conversation.instructions: labelled answers have no value for {${names.join('}, {')}}; ` +
        'remove the variables, or remove examples and examples_from',
    );
  return references.map((reference) => {
    const { script, place, thread } = reference;
    const values = scriptValues(reference);
    for (const name of names.filter((each) => known.has(each) && !values.has(each)))
      refuse(
        place,
        `has no value for {${name}} of conversation.instructions; add ${scriptKey(name)}`,
      );
    for (const name of Object.keys(script?.criteria ?? {})) {
      const fault = criterionFault(name);
      if (fault !== null) refuse(place, `criteria: ${fault}`);
    }
    const turns = script?.turns?.length ?? 0;
    if (thread === null && turns > max_steps)
      refuse(place, `has ${turns} turns; raise conversation.max_steps (${max_steps})`);
    const used = [...values].filter(([name]) => names.includes(name));
    return used.length === 0
      ? reference
      : { ...reference, script: { ...script, values: Object.fromEntries(used) } };
  });
}

/** Each dialogue begins with one question: of the prompt, or of the first turn. */
export function checkOpening({ prompt, tests }: Suite, problems: Problem[]): void {
  if (prompt.code !== null || prompt.made !== undefined) return;
  const last = prompt.messages.findLast(({ role }) => role !== 'system');
  const asks = last?.role === 'user';
  for (const { thread, script, place } of tests.references) {
    const scripted = script?.turns?.[0]?.user !== undefined;
    if (thread === null && asks === scripted)
      problems.push(problem(place, scripted ? TWO_QUESTIONS : NO_QUESTION));
  }
}

const TWO_QUESTIONS =
  'has two opening questions: the last message of the prompt, and user of the first turn; ' +
  'remove one of them';

const NO_QUESTION =
  'has no opening question; add a message with the role human to the prompt, or turns with the ' +
  'key user to the reference';

const TAKEN = ['analysis', 'follow_up'];

export function criterionFault(name: string): string | null {
  if (!isVariableName(name))
    return `"${name}": a criterion's name is letters, digits and _, and does not start with a digit`;
  return TAKEN.includes(name)
    ? `"${name}" is a reserved key of evaluator replies; choose another name`
    : null;
}

function scriptValues({ input, script: { persona, goal } = {} }: Reference) {
  const own = Object.entries({ ...input, persona, goal });
  return new Map(own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function scriptKey(name: string): string {
  return OWN_VARIABLES.includes(name) ? `${name}: TEXT` : `input: { ${name}: TEXT }`;
}

export function criteriaOf(
  { criteria }: Conversation,
  { criteria: own = {} }: Script = {},
): (Conversation['criteria'][number] & { meaning?: string })[] {
  return [
    ...criteria.filter(({ name }) => !Object.hasOwn(own, name)),
    ...Object.entries(own).map(([name, meaning]) => ({ name, meaning, combine: 'all' as const })),
  ];
}
