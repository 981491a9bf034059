/**
 * Writes everything that depends on the vendor table (src/types/vendors.ts): inputs in action.yml,
 * the table of inputs in docs/action.md, and docs/models.md. A test compares.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { ENDINGS, type EndKind } from '../src/edges/providers/vendors/endings.ts';
import { refusalWords } from '../src/types/passports.ts';
import { anthropicFacts } from '../src/types/vendors/anthropic.ts';
import type { Api, Passport } from '../src/types/vendors/facts.ts';
import type { VendorName } from '../src/types/vendors/names.ts';
import { factsOf, vendorNames } from '../src/types/vendors.ts';
import { between } from './between.ts';

const KEYS = {
  file: 'action.yml',
  begin: '  # Keys: written by scripts/vendor-docs.ts\n',
  end: '  # End of keys\n',
} as const;

/** action.yml with an input for each vendor's key. */
export function withKeyInputs(action: string): string {
  const inputs = vendorNames().map((vendor) => {
    const { label, keyInput, keyVariable } = factsOf(vendor);
    return `  ${keyInput}:
    description: Key for ${label}. Default – the environment variable ${keyVariable}. Reaches only ${label}'s own host.
    default: ''
`;
  });
  return between(action, KEYS, inputs.join(''));
}

const INPUTS = {
  file: 'docs/action.md',
  begin: '<!-- inputs: written by scripts/vendor-docs.ts from action.yml -->\n\n',
  end: '\n\n',
};

/** docs/action.md with the inputs of this action.yml. */
export function withInputs(readme: string, action: string): string {
  const { inputs } = parse(action) as {
    inputs: Record<string, { description: string; default: string }>;
  };
  const rows = Object.entries(inputs).map(
    ([name, { description, default: value }]) =>
      `| \`${name}\` | ${value === '' ? '' : `\`${value}\``} | ${description.replaceAll('|', '\\|')} |`,
  );
  const table = ['| input | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
  return between(readme, INPUTS, table);
}

export function renderModels(): string {
  return [
    `# Models

Generated from the table of vendors in \`src/types/vendors\` by \`scripts/vendor-docs.ts\`.

A prompt names a model (\`model: ${factsOf('openai').starterModel}\`). Its other keys go to the vendor as written. For the families below, evaldiff knows what the models refuse: \`evaldiff validate\`,
\`plan\` and every run report it at the line of the prompt, before the first call. In a sweep, models that refuse a parameter are called without it. For graders, evaldiff itself omits or renames temperature
and limit.

A model outside the table, or one at a server of the workflow (input \`endpoints\`), is discovered: the first request of a kind (model, parameters and values) runs alone for up to 2 seconds.

| the server refuses                                          | then                                                                                                     |
| ----------------------------------------------------------- | -------------------------------------------------------------------------------------------------------- |
| a parameter of a prompt, by name, for two different requests | all requests of that kind fail without a call                                                            |
| a model                                                     | all requests to that model fail without a call                                                           |
| a key, or used-up credit                                    | all requests to that server fail without a call                                                          |
| a grader's temperature or answer schema                     | evaldiff omits it, and remembers that for 30 days; the plan says how many calls this may take, which no cap counts |

Structured answers (grades, insights) are requested as a schema, else as a forced tool, else as plain text.`,
    ...vendorNames()
      .filter((vendor) => factsOf(vendor).passports.length > 0)
      .map(renderVendor),
    renderByName(),
    SERVERS,
    renderEndings(),
    RETRIES,
    `## Two APIs of OpenAI

OpenAI's models have chat completions and the Responses API. evaldiff asks chat completions, and the Responses API where a request needs it: for models that have no
other, for tools of a model that thinks, for hosted tools (\`web_search\`, \`code_interpreter\`, …) and MCP servers, and for parameters that only it has, such as \`reasoning\`.
To choose, write \`api\`. OpenAI, Groq, xAI, OpenRouter and endpoints can have \`responses\`:

\`\`\`yaml
# evaldiff.yaml
models:
  luna: { provider: openai, model: gpt-5.4, api: responses }
  on-azure: { provider: openai, endpoint: azure, model: our-deployment, is: gpt-5.4 }
\`\`\`

- Parameters may be written for chat completions: \`reasoning_effort\`, \`verbosity\`, \`max_tokens\`, \`max_completion_tokens\`, \`response_format\`, \`tools\` and \`tool_choice\` are sent in the form
  of the API that is asked. What an API does not have, such as \`seed\` in the Responses API, is an error at its line.
- Calls of hosted tools and MCP servers are tool calls of the answer, and metrics see them. Images that a tool made are parts of the answer.
- \`is\` says what an endpoint serves under its own name. Its price, what it refuses and when it ends are those of that model.

## When a model ends

A model within 90 days of its end is a notice at its line, one past it an error. Name the successor in the prompt, or for many prompts at once in the settings:

\`\`\`yaml
# evaldiff.yaml
models:
  ${factsOf('openai').starterModel}: { provider: openai, replaces: [gpt-4o, gpt-4o-mini] }
\`\`\``,
  ]
    .join('\n\n')
    .concat('\n');
}

