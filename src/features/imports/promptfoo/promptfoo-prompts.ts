import { pathsOf, readTemplate, type Template } from '../../../config/templates.ts';
import type { FilePart } from '../../../types/media.ts';
import type { PromptText, Role } from '../../../types/model.ts';
import { isMap, parsedJson, type Json, type JsonMap, type Place } from '../../../types/plain.ts';
import { A_PROMPT, lastSteps } from '../shared/draft.ts';
import type { ImportContext, ImportFiles } from '../shared/files.ts';
import { readForeignParameters } from '../shared/models.ts';
import { tryConvert, leafNode, readEach, refuse, type Node, isAmong } from '../shared/node.ts';
import { yamlValue } from '../shared/text-assertions.ts';
import { messagesIn, type ChatMessage } from './chats.ts';
import { codeFileIn, type CodeFile } from './foreign-code.ts';
import { parseTemplate } from './nunjucks.ts';
import { convertibleMembers, withFiles } from './promptfoo-parameters.ts';
import { isCutOff } from './templates.ts';

export interface ForeignPrompt {
  label: string | null;
  parameters: JsonMap;
  messages: {
    role: Role;
    template: ReadTemplate;
    parts?: { type: 'text' | FilePart['type']; template: ReadTemplate }[];
    place: Place;
  }[];
  /** `text`: variables are filled in before the text is parsed as a chat. */
  form: 'json' | 'chat' | 'text';
  made:
    | { kind: 'code'; code: CodeFile; source: string; config: Json | undefined }
    | { kind: 'template'; messages: PromptText[] }
    | null;
  node: Node;
}

type ReadTemplate = Extract<Template, { ok: true }>;

export const ONLY_VARIABLES =
  'template filters and logic work only if evaldiff reads this file directly; a prompt ' +
  'file supports only variables';

const TEXT_FILE = /\.(?:txt|md|j2|json|jsonl|ya?ml)$/i;

const CODE_FILE = /\.(?:[cm]?[jt]s|py|rb|sh|go)(?::[\w.]+)?$/i;

export async function readPrompts(context: ImportContext): Promise<ForeignPrompt[]> {
  const written = context.root.at('prompts');
  const { value, place, losses } = written;
  if (value === null) return readPrompt(leafNode('{{prompt}}', place, losses), context);
  const prompts: ForeignPrompt[] = [];
  // One after the other, so that losses are reported in the order of the file.
  for (const entry of written.each()) prompts.push(...(await readPrompt(entry, context)));
  return prompts;
}

const ENTRY_KEYS = 'id raw label display config';

async function readPrompt(node: Node, context: ImportContext): Promise<ForeignPrompt[]> {
  const lost = (why: string) => node.lose(A_PROMPT, why);
  const { files } = context;
  const map = isMap(node.value) ? node.map : { raw: node.value };
  const text = map['raw'] ?? map['id'];
  if (typeof text !== 'string') return lost('it is neither text nor a file');
  if (text.startsWith('exec:')) return lost('prompts in code do not run');
  const named = map['label'] ?? map['display'];
  const label = typeof named === 'string' ? named : null;
  const path = promptPath(text);
  if (path !== null && CODE_FILE.test(path))
    return codePrompts(text, map['config'], label, node, context);
  const parameters = await promptParameters(node, files);
  return path === null
    ? textPrompt(text, { label, parameters, node }, context)
    : promptsOfFile(path, { label, parameters, node }, context);
}

async function promptsOfFile(
  path: string,
  { label, parameters, node }: PromptEntry,
  context: ImportContext,
): Promise<ForeignPrompt[]> {
  const { files } = context;
  const isPlain = /\.txt$/i.test(path);
  if (isPlain && Object.keys(parameters).length > 0)
    node.lose('config of a prompt', 'promptfoo ignores it for a .txt prompt');
  const entry = { label, parameters: isPlain ? {} : parameters };
  return readEach(await files.texts(path, node.place), async ({ file, text }) => {
    const filled = await withNamedTexts(file, text, node.place, files);
    const nodeAt = (line: number) => leafNode(null, { file, line }, node.losses);
    return promptsInFile(file, filled, entry, context, nodeAt);
  });
}

function promptPath(text: string): string | null {
  if (text.startsWith('file://')) return text.slice('file://'.length).trim();
  const ends = TEXT_FILE.test(text) || CODE_FILE.test(text);
  return ends && !/\s/.test(text.trim()) ? text.trim() : null;
}

async function promptParameters(node: Node, files: ImportFiles): Promise<JsonMap> {
  const lost = (key: string, why: string) => node.lose(`${key} of a prompt`, why);
  const { map: config } = node.at('config');
  const read = convertibleMembers(await withFiles(config, node, files), lost);
  const parameters = readForeignParameters(read, lost);
  for (const key of Object.keys(node.map))
    if (!isAmong(ENTRY_KEYS, key)) lost(key, 'evaldiff has no equivalent');
  return parameters;
}

