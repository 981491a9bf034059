import { z } from 'zod';
import { codePlaceOf, type Field } from '../documents/document.ts';
import { readParameters } from '../documents/parameters.ts';
import { stemOf } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import type { Prompt, Tests } from '../kernel/suite/suite.ts';
import { isVariableName, placeholders } from '../kernel/suite/template.ts';
import { didYouMean, nearest } from '../text/suggest.ts';
import { ROLE_NAMES, type Role } from '../types/model.ts';
import { isMap, type Json, type Notice, type Place } from '../types/plain.ts';
import { contentSchema, readContent, type WrittenContent } from './message-parts.ts';
import { inputNames } from './references.ts';
import {
  alreadyAt,
  anything,
  check,
  checkItems,
  closed,
  filled,
  isMisspelt,
  listOf,
  oneOf,
  refuseMissing,
  scalar,
} from './schema.ts';
import { testKeys } from './test-keys.ts';

const messageSchema = closed({
  role: oneOf(['system', 'human', 'user', 'ai', 'assistant']).describe('Role of the message.'),
  content: contentSchema,
});

const writtenMessage = closed({ role: messageSchema.shape.role, content: anything().optional() });

const variableSchema = z.union(
  [closed({ name: filled().describe('Letters, digits and _.') }), filled()],
  { error: 'must be a map with name' },
);

const promptTextSchema = z.union([closed({ content: filled().describe('The text.') }), filled()], {
  error: 'must be a map with content',
});

const languageSchema = oneOf(['python', 'javascript']);

const TESTS =
  'The tests, if they are not in a file of their own. The keys of this map may also be ' +
  'top-level keys of this file.';

const promptShape = {
  name: filled()
    .describe('Name of the prompt and its suite. Default: the name of the file.')
    .optional(),
  model: filled()
    .describe("Name of the model: the vendor's name, or one defined under models in the settings.")
    .optional(),
  variables: listOf(variableSchema)
    .describe(
      'Names of the variables. Default: the names in braces for which references have an input.',
    )
    .optional(),
  messages: listOf(messageSchema)
    .min(1, { error: 'must not be empty' })
    .describe('The messages that are sent.')
    .optional(),
  prompt: promptTextSchema.describe('A single user message, instead of messages.').optional(),
  code: filled()
    .describe(
      'Code that computes the answer. evaldiff then does not use the messages; they are for ' +
        'your application.',
    )
    .optional(),
  language: languageSchema.describe('Language of the code. Default: python.').optional(),
  defaults: z
    .union([filled(), listOf(filled())], { error: 'must be a list of paths like tests/name' })
    .describe(
      'Files whose keys apply if this file does not set them. Default: for NAME.yaml, the ' +
        'file tests/NAME.yaml next to it, if it exists.',
    )
    .optional(),
  tests: z
    .record(z.string(), anything(), { error: 'must be a map with metrics and references' })
    .describe(TESTS)
    .optional(),
};

const PROMPT_KEYS: readonly string[] = Object.keys(promptShape);

/**
 * Parameters that resemble these keys count as misspelt. Excludes short test keys, because real
 * parameters resemble them.
 */
const MEANT_KEYS: readonly string[] = [
  ...PROMPT_KEYS,
  ...testKeys([]).filter((key) => key.length > 4),
];

const BODY_KEYS = ['messages', 'prompt', 'code'];

export function isPrompt(value: Json | undefined): boolean {
  return isMap(value) && BODY_KEYS.some((key) => Object.hasOwn(value, key));
}

export function promptSchema(tests: z.ZodObject) {
  return z
    .object({ ...tests.shape, ...promptShape, tests: tests.describe(TESTS).optional() })
    .catchall(z.union([scalar(), listOf(anything()), z.record(z.string(), anything())]));
}

interface PromptReading {
  prompt: Prompt;
  notices: Notice[];
  messages: LocatedMessage[];
  /** True if the file does not declare its variables. Then every name in braces may be one. */
  isInferred: boolean;
}

