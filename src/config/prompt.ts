import { z } from 'zod';
import { codePlaceOf, type Field } from '../documents/document.ts';
import { isMisspeltParameter, readParameters } from '../documents/parameters.ts';
import { stemOf } from '../documents/paths.ts';
import type { Prompt, Tests } from '../kernel/suite/suite.ts';
import { isVariableName, placeholders } from '../kernel/suite/template.ts';
import { didYouMean, nearest } from '../text/suggest.ts';
import { ROLE_NAMES, type Role } from '../types/model.ts';
import { isMap, type Json, type Notice, type Place } from '../types/plain.ts';
import { contentSchema, locatedContent, type LocatedContent } from './message-parts.ts';
import { inputNames } from './references.ts';
import {
  alreadyAt,
  anything,
  check,
  closed,
  codeLanguage,
  filled,
  listOf,
  oneOf,
  optional,
  refuseMissing,
  scalar,
} from './schema.ts';
import { testKeys } from './tests.ts';

const messageSchema = closed({
  role: oneOf(['system', 'human', 'user', 'ai', 'assistant']).describe('Role of the message.'),
  content: contentSchema,
});

const variableSchema = z
  .union(
    [
      closed({ name: filled().describe('Letters, digits and _.') }).transform(({ name }) => name),
      filled(),
    ],
    { error: 'must be a map with name' },
  )
  .refine(isVariableName, {
    error:
      'a variable name may contain only letters, digits and _, and must not start with a digit',
  });

const promptTextSchema = z.union([closed({ content: filled().describe('The text.') }), filled()], {
  error: 'must be a map with content',
});

const TESTS =
  'The tests, if they are not in a file of their own. The keys of this map may also be ' +
  'top-level keys of this file.';

const promptShape = optional({
  name: filled().describe('Name of the prompt and its suite. Default: the name of the file.'),
  model: filled().describe(
    "Name of the model: the vendor's name, or one defined under models in the settings.",
  ),
  variables: listOf(variableSchema).describe(
    'Names of the variables. Default: the names in braces for which references have an input.',
  ),
  messages: listOf(messageSchema)
    .min(1, { error: 'must not be empty' })
    .describe('The messages that are sent.'),
  prompt: promptTextSchema.describe('A single user message, instead of messages.'),
  code: filled().describe(
    'Code that computes the answer. evaldiff then does not use the messages; they are for ' +
      'your application.',
  ),
  language: codeLanguage,
  defaults: z
    .union([filled(), listOf(filled())], { error: 'must be a list of paths like tests/name' })
    .describe(
      'Files whose keys apply if this file does not set them. Default: for NAME.yaml, the ' +
        'file tests/NAME.yaml next to it, if it exists.',
    ),
  tests: z
    .record(z.string(), anything(), { error: 'must be a map with metrics and references' })
    .describe(TESTS),
});

/**
 * Parameters that resemble these keys count as misspelt. Excludes short test keys, because real
 * parameters resemble them.
 */
const MEANT_KEYS: readonly string[] = [
  ...Object.keys(promptShape),
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

const { defaults: _defaults, tests: _tests, language: _language, ...bodyShape } = promptShape;

const bodySchema = z.looseObject(bodyShape);

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
  const keys = Object.keys(field.value);
  const written = check(field, bodySchema) ?? {};
  checkBody(field, keys);
  const code = readCode(field, written);
  const messages = readMessages(field, written);
  const isTemplate = isOwn && (code === null || messages.length > 0);
  const isInferred = isTemplate && written.variables === undefined;
  const variables = isInferred ? namesInBraces(messages) : declaredVariables(field, written);
  const own = MEANT_KEYS.filter((key) => code !== null || key !== 'language');
  const prompt: Prompt = {
    file,
    name: written.name ?? stemOf(file),
    model: written.model ?? null,
    parameters: readParameters(field, own),
    variables,
    messages: messages.map(({ texts: _, field: __, ...message }) => message),
    code,
    places: Object.fromEntries(keys.map((key) => [key, field.at(key).place])),
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

interface LocatedMessage extends LocatedContent {
  role: Role;
  place: Place;
  field: Field;
}

type WrittenBody = Partial<z.output<typeof bodySchema>>;

function declaredVariables(
  prompt: Field,
  { variables: names = [] }: WrittenBody,
): PromptVariable[] {
  const variables: PromptVariable[] = [];
  for (const [index, name] of names.entries()) {
    const field = prompt.at('variables', index);
    const earlier = variables.find((each) => each.name === name);
    if (earlier === undefined) variables.push({ name, place: field.place });
    else field.refuse(`the variable "${name}" is already ${alreadyAt(earlier.place, field.place)}`);
  }
  return variables;
}

function checkBody(field: Field, keys: readonly string[]): void {
  const given = BODY_KEYS.filter((key) => keys.includes(key));
  const isMisspelt = (key: string) => isMisspeltParameter(field.at(key), MEANT_KEYS);
  const isTwice = given.includes('messages') && given.includes('prompt');
  if (isTwice || (given.length === 0 && !BODY_KEYS.some(isMisspelt)))
    field.refuse('needs messages or prompt (not both), or code', field.document.file);
  if (!given.includes('code') && !keys.includes('model') && !isMisspelt('model'))
    refuseMissing(field.at('model'));
}

function readMessages(field: Field, { messages = [], prompt }: WrittenBody): LocatedMessage[] {
  const read = messages.map(({ role: written, content }, index) => {
    const at = field.at('messages', index);
    const role = ROLE_NAMES[written] ?? 'user';
    const message = { role, place: at.place, field: at, ...locatedContent(content, at) };
    if (message.parts !== undefined && role !== 'user')
      at.at('content').refuse(
        `${at.name}.content: only user messages may contain images and files`,
      );
    return message;
  });
  if (prompt === undefined) return read;
  const at = typeof prompt === 'string' ? field.at('prompt') : field.at('prompt', 'content');
  const content = typeof prompt === 'string' ? prompt : prompt.content;
  const texts = [{ text: content, field: at }];
  return [...read, { role: 'user', content, texts, place: at.place, field: at }];
}

/** Without code, `language` is a parameter of the model. */
function readCode(field: Field, { code }: WrittenBody): Prompt['code'] {
  if (code === undefined) return null;
  const language = check(field.at('language'), codeLanguage.optional()) ?? 'python';
  const at = field.at('code');
  return { source: code, language, at: codePlaceOf(at, code), place: at.place };
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
      if (!declared.includes(name)) message.field.refuse(messageOf(name), place);
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
      else field.refuse(message, place);
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
