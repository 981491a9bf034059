import type { CodeHost } from '../../../config/host-call.ts';
import { pathsOf, readTemplate, type Template } from '../../../config/templates.ts';
import type { Document } from '../../../documents/document.ts';
import type { FilePart } from '../../../types/media.ts';
import type { PromptText, Role } from '../../../types/model.ts';
import { isMap, parsedJson, type Json, type JsonMap, type Place } from '../../../types/plain.ts';
import { A_PROMPT, lastSteps, lose, type ImportFiles, type Loss } from '../shared/draft.ts';
import { readForeignParameters } from '../shared/models.ts';
import { nodeOf, readEach, type Node } from '../shared/node.ts';
import { yamlValue } from '../shared/text-assertions.ts';
import { messagesIn, type ChatMessage } from './chats.ts';
import { codeFileIn, type CodeFile } from './foreign-code.ts';
import { parseTemplate } from './nunjucks-syntax.ts';
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
  place: Place;
}

type ReadTemplate = Extract<Template, { ok: true }>;

export const ONLY_VARIABLES =
  'template filters and logic work only if evaldiff reads this file directly; a prompt ' +
  'file supports only variables';

const CONVERSATION = /\{[{%][^}]*\b_conversation\b/;

const TEXT_FILE = /\.(?:txt|md|j2|json|jsonl|ya?ml)$/i;

const CODE_FILE = /\.(?:[cm]?[jt]s|py|rb|sh|go)(?::[\w.]+)?$/i;

interface PromptContext {
  files: ImportFiles;
  code: CodeHost;
  left: Loss[];
}

export async function readPrompts(
  document: Document,
  context: PromptContext,
): Promise<ForeignPrompt[]> {
  const { value, place, map, at, each } = nodeOf(document, ['prompts']);
  if (value === null) return readPrompt('{{prompt}}', place, context);
  const entries: Pick<Node, 'value' | 'place'>[] = isMap(value)
    ? Object.entries(map).map(([id, label]) => ({ value: { id, label }, place: at(id).place }))
    : each();
  const prompts: ForeignPrompt[] = [];
  // One after the other, so that losses are reported in the order of the file.
  for (const entry of entries)
    prompts.push(...(await readPrompt(entry.value, entry.place, context)));
  return prompts;
}

const ENTRY_KEYS = ['id', 'raw', 'label', 'display', 'config'];

async function readPrompt(
  written: Json,
  place: Place,
  context: PromptContext,
): Promise<ForeignPrompt[]> {
  const { files, left } = context;
  const map = isMap(written) ? written : { raw: written };
  const text = map['raw'] ?? map['id'];
  if (typeof text !== 'string') return lose(left, place, A_PROMPT, 'it is neither text nor a file');
  if (text.startsWith('exec:')) return lose(left, place, A_PROMPT, 'prompts in code do not run');
  const label = promptLabel(map);
  const path = pathIn(text);
  if (path !== null && CODE_FILE.test(path))
    return codePrompts(text, map['config'], label, place, context);
  const parameters = await promptParameters(map, place, context);
  if (path === null) return textPrompt(text, { label, parameters, place }, context);
  const isPlain = /\.txt$/i.test(path);
  if (isPlain && Object.keys(parameters).length > 0)
    lose(left, place, 'config of a prompt', 'promptfoo ignores it for a .txt prompt');
  const entry = { label, parameters: isPlain ? {} : parameters };
  return readEach(await files.texts(path, place), async (file) =>
    promptsInFile(await withNamedTexts(file, place, files), entry, context),
  );
}

function promptLabel({ label, display }: JsonMap): string | null {
  const named = label ?? display;
  return typeof named === 'string' ? named : null;
}

function pathIn(text: string): string | null {
  if (text.startsWith('file://')) return text.slice('file://'.length).trim();
  const ends = TEXT_FILE.test(text) || CODE_FILE.test(text);
  return ends && !/\s/.test(text.trim()) ? text.trim() : null;
}

async function promptParameters(
  { config, ...written }: JsonMap,
  place: Place,
  { files, left }: PromptContext,
): Promise<JsonMap> {
  const read = await withFiles(isMap(config) ? config : {}, place, files);
  const { own, left: unreadable } = convertibleMembers(read);
  const { parameters, left: refused } = readForeignParameters(own);
  const others = Object.keys(written)
    .filter((key) => !ENTRY_KEYS.includes(key))
    .map((key) => ({ key, why: 'evaldiff has no equivalent' }));
  for (const { key, why } of [...unreadable, ...refused, ...others])
    lose(left, place, `${key} of a prompt`, why);
  return parameters;
}

async function codePrompts(
  text: string,
  config: Json | undefined,
  label: string | null,
  place: Place,
  { files, code: host, left }: PromptContext,
): Promise<ForeignPrompt[]> {
  const code = codeFileIn(text, '');
  if (code === null) return lose(left, place, A_PROMPT, 'prompts in code do not run');
  if (typeof host === 'string')
    return lose(
      left,
      place,
      A_PROMPT,
      'prompts in code run only if evaldiff reads this file directly, with code: host',
    );
  const { called } = code;
  return (await files.texts(code.file, place)).map(({ file, text: source }) => ({
    label: label ?? (called === '' ? lastSteps(file).name.replace(/\.\w+$/, '') : called),
    parameters: {},
    messages: [],
    form: 'text',
    made: { kind: 'code', code: { file, called }, source, config },
    place: { file, line: 1 },
  }));
}

/** Replaces the `file://` contents of messages in JSON and YAML files. */
async function withNamedTexts(
  { file, text }: { file: string; text: string },
  place: Place,
  files: ImportFiles,
): Promise<{ file: string; text: string }> {
  const list = /\.(?:json|ya?ml)$/i.test(file) ? yamlValue(text) : null;
  if (!Array.isArray(list) || !list.every(isMap)) return { file, text };
  const messages = list.map(async (message): Promise<JsonMap> => {
    const { content } = message;
    const isNamed = typeof content === 'string' && content.startsWith('file://');
    const [named] = isNamed ? await files.texts(content, place) : [];
    return named === undefined ? message : { ...message, content: named.text };
  });
  return { file, text: JSON.stringify(await Promise.all(messages)) };
}

type PromptEntry = Pick<ForeignPrompt, 'label' | 'parameters' | 'place'>;

/** A text file may contain several prompts, separated by `---`. */
function promptsInFile(
  { file, text }: { file: string; text: string },
  entry: Omit<PromptEntry, 'place'>,
  context: PromptContext,
): ForeignPrompt[] {
  if (!TEXT_FILE.test(file))
    return lose(
      context.left,
      { file, line: 1 },
      A_PROMPT,
      `${file} is not a text, JSON or YAML file`,
    );
  const parts = /\.txt$/i.test(file)
    ? text.split(/^[^\S\n]*---[^\S\n]*$/m).map((part) => part.trim())
    : /\.jsonl$/i.test(file)
      ? text.split('\n')
      : [text];
  const written = parts.length === 1 ? parts : parts.filter((part) => part.trim() !== '');
  const stem = lastSteps(file).name.replace(/\.\w+$/, '');
  let from = 0;
  return written.flatMap((part, index) => {
    from = Math.max(from, text.indexOf(part, from));
    const line = text.slice(0, from).split('\n').length;
    const label = entry.label ?? (written.length === 1 ? stem : `${stem} ${String(index + 1)}`);
    return textPrompt(part, { ...entry, label, place: { file, line } }, context);
  });
}

function textPrompt(
  text: string,
  entry: PromptEntry,
  { code, left }: PromptContext,
): ForeignPrompt[] {
  const { place } = entry;
  const lost = (why: string) => lose(left, place, A_PROMPT, why);
  if (CONVERSATION.test(text))
    return lost("_conversation contains a run's earlier answers, which evaldiff tests do not see");
  const messages = messagesIn(text);
  if (typeof messages === 'string') return lost(messages);
  const isText = messages[0]?.content === text;
  const form = parsedJson(text) !== undefined ? 'json' : isText ? 'text' : 'chat';
  const prompt = { ...entry, form, made: null } as const;
  if (messages.some(({ parts }) => parts !== undefined)) {
    const plain = messages.flatMap((message) => messageWithParts(message, place) ?? []);
    return plain.length === messages.length
      ? [{ ...prompt, messages: plain }]
      : lost('a prompt with images or files supports only variables');
  }
  const whole = messages.map(({ role, content }) => ({
    role,
    content: asSent(content, form, text),
  }));
  const plain = whole.flatMap(({ role, content }) => {
    const template = readTemplate(content);
    return template.ok ? [{ role, template, place }] : [];
  });
  if (plain.length === whole.length) return [{ ...prompt, messages: plain }];
  const why = templateRefusal(whole) ?? (code === 'written' ? ONLY_VARIABLES : null);
  return why === null
    ? [{ ...prompt, made: { kind: 'template', messages: whole }, messages: [] }]
    : lost(why);
}

/** promptfoo sends unfinished templates unchanged. */
function asSent(content: string, form: ForeignPrompt['form'], text: string): string {
  return form !== 'json' && isCutOff(text) ? `{% raw %}${content}{% endraw %}` : content;
}

function templateRefusal(messages: readonly PromptText[]): string | null {
  const flawed = messages.map(({ content }) => parseTemplate(content)).find(({ ok }) => !ok);
  return flawed === undefined || flawed.ok
    ? null
    : `${flawed.construct} is not a supported variable, filter or tag`;
}

function messageWithParts(
  { role, content, parts }: ChatMessage,
  place: Place,
): ForeignPrompt['messages'][number] | null {
  const template = readTemplate(content);
  const own = parts?.flatMap((part) => {
    const read = readTemplate(part.type === 'text' ? part.text : part.path);
    return read.ok ? [{ type: part.type, template: read }] : [];
  });
  if (!template.ok || own?.length !== parts?.length) return null;
  return { role, template, place, ...(own && { parts: own }) };
}

export function fileVariables(prompts: readonly ForeignPrompt[]): Set<string> {
  const parts = prompts.flatMap(({ messages }) => messages.flatMap(({ parts: own = [] }) => own));
  const shown = parts.filter(({ type }) => type !== 'text');
  return new Set(shown.flatMap(({ template }) => pathsOf(template).map(([name]) => String(name))));
}
