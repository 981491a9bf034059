import { z } from 'zod';
import { codePlaceOf, pathText, type Document, type Path, valueAt } from '../documents/document.ts';
import { readParameters } from '../documents/parameters.ts';
import { stemOf } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import type { Prompt, Tests } from '../kernel/suite/suite.ts';
import { isVariableName, placeholders } from '../kernel/suite/template.ts';
import { didYouMean, nearest } from '../text/suggest.ts';
import { ROLE_NAMES, type Role } from '../types/model.ts';
import { isMap, type Json, type Notice, type Place, type Problem } from '../types/plain.ts';
import { contentSchema, readContent, type WrittenContent } from './message-parts.ts';
import { inputNames } from './references.ts';
import {
  anything,
  check,
  checkItems,
  closed,
  filled,
  listOf,
  missing,
  oneOf,
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
export function readPrompt(
  document: Document,
  problems: Problem[],
  isOwn = true,
): PromptReading | null {
  if (!isMap(document.value)) {
    problems.push(problem(document.placeOf([]), 'must be a map with model and messages'));
    return null;
  }
  const name = check(document, ['name'], promptShape.name, problems);
  const model = check(document, ['model'], promptShape.model, problems);
  const { messages, code } = readBody(document, problems);
  const isTemplate = isOwn && (code === null || messages.length > 0);
  const isInferred = isTemplate && valueAt(document.value, ['variables']) === undefined;
  const variables = isInferred
    ? namesInBraces(document, messages)
    : readPromptVariables(document, problems);
  if (code === null && valueAt(document.value, ['model']) === undefined)
    problems.push(missing(document, ['model']));
  const own = MEANT_KEYS.filter((key) => code !== null || key !== 'language');
  const keys = Object.keys(document.value);
  const prompt: Prompt = {
    file: document.file,
    name: name ?? stemOf(document.file),
    model: model ?? null,
    parameters: readParameters(document, [], own, problems),
    variables,
    messages: messages.map(({ texts: _, path: __, ...message }) => message),
    code,
    places: Object.fromEntries(keys.map((key) => [key, document.placeOf([key])])),
  };
  const names = variables.map((each) => each.name);
  problems.push(
    ...undeclaredProblems(
      document,
      messages,
      names,
      (each) => `{${each}} is not in variables; declare it, or ${literal(each)}`,
    ),
  );
  const foreign = foreignFindings(document, isTemplate ? messages : [], names);
  problems.push(...foreign.problems);
  const unused = unusedVariables(messages, prompt);
  return { prompt, notices: [...foreign.notices, ...unused], messages, isInferred };
}

/** A name in braces is a variable only if the input of some reference contains it. */
export function withInputs(
  { prompt, messages, isInferred }: PromptReading,
  document: Document,
  references: Tests['references'],
): { prompt: Prompt; problems: Problem[]; notices: Notice[] } {
  const inputs = inputNames(references);
  if (!isInferred || references.length === 0) return { prompt, problems: [], notices: [] };
  const names = [...inputs];
  const undeclared = undeclaredProblems(
    document,
    messages,
    names,
    (name) =>
      `no reference has an input "${name}"; add it to one, or ` +
      `${literal(name)}${didYouMean(name, names)}`,
  );
  const variables = prompt.variables.filter(({ name }) => inputs.has(name));
  const foreign = foreignFindings(document, messages, names, variables.length === 0 ? names : []);
  return {
    prompt: { ...prompt, variables },
    problems: [...undeclared, ...foreign.problems],
    notices: foreign.notices,
  };
}

type PromptVariable = Prompt['variables'][number];

interface LocatedMessage extends WrittenContent {
  role: Role;
  place: Place;
  path: Path;
}

function readPromptVariables(document: Document, problems: Problem[]): PromptVariable[] {
  const variables: PromptVariable[] = [];
  for (const { path, value } of checkItems(document, ['variables'], variableSchema, problems)) {
    const name = typeof value === 'string' ? value : value.name;
    const place = document.placeOf(path);
    const earlier = variables.find((each) => each.name === name);
    if (!isVariableName(name)) {
      const message =
        `${pathText(path)}: a variable name may contain only letters, digits and _, and must not ` +
        'start with a digit';
      problems.push(problem(place, message));
    } else if (earlier !== undefined) {
      problems.push(
        problem(place, `the variable "${name}" is already on line ${earlier.place.line}`),
      );
    } else {
      variables.push({ name, place });
    }
  }
  return variables;
}

function readBody(
  document: Document,
  problems: Problem[],
): { messages: LocatedMessage[]; code: Prompt['code'] } {
  const given = BODY_KEYS.filter((key) => valueAt(document.value, [key]) !== undefined);
  const misspelt =
    isMap(document.value) &&
    Object.keys(document.value).some(
      (key) => !PROMPT_KEYS.includes(key) && BODY_KEYS.includes(nearest(key, PROMPT_KEYS) ?? ''),
    );
  const isTwice = given.includes('messages') && given.includes('prompt');
  if (isTwice || (given.length === 0 && !misspelt))
    problems.push(problem(document.file, 'needs messages or prompt (not both), or code'));
  return {
    messages: [...readMessages(document, problems), ...readSingleMessage(document, problems)],
    code: given.includes('code') ? readCode(document, problems) : null,
  };
}

function readMessages(document: Document, problems: Problem[]): LocatedMessage[] {
  const list = valueAt(document.value, ['messages']);
  if (Array.isArray(list) && list.length === 0)
    problems.push(problem(document.placeOf(['messages']), 'messages must not be empty'));
  return checkItems(document, ['messages'], writtenMessage, problems).flatMap(({ path, value }) => {
    const at = [...path, 'content'];
    const content = readContent(document, at, problems);
    if (content === null) return [];
    const role = ROLE_NAMES[value.role] ?? 'user';
    if (content.parts !== undefined && role !== 'user') {
      const message = `${pathText(at)}: only user messages may contain images and files`;
      problems.push(problem(document.placeOf(at), message));
    }
    return [{ role, ...content, place: document.placeOf(path), path: at }];
  });
}

function readSingleMessage(document: Document, problems: Problem[]): LocatedMessage[] {
  const written = check(document, ['prompt'], promptShape.prompt, problems);
  if (written === undefined) return [];
  const path = typeof written === 'string' ? ['prompt'] : ['prompt', 'content'];
  const content = typeof written === 'string' ? written : written.content;
  const texts = [{ text: content, path }];
  return [{ role: 'user', content, texts, place: document.placeOf(path), path }];
}

function readCode(document: Document, problems: Problem[]): Prompt['code'] {
  const source = check(document, ['code'], promptShape.code, problems);
  const language = check(document, ['language'], promptShape.language, problems);
  return {
    source: source ?? '',
    language: language ?? 'python',
    at: codePlaceOf(document, ['code'], source ?? ''),
    place: document.placeOf(['code']),
  };
}

function namesInBraces(document: Document, messages: readonly LocatedMessage[]): PromptVariable[] {
  const found = new Map<string, PromptVariable>();
  for (const { text, path } of messages.flatMap(({ texts }) => texts))
    for (const { name, offset } of placeholders(text)) {
      if (found.has(name)) continue;
      const before = text.slice(0, offset).split(`{${name}}`).length - 1;
      found.set(name, { name, place: document.placeOfText(path, `{${name}}`, before) });
    }
  return [...found.values()];
}

function undeclaredProblems(
  document: Document,
  messages: readonly LocatedMessage[],
  declared: readonly string[],
  messageOf: (name: string) => string,
): Problem[] {
  return messages.flatMap((message) =>
    namesInBraces(document, [message])
      .filter(({ name }) => !declared.includes(name))
      .map(({ name, place }) => problem(place, messageOf(name))),
  );
}

function literal(name: string): string {
  return `write {{${name}}} if you mean the literal text`;
}

/**
 * Reports an error if a variable is used only in another tool's syntax, because every reference
 * would send the same text.
 */
function foreignFindings(
  document: Document,
  messages: readonly LocatedMessage[],
  names: readonly string[],
  meant = names,
): { problems: Problem[]; notices: Notice[] } {
  const used = usedNames(messages);
  const unused = meant.filter((name) => !used.has(name));
  const found = messages.flatMap(({ texts }) =>
    texts.flatMap(({ text, path }) =>
      foreignForms(text, names, unused).map(({ name, written, message }) => ({
        isUsed: used.has(name),
        message,
        place: document.placeOfText(path, written, 0),
      })),
    ),
  );
  return {
    problems: found
      .filter(({ isUsed }) => !isUsed)
      .map(({ place, message }) => problem(place, message)),
    notices: found
      .filter(({ isUsed }) => isUsed)
      .map(({ place, message }) => ({ kind: 'unused', message, place })),
  };
}

/**
 * Finds variables in another tool's syntax, such as `{{name}}`, `${name}`, `{{$name}}` or `{% if
 * name %}`. Also finds misspellings of variables in `unused`.
 */
function foreignForms(
  template: string,
  names: readonly string[],
  unused: readonly string[],
): { name: string; written: string; message: string }[] {
  const forms = template.matchAll(/(?<!\{)\{\{([^{}]*)\}\}(?!\})|\$\{(\w+)\}|\{%([^{}]*)%\}/g);
  const found = [...forms].flatMap(([written, doubled = '', dollar = '', tag = '']) => {
    // The variable is before the first quote, colon or filter sign.
    const [words = ''] = `${doubled}${dollar}${tag}`.split(/["':|]/);
    const exact = words.match(/\w+/g)?.find((word) => names.includes(word));
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
