import { z } from 'zod';
import type { ReferenceResult, TryResult } from '../../kernel/result/reference-result.ts';
import type { Columns } from '../../kernel/suite/suite.ts';
import { idealText } from '../../metrics/rubric.ts';
import { expectedFrom } from '../../report/answers/accept.ts';
import { answerKey } from '../../report/answers/text.ts';
import { SIDES, type Json, type JsonMap } from '../../types/plain.ts';
import type { WrittenPrompt } from './evaluate.ts';

const ofTest = { test: z.string(), side: z.enum(SIDES) };
/** Answers are named by their content, because they may be newer than the page. */
const ofAnswer = { ...ofTest, answer: z.string() };
const newTest = { input: z.record(z.string(), z.string()), expected: z.string() };
function action<K extends string, S extends z.ZodRawShape>(kind: K, shape: S) {
  return z.strictObject({ kind: z.literal(kind), ...shape });
}

const filledWords = z.string().trim().min(1);

const testActions = z.discriminatedUnion('kind', [
  action('run', { ...ofTest }),
  action('accept', {
    ...ofAnswer,
    /** The part of the answer to expect; absent: all of it. */
    text: z.string().optional(),
    /** The calls to expect, by their number from 0; absent: all. */
    calls: z.array(z.int()).optional(),
  }),
  action('rate', { ...ofAnswer, rubric: z.string(), label: filledWords }),
  action('tag', { ...ofTest, tag: filledWords }),
  action('skip', { ...ofTest, reason: filledWords }),
  action('comment', { ...ofTest, text: filledWords }),
  action('add', { ...ofTest, ...newTest }),
]);

export type TestAction = z.infer<typeof testActions>;

const pageActions = z.discriminatedUnion('kind', [
  action('raise', {}),
  action('start', {}),
  action('undo', {}),
  action('run-suite', { suite: z.string() }),
  action('draft', { prompt: z.string(), text: z.string() }),
  action('discard', {}),
  action('save', {
    prompt: z.string(),
    text: z.string(),
    /** The file's text when editing began. */
    read: z.string(),
  }),
  /** Asks which lines of the prompt are tested, or for a test of a line. First says what it costs. */
  action('cover', { prompt: z.string(), line: z.string().nullable(), isAgreed: z.boolean() }),
  /** Writes a change that was run before. */
  action('write', { file: z.string(), replacement: z.string() }),
  action('first', { prompt: z.string(), ...newTest }),
]);

export const actionSchema = z.discriminatedUnion('kind', [pageActions, testActions]);

export type Action = z.infer<typeof actionSchema>;

export interface NewReference {
  input: Record<string, string>;
  expected: string;
}

/** `values`: what changes. `remark`: a comment, or in JSON Lines and tables a cell of this name. */
export interface NewValues {
  values: JsonMap;
  remark: { name: string; text: string } | null;
}

type DataChange =
  | ({ kind: 'set' } & NewValues)
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

/** If no edit is possible, returns why (a string). */
export function wishOf(
  action: TestAction,
  reference: ReferenceResult,
  prompt: WrittenPrompt,
): Wish | string {
  const found = wishedChange(action, reference, prompt);
  if (typeof found === 'string') return found;
  const { file, line, id } = reference;
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

type FoundChange = { change: DataChange; what: string; file?: string } | string;

function wishedChange(
  action: TestAction,
  reference: ReferenceResult,
  prompt: WrittenPrompt,
): FoundChange {
  switch (action.kind) {
    case 'accept':
      return acceptance(action, reference);
    case 'rate':
      return labelledExample(action, reference, prompt);
    case 'tag':
      return reference.tags.includes(action.tag)
        ? `The test has the tag ${action.tag} already.`
        : settingOf({ tags: [...reference.tags, action.tag] }, `tagged ${action.tag}`);
    case 'skip':
      return settingOf({ skip: true }, 'skipped', { name: 'skip_reason', text: action.reason });
    case 'comment':
      return settingOf({}, 'commented', { name: 'comment', text: action.text });
    case 'add':
      return addition(action, reference);
    case 'run':
      return 'Unknown action. Reload the page.';
  }
}

function settingOf(
  values: JsonMap,
  what: string,
  remark: NewValues['remark'] = null,
): Exclude<FoundChange, string> {
  return { change: { kind: 'set', values, remark }, what };
}

function acceptance(
  action: Extract<TestAction, { kind: 'accept' }>,
  reference: ReferenceResult,
): FoundChange {
  const parts = namedTry(action, reference)?.parts;
  if (!parts) return GONE_ANSWER;
  const { text, calls } = action;
  if (text !== undefined) return settingOf({ expected: text }, ACCEPTED);
  const expected = expectedFrom(parts, reference.expected, calls);
  return 'refused' in expected
    ? expected.refused
    : settingOf({ expected: expected.value }, ACCEPTED);
}

function addition(
  action: Extract<TestAction, { kind: 'add' }>,
  { input }: ReferenceResult,
): FoundChange {
  if (Object.keys(input).length === 0)
    return 'The input of this test is a dialogue. Add new tests in the file.';
  const added = newReference(action);
  return added === null ? NO_INPUT : { change: { kind: 'add', ...added }, what: 'a test is added' };
}

const ACCEPTED = 'its answer is now the expected answer';

const GONE_ANSWER = 'This answer no longer exists.';

export const NO_INPUT = 'Enter an input for the new test.';

/** Null if it has no input. */
export function newReference({ input, expected }: NewReference): NewReference | null {
  return Object.values(input).every((value) => value === '') ? null : { input, expected };
}

function namedTry(
  { side, answer }: Extract<TestAction, { answer: string }>,
  reference: ReferenceResult,
): TryResult | undefined {
  return reference[side]?.tries.find(({ parts }) => parts && answerKey(parts) === answer);
}

function labelledExample(
  action: Extract<TestAction, { kind: 'rate' }>,
  reference: ReferenceResult,
  { rubrics }: WrittenPrompt,
): FoundChange {
  const { rubric: wanted, label } = action;
  const rubric = rubrics.find(({ name }) => name === wanted);
  if (rubric === undefined) return 'This rubric no longer exists.';
  const { name, file, labels, showsExpected, examples } = rubric;
  if (!labels.includes(label)) return `${name} has no label ${label}, but ${labels.join(', ')}.`;
  const { expected } = reference;
  if (showsExpected && expected === null)
    return `${name} shows the grader the expected value, but this test has none; add one first.`;
  const content = exampleText(namedTry(action, reference));
  if (content === null) return 'An answer without text cannot be an example.';
  const ideal = showsExpected ? idealText(expected) : null;
  const earlier = examples.find(
    (example) => example.content === content && example.context === null && example.ideal === ideal,
  );
  if (earlier !== undefined)
    return `This answer is already an example of ${name}, labelled ${earlier.expected}.`;
  const value = { content, ...(ideal === null ? {} : { ideal }), expected: label };
  return {
    file,
    change: { kind: 'example', rubric: name, value },
    what: `an example of ${name} is labelled ${label}`,
  };
}

function exampleText(made: TryResult | undefined): string | null {
  const answer = made?.parts ? expectedFrom(made.parts, null) : null;
  const content = answer !== null && 'value' in answer ? answer.value : null;
  return typeof content === 'string' && content.trim() !== '' ? content : null;
}
