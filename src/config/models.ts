import { z } from 'zod';
import type { Field } from '../documents/document.ts';
import { isMisspeltParameter, readParameters } from '../documents/parameters.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { GraderSettings } from '../types/metric.ts';
import type { ProviderName } from '../types/model.ts';
import type { Json } from '../types/plain.ts';
import { CHAT_APIS } from '../types/vendors/names.ts';
import { vendorNames, factsOf, isVendor, ownersIn, perVendor } from '../types/vendors.ts';
import { answersBatches, hasBatches, modelMeant, vendorOf } from './model-names.ts';
import {
  anything,
  check,
  closed,
  filled,
  listOf,
  mapOf,
  numberBetween,
  oneOf,
  refuseMissing,
  wholeNumber,
} from './schema.ts';

const FORMS =
  'must be a model name, a map with model and parameters, or a list of such models, which vote';

export const modelChoice = () =>
  z.union([filled(), mapOf(anything())], {
    error: 'must be a model name, or a map with model and parameters',
  });

export const gradersSchema = z.union([modelChoice(), listOf(modelChoice())], { error: FORMS });

const MAX_GRADERS = 9;

export function readGraders(
  field: Field,
  written: z.output<typeof gradersSchema> | undefined,
): GraderSettings[] {
  if (written === undefined) return [];
  if (!Array.isArray(written)) return [readModelChoice(field, written)];
  const graders = written.map((choice, index) => readModelChoice(field.at(index), choice));
  if (graders.length % 2 === 0 || graders.length > MAX_GRADERS)
    field.refuse(
      `${field.name} has ${graders.length} models; name an odd number up to ` +
        `${MAX_GRADERS}, so that there is always a majority`,
    );
  const votes = graders.map(({ model, parameters }) => canonicalJson([model, parameters]));
  graders.forEach(({ model }, index) => {
    if (votes.indexOf(votes[index] ?? '') < index)
      field
        .at(index)
        .refuse(
          `${field.name}: "${model}" is listed twice with the same parameters; keep ` +
            'one, because each model has one vote',
        );
  });
  return graders;
}

export function readModelChoice(
  field: Field,
  written: string | Record<string, Json>,
): GraderSettings {
  const { place } = field;
  if (typeof written === 'string') return { model: written, parameters: {}, place };
  const model = field.at('model');
  return {
    model: isMisspeltParameter(model, ['model']) ? '' : (check(model, filled()) ?? ''),
    parameters: readParameters(field, ['model']),
    place,
  };
}

const PROVIDERS = [...vendorNames(), 'program', 'replay'] as const;

export const TRANSPORTS = ['direct', 'batch'] as const;

export const UNBOUNDED = Number.MAX_VALUE;

const oneOrMoreTexts = (what: string) =>
  z
    .union([filled(), listOf(filled())], { error: `must be ${what}` })
    .transform((written) => [written].flat());

const commandLine = (example: string) => listOf(filled(), `a list of words like ${example}`);

export const modelSchema = closed({
  provider: oneOf(PROVIDERS).describe(
    'Where answers come from: a vendor, a program of the project, or recordings. Default for an ' +
      'endpoint: the API of the model under `is`.',
  ),
  endpoint: filled()
    .nullable()
    .describe(
      "Name of an endpoint in the workflow's input endpoints. Default: the vendor's own address.",
    ),
  model: filled().describe(
    'The model name that requests contain. Default: the name that prompts use.',
  ),
  api: oneOf(CHAT_APIS).describe(
    'The API to call: chat (completions) or responses. Default: responses if the model or the ' +
      'parameters need it, such as tools with thinking; otherwise chat.',
  ),
  is: filled().describe(
    "The vendor's name for the model that the endpoint serves. evaldiff then knows the " +
      "model's price, its end date and the parameters that it rejects.",
  ),
  price: closed({
    input: numberBetween(0, UNBOUNDED).describe('Dollars per million tokens of the request.'),
    output: numberBetween(0, UNBOUNDED).describe('Dollars per million tokens of the answer.'),
    cached: numberBetween(0, UNBOUNDED)
      .describe(
        'Dollars per million tokens of the request that the server read from its cache. ' +
          'Default: the price under input.',
      )
      .exactOptional(),
  }).describe(
    'Price of direct calls (not in batches), if evaldiff does not know it or yours is ' +
      'different.',
  ),
  command: commandLine('[node, app/answer.mjs]').describe(
    "The program's command line, word by word.",
  ),
  files: oneOrMoreTexts('a pattern or a list of patterns').describe(
    "Patterns of the program's files. If a matching file changes, the suites that use the " +
      'program run.',
  ),
  setup: commandLine('[npm, ci]').describe(
    'Command line, word by word, that runs once in each checkout before the program starts.',
  ),
  process: oneOf(['side', 'try']).describe(
    'How long a process of the program lives. `side` (default): for all tries of base or ' +
      'of head. `try`: for one try of each reference, if the program remembers earlier ' +
      'calls, because later tries would become more similar.',
  ),
  file: filled().describe('The recordings.'),
  replaces: oneOrMoreTexts('a model name or a list of them').describe(
    'Names of models that this model replaces wherever prompts use them.',
  ),
  transport: oneOf(TRANSPORTS).describe(
    'How full sweeps call the model: direct or batch. Default: transport in the settings.',
  ),
  concurrency: wholeNumber(1, 1000).describe(
    'Maximum number of simultaneous calls. Default: as many as possible without slowing ' +
      'the server down.',
  ),
  requests_per_minute: wholeNumber(1, 1_000_000).describe(
    'Maximum number of requests per minute, spread evenly. Default: as many as the server ' +
      'allows.',
  ),
}).exactPartial();

