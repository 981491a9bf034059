import type { CodeHost, HostSettings } from '../../../config/host-call.ts';
import { emptyMap } from '../../../documents/document.ts';
import { FILE_LIMITS } from '../../../documents/limits.ts';
import { folderOf } from '../../../documents/paths.ts';
import { isMap, ownEntry, type Json, type JsonMap, type Place } from '../../../types/plain.ts';
import { A_TEST, isScalar, lose, type ImportFiles, type Loss } from '../shared/draft.ts';
import { nodeOf, readEach, type Node } from '../shared/node.ts';
import { templateText } from '../shared/templates.ts';
import { renderTemplate } from './nunjucks.ts';
import { isCutOff } from './templates.ts';

export interface ForeignAssertion {
  value: JsonMap;
  place: Place;
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
  isTransformed: boolean;
  place: Place;
}

interface LoadedValue {
  value: Json;
  file: string | null;
}

/** `whole`: a list or map as one value. */
type Variable = { each: LoadedValue[]; whole: Json | null } | { why: string };

export interface Defaults {
  variables: ReadonlyMap<string, Variable>;
  /** Whether a list of values for a variable makes several tests. */
  expands: boolean;
  options: JsonMap;
  assertions: ForeignAssertion[];
  /** Assertions of scenarios. Tests cannot turn them off. */
  always: ForeignAssertion[];
}

export interface ValueReader {
  files: ImportFiles;
  /** Names of variables whose files are attached to the prompt. */
  shown: ReadonlySet<string>;
  code: CodeHost;
  host: HostSettings;
  left: Loss[];
  defaults: Defaults;
}

const VARIABLE_CODE_PATH = /\.(?:[cm]?[jt]s|py)(?::\w+)?$/i;

/** Types of files that promptfoo does not read as text. */
const NO_TEXT =
  /\.(?:pdf|png|jpe?g|gif|webp|bmp|tiff?|ico|avif|hei[cf]|svg|mp3|wav|m4a|aac|ogg|flac|opus|aiff?|wma|mp4|m4v|mov|avi|webm|mkv|mpe?g|wmv|flv|docx?|xlsx?|pptx?)$/i;

/** Reads a map of variables, or the files that contain such maps. */
export async function readVariables(
  written: Node,
  reader: ValueReader,
): Promise<Defaults['variables']> {
  const { value, place } = written;
  const named = [value].flat().filter((name) => typeof name === 'string');
  const found = await readEach(named, (name) =>
    reader.files.documents(name, place, folderOf(place.file)),
  );
  const maps = isMap(value) ? [written] : found.map((file) => nodeOf(file));
  const variables = await readEach(maps, ({ map, at }) =>
    readEach(Object.keys(map), async (name): Promise<[string, Variable][]> => [
      [name, await readVariable(name, at(name), reader)],
    ]),
  );
  return new Map(variables);
}

/** A list of texts gives the variable several values. Any other list is one value. */
async function readVariable(
  name: string,
  { value, place }: Node,
  reader: ValueReader,
): Promise<Variable> {
  const each: LoadedValue[] = [];
  for (const member of Array.isArray(value) && typeof value[0] === 'string' ? value : [value]) {
    const loaded = await loadValue(name, member, place, reader);
    if (typeof loaded === 'string') return { why: loaded };
    each.push(...loaded);
  }
  return { each, whole: isScalar(value) ? null : value };
}

/** Returns the reason if the value cannot be read. */
async function loadValue(
  name: string,
  value: Json,
  place: Place,
  { files, shown }: ValueReader,
): Promise<LoadedValue[] | string> {
  if (typeof value !== 'string' || !value.startsWith('file://')) return [{ value, file: null }];
  if (VARIABLE_CODE_PATH.test(value)) return 'comes from code, which does not run';
  if (shown.has(name))
    return files.paths(value, place).map((file) => ({ value: file, file: null }));
  if (NO_TEXT.test(value)) return `is the file ${value}, which is not plain text`;
  if (/\.ya?ml$/i.test(value)) {
    const found = await files.documents(value, place);
    return found.map(({ file, value: data }) => ({ value: JSON.stringify(data), file }));
  }
  const found = await files.texts(value, place);
  const binary = found.find(({ text }) => text.includes('\0'));
  return binary === undefined
    ? found.map(({ file, text }) => ({ value: text.trim(), file }))
    : `is the file ${binary.file}, which is not plain text`;
}

