/*
 * The program `evaldiff-promptfoo`, run by `node -e` in a checkout. It loads a user's promptfoo
 * file. For each line of input, it calls the file's export and prints one line of JSON.
 *
 * Arguments: kind (provider, prompt, tests), `file:export`, and JSON with `config`, `id`, and the
 * names of variables that contain JSON text.
 */
import { createInterface } from 'node:readline';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [kind, named, settings] = process.argv.slice(1);
const [, file, called = ''] = /^(.*?\.[cm]?[jt]s)(?::([\w$]+))?$/.exec(named);
const { config = {}, id, json = [] } = JSON.parse(settings);
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
globalThis.console = new console.Console(process.stderr);

const asText = (value) => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

const promptOf = (messages) =>
  messages.length === 1 && messages[0].role === 'user'
    ? messages[0].content
    : JSON.stringify(messages);

function variablesOf(given = {}) {
  const vars = { ...given };
  for (const name of json) {
    try {
      vars[name] = JSON.parse(vars[name]);
    } catch {
      // This value is plain text, not JSON.
    }
  }
  return vars;
}

/** CommonJS exports may be under `default`, compiled code under a second `default`. */
async function exported() {
  const loaded = await import(pathToFileURL(resolve(file)));
  const whole = loaded.default?.default ?? loaded.default;
  const found = called === '' ? whole : (loaded[called] ?? whole?.[called]);
  if (found !== undefined) return found;
  if (kind === 'provider' && typeof loaded.callApi === 'function') return loaded;
  throw new Error(`${file} exports no ${called === '' ? 'default' : called}`);
}

function providerFrom(found) {
  if (typeof found !== 'function') return found;
  const isClass = typeof found.prototype?.callApi === 'function' || /^class\b/.test(String(found));
  return isClass ? new found({ id, config }) : { callApi: found };
}

function usageOf({ prompt, completion } = {}) {
  return Number.isInteger(prompt) && Number.isInteger(completion)
    ? { usage: { input_tokens: prompt, output_tokens: completion } }
    : {};
}

async function ask(provider, { messages, variables }) {
  const prompt = promptOf(messages);
  const vars = variablesOf(variables);
  const answer = await provider.callApi(
    prompt,
    { vars, prompt: { raw: prompt, label: prompt } },
    {},
  );
  if (typeof answer === 'string') return { output: answer };
  if (answer?.error) return { error: asText(answer.error) };
  if (answer?.output === undefined) return { error: `${file} gave no output` };
  return { output: asText(answer.output), ...usageOf(answer.tokenUsage) };
}

const provider = { id: id ?? '', label: id ?? '' };
const calls = {
  provider: async (found) => {
    const own = providerFrom(found);
    return (request) => ask(own, request);
  },
  prompt:
    (found) =>
    async ({ variables }) => {
      const made = await found({ vars: variablesOf(variables), provider, config });
      return { output: JSON.stringify(made ?? null) };
    },
  tests: (found) => async () => {
    const made = typeof found === 'function' ? await found(config) : found;
    return { output: JSON.stringify(made ?? null) };
  },
};

let ready;
const messageOf = (error) =>
  error instanceof Error ? `${error.name}: ${error.message}` : asText(error);
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  ready ??= exported().then(calls[kind]);
  ready
    .then((answer) => answer(request))
    .catch((error) => ({ error: messageOf(error) }))
    .then((answer) => write(`${JSON.stringify({ id: request.id, ...answer })}\n`));
}
