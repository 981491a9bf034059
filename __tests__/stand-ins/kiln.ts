import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filePathsBelow } from '../../scripts/entries-below.ts';
import { luck } from './luck.ts';
import type { Script, Scripted, Seen } from './models/server.ts';

/** `fixtures/kiln`: three suites of Kiln & Co., and a model that mostly follows its prompts. */

const FOLDER = fileURLToPath(new URL('../../fixtures/kiln', import.meta.url));

export function kilnFiles(): Record<string, string> {
  return Object.fromEntries(
    filePathsBelow(FOLDER).map((path) => [path, readFileSync(join(FOLDER, path), 'utf8')]),
  );
}

/** The department of each ticket, by the ticket's text. */
const DEPARTMENTS = new Map(
  [...kilnFiles()['data/tickets.csv']!.matchAll(/^t\d+,"?(.*?)"?,(\w+)$/gm)].map(
    ([, ticket = '', department = '']) => [ticket, department],
  ),
);

/** Tickets that the model gets wrong in one of four tries. */
const UNCLEAR = /wrong glaze|neighbour|cancelled/;

/** A model whose n-th answer to a request depends only on `seed`. */
export function kilnModel(seed = 1): Script {
  const asked = new Map<string, number>();
  return (request) => {
    const key = JSON.stringify([seed, request.model, request.messages, request.body['tools']]);
    const time = asked.get(key) ?? 0;
    asked.set(key, time + 1);
    const chance = luck(`${key} ${time}`);
    const system = request.messages[0]?.content ?? '';
    const text = request.messages.at(-1)?.content ?? '';
    if (request.schema !== null) return graded(request, text);
    if (system.includes('sort the mail')) return { text: routed(system, text, chance) };
    if (system.includes('orders of Kiln')) return ordered(request, text, chance);
    return { text: answered(system, text, chance) };
  };
}

function routed(system: string, ticket: string, chance: number) {
  const isBroken = /broken|in pieces|cracked/.test(ticket);
  if (isBroken && !system.includes('arrive broken')) return 'returns';
  const isWrong = chance < (UNCLEAR.test(ticket) ? 1 / 4 : 1 / 50);
  return isWrong ? 'wholesale' : (DEPARTMENTS.get(ticket) ?? 'shipping');
}

/** Answers from the passage, with the source and thanks if the prompt asks for them. */
function answered(system: string, question: string, chance: number) {
  const [, source = '', fact = ''] = /Passage: (\[S\d+\]) (.*)/.exec(question) ?? [];
  return [
    system.includes('thank the customer') ? 'Thank you for asking!' : '',
    chance < 1 / 50 ? 'I do not know.' : fact,
    system.includes('Name the source') ? source : '',
    chance > 0.5 ? 'Happy firing!' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** Friendly answers contain thanks, and good wishes if the rubric demands them. */
function graded({ schema }: Seen, request: string): Scripted {
  const isFriendly = request.includes('Thank you');
  const isWarm = !request.includes('wishes them well') || request.includes('Happy firing');
  if (schema?.name !== GRADE) return { status: 400, error: { message: 'cannot say' } };
  const choice = isFriendly && isWarm ? 'YES' : 'NO';
  return { text: JSON.stringify({ reasons: 'By the rubric.', choice }) };
}

const GRADE = 'grade';

/** Uses the argument names of the tool's schema. */
function ordered({ body, index }: Seen, mail: string, chance: number): Scripted {
  const [tool] = body['tools'] as { function: { parameters: { properties: object } } }[];
  const [item = '', count = ''] = Object.keys(tool!.function.parameters.properties);
  const [, number = '', thing = ''] = /(\d+) (\w+)/.exec(mail) ?? [];
  const quantity = Number(number) + (chance < 1 / 50 ? 1 : 0);
  const call = {
    name: 'create_order',
    arguments: JSON.stringify({ [item]: thing, [count]: quantity }),
  };
  const tool_calls = [{ id: `call_${index}`, type: 'function', function: call }];
  const message = { role: 'assistant', content: null, refusal: null, tool_calls };
  const choices = [{ index: 0, finish_reason: 'tool_calls', logprobs: null, message }];
  const usage = { prompt_tokens: 60, completion_tokens: 12, total_tokens: 72 };
  const named = {
    id: `chatcmpl-${index}`,
    object: 'chat.completion',
    created: 1_700_000_000,
  };
  return { body: JSON.stringify({ ...named, model: body['model'], choices, usage }) };
}
