import type { CodeHost } from '../../../config/host-call.ts';
import { pathsOf, readTemplate, type Template } from '../../../config/templates.ts';
import type { Document } from '../../../documents/document.ts';
import type { FilePart } from '../../../types/media.ts';
import type { PromptText, Role } from '../../../types/model.ts';
import { isMap, parsedJson, type Json, type JsonMap, type Place } from '../../../types/plain.ts';
import { lastSteps, type ImportFiles } from '../shared/draft.ts';
import { readForeignParameters } from '../shared/models.ts';
import { readEach, nodeOf, type Node } from '../shared/node.ts';
import { yamlValue } from '../shared/text-assertions.ts';
import { messagesIn, type ChatMessage } from './chats.ts';
import { codeFileIn, type CodeFile } from './foreign-code.ts';
import { parseTemplate } from './nunjucks-syntax.ts';
import { convertibleMembers, withFiles } from './promptfoo-parameters.ts';
import { isCutOff } from './templates.ts';

export interface ForeignPrompt {
  label: string | null;
  parameters: JsonMap;
  unread: { key: string; why: string }[];
  messages: {
    role: Role;
    template: ReadTemplate;
    parts?: { type: 'text' | FilePart['type']; template: ReadTemplate }[];
    place: Place;
  }[];
  /** `text`: variables are filled in before the text is parsed as a chat. */
  form: PromptForm;
  made: Maker | null;
  place: Place;
}

type ReadTemplate = Extract<Template, { ok: true }>;

type PromptForm = 'json' | 'chat' | 'text';

type Maker =
  | { kind: 'code'; code: CodeFile; source: string; config: Json | undefined }
  | { kind: 'template'; messages: PromptText[] };

type ReadPrompt = ForeignPrompt | { why: string; place: Place };

export const ONLY_VARIABLES =
  'template filters and logic work only if evaldiff reads this file directly; a prompt ' +
  'file supports only variables';

