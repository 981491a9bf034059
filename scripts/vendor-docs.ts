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
    description: Key for ${label}. Default – the environment variable ${keyVariable}. Sent only to ${label}'s own host.
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

const KEYLESS = `## Without a key

OpenAI and Anthropic accept a workflow without a key: the job proves its identity and gets a token that expires after minutes. Nothing is left to leak or to rotate.

1. At the vendor, trust \`https://token.actions.githubusercontent.com\` and allow your repository: [OpenAI](https://developers.openai.com/api/docs/guides/workload-identity-federation/github-actions), [Anthropic](https://platform.claude.com/docs/en/manage-claude/wif-providers/github-actions). Name the event or the environment in the rule, never only a branch: \`repo:OWNER/REPO:pull_request\` for \`pull-request.yml\`, and \`repo:OWNER/REPO:environment:evaldiff-forks\` for the [workflows for forks](forks.md).
2. Write the ids into the workflow. \`npx evaldiff init --keyless\` writes such a workflow. Ids are not secrets.

\`\`\`yaml
jobs:
  evaldiff:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      id-token: write # the job's identity, instead of a key
      pull-requests: write # the comment
      checks: write # the check run
    steps:
      - uses: <owner>/evaldiff@v1
        with:
          keys: |
            openai=oidc:IDENTITY_PROVIDER_ID service-account=SERVICE_ACCOUNT_ID
            anthropic=oidc:FEDERATION_RULE_ID organization=ORGANIZATION_ID
\`\`\`

| vendor | required | optional | audience |
| --- | --- | --- | --- |
${vendorNames()
  .flatMap((vendor) => {
    const { label, federation } = factsOf(vendor);
    if (federation === undefined) return [];
    const words = (names: readonly string[]) => names.map((name) => `\`${name}=\``).join(', ');
    return `| ${label} | ${words(federation.required)} | ${words([...federation.optional, 'audience'])} | \`${federation.audience}\` |`;
  })
  .join('\n')}

If your rule expects another audience, add \`audience=\` to the line. evaldiff renews a token after 80 % of its life. If a vendor refuses a token that it accepted before, evaldiff gets a new one and repeats the request.

GitHub gives no identity to \`pull_request\` workflows of forks and of Dependabot. Their check is neutral, as without a key.

A line of \`keys\` can also give a key from a secret: \`gemini=\${{ secrets.GEMINI_API_KEY }}\`. On your own machine, use a key.`;