/** Null if the file is not a prompt. The prompt is valid only if no problem was added. */
export function readPrompt(field: Field, isOwn = true): PromptReading | null {
  if (!isMap(field.value)) {
    field.refuse('must be a map with model and messages');
    return null;
  }
  const { file } = field.document;
  const name = check(field.at('name'), promptShape.name);
  const model = check(field.at('model'), promptShape.model);
  const { messages, code } = readBody(field);
  const isTemplate = isOwn && (code === null || messages.length > 0);
  const isInferred = isTemplate && !field.at('variables').isGiven;
  const variables = isInferred
    ? namesInBraces(messages)
    : readPromptVariables(field.at('variables'));
  if (code === null && !field.at('model').isGiven) refuseMissing(field.at('model'), PROMPT_KEYS);
  const own = MEANT_KEYS.filter((key) => code !== null || key !== 'language');
  const prompt: Prompt = {
    file,
    name: name ?? stemOf(file),
    model: model ?? null,
    parameters: readParameters(field, own),
    variables,
    messages: messages.map(({ texts: _, field: __, ...message }) => message),
    code,
    places: Object.fromEntries(Object.keys(field.value).map((key) => [key, field.at(key).place])),
  };
  const names = variables.map((each) => each.name);
  refuseUndeclared(
    messages,
    names,
    (each) => `{${each}} is not in variables; declare it, or ${literal(each)}`,
  );
  const notices = findForeignForms(isTemplate ? messages : [], names);
  return {
    prompt,
    notices: [...notices, ...unusedVariables(messages, prompt)],
    messages,
    isInferred,
  };
}

/** A name in braces is a variable only if the input of some reference contains it. */
export function withInputs(
  { prompt, messages, isInferred }: PromptReading,
  references: Tests['references'],
): { prompt: Prompt; notices: Notice[] } {
  if (!isInferred || references.length === 0) return { prompt, notices: [] };
  const names = [...inputNames(references)];
  refuseUndeclared(
    messages,
    names,
    (name) =>
      `no reference has an input "${name}"; add it to one, or ` +
      `${literal(name)}${didYouMean(name, names)}`,
  );
  const variables = prompt.variables.filter(({ name }) => names.includes(name));
  return {
    prompt: { ...prompt, variables },
    notices: findForeignForms(messages, names, variables.length === 0 ? names : []),
  };
}

type PromptVariable = Prompt['variables'][number];

interface LocatedMessage extends WrittenContent {
  role: Role;
  place: Place;
  field: Field;
}

function readPromptVariables(list: Field): PromptVariable[] {
  const variables: PromptVariable[] = [];
  for (const { field, value } of checkItems(list, variableSchema)) {
    const name = typeof value === 'string' ? value : value.name;
    const earlier = variables.find((each) => each.name === name);
    if (!isVariableName(name))
      field.refuse(
        `${field.name}: a variable name may contain only letters, digits and _, and must not ` +
          'start with a digit',
      );
    else if (earlier === undefined) variables.push({ name, place: field.place });
    else field.refuse(`the variable "${name}" is already ${alreadyAt(earlier.place, field.place)}`);
  }
  return variables;
}

function readBody(field: Field): { messages: LocatedMessage[]; code: Prompt['code'] } {
  const given = BODY_KEYS.filter((key) => field.at(key).isGiven);
  const misspelt = BODY_KEYS.some((key) => isMisspelt(key, field.value, PROMPT_KEYS));
  const isTwice = given.includes('messages') && given.includes('prompt');
  if (isTwice || (given.length === 0 && !misspelt))
    field.problems.push(
      problem(field.document.file, 'needs messages or prompt (not both), or code'),
    );
  return {
    messages: [...readMessages(field.at('messages')), ...readSingleMessage(field.at('prompt'))],
    code: given.includes('code') ? readCode(field.at('code'), field.at('language')) : null,
  };
}

function readMessages(list: Field): LocatedMessage[] {
  if (Array.isArray(list.value) && list.value.length === 0)
    list.refuse('messages must not be empty');
  return checkItems(list, writtenMessage).flatMap(({ field, value }) => {
    const at = field.at('content');
    const content = readContent(at);
    if (content === null) return [];
    const role = ROLE_NAMES[value.role] ?? 'user';
    if (content.parts !== undefined && role !== 'user')
      at.refuse(`${at.name}: only user messages may contain images and files`);
    return [{ role, ...content, place: field.place, field }];
  });
}