/** The vendors' names for the supported APIs. */
const API_WORDS: Readonly<Record<Api, string>> = {
  openai: 'Chat Completions',
  anthropic: 'Messages',
};

/** Vendors without rules in the table: their names, what to write, and retirement dates. */
function renderByName(): string {
  const vendors = vendorNames()
    .map((vendor) => ({ vendor, ...factsOf(vendor) }))
    .filter(({ passports }) => passports.length === 0);
  const rows = vendors.map(
    ({ vendor, label, speaks, host, keyInput, keyVariable }) =>
      `| ${label} | ${writtenFor(vendor)} | ${API_WORDS[speaks]} | \`${keyInput}\`, \`${keyVariable}\` | \`${host}\` |`,
  );
  return [
    `## Further vendors by name

A model whose name does not tell whose it is needs an entry under \`models:\`; other hosts are lines of \`endpoints\`.

| vendor | write | API | key (input, variable) | host |
| --- | --- | --- | --- | --- |`,
    ...rows,
    '',
    renderEnds(vendors.flatMap(({ ends }) => Object.entries(ends))),
  ].join('\n');
}

/** How a project names a vendor's model. */
function writtenFor(vendor: VendorName): string {
  const { models, starterModel } = factsOf(vendor);
  return models.test(starterModel)
    ? `\`model: ${starterModel}\` in the prompt`
    : `\`models: { ${starterModel}: { provider: ${vendor} } }\` in the settings`;
}

function renderEnds(ends: readonly [day: string, models: readonly string[]][]): string {
  const days = ends
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([day, models]) => `| ${day} | ${models.map((model) => `\`${model}\``).join(', ')} |`);
  return ['| ends | models |', '| --- | --- |', ...days].join('\n');
}

const SERVERS = `## Servers of your own, and of clouds

The input \`endpoints\` (in a terminal \`--endpoint\`, or lines of \`EVALDIFF_ENDPOINTS\`) names them, and the settings refer to the name: \`models: { NAME: { provider: openai, endpoint: azure } }\`.

| server | line of \`endpoints\` | good to know |
| --- | --- | --- |
| Azure OpenAI, newer addresses | \`azure=https://RESOURCE.openai.azure.com/openai/v1 key=AZURE_OPENAI_API_KEY\` | the model is the name of the deployment |
| Azure OpenAI, older addresses | \`azure=https://RESOURCE.openai.azure.com/openai api-version=2024-10-21 key=AZURE_OPENAI_API_KEY\` | the model is the name of the deployment; the key goes as \`api-key\` |
| Claude in Microsoft Foundry | \`foundry=https://RESOURCE.services.ai.azure.com/anthropic key=AZURE_FOUNDRY_KEY\` | with \`provider: anthropic\`; the model is the name of the deployment |
| A gateway before it | \`gate=https://gate.example/openai api-version=2024-10-21 header=x-team:TEAM_TOKEN\` | \`header=NAME:ENV_NAME\` as often as needed |
| Amazon Bedrock | \`bedrock=https://bedrock-runtime.REGION.amazonaws.com/openai/v1 key=AWS_BEARER_TOKEN_BEDROCK\` | Bedrock API keys alone, no roles |
| Ollama on the runner | \`local=http://127.0.0.1:11434/v1 concurrency=2\` | no key |
| Ollama, vLLM or LM Studio as a service of the job | \`local=http://ollama:11434/v1 insecure concurrency=2\` | plain http to names of the job's own network; no vendor's key goes there |
| vLLM, LM Studio on the runner | \`local=http://127.0.0.1:8000/v1\` (LM Studio: port 1234) | a key only where the server asks for one |

\`concurrency=N\` and \`requests-per-minute=N\` hold for a line; \`concurrency: N\` and \`requests_per_minute: N\` under \`models:\` for one model. Without them the pace follows the server.

**Proxies.** Models are reached through the proxy of the input \`proxy\` (in a terminal \`--proxy\`, \`EVALDIFF_PROXY\`) and no other: \`https_proxy\` is not used for them. GitHub and its cache are reached through \`https_proxy\`, except for the hosts in \`no_proxy\`. An endpoint with \`direct\` on its line is reached without it. A certificate authority of your own: \`NODE_EXTRA_CA_CERTS\`, set to its file in the \`env\` of the step.
On GitHub Enterprise Server the action runs as on github.com, but for shards (\`shard\`, \`mode: merge\`) and the uploaded report: it has no artifact service for them.`;