export function renderModels(): string {
  return [
    `# Models

This page is generated from the table of vendors in \`src/types/vendors\` by \`scripts/vendor-docs.ts\`.

A prompt names a model (\`model: ${factsOf('openai').starterModel}\`). evaldiff sends the prompt's other parameters, such as \`temperature\`, to the vendor unchanged.

For the model families below, evaldiff knows which parameters they refuse. \`evaldiff validate\`, \`plan\` and every run report such a parameter at its line in the prompt, before the first call. A sweep omits the
parameters that a model refuses. For graders, evaldiff omits or renames the temperature and the token limit if necessary.

For any other model, or a model on your own server (input \`endpoints\`), evaldiff finds out what the server refuses. The first request with a given model, parameters and values runs alone for up to 2 seconds. If the server refuses it, the reason decides what follows:

| the server refuses                                          | then                                                                                                     |
| ----------------------------------------------------------- | -------------------------------------------------------------------------------------------------------- |
| a prompt's parameter, named in the replies to two different requests | all requests with that parameter fail without a call |
| a model | all requests to that model fail without a call |
| a key, or an account without credit | all requests to that server fail without a call |
| a grader's temperature or answer schema                     | evaldiff omits it for 30 days. \`plan\` states how many extra calls this may take. Caps do not count these calls. |

For grades and insights, evaldiff requests an answer that follows a JSON schema. If the model does not support schemas, evaldiff forces a tool call; if it does not support tools either, it asks for plain text.`,
    KEYLESS,
    ...vendorNames()
      .filter((vendor) => factsOf(vendor).passports.length > 0)
      .map(renderVendor),
    renderByName(),
    SERVERS,
    renderEndings(),
    RETRIES,
    `## Two APIs of OpenAI

OpenAI offers two APIs: Chat Completions and the Responses API. evaldiff uses Chat Completions unless a request needs the Responses API:

- The model is available only in the Responses API.
- The model thinks (reasons before it answers), and the prompt has tools.
- The prompt has hosted tools (\`web_search\`, \`code_interpreter\`, …) or MCP servers.
- The prompt has a parameter of the Responses API, such as \`reasoning\`.

To choose the API yourself, set \`api\`. OpenAI, Groq, xAI, OpenRouter and endpoints accept \`responses\`:

\`\`\`yaml
# evaldiff.yaml
models:
  luna: { provider: openai, model: gpt-5.4, api: responses }
  on-azure: { provider: openai, endpoint: azure, model: our-deployment, is: gpt-5.4 }
\`\`\`

- For both APIs, you may write parameters as for Chat Completions. evaldiff converts \`reasoning_effort\`, \`verbosity\`, \`max_tokens\`, \`max_completion_tokens\`, \`response_format\`, \`tools\` and \`tool_choice\` to the API that it
  uses. A parameter that the API does not have, such as \`seed\` in the Responses API, is an error at its line.
- Metrics see calls of hosted tools and MCP servers as tool calls of the answer. Images that a tool creates are parts of the answer.
- If an endpoint serves a public model under another name, name the public model in \`is\`. evaldiff then uses its price, refused parameters and retirement date.

## Dialogues with tools

Each request of a dialogue has the whole transcript: what was said, the model's tool calls and their results.

| | Chat Completions | Responses | Messages (Anthropic) |
| --- | --- | --- | --- |
| a call | an entry of \`tool_calls\` | an item \`function_call\` | a block \`tool_use\` |
| its result | a message with \`role: tool\` | an item \`function_call_output\` | a block \`tool_result\`, in one user message with the other results and before the user's next text |
| what goes back unchanged if the prompt has tools | the message, if it has \`reasoning_content\`, \`reasoning_details\` or \`extra_content\` | all items, if reasoning has \`encrypted_content\` | all blocks, if there is thinking or work of Anthropic's own tools |

- Anthropic, DeepSeek, Google Gemini and Moonshot refuse tool calls without the thinking that led to them. OpenAI and OpenRouter recommend to send it back. evaldiff stores it with the answer and sends it back to the same model only. Another model gets the text and the calls. Thinking is never judged, shown or compared.
- If a model of OpenAI thinks and the prompt has tools, a request of the Responses API has \`include: [reasoning.encrypted_content]\`, unless the prompt sets \`include\`.
- evaldiff numbers the calls (\`call00001\`), because vendors accept different ids. What goes back unchanged keeps the vendor's ids. A call without an id is not sent, because it has no result.
- Blank texts beside files or calls are left out. An assistant message that has neither text nor a call is an error, and nothing is sent.
- Arguments that are not a JSON object are sent to Chat Completions and Responses as the model wrote them. Anthropic requires an object, so there they are an error. Empty arguments count as \`{}\`.

## When a model retires

From 90 days before a model's retirement date, evaldiff warns at each line that names the model. After the date, it reports an error there. Name the successor in the prompt, or for many prompts at once in the settings:

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

If evaldiff cannot recognise the vendor by the model's name, add an entry under \`models:\`. For hosts not in this table, add a line to \`endpoints\`.

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
  return ['| retires on | models |', '| --- | --- |', ...days].join('\n');
}

const SERVERS = `## Your own servers and clouds

Define each server in the input \`endpoints\` (in a terminal: \`--endpoint\`, or lines of \`EVALDIFF_ENDPOINTS\`). Then use its name in the settings: \`models: { NAME: { provider: openai, endpoint: azure } }\`.

| server | line of \`endpoints\` | notes |
| --- | --- | --- |
| Azure OpenAI, newer addresses | \`azure=https://RESOURCE.openai.azure.com/openai/v1 key=AZURE_OPENAI_API_KEY\` | the model is the name of the deployment |
| Azure OpenAI, older addresses | \`azure=https://RESOURCE.openai.azure.com/openai api-version=2024-10-21 key=AZURE_OPENAI_API_KEY\` | the model is the name of the deployment; the key is sent in the header \`api-key\` |
| Claude in Microsoft Foundry | \`foundry=https://RESOURCE.services.ai.azure.com/anthropic key=AZURE_FOUNDRY_KEY\` | use \`provider: anthropic\`; the model is the name of the deployment |
| A gateway in front of Azure OpenAI | \`gate=https://gate.example/openai api-version=2024-10-21 header=x-team:TEAM\` | you may repeat \`header=NAME:ENV_NAME\` |
| Amazon Bedrock | \`bedrock=https://bedrock-runtime.REGION.amazonaws.com/openai/v1 key=AWS_BEARER_TOKEN_BEDROCK\` | only Bedrock API keys work, not AWS roles |
| Ollama on the runner | \`local=http://127.0.0.1:11434/v1 concurrency=2\` | needs no key |
| Ollama, vLLM or LM Studio as a service of the job | \`local=http://ollama:11434/v1 insecure concurrency=2\` | \`insecure\` allows plain http to names in the job's own network; vendors' keys are not sent there |
| vLLM, LM Studio on the runner | \`local=http://127.0.0.1:8000/v1\` (LM Studio: port 1234) | needs a key only if the server requires one |

The values of \`header=\` are part of the keys of stored answers, as hashes. A run with another tenant or route therefore makes new calls. These headers are not part of the keys:

- credentials and cookies: names that end in \`authorization\`, \`auth\`, \`cookie\`, \`token\`, \`secret\`, \`password\`, \`credentials\`, or in \`api-key\`, \`access-key\`, \`auth-key\`, \`app-key\`, \`subscription-key\` or \`functions-key\`
- headers with the variable of \`key=\` or of a vendor's key
- headers under \`volatile=NAME\`, such as \`header=x-request-id:REQUEST_ID volatile=x-request-id\`; you may repeat \`volatile=\`

To limit the rate of an endpoint, add \`concurrency=N\` or \`requests-per-minute=N\` to its line. To limit one model, set \`concurrency: N\` or \`requests_per_minute: N\` under \`models:\`. Without a limit, evaldiff adapts to the server.

**Proxies.** For model calls, evaldiff uses only the proxy in the input \`proxy\` (in a terminal: \`--proxy\` or \`EVALDIFF_PROXY\`). An endpoint with \`direct\` on its line is called without the proxy. For GitHub and its cache, evaldiff uses \`https_proxy\`, except for the hosts in \`no_proxy\`.

**Certificates.** For your own certificate authority, set \`NODE_EXTRA_CA_CERTS\` to its file in the \`env\` of the step.

**GitHub Enterprise Server** has no artifact service for actions, so shards (\`shard\`, \`mode: merge\`) and the uploaded report are not available there. Everything else works.`;

/** How an answer counts, by its end reason: the reason, an empty answer, an answer with text. */
const WORTH: Readonly<Record<EndKind, [says: string, nothing: string, something: string]>> = {
  whole: [
    'The model finished.',
    'evaldiff asks once more. A second empty answer is an error.',
    'Scored.',
  ],
  called: [
    'The model calls tools.',
    'An error, unless a call can be read.',
    'An error, unless a call can be read.',
  ],
  cut: [
    'The token limit cut the answer.',
    'An error that names the limit.',
    'Scored, and counted as cut.',
  ],
  full: [
    'The context window is full.',
    'An error that advises a shorter input.',
    'Scored, and counted as cut.',
  ],
  filtered: ['A content filter blocked it.', 'The try fails.', 'Scored, and counted as filtered.'],
  refused: ['The model refuses.', 'The try fails.', 'Scored, and counted as refused.'],
  broken: [
    'The server aborted it.',
    'evaldiff retries, then reports an error.',
    'evaldiff retries, then reports an error.',
  ],
  unfinished: ['The answer is not finished.', 'An error.', 'An error.'],
  unknown: [
    'Any other reason.',
    'evaldiff asks once more. A second empty answer is an error that names the reason.',
    'Scored. The report names the reason.',
  ],
};

const RETRIES = `## When a call is retried

evaldiff makes up to five requests for one model call. The pauses between them start at half a second (after a rate limit, at four seconds) and grow. If the server requests a pause, evaldiff waits that long, up to five minutes.

| the server's reply | number of requests |
| --- | --- |
| Status 408, 409, 429, 498 or 5xx, or \`x-should-retry: true\` | Up to five. With \`x-should-retry: false\`, one. |
| A lost connection, an incomplete body (also a compressed one), incomplete JSON, or other text | Up to five. |
| A reply without an answer: \`{}\`, \`null\`, \`"choices": []\`, \`"choices": [{}]\` | Up to five. |
| An empty answer although the model finished | Two. |
| An event stream | One. evaldiff reads it if it contains one complete reply. Otherwise it is an error: turn streaming off, or set \`stream: false\` in the prompt. |
| An HTML page | One. |
| Bytes that do not match the declared charset (UTF-8 by default), or an unknown compression | One. |
| No complete reply within the time for a call | One, because the server may charge for that time. |
| A refused parameter, response format or tool schema | Two in the whole run. Other calls with the same parameter, format or schema are not sent. |
| A wrong key, a missing model, or an account without credit | One in the whole run. Other calls to that server or model are not sent. |

Every request counts as a call in the report and against \`max-calls\`. The cost includes replies without an answer if the server counted their tokens. If a reply could not be read, the cost is unknown. If a cap ends the run, the report's title names the last error before that.`;

function renderEndings(): string {
  const rows = (Object.keys(WORTH) as EndKind[]).map((ending) => {
    const words = ENDINGS[ending][1].split(' ').map((word) => `\`${word}\``);
    const [says, nothing, something] = WORTH[ending];
    return `| ${says} | ${words.join(', ').replace('``', 'anything else')} | ${nothing} | ${something} |`;
  });
  return `## How an answer ends

Each reply states why the model stopped. evaldiff scores an answer depending on this reason and on whether the answer has text. Case, hyphens and the prefix \`FINISH_REASON_\` do not matter. In the Responses API, the reason is \`status\`, or the reason in \`incomplete_details\`.

| meaning | \`finish_reason\`, \`stop_reason\`, \`status\` | empty answer | answer with text |
| --- | --- | --- | --- |
${rows.join('\n')}

- Errors in this table apply to answers of base and head and to graders' replies. If head answers less often than base, beyond chance, the suite regresses.
- A notice counts each side's answers that were empty, cut, filtered, refused or ended for an unknown reason.
- If more of head's answers than of base's are empty, cut, filtered, refused or ended for an unknown reason, beyond chance, the suite is inconclusive instead of green. The same applies if a filter withheld base's answers completely. But if head only refuses more often, an improvement stays an improvement, because a refusal may be the right answer.
- A reply with an answer and a field \`error\` is an error. evaldiff retries it if the error may be temporary.
- Claude's API requires a token limit. evaldiff sends \`max_tokens: ${String(anthropicFacts.ownLimit.first)}\` if the prompt sets none. If this limit cuts an answer, evaldiff asks once more with \`max_tokens: ${String(anthropicFacts.ownLimit.second)}\`, as a stream. You pay for both requests, and \`plan\` counts both. Requests in a batch are not repeated.

**Thinking** (a model's reasoning) is not part of the answer, so metrics do not see it. evaldiff recognises fields such as \`reasoning_content\`, \`reasoning\` and \`thinking\`, parts of these types, and tags at the start of the text (\`<think>…</think>\`, \`<thought>\`, \`<seed:think>\`, \`[THINK]\`). If such a tag is never closed, the whole text is thinking. If a text has only \`</think>\`, the text before it is thinking. \`<thinking>\` and other tags that a prompt asks for stay in the answer.

**Tool calls** may be in \`tool_calls\`, \`function_call\`, \`tool_use\` blocks, items of the Responses API or Ollama's own format. Their arguments may be JSON text or JSON values. If a call cannot be read, the error names its field.

**The model that answered** is stored with each answer. If base and head request the same model but different models answer, a notice names both, and evaldiff does not blame a line of the prompt.`;
}

function renderVendor(vendor: VendorName): string {
  const { label, speaks, keyInput, keyVariable, host, headers, passports, ends } = factsOf(vendor);
  const version = Object.entries(headers).map(
    ([name, value]) => ` Requests have the header \`${name}: ${value}\`.`,
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
            '| models | refused parameters | structured answers | thinking | API | source read on |',
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
  if (prefill === false) all.push('a conversation that ends with an assistant message');
  return all.length === 0 ? 'none known' : all.join(', ');
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