function readSingleMessage(prompt: Field): LocatedMessage[] {
  const written = check(prompt, promptShape.prompt);
  if (written === undefined) return [];
  const isText = typeof written === 'string';
  const field = isText ? prompt : prompt.at('content');
  const content = isText ? written : written.content;
  const texts = [{ text: content, field }];
  return [{ role: 'user', content, texts, place: field.place, field }];
}

function readCode(code: Field, language: Field): Prompt['code'] {
  const source = check(code, promptShape.code) ?? '';
  return {
    source,
    language: check(language, promptShape.language) ?? 'python',
    at: codePlaceOf(code, source),
    place: code.place,
  };
}

function namesInBraces(messages: readonly LocatedMessage[]): PromptVariable[] {
  const found = new Map<string, PromptVariable>();
  for (const { text, field } of messages.flatMap(({ texts }) => texts))
    for (const { name, offset } of placeholders(text)) {
      if (found.has(name)) continue;
      const before = text.slice(0, offset).split(`{${name}}`).length - 1;
      found.set(name, { name, place: field.placeOfText(`{${name}}`, before) });
    }
  return [...found.values()];
}

function refuseUndeclared(
  messages: readonly LocatedMessage[],
  declared: readonly string[],
  messageOf: (name: string) => string,
): void {
  for (const message of messages)
    for (const { name, place } of namesInBraces([message]))
      if (!declared.includes(name)) message.field.problems.push(problem(place, messageOf(name)));
}

function literal(name: string): string {
  return `write {{${name}}} if you mean the literal text`;
}

/**
 * Reports an error if a variable is used only in another tool's syntax, because every reference
 * would send the same text.
 */
function findForeignForms(
  messages: readonly LocatedMessage[],
  names: readonly string[],
  meant = names,
): Notice[] {
  const used = usedNames(messages);
  const unused = meant.filter((name) => !used.has(name));
  const notices: Notice[] = [];
  for (const { text, field } of messages.flatMap(({ texts }) => texts))
    for (const { name, written, message } of foreignForms(text, names, unused)) {
      const place = field.placeOfText(written);
      if (used.has(name)) notices.push({ kind: 'unused', message, place });
      else field.problems.push(problem(place, message));
    }
  return notices;
}

/**
 * Finds variables in another tool's syntax, such as `{{name}}`, `${name}`, `{{$name}}` or `{% if
 * name %}` and `$name`. Also finds misspellings of variables in `unused`, and these as `<name>`,
 * `%name%` or `[name]`, which are text or markup if the variable is used elsewhere.
 */
function foreignForms(
  template: string,
  names: readonly string[],
  unused: readonly string[],
): { name: string; written: string; message: string }[] {
  const forms = template.matchAll(
    /(?<!\{)\{\{([^{}]*)\}\}(?!\})|\$\{(\w+)\}|\{%([^{}]*)%\}|\$(\w+)|[<%[](\w+)[>%\]]/g,
  );
  const found = [...forms].flatMap(([written, ...groups]) => {
    const [doubled = '', dollar = '', , , marked] = groups;
    // The variable is before the first quote, colon or filter sign.
    const [words = ''] = groups.join('').split(/["':|]/);
    const known = marked === undefined ? names : unused;
    const exact = words.match(/\w+/g)?.find((word) => known.includes(word));
    const name = exact ?? nearest(doubled.trim(), unused, 'strict');
    if (name === null) return [];
    const plain = /^\w+$/.test(doubled)
      ? `sends the text {${doubled}} to the model, not the value`
      : 'is sent to the model as it is written';
    const sends = dollar === '' ? plain : 'sends a $ before the value to the model';
    const message = `${written} ${sends}; write {${name}} to insert the variable`;
    return [[written, { name, written, message }] as const];
  });
  return [...new Map(found).values()];
}

function usedNames(messages: readonly LocatedMessage[]): Set<string> {
  return new Set(messages.flatMap(({ content }) => placeholders(content).map(({ name }) => name)));
}

function unusedVariables(
  messages: readonly LocatedMessage[],
  { variables, code }: Prompt,
): Notice[] {
  if (code !== null) return [];
  const used = usedNames(messages);
  return variables
    .filter(({ name }) => !used.has(name))
    .map(({ name, place }) => ({
      kind: 'unused',
      message: `the variable "${name}" is declared but no message uses it`,
      place,
    }));
}