const CHANGES_PROMPT = ['prefix', 'suffix', 'transformVars'];

const CHANGES_ANSWER = ['transform', 'postprocess'];

const isSet = (value: Json | undefined): boolean => (value ?? '') !== '';

/** A list of texts makes one test per text. Several lists make all combinations. */
export function expandVariables(
  {
    variables,
    expands,
    options,
    ...test
  }: Pick<ForeignTest, 'description' | 'assertions' | 'place'> & Omit<Defaults, 'always'>,
  { left }: ValueReader,
): ForeignTest[] {
  const lost = (why: string) => lose(left, test.place, A_TEST, why);
  const changing = CHANGES_PROMPT.find((key) => isSet(options[key]));
  if (changing !== undefined)
    return lost(`its options.${changing} changes the request for one test, which is not supported`);
  const isTransformed = CHANGES_ANSWER.some((key) => isSet(options[key]));
  let combinations: [string, LoadedValue][][] = [[]];
  for (const [name, variable] of variables) {
    if ('why' in variable) return lost(`its variable ${name} ${variable.why}`);
    const { each, whole } = variable;
    const values = expands || whole === null ? each : [{ value: whole, file: null }];
    const unknown = values.flatMap(({ value }) =>
      typeof value === 'string' ? (/\{\{\s*(env\.\w+)/.exec(value)?.[1] ?? []) : [],
    )[0];
    if (unknown !== undefined)
      return lost(
        `its variable ${name} takes ${unknown} from the environment, which files do not contain`,
      );
    if (combinations.length * values.length > FILE_LIMITS.references)
      return lost(`its lists of values make more than ${String(FILE_LIMITS.references)} tests`);
    combinations = combinations.flatMap((given) =>
      values.map((value): [string, LoadedValue][] => [...given, [name, value]]),
    );
  }
  const description = combinations.length > 1 ? null : test.description;
  return combinations.flatMap((given) => {
    const vars = resolve(given);
    const sent = fillInValues(vars);
    if ('why' in sent) return lost(sent.why);
    const files = given.flatMap(([name, { file }]) => (file === null ? [] : [[name, file]]));
    const asGiven = given.map(([name, { value, file }]): [string, Json] => [
      name,
      file === null ? value : `file://${file}`,
    ]);
    return [
      {
        ...test,
        isTransformed,
        description,
        given: Object.fromEntries(asGiven),
        vars,
        sent: sent.vars,
        files: Object.fromEntries(files),
      },
    ];
  });
}

/** Limits the rounds of replacement, because values can refer to each other. */
const MAX_VARIABLE_DEPTH = 5;

function resolve(given: readonly (readonly [string, LoadedValue])[]): JsonMap {
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
function fillInValues(vars: JsonMap): { vars: JsonMap } | { why: string } {
  const sent = emptyMap();
  for (const [name, value] of Object.entries(vars)) {
    sent[name] = value;
    if (typeof value !== 'string' || !/\{[{%#]/.test(value) || isCutOff(value)) continue;
    if (namesIn(value).some((each) => ownEntry(vars, each) === undefined)) continue;
    const filled = renderTemplate(value, vars, templateText);
    if (!filled.ok) return { why: `its variable ${name} is a template, in which ${filled.why}` };
    sent[name] = filled.text;
  }
  return { vars: sent };
}

/**
 * Finds names that promptfoo requires: the first in `{{ }}`, and those after `if` and `for … in`.
 */
function namesIn(text: string): string[] {
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
