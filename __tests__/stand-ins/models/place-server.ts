import http from 'node:http';
import { bodyOf, listen } from '../loopback.ts';
import { FORBIDDEN, type Body, type Place } from './places.ts';

/**
 * A provider on loopback. It answers requests that its documentation allows and rejects all others
 * in its own words.
 */
interface PlaceServer {
  origin: string;
  /** Errors of the requests that it rejected. */
  refused: string[];
  close(): Promise<void>;
}

export async function startPlace(place: Place, key: string): Promise<PlaceServer> {
  const refused: string[] = [];
  const server = http.createServer((request, response) => {
    void bodyOf(request).then((bytes) => {
      const [status, body] = replyTo(place, key, request, bytes);
      if (status !== 200) refused.push(`${status} ${JSON.stringify(body)}`);
      const html = typeof body === 'string';
      response.writeHead(status, { 'content-type': html ? 'text/html' : 'application/json' });
      response.end(html ? body : JSON.stringify(body));
    });
  });
  const { url, close } = await listen(server);
  return { origin: url, refused, close };
}

/** Answers prompts and graders. */
const ANSWER = '{"choice":"B"}';

type Reply = [status: number, body: unknown];

function replyTo(
  place: Place,
  key: string,
  { method, url, headers }: http.IncomingMessage,
  bytes: Buffer,
): Reply {
  const isConverse = place.api === 'converse';
  const known = isConverse ? /^\/model\/[\w.%-]+\/converse$/.test(url ?? '') : url === place.path;
  if (method !== 'POST' || !known)
    return [404, place.error({ status: 404, message: 'Resource not found' })];
  if (place.key !== null && headers[place.key.header] !== `${place.key.prefix}${key}`)
    return [place.wrongKey.status, place.wrongKey.body];
  // No provider may receive another one's key.
  const others = ['authorization', 'api-key', 'x-api-key', 'x-team'];
  const stray = others.find((name) => name !== place.key?.header && name in headers);
  if (stray !== undefined)
    return [400, place.error({ status: 400, message: `the header ${stray} is not for here` })];
  const body = JSON.parse(bytes.toString('utf8')) as Body;
  if (isConverse ? url !== place.path : body['model'] !== (place.sent ?? place.model))
    return [place.unknownModel.status, place.error(place.unknownModel)];
  const refusal = place.refuses(body, headers);
  if (refusal !== null) return [refusal.status, place.error(refusal)];
  if (place.filter !== undefined && bytes.includes(FORBIDDEN))
    return [place.filter.status, place.error(place.filter)];
  if (place.api === 'messages') return [200, messageOf(place.model)];
  if (isConverse) return [200, converseOf(body)];
  return [200, place.api === 'responses' ? responseOf(place.model) : completionOf(body)];
}

function messageOf(model: string): unknown {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: ANSWER }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 12, output_tokens: 3 },
  };
}

/** If a tool is required, it is called. */
function converseOf(body: Body): unknown {
  const { tool } = (body['toolConfig'] as { toolChoice?: Body } | undefined)?.toolChoice ?? {};
  const use = { toolUseId: 'use_1', ...(tool as Body), input: JSON.parse(ANSWER) as unknown };
  return {
    output: {
      message: { role: 'assistant', content: [tool ? { toolUse: use } : { text: ANSWER }] },
    },
    stopReason: tool ? 'tool_use' : 'end_turn',
    usage: { inputTokens: 12, outputTokens: 3, totalTokens: 15 },
    metrics: { latencyMs: 1 },
  };
}

function responseOf(model: string): unknown {
  return {
    id: 'resp_1',
    object: 'response',
    model,
    status: 'completed',
    error: null,
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        content: [{ type: 'output_text', text: ANSWER }],
      },
    ],
    usage: { input_tokens: 12, output_tokens: 3 },
  };
}

/** If a tool is required, it is called. */
function completionOf(body: Body): unknown {
  const choice = body['tool_choice'] as { function?: { name: string } } | undefined;
  const called = choice?.function?.name;
  const used = { name: called, arguments: ANSWER };
  const tool_calls = [{ id: 'call_1', type: 'function', function: used }];
  const message = {
    role: 'assistant',
    ...(called === undefined ? { content: ANSWER } : { content: null, tool_calls }),
  };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: body['model'],
    choices: [{ index: 0, finish_reason: called === undefined ? 'stop' : 'tool_calls', message }],
    usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
  };
}