/** How an answer counts by its ending: if it is empty, and if it has text. */
const WORTH: Readonly<Record<EndKind, [says: string, nothing: string, something: string]>> = {
  whole: [
    'The model finished.',
    'Asked once more, then an error that says where the text is.',
    'The answer.',
  ],
  called: [
    'The model calls tools.',
    'An error, unless a call can be read.',
    'An error, unless a call can be read.',
  ],
  cut: [
    'A limit of tokens cut the answer.',
    'An error that names the limit.',
    'Scored, and counted as cut.',
  ],
  full: [
    'The context window is full.',
    'An error: shorten the input.',
    'Scored, and counted as cut.',
  ],
  filtered: ['A filter stepped in.', 'The try fails.', 'Scored, and counted as filtered.'],
  refused: ['The model refuses.', 'The try fails.', 'Scored, and counted as refused.'],
  broken: ['The server broke off.', 'Asked again, then an error.', 'Asked again, then an error.'],
  unfinished: ['The answer is not there yet.', 'An error.', 'An error.'],
  unknown: [
    'Any other reason.',
    'Asked once more, then an error that names the reason.',
    'Scored; the report names the reason.',
  ],
};

const RETRIES = `## When a call is asked again

A call gets up to five requests. Pauses grow from half a second (four seconds after a rate limit), or last as long as the server asks, up to five minutes.

| what came | requests |
| --- | --- |
| Status 408, 409, 429, 498 or 5xx, or \`x-should-retry: true\` | Up to five. With \`x-should-retry: false\`, one. |
| A lost connection, a body that was cut (packed with gzip, brotli or deflate too), JSON that breaks off, other text | Up to five. |
| A reply without an answer: \`{}\`, \`null\`, \`"choices": []\`, \`"choices": [{}]\` | Up to five. |
| An empty answer of a model that finished | Two. |
| An event stream | One. It is read if it holds one whole reply. Chunks are an error: turn streaming off, or write \`stream: false\` into the prompt. |
| A web page | One. |
| Bytes that are not in the declared charset (UTF-8 by default), a packing that evaldiff does not know | One. |
| No complete reply within the time for a call | One: the server may have worked, and charged, all that time. |
| A refused parameter, response format or tool schema | Two of a run; the other calls with it are not sent. |
| A wrong key, a missing model, credit that is used up | One of a run; the other calls to that server or model are not sent. |

Every request is a call: it counts in the report and against \`max-calls\`. The cost includes replies without an answer if the server counted their tokens. If a reply could not be read, the cost is unknown. If a cap ends the run, the title names the last error before it.`;

