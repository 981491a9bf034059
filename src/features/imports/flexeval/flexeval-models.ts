import { UNNAMED_MODEL, vendorOf } from '../../../config/model-names.ts';
import type { Settings } from '../../../project/settings.ts';
import { filledText, isMap, type Json, type JsonMap, ownEntry } from '../../../types/plain.ts';
import {
  factsOf,
  isVendor,
  keyInputs,
  languageOwners,
  vendorNames,
} from '../../../types/vendors.ts';
import { isAmong, createDraft, type DraftFile, type Imported, lose } from '../shared/draft.ts';
import {
  serverModel,
  entryFor,
  readForeignParameters,
  ofTheRun,
  type ImportedModel,
} from '../shared/models.ts';
import type { Node } from '../shared/node.ts';
import type { ForeignMetric } from './flexeval-metrics.ts';

const OWN_ARGUMENTS = 'model_name model api_key_name key_name endpoint n response';

const COMPLETION_IN_CODE =
  'completion functions in code do not run; use your own program: models: { app: ' +
  '{ provider: program, command: […] } }';

const SEVERAL_CHOICES =
  'FlexEval keeps the first of several choices; for several answers use n_tries';

const OWN_BODY =
  'it sends its own request format to a URL; use your own program: models: { app: ' +
  '{ provider: program, command: […] } }';

type Read = (
  kwargs: JsonMap,
) => { name: string; entry: JsonMap | null; aside?: ImportedModel['aside'] } | { why: string };

const FUNCTIONS: Readonly<Record<string, Read>> = {
  open_ai_completion: readOpenAiModel,
  open_ai_completion_async: readOpenAiModel,
  gpt_3p5_turbo: () => ({ name: 'gpt-3.5-turbo', entry: null }),
  litellm_completion: litellm,
  jan_completion: local,
  lm_studio_completion: local,
  echo_completion: ({ response }) => echo(typeof response === 'string' ? response : null),
  no_completion_fn: () => echo('hello world'),
  placeholder_completion: () => echo('hi'),
  generic_rest_api_completion: () => ({ why: OWN_BODY }),
};

