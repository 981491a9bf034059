import { UNNAMED_MODEL, vendorOf } from '../../../config/model-names.ts';
import { parameterProblem } from '../../../documents/parameters.ts';
import { filledText, isMap, type Json, type JsonMap, ownEntry } from '../../../types/plain.ts';
import type { VendorName } from '../../../types/vendors/names.ts';
import { factsOf, isVendor, languageOwners } from '../../../types/vendors.ts';
import { isScalar } from './draft.ts';
import { refuse, type Node } from './node.ts';

export const EMBEDDINGS = 'text-embedding-3-large';

export function embeddingModel(provider: Json | undefined): string | null {
  const id = isMap(provider) ? provider['id'] : provider;
  return typeof id === 'string' ? (/^openai:embeddings?:(.+)$/.exec(id)?.[1] ?? null) : null;
}

export const isConfigured = (provider: Json = null): boolean =>
  writtenAddress(configOf(provider)) !== null;

export interface ImportedModel {
  /** The model's name in promptfoo's results. */
  label: string;
  model: string;
  parameters: JsonMap;
  /** Entry under the settings' `models:`. Null if the model's name suffices. */
  entry: JsonMap | null;
}

export interface NamedModel extends Pick<ImportedModel, 'model' | 'entry'> {
  /** The line for the action's input `endpoints`. Null if the model needs no server of its own. */
  line: string | null;
}

/** OpenAI-compatible servers. Each value is a line for the action's input `endpoints`. */
const SERVERS: Readonly<Record<string, string>> = {
  ollama: 'ollama=http://127.0.0.1:11434/v1',
  fireworks: 'fireworks=https://api.fireworks.ai/inference/v1 key=FIREWORKS_API_KEY',
  cerebras: 'cerebras=https://api.cerebras.ai/v1 key=CEREBRAS_API_KEY',
  deepinfra: 'deepinfra=https://api.deepinfra.com/v1/openai key=DEEPINFRA_API_KEY',
  nvidia: 'nvidia=https://integrate.api.nvidia.com/v1 key=NVIDIA_API_KEY',
  cohere: 'cohere=https://api.cohere.ai/compatibility/v1 key=COHERE_API_KEY',
  github: 'github=https://models.github.ai/inference key=GITHUB_TOKEN',
  azure: 'azure=https://NAME.openai.azure.com/openai/v1 header=api-key:AZURE_API_KEY',
  localai: 'localai=http://127.0.0.1:8080/v1',
  llamafile: 'llamafile=http://127.0.0.1:8080/v1',
};

const ALSO_CALLED: Readonly<Record<string, string>> = {
  azureopenai: 'azure',
  google: 'gemini',
  'google-ai-studio': 'gemini',
  togetherai: 'together',
};

const SPELLINGS: Readonly<Record<string, string>> = {
  maxTokens: 'max_tokens',
  maxCompletionTokens: 'max_completion_tokens',
  topP: 'top_p',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
};

export function providerNamed(id: string): NamedModel {
  const [written = '', ...rest] = id.split(':');
  const vendor = ownEntry(ALSO_CALLED, written) ?? written;
  const line = ownEntry(SERVERS, vendor) ?? null;
  if (!isVendor(vendor) && line === null) return refuse(providerRefusal(vendor, id));
  const model = modelIn(rest) ?? refuse(`"${id}" names no chat model`);
  return isVendor(vendor)
    ? { model, entry: entryFor(vendor, model), line: null }
    : { model: id, entry: { provider: 'openai', endpoint: vendor, model }, line };
}

export function entryFor(vendor: VendorName, model: string): JsonMap | null {
  return vendorOf(model) === vendor ? null : { provider: vendor, model };
}

function modelIn(steps: readonly string[]): string | null {
  const [first = '', ...rest] = steps;
  const model = (rest.length > 0 && API_KINDS.has(first) ? rest : steps).join(':');
  return model === '' || API_KINDS.has(model) || OTHER_KINDS.test(model) ? null : model;
}

const API_KINDS: ReadonlySet<string> = new Set(['chat', 'responses', 'messages']);

const OTHER_KINDS =
  /^(embeddings?|completions?|image|realtime|assistant|moderation|transcription|video):/;

const OWN_SERVER = 'models: { name: { provider: openai, endpoint: name } }';

export const unknownProvider = (what: string): string =>
  `${what} is unknown; a server that speaks ${languageOwners()} language can be added in the ` +
  `settings (${OWN_SERVER})`;

function providerRefusal(vendor: string, id: string): string {
  if (vendor === 'echo') return 'echo calls no model';
  if (/^https?$/.test(vendor))
    return (
      'a URL with its own protocol is not supported; write a small program that calls it ' +
      '(models: { app: { provider: program, command: […] } })'
    );
  return vendor === 'file' || vendor === 'exec' || /\.(?:[cm]?[jt]s|py|go|rb|sh)(?::|$)/.test(id)
    ? 'providers in code run only as .js, .ts and .py files with code: host; or use ' +
        'your own program: models: { app: { provider: program, command: […] } }'
    : unknownProvider(`the provider "${vendor}"`);
}

