import { emptyMap } from '../../../documents/document.ts';
import { FILE_LIMITS } from '../../../documents/limits.ts';
import { folderOf } from '../../../documents/paths.ts';
import { filledText, isMap, ownEntry, type Json, type JsonMap } from '../../../types/plain.ts';
import { A_TEST, isScalar } from '../shared/draft.ts';
import type { ImportContext } from '../shared/files.ts';
import {
  tryConvert,
  tryConvertAsync,
  readEach,
  refuse,
  type Node,
  isAmong,
} from '../shared/node.ts';
import { templateText } from '../shared/templates.ts';
import { renderTemplate } from './nunjucks.ts';
import { isSent } from './promptfoo-parameters.ts';
import { isCutOff } from './templates.ts';

export interface ForeignAssertion {
  value: JsonMap;
  node: Node;
  file: string | null;
}

/** A promptfoo test, merged with `defaultTest`, with one value for each variable. */
export interface ForeignTest {
  description: string | null;
  /** Variables as written, with `file://` paths. */
  given: JsonMap;
  /** Variables as checks see them. */
  vars: JsonMap;
  /** Variables as text prompts show them, with templates filled in. */
  sent: JsonMap;
  files: Readonly<Record<string, string>>;
  assertions: ForeignAssertion[];
  /** Model parameters among its options. */
  parameters: JsonMap;
  /** The transform of all its answers. Null: none. */
  transform: Json;
  /** The variable that shows its answer in later tests. Null: none. */
  storesAs: string | null;
  provider: Node | null;
  node: Node;
}

interface LoadedValue {
  value: Json;
  file: string | null;
}

/** `whole`: a list or map as one value. */
type Variable = { each: LoadedValue[]; whole: Json | null } | { why: string };

/** What a test sets. */
interface WrittenTest {
  description: string | null;
  variables: ReadonlyMap<string, Variable>;
  options: JsonMap;
  assertions: ForeignAssertion[];
  provider: Node | null;
}

export interface Defaults extends Omit<WrittenTest, 'description'> {
  /** Assertions of scenarios. Tests cannot turn them off. */
  always: ForeignAssertion[];
}

export interface ValueReader extends ImportContext {
  /** Names of variables whose files are attached to the prompt. */
  shown: ReadonlySet<string>;
  defaults: Defaults;
}

const VARIABLE_CODE_PATH = /\.(?:[cm]?[jt]s|py)(?::\w+)?$/i;

/** Types of files that promptfoo does not read as text. */
const NO_TEXT =
  'pdf png jpg jpeg gif webp bmp tif tiff ico avif heic heif svg mp3 wav m4a aac ogg flac opus ' +
  'aif aiff wma mp4 m4v mov avi webm mkv mpg mpeg wmv flv doc docx xls xlsx ppt pptx';

/** Reads a map of variables, or the files that contain such maps. */
export async function readVariables(
  written: Node,
  reader: ValueReader,
): Promise<Defaults['variables']> {
  const { value, place } = written;
  const named = [value].flat().filter((name) => typeof name === 'string');
  const found = await readEach(named, (name) =>
    reader.files.nodes(name, written, folderOf(place.file)),
  );
  const variables = await readEach(isMap(value) ? [written] : found, (node) =>
    readEach(Object.keys(node.map), async (name): Promise<[string, Variable][]> => [
      [name, await readVariable(name, node.at(name), reader)],
    ]),
  );
  return new Map(variables);
}

/** A list of texts gives the variable several values. Any other list is one value. */
async function readVariable(name: string, node: Node, reader: ValueReader): Promise<Variable> {
  const { value } = node;
  const members = Array.isArray(value) && typeof value[0] === 'string' ? value : [value];
  return tryConvertAsync<Variable, Variable>(
    async () => ({
      each: await readEach(members, (member) => loadValue(name, member, node, reader)),
      whole: isScalar(value) ? null : value,
    }),
    (why) => ({ why }),
  );
}

async function loadValue(
  name: string,
  value: Json,
  node: Node,
  { files, shown }: ValueReader,
): Promise<LoadedValue[]> {
  if (typeof value !== 'string' || !value.startsWith('file://')) return [{ value, file: null }];
  if (VARIABLE_CODE_PATH.test(value)) refuse('comes from code, which does not run');
  if (shown.has(name))
    return files.paths(value, node.place).map((file) => ({ value: file, file: null }));
  const noText = (file: string) => refuse(`is the file ${file}, which is not plain text`);
  if (isAmong(NO_TEXT, value.slice(value.lastIndexOf('.') + 1).toLowerCase())) noText(value);
  if (/\.ya?ml$/i.test(value)) {
    const found = await files.nodes(value, node);
    return found.map(({ place: { file }, value: data }) => ({ value: JSON.stringify(data), file }));
  }
  const found = await files.texts(value, node.place);
  return found.map(({ file, text }) =>
    text.includes('\0') ? noText(file) : { value: text.trim(), file },
  );
}

const CHANGES_PROMPT = ['prefix', 'suffix', 'transformVars'];

const CHANGES_ANSWER = ['transform', 'postprocess'];

const isSet = (value: Json | undefined): boolean => (value ?? '') !== '';

const SINGLE_VALUES = 'disableVarExpansion';

export function mergeOptions(first: JsonMap, second: JsonMap): JsonMap {
  const single = [first, second].some((options) => options[SINGLE_VALUES] === true);
  return { ...first, ...second, [SINGLE_VALUES]: single };
}