const CONVERSATION = /\{[{%][^}]*\b_conversation\b/;

const WITHOUT_PROMPTS = '{{prompt}}';

const TEXT_FILE = /\.(?:txt|md|j2|json|jsonl|ya?ml)$/i;

const CODE_FILE = /\.(?:[cm]?[jt]s|py|rb|sh|go)(?::[\w.]+)?$/i;

export async function readPrompts(
  document: Document,
  context: PromptContext,
): Promise<ReadPrompt[]> {
  const { value, map, at, each } = nodeOf(document, ['prompts']);
  const entries: Pick<Node, 'value' | 'place'>[] = isMap(value)
    ? Object.entries(map).map(([id, label]) => ({ value: { id, label }, place: at(id).place }))
    : each();
  return readEach(entries, (entry) =>
    readForeignPrompt(value === null ? WITHOUT_PROMPTS : entry.value, entry.place, context),
  );
}

type PromptEntry = Pick<ForeignPrompt, 'label' | 'parameters' | 'unread'>;

const ENTRY_KEYS = ['id', 'raw', 'label', 'display', 'config'];

async function readPromptEntry(
  written: JsonMap,
  place: Place,
  files: ImportFiles,
): Promise<PromptEntry> {
  const { config } = written;
  const map = isMap(config) ? config : {};
  const { own, left: unreadable } = convertibleMembers(await withFiles(map, place, files));
  const { parameters, left } = readForeignParameters(own);
  const others = Object.keys(written)
    .filter((key) => !ENTRY_KEYS.includes(key))
    .map((key) => ({ key, why: 'evaldiff has no equivalent' }));
  return {
    label: promptLabel(written),
    parameters,
    unread: [...unreadable, ...left, ...others],
  };
}

function promptLabel({ label, display }: JsonMap): string | null {
  const named = label ?? display;
  return typeof named === 'string' ? named : null;
}

interface PromptContext {
  files: ImportFiles;
  code: CodeHost;
}

async function readForeignPrompt(
  written: Json,
  place: Place,
  context: PromptContext,
): Promise<ReadPrompt[]> {
  const { files } = context;
  const map = isMap(written) ? written : { raw: written };
  const text = map['raw'] ?? map['id'];
  if (typeof text !== 'string') return [{ why: 'it is neither text nor a file', place }];
  if (text.startsWith('exec:')) return [{ why: 'prompts in code do not run', place }];
  const entry = await readPromptEntry(map, place, files);
  if (!isPromptPath(text)) return [textPrompt(text, entry, place, context.code === 'written')];
  const path = text.replace(/^file:\/\//, '').trim();
  if (CODE_FILE.test(path)) return codePrompts(text, map, place, context);
  return readEach(await files.texts(path, place), async (file) =>
    fromFile(await withTexts(file, place, files), entry, context.code === 'written'),
  );
}

async function codePrompts(
  text: string,
  map: JsonMap,
  place: Place,
  { files, code: host }: PromptContext,
): Promise<ReadPrompt[]> {
  const code = codeFileIn(text, '');
  if (code === null || typeof host === 'string')
    return [
      {
        why:
          code === null
            ? 'prompts in code do not run'
            : 'prompts in code run only if evaldiff reads this file directly, with code: host',
        place,
      },
    ];
  const label = promptLabel(map);
  return (await files.texts(code.file, place)).map(({ file, text: source }) => ({
    label: label ?? (code.called === '' ? lastSteps(file).name.replace(/\.\w+$/, '') : code.called),
    unread: [],
    parameters: {},
    messages: [],
    form: 'text',
    made: { kind: 'code', code: { file, called: code.called }, source, config: map['config'] },
    place: { file, line: 1 },
  }));
}

function isPromptPath(text: string): boolean {
  if (text.startsWith('file://')) return true;
  const ends = TEXT_FILE.test(text) || CODE_FILE.test(text);
  return ends && !text.includes('\n') && !/\s/.test(text.trim());
}

async function withTexts(
  { file, text }: { file: string; text: string },
  place: Place,
  files: ImportFiles,
): Promise<{ file: string; text: string }> {
  if (!/\.(?:json|ya?ml)$/i.test(file)) return { file, text };
  const list = yamlValue(text);
  if (!Array.isArray(list) || !list.every(isMap)) return { file, text };
  const messages = list.map(async ({ content, ...message }): Promise<JsonMap> => {
    const isNamed = typeof content === 'string' && content.startsWith('file://');
    const [named] = isNamed ? await files.texts(content, place) : [];
    return { ...message, ...(content === undefined ? {} : { content: named?.text ?? content }) };
  });
  return { file, text: JSON.stringify(await Promise.all(messages)) };
}

/** A text file may contain several prompts, separated by `---`. */
function fromFile(
  { file, text }: { file: string; text: string },
  entry: PromptEntry,
  isWritten: boolean,
): ReadPrompt[] {
  const place = { file, line: 1 };
  if (!TEXT_FILE.test(file)) return [{ why: `${file} is not a text, JSON or YAML file`, place }];
  const isPlain = /\.txt$/i.test(file);
  const parts = isPlain
    ? text
        .split(/^[^\S\n]*---[^\S\n]*$/m)
        .map((part) => part.trim())
        .filter((part) => part !== '')
    : /\.jsonl$/i.test(file)
      ? text.split('\n').filter((line) => line.trim() !== '')
      : [text];
  const stem = lastSteps(file).name.replace(/\.\w+$/, '');
  let line = 1;
  let from = 0;
  return parts.map((part, index) => {
    const at = Math.max(from, text.indexOf(part, from));
    line += text.slice(from, at).split('\n').length - 1;
    from = at;
    const label = entry.label ?? (parts.length === 1 ? stem : `${stem} ${String(index + 1)}`);
    return textPrompt(
      part,
      { ...(isPlain ? withoutConfig(entry) : entry), label },
      { file, line },
      isWritten,
    );
  });
}

/** promptfoo ignores the configuration of a prompt in a `.txt` file. */
function withoutConfig({ label, parameters, unread }: PromptEntry): PromptEntry {
  const none = { key: 'config', why: 'promptfoo ignores it for a .txt prompt' };
  const others = unread.filter(({ key }) => key !== 'config');
  return {
    label,
    parameters: {},
    unread: Object.keys(parameters).length === 0 ? others : [...others, none],
  };
}

function textPrompt(
  text: string,
  entry: PromptEntry,
  place: Place,
  isWritten: boolean,
): ReadPrompt {
  if (CONVERSATION.test(text))
    return {
      why: "_conversation contains a run's earlier answers, which evaldiff tests do not see",
      place,
    };
  const messages = messagesIn(text);
  if (typeof messages === 'string') return { why: messages, place };
  const isText = messages[0]?.content === text;
  const form: PromptForm = parsedJson(text) !== undefined ? 'json' : isText ? 'text' : 'chat';
  if (messages.some(({ parts }) => parts !== undefined))
    return partsPrompt(messages, { ...entry, place, form });
  const whole = literalMessages(messages, form, text);
  const read = whole.map(({ role, content }) => ({ role, template: readTemplate(content), place }));
  const plain = read.flatMap(({ role, template }) =>
    template.ok ? [{ role, template, place }] : [],
  );
  const prompt = { ...entry, place, form };
  if (plain.length === read.length) return { ...prompt, made: null, messages: plain };
  const flawed = whole.map(({ content }) => parseTemplate(content)).find(({ ok }) => !ok);
  if (flawed !== undefined && !flawed.ok)
    return { why: `${flawed.construct} is not a supported variable, filter or tag`, place };
  return isWritten
    ? { why: ONLY_VARIABLES, place }
    : { ...prompt, made: { kind: 'template', messages: whole }, messages: [] };
}

/** Marks unfinished templates as raw text, because promptfoo sends them unchanged. */
function literalMessages(
  messages: readonly ChatMessage[],
  form: PromptForm,
  text: string,
): PromptText[] {
  const isRaw = form !== 'json' && isCutOff(text);
  return messages.map(({ role, content }) => ({
    role,
    content: isRaw ? `{% raw %}${content}{% endraw %}` : content,
  }));
}

function partsPrompt(
  messages: readonly ChatMessage[],
  prompt: Omit<ForeignPrompt, 'messages' | 'made'>,
): ReadPrompt {
  const { place } = prompt;
  const plain: ForeignPrompt['messages'] = [];
  for (const { role, content, parts } of messages) {
    const template = readTemplate(content);
    const own = parts?.map((part) => ({
      type: part.type,
      template: readTemplate(part.type === 'text' ? part.text : part.path),
    }));
    const read = own?.flatMap(({ type, template: each }) =>
      each.ok ? [{ type, template: each }] : [],
    );
    if (!template.ok || read?.length !== own?.length)
      return { why: 'a prompt with images or files supports only variables', place };
    plain.push({ role, template, place, ...(read && { parts: read }) });
  }
  return { ...prompt, made: null, messages: plain };
}

export function fileVariables(prompts: readonly ForeignPrompt[]): Set<string> {
  const parts = prompts.flatMap(({ messages }) => messages.flatMap(({ parts: own = [] }) => own));
  const shown = parts.filter(({ type }) => type !== 'text');
  return new Set(shown.flatMap(({ template }) => pathsOf(template).map(([name]) => String(name))));
}
