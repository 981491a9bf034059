import { z } from 'zod';
import { codePlaceOf, pathText, type Document, type Path, valueAt } from '../documents/document.ts';
import { readParameters } from '../documents/parameters.ts';
import { problem } from '../errors.ts';
import type { Prompt } from '../kernel/suite/suite.ts';
import { foreignForms, isVariableName, placeholders } from '../kernel/suite/template.ts';
import { nearest } from '../text/suggest.ts';
import type { Message, Role } from '../types/model.ts';
import { isMap, type Notice, type Place, type Problem } from '../types/plain.ts';
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

const PROMPT_ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
};

const messageSchema = closed({
  role: oneOf(['system', 'human', 'user', 'ai', 'assistant']).describe('Who says it.'),
  content: filled().describe('The text; {name} is filled in, {{name}} is the literal {name}.'),
});

const variableSchema = z.union(
  [closed({ name: filled().describe('Letters, digits and _.') }), filled()],
  { error: 'must be a map with name' },
);

const promptTextSchema = z.union([closed({ content: filled().describe('The text.') }), filled()], {
  error: 'must be a map with content',
});

const languageSchema = oneOf(['python', 'javascript']);

const TESTS = 'The tests, instead of a test file.';

const promptShape = {
  name: filled().describe('Name of the prompt and its suite.'),
  model: filled().describe("A model's name, as vendors or the settings know it.").optional(),
  variables: listOf(variableSchema).describe('What references fill in.').optional(),
  messages: listOf(messageSchema)
    .min(1, { error: 'must not be empty' })
    .describe('What is sent.')
    .optional(),
  prompt: promptTextSchema.describe('One message of the user, instead of messages.').optional(),
  code: filled().describe('Code that computes the output, instead of messages.').optional(),
  language: languageSchema.describe('Language of the code. Default: python.').optional(),
  defaults: z
    .union([filled(), listOf(filled())], { error: 'must be a list of paths like tests/name' })
    .describe('Files whose keys are taken where this file has none; tests/name is its test file.')
    .optional(),
  tests: z
    .record(z.string(), anything(), { error: 'must be a map with metrics and references' })
    .describe(TESTS)
    .optional(),
};

export const PROMPT_KEYS: readonly string[] = Object.keys(promptShape);

const BODY_KEYS = ['messages', 'prompt', 'code'];

export function promptSchema(tests: z.ZodType) {
  return z
    .object({ ...promptShape, tests: tests.describe(TESTS).optional() })
    .catchall(z.union([scalar(), listOf(anything()), z.record(z.string(), anything())]));
}

/** Null if the file is not a prompt; usable if `problems` did not grow. `isOwn`: not converted. */
export function readPrompt(
  document: Document,
  problems: Problem[],
  isOwn = true,
): { prompt: Prompt; notices: Notice[] } | null {
  if (!isMap(document.value)) {
    problems.push(problem(document.placeOf([]), 'must be a map with name, model and messages'));
    return null;
  }
  const own =
    valueAt(document.value, ['code']) === undefined
      ? PROMPT_KEYS.filter((key) => key !== 'language')
      : PROMPT_KEYS;
  const name = check(document, ['name'], promptShape.name, problems);
  const model = check(document, ['model'], promptShape.model, problems);
  const variables = readPromptVariables(document, problems);
  const { messages, code } = readBody(document, problems);
  if (model === undefined && code === null && valueAt(document.value, ['model']) === undefined)
    problems.push(missing(document, ['model']));
  const keys = Object.keys(document.value);
  const prompt: Prompt = {
    file: document.file,
    name: name ?? '',
    model: model ?? null,
    parameters: readParameters(document, [], own, problems),
    variables: variables.map((each) => ({ name: each.name, place: each.place })),
    messages: messages.map(({ role, content, place }) => ({ role, content, place })),
    code,
    places: Object.fromEntries(keys.map((key) => [key, document.placeOf([key])])),
  };
  checkPlaceholders(document, messages, variables, problems);
  const foreign = code === null && isOwn ? foreignNotices(document, messages, variables) : [];
  const unused = code === null ? unusedVariables(messages, variables) : [];
  return { prompt, notices: [...foreign, ...unused] };
}

interface PromptVariable {
  name: string;
  place: Place;
}

interface LocatedMessage extends Message {
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
        `${pathText(path)}: a variable name is letters, digits and _, and does not start with ` +
        'a digit';
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
  if (given.length > 1 || (given.length === 0 && !misspelt))
    problems.push(
      problem({ file: document.file, line: 0 }, 'needs exactly one of messages, prompt and code'),
    );
  return {
    messages: [...readMessages(document, problems), ...readSingleMessage(document, problems)],
    code: given.includes('code') ? readCode(document, problems) : null,
  };
}

function readMessages(document: Document, problems: Problem[]): LocatedMessage[] {
  const list = valueAt(document.value, ['messages']);
  if (Array.isArray(list) && list.length === 0)
    problems.push(problem(document.placeOf(['messages']), 'messages must not be empty'));
  return checkItems(document, ['messages'], messageSchema, problems).map(({ path, value }) => ({
    role: PROMPT_ROLES[value.role] ?? 'user',
    content: value.content,
    place: document.placeOf(path),
    path: [...path, 'content'],
  }));
}

function readSingleMessage(document: Document, problems: Problem[]): LocatedMessage[] {
  const written = check(document, ['prompt'], promptShape.prompt, problems);
  if (written === undefined) return [];
  const path = typeof written === 'string' ? ['prompt'] : ['prompt', 'content'];
  const content = typeof written === 'string' ? written : written.content;
  return [{ role: 'user', content, place: document.placeOf(path), path }];
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

function checkPlaceholders(
  document: Document,
  messages: readonly LocatedMessage[],
  variables: readonly PromptVariable[],
  problems: Problem[],
): void {
  const declared = new Set(variables.map(({ name }) => name));
  for (const { content, path } of messages) {
    const told = new Set<string>();
    for (const { name, offset } of placeholders(content)) {
      if (declared.has(name) || told.has(name)) continue;
      told.add(name);
      const place = document.placeOfText(
        path,
        `{${name}}`,
        content.slice(0, offset).split(`{${name}}`).length - 1,
      );
      const message =
        `{${name}} is not in variables; declare it, or write {{${name}}} where the text itself ` +
        'is meant';
      problems.push(problem(place, message));
    }
  }
}

/** Variables in other tools' template forms, each form once per message. */
function foreignNotices(
  document: Document,
  messages: readonly LocatedMessage[],
  variables: readonly PromptVariable[],
): Notice[] {
  const names = variables.map(({ name }) => name);
  return messages.flatMap(({ content, path }) =>
    foreignForms(content, names).map(({ written, message }) => ({
      kind: 'unused',
      message,
      place: document.placeOfText(path, written, 0),
    })),
  );
}

function unusedVariables(
  messages: readonly LocatedMessage[],
  variables: readonly PromptVariable[],
): Notice[] {
  const used = new Set(
    messages.flatMap(({ content }) => placeholders(content).map(({ name }) => name)),
  );
  const unused = variables.filter(({ name }) => !used.has(name));
  return unused.map(({ name, place }) => {
    const [form] = messages.flatMap(({ content }) => foreignForms(content, [name]));
    const why = form === undefined ? '' : `: ${form.message}`;
    const message = `the variable "${name}" is declared but no message uses it${why}`;
    return { kind: 'unused', message, place };
  });
}
