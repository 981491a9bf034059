import { UNNAMED_MODEL, vendorOf } from '../../../config/model-names.ts';
import type { Settings } from '../../../project/settings.ts';
import { filledText, isMap, type JsonMap, ownEntry } from '../../../types/plain.ts';
import { isVendor } from '../../../types/vendors.ts';
import { isScalar, placed, type DraftFile, type Imported } from '../shared/draft.ts';
import {
  serverModel,
  entryFor,
  readForeignParameters,
  serverHint,
  unknownProvider,
  type ImportedModel,
  type NamedModel,
} from '../shared/models.ts';
import { tryConvert, refuse, type Node, isAmong } from '../shared/node.ts';

const OWN_ARGUMENTS = 'model_name model api_key_name key_name endpoint n';

const IN_CODE =
  'completion functions in code do not run; use your own program: models: { app: ' +
  '{ provider: program, command: […] } }';

const FUNCTIONS: Readonly<Record<string, (kwargs: JsonMap) => NamedModel>> = {
  open_ai_completion: readOpenAiModel,
  open_ai_completion_async: readOpenAiModel,
  litellm_completion: litellm,
  jan_completion: local,
  lm_studio_completion: local,
};

function readOpenAiModel(kwargs: JsonMap): NamedModel {
  const model = filledText(kwargs['model_name']) ?? refuse('it names no model');
  return { model, entry: entryFor('openai', model), line: null };
}

/** Reads LiteLLM's names of models, such as `anthropic/claude-sonnet-4-5`. */
function litellm(kwargs: JsonMap): NamedModel {
  const written =
    filledText(kwargs['model']) ?? filledText(kwargs['model_name']) ?? refuse('it names no model');
  const slash = written.indexOf('/');
  const vendor = slash === -1 ? (vendorOf(written) ?? '') : written.slice(0, slash);
  const model = written.slice(slash + 1);
  return isVendor(vendor)
    ? { model, entry: entryFor(vendor, model), line: null }
    : refuse(unknownProvider(`the provider of "${written}"`));
}

function local(kwargs: JsonMap): NamedModel {
  const model = filledText(kwargs['model_name']) ?? 'default';
  return serverModel(kwargs['endpoint'], model) ?? refuse('it names no server');
}

const RECORDED = 'recorded';

/**
 * The first grader without parameters becomes the project's grader. The others are set on their
 * metrics.
 */
export function withGrader(
  grader: Node,
  metrics: readonly JsonMap[],
  imported: Imported,
  settingsGrader: Settings['grader'],
): void {
  if (grader.value === null) return;
  const found = convertLlm(grader, 'grader_llm', imported.models);
  if (found === null) return;
  const plain = Object.keys(found.parameters).length === 0;
  if (plain && settingsGrader === null)
    imported.grader ??= { model: found.model, place: grader.place };
  if (plain && (settingsGrader ?? imported.grader)?.model === found.model) return;
  for (const metric of metrics)
    if ('rubric' in metric) metric['grader'] = { model: found.model, ...found.parameters };
}

/** Reports what is lost of it as parts of `what`. Null: all of it. */
export function convertLlm(
  written: Node,
  what: string,
  models: Imported['models'],
  instead = '',
): Pick<ImportedModel, 'model' | 'parameters'> | null {
  const { function_name: given = null, kwargs: args = null } = written.map;
  const name = isScalar(given) ? String(given) : null;
  const kwargs = isMap(args) ? args : {};
  const found = tryConvert<NamedModel, null>(
    () => (ownEntry(FUNCTIONS, name ?? '') ?? refuse(IN_CODE))(kwargs),
    (why) => {
      const by = name === null ? 'it names no completion function' : `${name}: ${why}`;
      written.lose(what, `${by}${instead}`);
      return null;
    },
  );
  if (found === null) return null;
  const { model, entry, line } = found;
  const lost = (key: string, why: string) => written.lose(`${key} of ${what}`, why);
  if ((kwargs['n'] ?? 1) !== 1)
    lost('n', 'FlexEval keeps the first of several choices; for several answers use n_tries');
  const rest = Object.entries(kwargs).filter(([key]) => !isAmong(OWN_ARGUMENTS, key));
  const parameters = readForeignParameters(Object.fromEntries(rest), lost);
  if (line !== null) written.remark(`endpoint of ${what} is not converted: ${serverHint(line)}`);
  if (entry !== null) models[model] = entry;
  return { model, parameters };
}

/** The prompt's message is never sent, because each recorded dialogue replaces it. */
export function promptDraft(
  foreign: Node,
  name: string,
  completes: boolean,
  models: Imported['models'],
): DraftFile {
  const { place } = foreign;
  const completion = foreign.at('completion_llm');
  const messages = [
    { role: 'user', content: 'The dialogue of each reference replaces this message.' },
  ];
  if (!completes) {
    models[RECORDED] = { provider: 'openai', model: RECORDED };
    return { value: { name, model: RECORDED, messages }, place };
  }
  const instead = `; models: { ${UNNAMED_MODEL}: … } in the settings sets the model`;
  const found = convertLlm(completion, 'completion_llm', models, instead);
  if (completion.map['include_system_prompt'] === false)
    completion.lose(
      'include_system_prompt',
      'the recorded system prompt is sent; a system message of the prompt replaces it',
    );
  const model = found?.model ?? UNNAMED_MODEL;
  const value = { name, model, ...found?.parameters, messages };
  return { value: placed(place, value, { model: completion.place }), place };
}
