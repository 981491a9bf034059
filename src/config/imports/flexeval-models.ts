import { vendorOf } from '../../suite/models.ts';
import { isMap, type Json, type JsonMap } from '../../types/plain.ts';
import { factsOf, isVendor, keyInputs, languageOwners, vendorNames } from '../../types/vendors.ts';
import { ownEntry } from './draft.ts';
import { serverModel, entryFor, readForeignParameters, type ImportedModel } from './models.ts';

/** A model that FlexEval asks by one of its completion functions, or why nothing can be asked. */
type ForeignLlm = Omit<ImportedModel, 'label'> | { why: string };

/** Arguments of the functions that are said elsewhere here, or have no effect. */
const OWN_ARGUMENTS = [
  'model_name',
  'model',
  'api_key_name',
  'key_name',
  'endpoint',
  'n',
  'response',
];

const IN_CODE =
  'a completion function in code is not run; models: { app: { provider: program, command: […] } } asks a program of yours';

const OWN_BODY =
  'it asks an address with a body of its own; models: { app: { provider: program, command: […] } } asks a program of yours';

type Read = (
  kwargs: JsonMap,
) => { name: string; entry: JsonMap | null; aside: ImportedModel['aside'] } | { why: string };

const FUNCTIONS: Readonly<Record<string, Read>> = {
  open_ai_completion: openai,
  open_ai_completion_async: openai,
  gpt_3p5_turbo: () => ({ name: 'gpt-3.5-turbo', entry: null, aside: [] }),
  litellm_completion: litellm,
  jan_completion: local,
  lm_studio_completion: local,
  echo_completion: ({ response }) => echo(typeof response === 'string' ? response : null),
  no_completion_fn: () => echo('hello world'),
  placeholder_completion: () => echo('hi'),
  generic_rest_api_completion: () => ({ why: OWN_BODY }),
};

/** Says the one text it is given, or what the first message says. */
const ECHO = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, messages } = JSON.parse(line);
  const output = process.argv[1] ?? messages[0]?.content ?? "No messages yet.";
  console.log(JSON.stringify({ id, output }));
});`;

/**
 * FlexEval's functions that ask nobody, as a program of one line. `\n` in a text without quotes is
 * two signs to YAML, and a line break to those who write it.
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
  return { name, entry: { provider: 'program', model: name, command }, aside: [] };
}

/** `{ function_name, kwargs }` as a model of ours with its parameters. */
export function convertLlm(written: Json): ForeignLlm {
  const name = isMap(written) ? written['function_name'] : undefined;
  if (!isMap(written) || typeof name !== 'string')
    return { why: 'it names no completion function' };
  const kwargs = isMap(written['kwargs']) ? written['kwargs'] : {};
  const found = ownEntry(FUNCTIONS, name)?.(kwargs) ?? { why: IN_CODE };
  if ('why' in found) return { why: `${name}: ${found.why}` };
  const rest = Object.fromEntries(
    Object.entries(kwargs).filter(([key]) => !OWN_ARGUMENTS.includes(key)),
  );
  const { parameters, left } = readForeignParameters(rest);
  return {
    model: found.name,
    entry: found.entry,
    parameters,
    left: [...choices(kwargs), ...left],
    aside: [...found.aside, ...keyName(kwargs)],
  };
}

function openai(kwargs: JsonMap): ReturnType<Read> {
  const model = textOf(kwargs, 'model_name');
  if (model === null) return { why: 'it names no model' };
  return {
    name: model,
    entry: entryFor('openai', model),
    aside: [],
  };
}

/**
 * LiteLLM writes the vendor before the model: `anthropic/claude-sonnet-4-5`; without one it knows
 * the well-known names.
 */
function litellm(kwargs: JsonMap): ReturnType<Read> {
  const written = textOf(kwargs, 'model') ?? textOf(kwargs, 'model_name');
  if (written === null) return { why: 'it names no model' };
  const slash = written.indexOf('/');
  const vendor = slash === -1 ? (vendorOf(written) ?? '') : written.slice(0, slash);
  const model = written.slice(slash + 1);
  if (!isVendor(vendor)) {
    return {
      why: `the provider of "${written}" is not known here; a server that speaks ${languageOwners()} language can be named in the settings (models: { name: { provider: openai, endpoint: name } })`,
    };
  }
  return {
    name: model,
    entry: entryFor(vendor, model),
    aside: [],
  };
}

function local(kwargs: JsonMap): ReturnType<Read> {
  const found = serverModel(kwargs['endpoint'], textOf(kwargs, 'model_name') ?? 'default');
  if (found === null) return { why: 'it names no server' };
  return {
    name: found.name,
    entry: found.entry,
    aside: [
      {
        key: 'endpoint',
        why: `the server's address belongs to the run, not to a file: --endpoint "${found.line}", or the input endpoints`,
      },
    ],
  };
}

function keyName(kwargs: JsonMap): ImportedModel['aside'] {
  const name = kwargs['api_key_name'] ?? kwargs['key_name'];
  const known = vendorNames().some((vendor) => factsOf(vendor).keyVariable === name);
  return name === undefined || known
    ? []
    : [
        {
          key: 'api_key_name',
          why: `keys belong to the run, not to a file: the inputs ${keyInputs().join(', ')} and endpoints`,
        },
      ];
}

function choices({ n }: JsonMap): ImportedModel['left'] {
  return n === undefined || n === 1
    ? []
    : [
        {
          key: 'n',
          why: 'of several choices FlexEval keeps the first; n_tries asks for several answers',
        },
      ];
}

function textOf(kwargs: JsonMap, key: string): string | null {
  const value = kwargs[key];
  return typeof value === 'string' && value !== '' ? value : null;
}
