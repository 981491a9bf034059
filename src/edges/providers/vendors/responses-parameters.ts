import { isMap, type Json } from '../../../types/plain.ts';

type Parameters = Record<string, Json>;

/**
 * Converts parameters of chat completions to parameters of the Responses API.
 * https://developers.openai.com/api/docs/guides/migrate-to-responses
 */
export function inResponsesForm(written: Parameters): Parameters {
  const parameters: Parameters = { ...written };
  rename(parameters, 'max_tokens', 'max_output_tokens');
  rename(parameters, 'max_completion_tokens', 'max_output_tokens');
  moveInto(parameters, 'reasoning_effort', ['reasoning', 'effort']);
  moveInto(parameters, 'verbosity', ['text', 'verbosity']);
  const { tools, tool_choice, response_format } = parameters;
  if (response_format !== undefined) {
    parameters['response_format'] = flat(response_format, 'json_schema');
    moveInto(parameters, 'response_format', ['text', 'format']);
  }
  if (Array.isArray(tools)) parameters['tools'] = tools.map(toolIn);
  if (isMap(tool_choice)) parameters['tool_choice'] = choiceIn(tool_choice as Parameters);
  return parameters;
}

function rename(parameters: Parameters, name: string, other: string): void {
  const value = parameters[name];
  if (value === undefined || other in parameters) return;
  delete parameters[name];
  parameters[other] = value;
}

function moveInto(parameters: Parameters, name: string, [map, key]: [string, string]): void {
  const value = parameters[name];
  const into = parameters[map] ?? {};
  if (value === undefined || !isMap(into) || key in into) return;
  delete parameters[name];
  parameters[map] = { ...(into as Parameters), [key]: value };
}

function flat(value: Json, name: string): Json {
  if (!isMap(value) || !isMap(value[name])) return value;
  const { [name]: inner, ...rest } = value as Parameters;
  return { ...rest, ...(inner as Parameters) };
}

function toolIn(tool: Json): Json {
  if (!isMap(tool)) return tool;
  if (tool['type'] === 'custom' && isMap(tool['custom'])) {
    const custom = flat(tool as Json, 'custom') as Parameters;
    const { format } = custom;
    return format === undefined ? custom : { ...custom, format: flat(format, 'grammar') };
  }
  if (tool['type'] !== 'function' || !isMap(tool['function'])) return tool as Json;
  // The Responses API makes functions strict by default; chat completions do not.
  return { strict: false, ...(flat(tool as Json, 'function') as Parameters) };
}

function choiceIn(choice: Parameters): Json {
  const [name] = ['function', 'custom', 'allowed_tools'].filter((each) => isMap(choice[each]));
  if (name === undefined) return choice;
  const chosen = flat(choice, name) as Parameters;
  const { tools } = chosen;
  return Array.isArray(tools)
    ? { ...chosen, tools: tools.map((tool) => choiceIn(tool as Parameters)) }
    : chosen;
}
