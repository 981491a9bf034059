/**
 * What the vendors reject in a transcript with tool calls, in their own words. From their
 * documentation and from errors that users reported:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls,
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking,
 * https://developers.openai.com/api/docs/guides/function-calling, …/guides/reasoning,
 * https://api-docs.deepseek.com/guides/thinking_mode,
 * https://ai.google.dev/gemini-api/docs/thought-signatures,
 * https://github.com/editor-code-assistant/eca/issues/233 (Mistral's ids)
 */
type Body = Record<string, unknown>;

const list = (value: unknown) => (Array.isArray(value) ? (value as Body[]) : []);
const typed = (blocks: unknown, type: RegExp) =>
  list(blocks).filter((block) => type.test(String(block['type'])));
const texts = (items: readonly Body[], member: string) => items.map((item) => String(item[member]));
const lacking = (wanted: readonly string[], given: readonly string[]) =>
  wanted.filter((id) => !given.includes(id));

/** The signature that the stand-in gives to a thought, and accepts with it alone. */
export function signatureOf(thought: string): string {
  return Buffer.from(`signed ${thought}`).toString('base64');
}

/** The ids of tool messages directly after the message at this index. */
function resultsAfter(messages: readonly Body[], index: number) {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex(({ role }) => role !== 'tool');
  return texts(end === -1 ? rest : rest.slice(0, end), 'tool_call_id');
}

export function chatProblem({ model, messages: given, thinking }: Body): string | null {
  const messages = list(given);
  for (const [index, message] of messages.entries()) {
    const calls = list(message['tool_calls']);
    const ids = texts(calls, 'id');
    const results = resultsAfter(messages, index);
    const missing = lacking(ids, results);
    if (missing.length > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${missing.join(', ')}`;
    if (message['role'] !== 'tool' && lacking(results, ids).length > 0)
      return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    if (
      message['role'] === 'assistant' &&
      (message['content'] ?? null) === null &&
      ids.length === 0
    )
      return "Invalid value for 'content': expected a string, got null.";
    const own = vendorProblem(String(model), message, messages[index - 1], thinking as Body);
    if (own !== null) return own;
  }
  return messages[0]?.['role'] === 'tool'
    ? "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    : null;
}

function vendorProblem(
  model: string,
  message: Body,
  before: Body | undefined,
  thinking: Body | undefined,
) {
  const calls = list(message['tool_calls']);
  if (/^(mi|mag|dev|code|pix)\w*stral|^mistral/.test(model)) {
    const ids = [...texts(calls, 'id'), String(message['tool_call_id'] ?? 'none12345')];
    const odd = ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
    if (odd !== undefined)
      return `Tool call id was ${odd} but must be a-z, A-Z, 0-9, with a length of 9.`;
    if (message['role'] === 'user' && before?.['role'] === 'tool')
      return "Unexpected role 'user' after role 'tool'";
  }
  if (calls.length === 0) return null;
  const thinks = model.startsWith('deepseek-') && thinking?.['type'] !== 'disabled';
  if (thinks && typeof message['reasoning_content'] !== 'string')
    return 'The `reasoning_content` in the thinking mode must be passed back to the API.';
  const signed = JSON.stringify(calls[0]?.['extra_content'] ?? '').includes('thought_signature');
  return /^gemini-[3-9]/.test(model) && !signed
    ? 'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.'
    : null;
}

export function responsesProblem({ model, input, include, store }: Body): string | null {
  const calls = typed(input, /^(function|custom_tool)_call$/);
  const outputs = typed(input, /^(function|custom_tool)_call_output$/);
  const [open] = lacking(texts(calls, 'call_id'), texts(outputs, 'call_id'));
  if (open !== undefined) return `No tool output found for function call ${open}.`;
  for (const output of outputs) {
    const call = calls.find(({ call_id }) => call_id === output['call_id']);
    const place = String(output['call_id']);
    if (call === undefined || `${String(call['type'])}_output` !== output['type'])
      return `No tool call found for function call output with call_id ${place}.`;
    if (list(input).indexOf(call) > list(input).indexOf(output))
      return `No tool call found for function call output with call_id ${place}.`;
  }
  if (list(include).length > 0 && /^gpt-[34]/.test(String(model)))
    return 'Encrypted content is not supported with this model.';
  return reasoningProblem(list(input), store);
}

function reasoningProblem(items: readonly Body[], store: unknown) {
  for (const [index, { type, id, encrypted_content: sealed }] of items.entries()) {
    if (type === 'reasoning' && store === false && typeof sealed !== 'string')
      return `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
    const next = String(items[index + 1]?.['type']);
    if (type === 'reasoning' && !/^(reasoning|message|function_call|custom_tool_call)$/.test(next))
      return `Item '${String(id)}' of type 'reasoning' was provided without its required following item.`;
    const before = items.slice(0, index).findLast((item) => !/_call$/.test(String(item['type'])));
    const isAfter = before?.['type'] === 'reasoning' || before?.['role'] === 'assistant';
    if (type === 'function_call' && id !== undefined && !isAfter)
      return `Item '${String(id)}' of type 'function_call' was provided without its required 'reasoning' item.`;
  }
  return null;
}

export function messagesProblem({ messages: given, tools, thinking, system }: Body): string | null {
  const messages = list(given);
  const blocks = [system, ...messages.map(({ content }) => content)].flatMap(list);
  const isBlank = ({ type, text }: Body) => type === 'text' && String(text).trim() === '';
  if (blocks.some(isBlank)) return 'messages: text content blocks must contain non-whitespace text';
  if (typed(blocks, /^tool_(use|result)$/).length > 0 && list(tools).length === 0)
    return 'Requests which include `tool_use` or `tool_result` blocks must define tools';
  for (const [index, { content }] of messages.entries()) {
    const next = list(messages[index + 1]?.['content']);
    const end = next.findIndex(({ type }) => type !== 'tool_result');
    const results = texts(end === -1 ? next : next.slice(0, end), 'tool_use_id');
    const calls = texts(typed(content, /^tool_use$/), 'id');
    const [open] = lacking(calls, results);
    if (open !== undefined)
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    const before = texts(typed(messages[index - 1]?.['content'], /^tool_use$/), 'id');
    const own = texts(typed(content, /^tool_result$/), 'tool_use_id');
    const [stray] = lacking(own, before);
    if (stray !== undefined)
      return `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    const twice = own.find((id, at) => own.indexOf(id) < at);
    if (twice !== undefined)
      return `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`;
  }
  return thinkingProblem(messages, blocks, thinking as Body | undefined);
}

function thinkingProblem(
  messages: readonly Body[],
  blocks: readonly Body[],
  thinking: Body | undefined,
) {
  const forged = typed(blocks, /^thinking$/).find(
    ({ thinking: thought, signature }) => signature !== signatureOf(String(thought)),
  );
  if (forged !== undefined) return 'messages.1.content.0: Invalid `signature` in `thinking` block';
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const isLoop = typed(messages[last]?.['content'], /^tool_use$/).length > 0;
  const first = String(list(messages[last]?.['content'])[0]?.['type']);
  return thinking?.['type'] === 'enabled' && isLoop && !/thinking$/.test(first)
    ? `messages.${last}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`
    : null;
}
