import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Columns } from '../../kernel/suite/suite.ts';
import { idealText } from '../../metrics/rubric.ts';
import type { Json } from '../../types/plain.ts';
import { acceptableAnswers, rubricKey, wordsOf, type AcceptableAnswer } from './buttons.ts';
import type { NewReference, NewValue } from './data-row.ts';
import type { WrittenPrompt } from './evaluate.ts';
import type { Action } from './server.ts';

type DataChange =
  | ({ kind: 'set' } & NewValue)
  | ({ kind: 'add' | 'first' } & NewReference)
  | { kind: 'example'; rubric: string; value: Json };

export interface Wish {
  file: string;
  line: number;
  id: string;
  columns: Columns;
  change: DataChange;
  what: string;
}

export interface About {
  reference: ReferenceResult;
  side: 'base' | 'head';
}

type ChangeBuilder = (
  action: Action,
  of: About,
  prompt: WrittenPrompt,
) => { change: DataChange; what: string; file?: string } | string;

const WISHES: ReadonlyMap<string, ChangeBuilder> = new Map<string, ChangeBuilder>([
  ['accept', acceptance],
  ['tag', addTag],
  ['skip', addSkip],
  ['add', addition],
  ['label', addLabel],
]);

/** If no edit is possible, returns why (a string). If `of` is null, adds the first reference. */
export function wishOf(action: Action, of: About | null, prompt: WrittenPrompt): Wish | string {
  if (of === null) return addFirst(action, prompt);
  const found = WISHES.get(action.kind)?.(action, of, prompt) ?? 'Unknown action. Reload the page.';
  if (typeof found === 'string') return found;
  const { file, line, id } = of.reference;
  const { change, what } = found;
  return {
    file: found.file ?? file,
    line: found.file === undefined ? line : 0,
    id,
    columns: prompt.columns.get(id) ?? {},
    change,
    what: change.kind === 'set' ? `${id}: ${what}` : what,
  };
}

function actionText(action: Action, name: string): string {
  const value = action[name];
  return typeof value === 'string' ? value.trim() : '';
}

/** Identifies answers by a hash of their text, because they may be newer than the page. */
function answerNamed(action: Action, { reference, side }: About): AcceptableAnswer | null {
  return (
    acceptableAnswers(reference, { side }).find(({ name }) => name === action['answer']) ?? null
  );
}

function acceptance(action: Action, { reference, side }: About): ReturnType<ChangeBuilder> {
  const answer = answerNamed(action, { reference, side });
  if (answer === null) return 'This answer no longer exists.';
  const { expected } = answer;
  if ('refused' in expected) return expected.refused;
  return {
    change: { kind: 'set', part: 'expected', value: expected.value, reason: null },
    what: 'its answer is now the expected answer',
  };
}

function addTag(action: Action, { reference }: About): ReturnType<ChangeBuilder> {
  const tag = actionText(action, 'tag');
  return tag === '' || reference.tags.includes(tag)
    ? 'Enter a tag that the reference does not have yet.'
    : {
        change: { kind: 'set', part: 'tags', value: [...reference.tags, tag], reason: null },
        what: `tagged ${tag}`,
      };
}

function addSkip(action: Action): ReturnType<ChangeBuilder> {
  const reason = actionText(action, 'reason');
  return reason === ''
    ? 'Enter a reason for skipping the reference.'
    : { change: { kind: 'set', part: 'skip', value: true, reason }, what: 'skipped' };
}

function addLabel(
  action: Action,
  { reference, side }: About,
  { rubrics }: WrittenPrompt,
): ReturnType<ChangeBuilder> {
  const label = actionText(action, 'label');
  const rubric = rubrics.find((candidate) => rubricKey(candidate) === action['rubric']);
  if (rubric === undefined || label === '') return 'Choose a rubric and a label.';
  const answer = answerNamed(action, { reference, side });
  if (answer === null) return 'This answer no longer exists.';
  const content = wordsOf(answer);
  if (content === null) return 'An answer without text cannot be an example.';
  const { expected } = reference;
  const { name, file, labels, showsExpected, examples } = rubric;
  if (!labels.includes(label)) return `${name} has no label ${label}, but ${labels.join(', ')}.`;
  if (showsExpected && expected === null)
    return `${name} shows the grader the expected value, but this reference has none; add one first.`;
  const ideal = showsExpected ? idealText(expected) : null;
  const earlier = examples.find(
    (example) => example.content === content && example.context === null && example.ideal === ideal,
  );
  if (earlier !== undefined)
    return `This answer is already an example of ${name}, labelled ${earlier.expected}.`;
  return {
    file,
    change: {
      kind: 'example',
      rubric: name,
      value: { content, ...(ideal === null ? {} : { ideal }), expected: label },
    },
    what: `an example of ${name} is labelled ${label}`,
  };
}

function addition(action: Action, { reference }: About): ReturnType<ChangeBuilder> {
  const names = Object.keys(reference.input);
  if (names.length === 0)
    return 'The input of this reference is a dialogue. Add new references in the file.';
  const added = referenceIn(action, names);
  return typeof added === 'string'
    ? added
    : { change: { kind: 'add', ...added }, what: 'a reference is added' };
}

function addFirst(action: Action, { variables, tests }: WrittenPrompt): Wish | string {
  const added =
    action.kind === 'first' ? referenceIn(action, variables) : 'Unknown action. Reload the page.';
  return typeof added === 'string'
    ? added
    : {
        file: tests,
        line: 0,
        id: '',
        columns: {},
        change: { kind: 'first', ...added },
        what: 'the first reference is added',
      };
}

function referenceIn(
  action: Action,
  names: readonly string[],
): { input: Record<string, string>; expected: string } | string {
  const valueOf = (name: string): string => {
    const given = action[name];
    return typeof given === 'string' ? given : '';
  };
  const input = Object.fromEntries(names.map((name) => [name, valueOf(`input:${name}`)]));
  return Object.values(input).every((value) => value === '')
    ? 'Enter an input for the new reference.'
    : { input, expected: valueOf('expected') };
}
