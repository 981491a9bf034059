import type { z } from 'zod';
import type { Field } from '../documents/document.ts';
import { problem } from '../errors.ts';
import type { OwnSuite } from '../kernel/suite/own-suite.ts';
import type { Reference } from '../kernel/suite/suite.ts';
import { countObjects, readsExpected } from '../metrics/objects.ts';
import { isOfUser } from '../metrics/transcript.ts';
import { counted } from '../text/amounts.ts';
import type { Metric, Rubric } from '../types/metric.ts';
import type { Problem } from '../types/plain.ts';
import type { ScriptedTurn } from '../types/script.ts';
import { anything, closed, filled, listOf, mapOf, optional } from './schema.ts';
import { withoutUndefined } from './settings.ts';

const turnSchema = closed({
  user: filled().describe(
    "The user's message. Default in the first turn: the question in the prompt.",
  ),
  expected: anything().describe('The expected answer of this turn, for metrics with every: true.'),
}).exactPartial();

export const scriptMembers = optional({
  persona: filled().describe('Who the user of this dialogue is. The evaluators see it.'),
  goal: filled().describe('What the user wants to achieve. The evaluators see it.'),
  criteria: mapOf(filled(), 'a map of criterion to its meaning').describe(
    "Further criteria for this dialogue, which evaluators judge in addition to the suite's.",
  ),
  turns: listOf(turnSchema)
    .min(1, { error: 'must have at least one turn; add one, or remove the key turns' })
    .describe("The user's message and the expected answer for each turn."),
});

export const SCRIPT_KEYS = ['persona', 'goal', 'criteria', 'turns'] as const;

export function readScript(
  field: Field,
  { persona, goal, criteria, turns }: z.output<z.ZodObject<typeof scriptMembers>>,
): Pick<Reference, 'script'> {
  const read = turns?.map(({ user, expected }, at) =>
    withoutUndefined({ user, expected: field.at('turns', at, 'expected').spelled(expected) }),
  );
  const script = withoutUndefined({ persona, goal, criteria, turns: read });
  return Object.keys(script).length === 0 ? {} : { script };
}

export function checkScripts(
  references: readonly Reference[],
  own: OwnSuite | null,
  problems: Problem[],
): void {
  for (const reference of references) {
    const message = scriptProblem(reference, own !== null);
    if (message !== null) problems.push(problem(reference.place, message));
  }
}

function scriptProblem({ script = {}, thread, after }: Reference, isLed: boolean): string | null {
  const { turns = [] } = script;
  // Without `conversation`, a script may contain only `turns`, and only for a recorded dialogue.
  const [key] = Object.keys(script).filter((each) => each !== 'turns' || thread === null);
  if (!isLed && key !== undefined) return `${key} needs the key conversation in the suite; add it`;
  const ofRecord = isLed ? null : recordProblem(turns, thread, after);
  if (ofRecord !== null) return ofRecord;
  const isSilent = thread === null && turns.slice(1).some(({ user }) => user === undefined);
  return isSilent ? 'each turn after the first needs the key user with a text' : null;
}

export const NOT_COMPARED =
  'turns have expected values, but no metric compares all turns with them; add one, such ' +
  'as { uses: contains, every: true }';

function recordProblem(
  turns: readonly ScriptedTurn[],
  thread: Reference['thread'],
  after: Reference['after'] = [],
): string | null {
  if (thread === null) return null;
  const asks = thread.slice(-1).some(isOfUser);
  const answers = countObjects([...thread, ...after], { level: 'Turn' }) + (asks ? 1 : 0);
  if (turns.some(({ user }) => user !== undefined))
    return "a recorded dialogue already contains the user's messages; remove user from turns";
  return turns.length > answers
    ? `has ${counted(turns.length, 'turn')}, and its dialogue ${counted(answers, 'answer')}`
    : null;
}

export function comparesTurns(metric: Metric, rubrics: ReadonlyMap<string, Rubric>): boolean {
  const { source, level, of, every } = metric;
  const rubric = source.kind === 'rubric' ? rubrics.get(source.rubric) : undefined;
  // An unknown rubric has its own error.
  const isUnknown = source.kind === 'rubric' && rubric === undefined;
  const isOfTurns = every !== undefined && level === 'Turn' && of !== 'user';
  return isOfTurns && (isUnknown || readsExpected(metric, rubric));
}
