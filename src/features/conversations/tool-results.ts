import { problem } from '../../errors.ts';
import { keyPlace, type Suite } from '../../kernel/suite/suite.ts';
import { toolMessage } from '../../metrics/transcript.ts';
import { didYouMean } from '../../text/suggest.ts';
import type { ToolCall } from '../../types/answer.ts';
import type { ErrorKind, EvaluateAnswers, ToolMessage } from '../../types/model.ts';
import {
  isMap,
  jsonText,
  ownEntry,
  type CodeLanguage,
  type CodePlace,
  type Json,
  type Place,
  type Problem,
} from '../../types/plain.ts';

/** Calls of the model in one turn. The dialogue ends if the last of them calls a tool, too. */
export const MAX_TURN_CALLS = 10;

export type ToolResult = { place: Place } & (
  { text: string } | { code: string; language: CodeLanguage; at: CodePlace }
);

/** By the tool's name. `end`: the dialogue ends at the first call. */
export type ToolResults = 'end' | Record<string, ToolResult>;

export function toolParts(results: ToolResults): Json {
  if (results === 'end') return results;
  return Object.fromEntries(
    Object.entries(results).map(([name, result]) => {
      const { code, language } = 'code' in result ? result : {};
      return [name, 'text' in result ? result.text : { code, language }];
    }),
  ) as Json;
}

/** Reports tools of the prompt without a result, and results without a tool. */
export function checkTools(
  { tool_results: results, place }: { tool_results: ToolResults | null; place: Place },
  { prompt }: Suite,
  problems: Problem[],
): void {
  const tools = toolNames(prompt.parameters);
  const given = results === null || results === 'end' ? [] : Object.keys(results);
  const lacking = results === 'end' ? [] : tools.filter((name) => !given.includes(name));
  if (lacking.length > 0)
    problems.push(
      problem(
        results === null ? keyPlace(prompt, 'tools') : place,
        `the prompt has the tool ${lacking.join(', ')}, and conversation has no result for it; add ` +
          `conversation: { tool_results: { ${lacking[0] ?? ''}: TEXT } }, or tool_results: end to end ` +
          'the dialogue at the first call',
      ),
    );
  for (const name of given.filter((each) => !tools.includes(each)))
    problems.push(
      problem(
        results !== null && results !== 'end' ? (results[name]?.place ?? place) : place,
        `conversation.tool_results: the prompt has no tool "${name}"${didYouMean(name, tools)}`,
      ),
    );
}

/** Tools that the vendor runs itself have no name, or no parameters of their own. */
function toolNames({ tools, functions }: Readonly<Record<string, Json>>): string[] {
  return [tools ?? [], functions ?? []].flat().flatMap((tool) => {
    if (!isMap(tool)) return [];
    const { type = 'function', function: called, custom } = tool;
    const own = [called, custom].find((each) => each !== undefined && isMap(each)) ?? tool;
    const isOwn = type === 'function' || type === 'custom';
    return isOwn && isMap(own) && typeof own['name'] === 'string' ? [own['name']] : [];
  });
}

/** One message per call, in the order of the calls. */
export async function toolMessages(
  calls: readonly ToolCall[],
  results: Exclude<ToolResults, 'end'>,
  evaluate: EvaluateAnswers,
): Promise<{ messages: ToolMessage[] } | { error: { kind: ErrorKind; message: string } }> {
  const messages: ToolMessage[] = [];
  for (const { id = '', name, arguments: given } of calls) {
    const result = ownEntry(results, name);
    const output =
      result === undefined
        ? { text: `there is no tool "${name}"` }
        : 'text' in result
          ? result
          : await runToolCode(name, given, result, evaluate);
    if ('error' in output) return { error: { kind: 'code', message: output.error } };
    messages.push(toolMessage(id, name, output.text));
  }
  return { messages };
}

async function runToolCode(
  name: string,
  given: string,
  { code, language, at }: Extract<ToolResult, { code: string }>,
  evaluate: EvaluateAnswers,
): Promise<{ text: string } | { error: string }> {
  const args = argumentsIn(given);
  if (args === undefined) return { text: 'the arguments are not valid JSON' };
  const job = { at, language, code, outputs: ['output'], inputs: [{ args }] };
  const [result] = await evaluate(job);
  return result?.status === 'ok'
    ? { text: jsonText(result.values['output'] ?? null) }
    : { error: `conversation.tool_results: ${name}: ${result?.message ?? 'set no output'}` };
}

function argumentsIn(given: string): Json | undefined {
  try {
    return given.trim() === '' ? {} : (JSON.parse(given) as Json);
  } catch {
    return undefined;
  }
}