const ECHO = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, messages } = JSON.parse(line);
  const output = process.argv[1] ?? messages[0]?.content ?? "No messages yet.";
  console.log(JSON.stringify({ id, output }));
});`;

/**
 * Prints `response`. Replaces `\n` by a line break, because unquoted YAML keeps both characters.
 */
function echo(response: string | null): ReturnType<Read> {
  const mark = (response ?? '').slice(0, 40).replace(/\W+/g, '-').replace(/^-|-$/g, '');
  const name = response === null ? 'echo' : `echo-${mark}`;
  const command = [
    'node',
    '-e',
    ECHO,
    ...(response === null ? [] : [response.replaceAll('\\n', '\n')]),
  ];
  return { name, entry: { provider: 'program', model: name, command } };
}

export function convertLlm(written: Json): Omit<ImportedModel, 'label'> | { why: string } {
  const name = isMap(written) ? written['function_name'] : undefined;
  if (!isMap(written) || typeof name !== 'string')
    return { why: 'it names no completion function' };
  const kwargs = isMap(written['kwargs']) ? written['kwargs'] : {};
  const found = ownEntry(FUNCTIONS, name)?.(kwargs) ?? { why: COMPLETION_IN_CODE };
  if ('why' in found) return { why: `${name}: ${found.why}` };
  const rest = Object.fromEntries(
    Object.entries(kwargs).filter(([key]) => !isAmong(OWN_ARGUMENTS, key)),
  );
  const { parameters, left } = readForeignParameters(rest);
  return {
    model: found.name,
    entry: found.entry,
    parameters,
    left: (kwargs['n'] ?? 1) === 1 ? left : [{ key: 'n', why: SEVERAL_CHOICES }, ...left],
    aside: [...(found.aside ?? []), ...keyName(kwargs)],
  };
}

function readOpenAiModel(kwargs: JsonMap): ReturnType<Read> {
  const model = filledText(kwargs['model_name']);
  if (model === null) return { why: 'it names no model' };
  return { name: model, entry: entryFor('openai', model) };
}

/** Reads LiteLLM's names of models, such as `anthropic/claude-sonnet-4-5`. */
function litellm(kwargs: JsonMap): ReturnType<Read> {
  const written = filledText(kwargs['model']) ?? filledText(kwargs['model_name']);
  if (written === null) return { why: 'it names no model' };
  const slash = written.indexOf('/');
  const vendor = slash === -1 ? (vendorOf(written) ?? '') : written.slice(0, slash);
  const model = written.slice(slash + 1);
  if (!isVendor(vendor)) {
    return {
      why:
        `the provider of "${written}" is unknown; a server that speaks ` +
        `${languageOwners()} language can be added in the settings (models: ` +
        '{ name: { provider: openai, endpoint: name } })',
    };
  }
  return { name: model, entry: entryFor(vendor, model) };
}

function local(kwargs: JsonMap): ReturnType<Read> {
  const found = serverModel(kwargs['endpoint'], filledText(kwargs['model_name']) ?? 'default');
  if (found === null) return { why: 'it names no server' };
  return { name: found.name, entry: found.entry, aside: [ofTheRun('endpoint', found.line)] };
}

function keyName(kwargs: JsonMap): ImportedModel['aside'] {
  const name = kwargs['api_key_name'] ?? kwargs['key_name'];
  const known = vendorNames().some((vendor) => factsOf(vendor).keyVariable === name);
  const why =
    `API keys come from the run, not from a file: use the inputs ` +
    `${keyInputs().join(', ')} and endpoints`;
  return name === undefined || known ? [] : [{ key: 'api_key_name', why }];
}

const RECORDED = 'recorded';

/**
 * The first grader without parameters becomes the project's grader. The others are set on their
 * metrics.
 */
export function withGrader(
  grader: Node,
  metrics: readonly ForeignMetric[],
  imported: Imported,
  settingsGrader: Settings['grader'],
): void {
  const { value, place } = grader;
  const found = value === null ? null : llmAt(grader, 'grader_llm', imported);
  if (found === null) return;
  const plain = Object.keys(found.parameters).length === 0;
  if (plain && settingsGrader === null) imported.grader ??= { model: found.model, place };
  if (plain && (settingsGrader ?? imported.grader)?.model === found.model) return;
  for (const { metric } of metrics)
    if ('rubric' in metric) metric['grader'] = { model: found.model, ...found.parameters };
}

function llmAt(
  { value, place }: Node,
  what: string,
  { models, left, remarks }: Imported,
  instead = '',
): { model: string; parameters: JsonMap } | null {
  const found = convertLlm(value);
  if ('why' in found) {
    lose(left, place, what, `${found.why}${instead}`);
    return null;
  }
  for (const { key, why } of found.left) lose(left, place, `${key} of ${what}`, why);
  for (const { key, why } of found.aside) lose(remarks, place, `${key} of ${what}`, why);
  if (found.entry !== null) models[found.model] = found.entry;
  return found;
}

/** The prompt's message is never sent, because each recorded dialogue replaces it. */
export function promptDraft(
  foreign: Node,
  name: string,
  completes: boolean,
  imported: Imported,
): DraftFile {
  const draft = createDraft(foreign.place);
  const completion = foreign.at('completion_llm');
  const { place } = completion;
  const messages = [
    { role: 'user', content: 'The dialogue of each reference replaces this message.' },
  ];
  if (!completes) {
    imported.models[RECORDED] = { provider: 'openai', model: RECORDED };
    Object.assign(draft.value, { name, model: RECORDED, messages });
    return draft;
  }
  const { model, parameters } = llmAt(
    completion,
    'completion_llm',
    imported,
    `; models: { ${UNNAMED_MODEL}: … } in the settings sets the model`,
  ) ?? { model: UNNAMED_MODEL, parameters: {} };
  if (completion.map['include_system_prompt'] === false)
    lose(
      imported.left,
      place,
      'include_system_prompt',
      'the recorded system prompt is sent; a system message of the prompt replaces it',
    );
  Object.assign(draft.value, { name, model, ...parameters, messages });
  draft.from(['model'], place);
  return draft;
}
