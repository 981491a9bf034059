/**
 * Writes everything that depends on the vendor table (src/types/vendors.ts): inputs in action.yml,
 * the table of inputs in docs/action.md, the tables in docs/models.md, and docs/vendors.md. A test
 * compares.
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
import { markdownTable } from './markdown-table.ts';

const KEYS = {
  file: 'action.yml',
  begin: '  # Keys: written by scripts/vendor-docs.ts\n',
  end: '  # End of keys\n',
} as const;

/** action.yml with an input for each vendor's key. */
export function withKeyInputs(action: string): string {
  const inputs = vendorNames().flatMap((vendor) => {
    const { label, keyInput, keyVariable } = factsOf(vendor);
    return keyInput === null
      ? []
      : `  ${keyInput}:
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
  const rows = Object.entries(inputs).map(([name, { description, default: value }]) => [
    `\`${name}\``,
    value === '' ? '' : `\`${value}\``,
    description.replaceAll('|', '\\|'),
  ]);
  return between(readme, INPUTS, markdownTable(['input', 'default', 'meaning'], rows));
}

const VENDORS = {
  file: 'docs/models.md',
  begin: '<!-- vendors: written by scripts/vendor-docs.ts from the table of vendors -->\n\n',
  end: '\n\n',
};
const FEDERATION = {
  file: 'docs/models.md',
  begin: '<!-- identities: written by scripts/vendor-docs.ts from the table of vendors -->\n\n',
  end: '\n\n',
};

/** docs/models.md with the tables of vendors: names and keys, and what takes an identity. */
export function withVendors(page: string): string {
  const names = vendorNames().map((vendor) => {
    const { label, keyInput, keyVariable, host } = factsOf(vendor);
    const input = keyInput ?? `${vendor}=… in keys`;
    return [label, writtenFor(vendor), `\`${input}\`, \`${keyVariable}\``, `\`${host}\``];
  });
  const words = (all: readonly string[]) => all.map((name) => `\`${name}=\``).join(', ');
  const identities = vendorNames().flatMap((vendor) => {
    const { label, federation } = factsOf(vendor);
    if (federation === undefined) return [];
    const { required, optional, audience } = federation;
    return [[label, words(required), words([...optional, 'audience']), `\`${audience}\``]];
  });
  const keys = markdownTable(['vendor', 'write', 'key (input, variable)', 'host'], names);
  const head = ['vendor', 'required', 'optional', 'audience'];
  return between(between(page, VENDORS, keys), FEDERATION, markdownTable(head, identities));
}

export function renderVendors(): string {
  return [
    `# What evaldiff knows about models

The tables on this page are generated from \`src/types/vendors\` and from the code that reads replies. To connect a model, read [connect a model](models.md).

For the model families below, evaldiff knows which parameters they refuse. \`evaldiff validate\`, \`plan\` and every run report such a parameter at its line in the prompt, before the first call. A sweep omits the
parameters that a model refuses. For graders, evaldiff omits or renames the temperature and the token limit if necessary.

For any other model, or a model on your own server (input \`endpoints\`), evaldiff finds out what the server refuses. The first request to a server runs alone for up to 2 seconds, and so does the first request of a grader. If the server refuses a request, the reason decides what follows:

| the server refuses                                          | then                                                                                                     |
| ----------------------------------------------------------- | -------------------------------------------------------------------------------------------------------- |
| a prompt's parameter | that request fails; the others are sent too |
| a model | all requests to that model fail without a call |
| a key, or an account without credit | all requests to that server fail without a call |
| a grader's temperature or answer schema                     | evaldiff omits it for 30 days. \`plan\` states how many extra calls this may take. Caps do not count these calls. |

For grades and insights, evaldiff requests an answer that follows a JSON schema. If the model does not support schemas, evaldiff forces a tool call; if it does not support tools either, it asks for plain text.`,
    ...vendorNames().flatMap(renderVendor),
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

Each request of a dialogue has the whole transcript: messages, the model's tool calls and their results.

| | Chat Completions | Responses | Messages (Anthropic) |
| --- | --- | --- | --- |
| a call | an entry of \`tool_calls\` | an item \`function_call\` | a block \`tool_use\` |
| its result | a message with \`role: tool\` | an item \`function_call_output\` | a block \`tool_result\`, in one user message with the other results and before the user's next text |
| what goes back unchanged if the prompt has tools | the message, if it has \`reasoning_content\`, \`reasoning_details\` or \`extra_content\` | all items, if reasoning has \`encrypted_content\` | all blocks, if there is thinking or work of Anthropic's own tools |

- Anthropic, DeepSeek, Google Gemini and Moonshot refuse tool calls without the thinking that led to them. OpenAI and OpenRouter recommend to send it back. evaldiff stores it with the answer and sends it back to the same model only. Another model gets the text and the calls. Thinking is never judged, shown or compared.
- If a model of OpenAI thinks and the prompt has tools, a request of the Responses API has \`include: [reasoning.encrypted_content]\`, unless the prompt sets \`include\`.
- evaldiff numbers the calls (\`call00001\`), because vendors accept different ids. What goes back unchanged keeps the vendor's ids. A call without an id is not sent, because it has no result.
- Blank texts beside files or calls are left out. An assistant message without text and calls is an error, and evaldiff does not send the request.
- Arguments that are not a JSON object are sent to Chat Completions and Responses as the model wrote them. Anthropic requires an object, so there they are an error. Empty arguments count as \`{}\`.`,
  ]
    .join('\n\n')
    .concat('\n');
}

/** The vendors' names for the supported APIs. */
const API_WORDS: Readonly<Record<Api, string>> = {
  openai: 'Chat Completions',
  anthropic: 'Messages',
  bedrock: 'Converse',
};

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
    .map(([day, models]) => [day, models.map((model) => `\`${model}\``).join(', ')]);
  return markdownTable(['retires on', 'models'], days);
}

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
| A refused parameter, response format or tool schema | One for each call. |
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

const FAMILY_HEAD = [
  'models',
  'refused parameters',
  'structured answers',
  'thinking',
  'API',
  'source read on',
];

/** A vendor's rules and retirement dates; a vendor without either has no section. */
function renderVendor(vendor: VendorName): readonly string[] {
  const { label, speaks, headers, passports, ends } = factsOf(vendor);
  const families = passports.map((passport) => [
    `[${passport.family}](${passport.source})`,
    refusals(passport),
    passport.forms.join(', '),
    passport.thinks,
    passport.api === 'responses' ? 'Responses' : API_WORDS[speaks],
    passport.checked,
  ]);
  const parts = [
    ...Object.entries(headers).map(
      ([name, value]) => `Requests have the header \`${name}: ${value}\`.`,
    ),
    ...(families.length === 0 ? [] : [markdownTable(FAMILY_HEAD, families)]),
    ...(Object.keys(ends).length === 0 ? [] : [renderEnds(Object.entries(ends))]),
  ];
  return parts.length === 0 ? [] : [`## ${label}`, ...parts];
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
  const [models, vendors] = ['models.md', 'vendors.md'].map((name) =>
    fileURLToPath(new URL(`../docs/${name}`, import.meta.url)),
  ) as [string, string];
  writeFileSync(models, withVendors(readFileSync(models, 'utf8')));
  writeFileSync(vendors, renderVendors());
  execFileSync('npx', ['prettier', '--write', inputs, models, vendors]);
}