type ModelEntry = z.output<typeof modelSchema>;

type WrittenModel = ModelEntry & { provider: ProviderName };

/** Without a provider, an endpoint has the API of the model that it serves. */
export function withProvider(field: Field, entry: ModelEntry): WrittenModel {
  const { provider = factsOf(vendorOf(entry.is ?? '') ?? 'openai').speaks } = entry;
  if (!entry.provider && !entry.endpoint) refuseMissing(field.at('provider'));
  return { ...entry, provider };
}

const PROGRAM_KEYS = ['command', 'files', 'setup', 'process'];

const PROVIDER_KEYS: Readonly<
  Record<ProviderName, { needs: readonly string[]; refuses: readonly string[] }>
> = {
  ...perVendor((vendor) => ({
    needs: [],
    refuses: [...PROGRAM_KEYS, 'file', ...(factsOf(vendor).speaks === 'openai' ? [] : ['api'])],
  })),
  program: { needs: ['command'], refuses: ['endpoint', 'file', 'api', 'is'] },
  replay: {
    needs: ['file'],
    refuses: ['endpoint', 'api', 'is', ...PROGRAM_KEYS, 'concurrency', 'requests_per_minute'],
  },
};

export function checkModelKeys(field: Field, entry: WrittenModel): void {
  const { needs, refuses } = PROVIDER_KEYS[entry.provider];
  const refuse = (key: string, message: string) => {
    field.at(key).refuse(`${field.name}${message}`);
  };
  for (const key of needs) if (!field.at(key).isGiven) refuseMissing(field.at(key));
  for (const key of refuses.filter((each) => field.at(each).isGiven))
    refuse(key, `: the key "${key}" has no meaning for provider ${entry.provider}; remove it`);
  if (entry.command?.length === 0) refuse('command', '.command must not be empty');
  const transport = wrongTransport(entry);
  if (transport !== null) refuse('transport', transport);
  const api = wrongApi(entry);
  if (api !== null) refuse('api', api);
  if (entry.is !== undefined && vendorOf(entry.is) === null) {
    const meant = modelMeant(entry.is);
    const fix =
      meant === null ? '; remove it, or name one like gpt-5.4' : `; did you mean "${meant}"?`;
    refuse('is', `.is: no vendor has a model "${entry.is}"${fix}`);
  }
}

function wrongTransport({ provider, endpoint, transport }: WrittenModel): string | null {
  if (transport !== 'batch' || hasBatches(provider, endpoint)) return null;
  const isVendors = (endpoint ?? null) === null;
  return (
    ': transport: batch is not available for ' +
    `${isVendors ? `provider ${provider}` : 'an endpoint of the workflow'}; only ` +
    `${ownersIn('and', answersBatches)} own servers offer batches. Remove this key, or write ` +
    'direct'
  );
}

function wrongApi({ provider, endpoint, api }: WrittenModel): string | null {
  if (api !== 'responses' || !isVendor(provider) || (endpoint ?? null) !== null) return null;
  const { hasResponses, speaks } = factsOf(provider);
  if (hasResponses === true || speaks !== 'openai') return null;
  const owners = ownersIn('and', (vendor) => factsOf(vendor).hasResponses === true);
  return (
    `: api: responses is not available for provider ${provider}; only ` +
    `${owners} own servers and endpoints of the workflow have that API. Remove this key, or ` +
    'write chat'
  );
}