/**
 * Accepts a name, a map with `id`, or a map whose only key is the name. `sent` returns what of the
 * configuration is part of a request.
 */
export function convertProvider(
  written: Node,
  config: JsonMap = configOf(written.value),
  sent: (config: JsonMap, lost: Lost, label: string) => JsonMap = (given) => given,
): ImportedModel {
  const map = providerMap(written.value);
  const id = idOf(map);
  const named = providerNamed(id);
  const label = filledText(map['label']) ?? named.model;
  const address = named.line === null ? writtenAddress(config) : null;
  // If the server's URL is invalid, requests must not go to the vendor instead.
  const own =
    address === null
      ? null
      : (serverModel(address, named.model, languageOf(id)) ??
        refuse(`its server URL is invalid; set the server in the settings (${OWN_SERVER})`));
  const lost = (key: string, why: string) => written.lose(`${key} of ${label}`, why);
  for (const key of Object.keys(map))
    if (!['id', 'label', 'config', 'delay', 'transform'].includes(key))
      lost(key, `${key} of a provider has no counterpart`);
  const parameters = readForeignParameters(sent(config, lost, label), (key, why) => {
    if (own === null || key !== 'apiKeyEnvar') lost(key, why);
  });
  const { model, entry, line } = own ?? named;
  if (line !== null) written.remark(`${label}: ${serverHint(withKeyOf(line, config))}`);
  return { label, model, entry, parameters };
}

export const idOf = ({ id }: JsonMap): string =>
  typeof id === 'string' ? id : refuse('it names no provider');

export function configOf(written: Json): JsonMap {
  const { config } = providerMap(written);
  return isMap(config) ? config : {};
}

function withKeyOf(line: string, { apiKeyEnvar }: JsonMap): string {
  return typeof apiKeyEnvar === 'string' && /^\w+$/.test(apiKeyEnvar)
    ? line.replace(/ENV_NAME$/, () => apiKeyEnvar)
    : line;
}

export const serverHint = (line: string): string =>
  `the server URL comes from the run, not from a file: use --endpoint "${line}", or the ` +
  'input endpoints';

function languageOf(id: string): VendorName {
  const [vendor = ''] = id.split(':');
  return isVendor(vendor) ? factsOf(vendor).speaks : 'openai';
}

function writtenAddress({ apiBaseUrl, apiHost }: JsonMap): Json {
  if ((apiBaseUrl ?? '') !== '') return apiBaseUrl ?? null;
  if ((apiHost ?? '') === '') return null;
  return typeof apiHost === 'string' && !apiHost.includes('://')
    ? `https://${apiHost}/v1`
    : (apiHost ?? null);
}

export function providerMap(written: Json): JsonMap {
  if (!isMap(written)) return { id: written };
  const [[id, rest] = ['', null], ...more] = Object.entries(written);
  return 'id' in written || more.length > 0 ? written : { ...(isMap(rest) ? rest : {}), id };
}

/** Includes the path, because a host can have several servers. */
function serverName({ host, pathname }: URL): string {
  return host === ''
    ? ''
    : `${host}${pathname.replace(/\/(?:v\d+\/?)?$/, '')}`
        .replace(/[^A-Za-z0-9]+/g, '-')
        .replace(/^-|-$/g, '')
        .toLowerCase();
}

export function serverModel(
  address: Json | undefined,
  model: string,
  provider: VendorName = 'openai',
): NamedModel | null {
  if (typeof address !== 'string' || !/^https?:/.test(address) || !URL.canParse(address))
    return null;
  const endpoint = serverName(new URL(address));
  return endpoint === ''
    ? null
    : {
        model: `${endpoint}:${model}`,
        entry: { provider, endpoint, model },
        line: `${endpoint}=${address} key=ENV_NAME`,
      };
}

export type Lost = (key: string, why: string) => void;

export function readForeignParameters(written: JsonMap, lost: Lost): JsonMap {
  const parameters: JsonMap = {};
  for (const [key, value] of Object.entries(written)) {
    const name = ownEntry(SPELLINGS, key) ?? key;
    const problem = parameterProblem(name, value, []);
    if (problem === null) parameters[name] = value;
    else if (!['apiBaseUrl', 'apiHost'].includes(key)) lost(key, problem);
  }
  return parameters;
}

export function publishedModel(written: Json | undefined): string {
  if (!isScalar(written)) return UNNAMED_MODEL;
  const name = String(written);
  const [publisher = '', ...rest] = name.split('/');
  return rest.length > 0 && (isVendor(publisher) || publisher === 'azure-openai')
    ? rest.join('/')
    : name;
}