async function codePrompts(
  text: string,
  config: Json | undefined,
  label: string | null,
  node: Node,
  { files, code: host }: ImportContext,
): Promise<ForeignPrompt[]> {
  const code = codeFileIn(text, '');
  if (code === null) return node.lose(A_PROMPT, 'prompts in code do not run');
  if (typeof host === 'string')
    return node.lose(
      A_PROMPT,
      'prompts in code run only if evaldiff reads this file directly, with code: host',
    );
  const { called } = code;
  return (await files.texts(code.file, node.place)).map(({ file, text: source }) => ({
    label: label ?? (called === '' ? promptStem(file) : called),
    parameters: {},
    messages: [],
    form: 'text',
    made: { kind: 'code', code: { file, called }, source, config },
    node: leafNode(null, { file, line: 1 }, node.losses),
  }));
}

const promptStem = (file: string): string => lastSteps(file).name.replace(/\.\w+$/, '');

/** Replaces the `file://` contents of messages in JSON and YAML files. */
async function withNamedTexts(
  file: string,
  text: string,
  place: Place,
  files: ImportFiles,
): Promise<string> {
  const list = /\.(?:json|ya?ml)$/i.test(file) ? yamlValue(text) : null;
  if (!Array.isArray(list) || !list.every(isMap)) return text;
  const messages = list.map(async (message): Promise<JsonMap> => {
    const { content } = message;
    const isNamed = typeof content === 'string' && content.startsWith('file://');
    const [named] = isNamed ? await files.texts(content, place) : [];
    return named === undefined ? message : { ...message, content: named.text };
  });
  return JSON.stringify(await Promise.all(messages));
}

type PromptEntry = Pick<ForeignPrompt, 'label' | 'parameters' | 'node'>;

/** A text file may contain several prompts, separated by `---`. */
function promptsInFile(
  file: string,
  text: string,
  entry: Omit<PromptEntry, 'node'>,
  context: ImportContext,
  nodeAt: (line: number) => Node,
): ForeignPrompt[] {
  if (!TEXT_FILE.test(file))
    return nodeAt(1).lose(A_PROMPT, `${file} is not a text, JSON or YAML file`);
  const parts = /\.txt$/i.test(file)
    ? text.split(/^[^\S\n]*---[^\S\n]*$/m).map((part) => part.trim())
    : /\.jsonl$/i.test(file)
      ? text.split('\n')
      : [text];
  const written = parts.length === 1 ? parts : parts.filter((part) => part.trim() !== '');
  let from = 0;
  return written.flatMap((part, index) => {
    from = Math.max(from, text.indexOf(part, from));
    const node = nodeAt(text.slice(0, from).split('\n').length);
    const own = written.length === 1 ? promptStem(file) : `${promptStem(file)} ${index + 1}`;
    return textPrompt(part, { ...entry, label: entry.label ?? own, node }, context);
  });
}

function textPrompt(text: string, entry: PromptEntry, { code }: ImportContext): ForeignPrompt[] {
  return tryConvert(
    () => [{ ...entry, ...messagesOfText(text, entry.node.place, code) }],
    (why) => entry.node.lose(A_PROMPT, why),
  );
}

function messagesOfText(
  text: string,
  place: Place,
  code: ImportContext['code'],
): Pick<ForeignPrompt, 'form' | 'made' | 'messages'> {
  if (/\{[{%][^}]*\b_conversation\b/.test(text))
    refuse("_conversation contains a run's earlier answers, which evaldiff tests do not see");
  const messages = messagesIn(text);
  const isText = messages[0]?.content === text;
  const form = parsedJson(text) !== undefined ? 'json' : isText ? 'text' : 'chat';
  if (messages.some(({ parts }) => parts !== undefined)) {
    const plain = messages.map((message) => messageWithParts(message, place));
    return { form, made: null, messages: plain };
  }
  const whole = messages.map(({ role, content }) => ({
    role,
    content: asSent(content, form, text),
  }));
  const plain = whole.flatMap(({ role, content }) => {
    const template = readTemplate(content);
    return template.ok ? [{ role, template, place }] : [];
  });
  if (plain.length === whole.length) return { form, made: null, messages: plain };
  for (const { content } of whole) parseTemplate(content);
  if (code === 'written') refuse(ONLY_VARIABLES);
  return { form, made: { kind: 'template', messages: whole }, messages: [] };
}

/** promptfoo sends unfinished templates unchanged. */
function asSent(content: string, form: ForeignPrompt['form'], text: string): string {
  return form !== 'json' && isCutOff(text) ? `{% raw %}${content}{% endraw %}` : content;
}

function messageWithParts(
  { role, content, parts }: ChatMessage,
  place: Place,
): ForeignPrompt['messages'][number] {
  const variables = (written: string): ReadTemplate => {
    const template = readTemplate(written);
    return template.ok ? template : refuse('a prompt with images or files supports only variables');
  };
  const own = parts?.map((part) => ({
    type: part.type,
    template: variables(part.type === 'text' ? part.text : part.path),
  }));
  return { role, template: variables(content), place, ...(own && { parts: own }) };
}

export function fileVariables(prompts: readonly ForeignPrompt[]): Set<string> {
  const parts = prompts.flatMap(({ messages }) => messages.flatMap(({ parts: own = [] }) => own));
  const shown = parts.filter(({ type }) => type !== 'text');
  return new Set(shown.flatMap(({ template }) => pathsOf(template).map(([name]) => String(name))));
}