/** A list of texts makes one test per text. Several lists make all combinations. */
export function makeTests(
  node: Node,
  { description, variables, options, assertions, provider }: WrittenTest,
  { defaults }: ValueReader,
): ForeignTest[] {
  const inherited = options['disableDefaultAsserts'] === true ? [] : defaults.assertions;
  const merged = mergeOptions(defaults.options, options);
  const changing = CHANGES_PROMPT.find((key) => isSet(merged[key]));
  if (changing !== undefined)
    refuse(`its options.${changing} changes the request for one test, which is not supported`);
  const all = combinations(
    new Map([...defaults.variables, ...variables]),
    merged[SINGLE_VALUES] !== true,
  );
  return all.flatMap((given) => {
    const vars = resolve(given);
    const files = given.flatMap(([name, { file }]) => (file === null ? [] : [[name, file]]));
    const asGiven = given.map(([name, { value, file }]): [string, Json] => [
      name,
      file === null ? value : `file://${file}`,
    ]);
    const test = {
      node,
      assertions: [...inherited, ...defaults.always, ...assertions],
      parameters: Object.fromEntries(Object.entries(merged).filter(([key]) => isSent(key))),
      transform: CHANGES_ANSWER.map((key) => merged[key]).find(isSet) ?? null,
      storesAs: filledText(merged['storeOutputAs']),
      provider: provider ?? defaults.provider,
      description: all.length > 1 ? null : description,
      given: Object.fromEntries(asGiven),
      vars,
      files: Object.fromEntries(files),
    };
    return tryConvert(
      () => [{ ...test, sent: fillInValues(vars) }],
      (why) => node.lose(A_TEST, why),
    );
  });
}

type NamedValue = [string, LoadedValue];

function combinations(variables: Defaults['variables'], expands: boolean): NamedValue[][] {
  let found: NamedValue[][] = [[]];
  for (const [name, variable] of variables) {
    if ('why' in variable) return refuse(`its variable ${name} ${variable.why}`);
    const { each, whole } = variable;
    const values = expands || whole === null ? each : [{ value: whole, file: null }];
    const unknown = values.flatMap(({ value }) =>
      typeof value === 'string' ? (/\{\{\s*(env\.\w+)/.exec(value)?.[1] ?? []) : [],
    )[0];
    if (unknown !== undefined)
      refuse(
        `its variable ${name} takes ${unknown} from the environment, which files do not contain`,
      );
    if (found.length * values.length > FILE_LIMITS.references)
      refuse(`its lists of values make more than ${FILE_LIMITS.references} tests`);
    found = found.flatMap((given) =>
      values.map((value): NamedValue[] => [...given, [name, value]]),
    );
  }
  return found;
}

/** Limits the rounds of replacement, because values can refer to each other. */
const MAX_VARIABLE_DEPTH = 5;

function resolve(given: readonly NamedValue[]): JsonMap {
  const vars = emptyMap();
  for (const [name, { value }] of given)
    vars[name] = typeof value === 'string' ? value.replace(/\n$/, '') : value;
  for (let round = 0, changed = true; changed && round < MAX_VARIABLE_DEPTH; round += 1) {
    changed = false;
    for (const [name, value] of Object.entries(vars)) {
      const shows = typeof value === 'string' ? withOther(value, vars) : null;
      if (shows === null) continue;
      vars[name] = shows;
      changed = true;
    }
  }
  return vars;
}

function withOther(text: string, vars: JsonMap): string | null {
  const [braces, name = ''] = /\{\{\s*(\w+)\s*\}\}/.exec(text) ?? [];
  const other = ownEntry(vars, name);
  if (braces === undefined || other === undefined) return null;
  return text.replace(braces, () => (other === null ? 'null' : templateText(other)));
}

/** A value that uses an unknown variable stays unchanged. */
function fillInValues(vars: JsonMap): JsonMap {
  const sent = emptyMap();
  for (const [name, value] of Object.entries(vars)) {
    sent[name] = value;
    if (typeof value !== 'string' || !/\{[{%#]/.test(value) || isCutOff(value)) continue;
    if (requiredNames(value).some((each) => ownEntry(vars, each) === undefined)) continue;
    sent[name] = tryConvert(
      () => renderTemplate(value, vars, templateText),
      (why) => refuse(`its variable ${name} is a template, in which ${why}`),
    );
  }
  return sent;
}

/**
 * Finds names that promptfoo requires: the first in `{{ }}`, and those after `if` and `for … in`.
 */
function requiredNames(text: string): string[] {
  const words = text.replace(/\{#[\s\S]*?#\}/g, '');
  const found = new Set(
    [
      ...words.matchAll(/\{\{\s*([^{}\s|]{1,200})\s*(?:\|[^}]{1,500})?\}\}/g),
      ...words.matchAll(/\{%\s*(?:if|for)\s+([^{}\s]{1,200}).{0,500}?%\}/g),
    ].map(([, name = '']) => name),
  );
  for (const [, item = '', list = ''] of words.matchAll(/\{%\s*for\s+(\w+)\s+in\s+(\w+)\s*%\}/g)) {
    found.delete(item);
    found.add(list);
  }
  return [...found].flatMap((each) => /^[A-Za-z_]\w*/.exec(each) ?? []);
}
