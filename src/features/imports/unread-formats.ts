import type { Files } from '../../documents/files.ts';
import {
  isMap,
  type Json,
  type JsonMap,
  jsonText,
  type Notice,
  type Problem,
} from '../../types/plain.ts';

interface UnreadFormat {
  label: string;
  path?: RegExp;
  /** Detects the format in parsed YAML or JSON. */
  holds?(value: JsonMap): boolean;
  instead: string;
}

/** In the order of the table in docs/migrate.md. */
const UNREAD_FORMATS: readonly UnreadFormat[] = [
  {
    label: 'Prompty',
    path: /\.prompty$/,
    instead:
      'its system: and user: parts are messages, model.parameters keys of the prompt file, {{name}} is {name}; sample and JSONL rows are references (references_from)',
  },
  {
    label: 'dotprompt',
    path: /\.prompt$/,
    instead:
      'its {{role "…"}} parts are messages, config keys of the prompt file, {{name}} is {name}; examples are references',
  },
  {
    label: 'BAML',
    path: /\.baml$/,
    instead:
      "a function's prompt is messages with {name} for {{ name }}, its client the model; a test's args are the input of a reference, its asserts are metrics",
  },
  {
    label: 'Semantic Kernel',
    path: /(?:^|\/)skprompt\.txt$/,
    holds: (value) =>
      ['execution_settings', 'template_format', 'completion'].some((key) => key in value) &&
      ['template', 'input_variables', 'schema'].some((key) => key in value),
    instead:
      'its template is messages with {name} for {{$name}}, input_variables are variables, execution_settings keys of the prompt file',
  },
  {
    label: 'LangChain',
    holds: (value) => typeof value['_type'] === 'string' || 'lc' in value,
    instead: 'its template is messages ({name} stays {name}), input_variables are variables',
  },
  {
    label: 'OpenAI evals',
    holds: (value) =>
      Object.values(value).some(
        (entry) => isMap(entry) && /^evals[.:]/.test(jsonText(entry['class'] ?? null)),
      ),
    instead:
      'a row of samples_jsonl is a reference (references_from), ideal its expected, and Match, Includes or a model-graded class a metric (exact_match, contains, llm_rubric)',
  },
  {
    label: 'Rasa',
    holds: (value) => ['nlu', 'stories', 'rules'].some((key) => Array.isArray(value[key])),
    instead:
      'an example of an intent is a reference, its intent the expected, exact_match a metric',
  },
  {
    label: 'Botium',
    path: /\.(?:convo|utterances)\.txt$/,
    instead:
      'a #me line is the input of a reference, a #bot line its expected; contains is a metric',
  },
];

const OURS = ['messages', 'prompt', 'code', 'defaults'];

function isOurs(value: Json): boolean {
  return !isMap(value) || OURS.some((key) => key in value);
}

/** The equivalent of a file of unsupported format, or null. `files`: to look into YAML and JSON. */
export async function unreadFormat(file: string, files?: Files): Promise<string | null> {
  const isData = files !== undefined && /\.(?:ya?ml|json)$/.test(file);
  const value = isData ? ((await files.document(file, []))?.value ?? null) : null;
  const found = UNREAD_FORMATS.find(
    ({ path, holds }) => path?.test(file) || (!isOurs(value) && holds?.(value as JsonMap)),
  );
  return found === undefined
    ? null
    : `is a file of ${found.label}, which evaldiff does not read: write a prompt file, where ${found.instead}`;
}

/** An unsupported file is a problem if named, a notice if from a pattern. */
export async function withoutUnread<T extends { file: string; exact: boolean }>(
  matches: readonly T[],
  files: Files,
  problems: Problem[],
  notices: Notice[],
): Promise<T[]> {
  const unread = await Promise.all(matches.map(({ file }) => unreadFormat(file, files)));
  return matches.filter(({ file, exact }, index) => {
    const message = unread[index] ?? null;
    if (message === null) return true;
    const place = { file, line: 0 };
    if (exact) problems.push({ place, message });
    else notices.push({ kind: 'import', place, message });
    return false;
  });
}