function renderEndings(): string {
  const rows = (Object.keys(WORTH) as EndKind[]).map((ending) => {
    const words = ENDINGS[ending][1].split(' ').map((word) => `\`${word}\``);
    const [says, nothing, something] = WORTH[ending];
    return `| ${says} | ${words.join(', ').replace('``', 'anything else')} | ${nothing} | ${something} |`;
  });
  return `## How an answer ends

Why the server stopped decides what an answer is worth. Case, hyphens and a prefix \`FINISH_REASON_\` do not matter. Of the Responses API, \`status\` is read, or the reason in \`incomplete_details\`.

| meaning | \`finish_reason\`, \`stop_reason\`, \`status\` | the answer says nothing | the answer says something |
| --- | --- | --- | --- |
${rows.join('\n')}

- An error counts on base, on head and for graders. If head answers less often than base, the suite regresses.
- If answers were empty, cut, filtered, refused or ended for an unknown reason, a notice gives the number of such answers on each side.
- If head's answers are empty, cut, filtered, refused or end for an unknown reason more often than base's, beyond chance, the suite is inconclusive instead of green. So it is if base's answers were filtered without a text. An improvement stands if head refuses more often: a refusal may be the right answer.
- An \`error\` beside an answer is an error. It is asked again where it may pass.
- Claude's API requires a limit. evaldiff sends \`max_tokens: ${String(anthropicFacts.ownLimit.first)}\` if the prompt sets none. An answer that this limit cuts is asked once more, streamed, with \`max_tokens: ${String(anthropicFacts.ownLimit.second)}\`; both requests are paid. \`plan\` says so. Batches are not asked again.

**Thinking** is not the answer, and no metric sees it: members such as \`reasoning_content\`, \`reasoning\` and \`thinking\`, parts of that type, and inline marks at the start of the text (\`<think>…</think>\`, \`<thought>\`, \`<seed:think>\`, \`[THINK]\`). If the mark never closes, all of the text is thinking. If a text has only \`</think>\`, what precedes it is thinking. \`<thinking>\` and other tags that a prompt asks for stay in the answer.

**Tool calls** are read from \`tool_calls\`, \`function_call\`, \`tool_use\` blocks, items of the Responses API and Ollama's own form, with arguments as text or as values. A call that cannot be read is an error that names its place.

**The model that answered** is kept with each answer. If both sides asked for the same model and different ones answered, a notice names them, and no line of the prompt is named as the cause.`;
}

function renderVendor(vendor: VendorName): string {
  const { label, speaks, keyInput, keyVariable, host, headers, passports, ends } = factsOf(vendor);
  const version = Object.entries(headers).map(
    ([name, value]) => ` Requests say \`${name}: ${value}\`.`,
  );
  const families = passports.map(
    (passport) =>
      `| [${passport.family}](${passport.source}) | ${refusals(passport)} | ${passport.forms.join(', ')} | ${passport.thinks} | ${passport.api === 'responses' ? 'Responses' : API_WORDS[speaks]} | ${passport.checked} |`,
  );
  const intro = `## ${label}

Write ${writtenFor(vendor)}. Key: the input \`${keyInput}\`, or the variable \`${keyVariable}\`. Host: \`${host}\`.${version.join('')}`;
  return [
    intro,
    ...(families.length === 0
      ? []
      : [
          [
            '| models | refuse | answers of a form | think | API | read |',
            '| --- | --- | --- | --- | --- | --- |',
            ...families,
          ].join('\n'),
        ]),
    ...(Object.keys(ends).length === 0 ? [] : [renderEnds(Object.entries(ends))]),
  ].join('\n\n');
}

function refusals({ refuses, prefill }: Passport): string {
  const all = Object.entries(refuses).map(([name, refusal]) => {
    const instead = refusal.instead === undefined ? '' : ` (write \`${refusal.instead}\`)`;
    const where = name === 'tools' ? ' in chat completions' : '';
    return `\`${name}\`${where}${refusalWords(refusal)}${instead}`;
  });
  if (prefill === false) all.push('a last message of the assistant');
  return all.length === 0 ? 'nothing known' : all.join(', ');
}

if (import.meta.main) {
  const [action, inputs] = ['action.yml', 'docs/action.md'].map((name) =>
    fileURLToPath(new URL(`../${name}`, import.meta.url)),
  ) as [string, string];
  writeFileSync(action, withKeyInputs(readFileSync(action, 'utf8')));
  writeFileSync(inputs, withInputs(readFileSync(inputs, 'utf8'), readFileSync(action, 'utf8')));
  const models = fileURLToPath(new URL('../docs/models.md', import.meta.url));
  writeFileSync(models, renderModels());
  execFileSync('npx', ['prettier', '--write', inputs, models]);
}
