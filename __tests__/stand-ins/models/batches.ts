import type http from 'node:http';
import { z } from 'zod';
import type { Api } from '../../../src/types/vendors/facts.ts';
import { answerBody, refuse, reply } from './replies.ts';
import type { Script, Scripted, Seen } from './server.ts';
import { readChat, readResponses } from './wire.ts';

/**
 * Batches of both vendors: OpenAI's files and batches, Anthropic's message batches. Written from
 * their published APIs (the type declarations of their SDKs, and the input and output lines in
 * their guides). Results come in reverse order, which the APIs allow.
 */

/** A batch of the stand-in, for scripts and assertions. */
export interface StoodBatch {
  id: string;
  vendor: Api;
  /** In the order of the requests. */
  customIds: string[];
  requests: Seen[];
  looks: number;
  /** Size of the input file, or of the request that contains everything. */
  bytes: number;
}

type End = 'ended' | 'expired' | 'canceled' | 'failed';

export interface BatchScript {
  /** The answer to a status request. Default: `working` first, then `ended`. */
  look?(batch: StoodBatch): 'working' | End | 'unknown' | { status: number };
  /** Makes single requests fail or lack a result; null: the server's script answers. */
  line?(seen: Seen): 'missing' | 'expired' | 'canceled' | null;
  /** Changes the result lines before they are sent. */
  lines?(lines: string[]): string[];
  /**
   * Replaces the n-th (from 0) creation or download of results by a status or a broken connection.
   */
  create?(
    nth: number,
  ): { status: number; headers?: Record<string, string> } | 'reset' | 'created-reset' | null;
  /** `after`: the second half of the results is sent once this resolves. */
  results?(nth: number): { status: number } | 'cut' | { after: Promise<void> } | null;
}

interface Call {
  request: http.IncomingMessage;
  raw: Buffer;
  response: http.ServerResponse;
}

interface Kept extends StoodBatch {
  state: 'working' | End;
  /** Errors of single requests, by position. */
  bad: Map<number, string>;
  file: string | null;
  problem: string | null;
  output: string[] | null;
  errors: string[] | null;
}

const openaiPath = z.literal(['/v1/chat/completions', '/v1/responses']);
const openaiLine = z.strictObject({
  custom_id: z.string().min(1),
  method: z.literal('POST'),
  url: openaiPath,
  body: z.record(z.string(), z.unknown()),
});
const openaiCreate = z.strictObject({
  input_file_id: z.string(),
  endpoint: openaiPath,
  completion_window: z.literal('24h'),
  metadata: z.record(z.string(), z.string()).nullish(),
});
const anthropicRequest = z.strictObject({
  custom_id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  params: z.record(z.string(), z.unknown()),
});
const anthropicCreate = z.strictObject({
  requests: z.array(anthropicRequest).min(1).max(100_000),
});

type Entry = { custom_id: string; url?: string; body: Record<string, unknown> };
type Begun = Kept | { problem: string };

export function createStoodBatches(script: BatchScript, answer: Script, refused: string[]) {
  const batches: Kept[] = [];
  const files = new Map<string, string>();
  const counts = { create: 0, results: 0 };
  let last = 0;

  const keep = (vendor: Api, more: Partial<Kept>): Kept => {
    const batch: Kept = {
      id: `${vendor === 'openai' ? 'batch' : 'msgbatch'}_${++last}`,
      vendor,
      customIds: [],
      requests: [],
      looks: 0,
      bytes: 0,
      state: 'working',
      bad: new Map(),
      file: null,
      problem: null,
      output: null,
      errors: null,
      ...more,
    };
    batches.push(batch);
    return batch;
  };

  const begin = (vendor: Api, entries: Entry[], { headers }: http.IncomingMessage): Begun => {
    const customIds = entries.map(({ custom_id }) => custom_id);
    const twice = customIds.find((id, at) => customIds.indexOf(id) !== at);
    if (twice !== undefined) return { problem: `The custom_id '${twice}' is used more than once.` };
    const bad = new Map<number, string>();
    const requests = entries.map(({ body, url }, index): Seen => {
      const checked = url === '/v1/responses' ? readResponses(body) : readChat(vendor, body);
      const about = { embedding: false, vendor, index, headers };
      if (!('problem' in checked)) return { ...checked, ...about };
      // Each request is checked separately, so that a bad one is its own error.
      bad.set(index, checked.problem);
      refused.push(checked.problem);
      return { model: String(body['model']), messages: [], body, schema: null, ...about };
    });
    if (vendor === 'openai' && new Set(requests.map(({ model }) => model)).size > 1)
      return { problem: 'The batch contains requests for more than one model.' };
    return keep(vendor, { customIds, requests, bad });
  };

  const finish = async (batch: Kept) => {
    if (batch.output !== null) return;
    const [output, errors]: [string[], string[]] = [[], []];
    const unanswered = batch.state === 'expired' || batch.state === 'canceled' ? batch.state : null;
    for (const [index, seen] of batch.requests.entries()) {
      const left = script.line?.(seen) ?? unanswered;
      if (left === 'missing') continue;
      const message = batch.bad.get(index);
      const refusal = { status: 400, error: { message: message ?? '', type: BAD_REQUEST } };
      const scripted = message !== undefined ? refusal : left === null ? await answer(seen) : {};
      const line = { custom_id: batch.customIds[index], ...resultOf(seen, left, scripted) };
      const isError = left !== null || (scripted.status ?? 200) !== 200;
      (batch.vendor === 'openai' && isError ? errors : output).push(JSON.stringify(line));
    }
    const spoil = (lines: string[]) => (script.lines ?? ((all) => all))(lines.reverse());
    [batch.output, batch.errors] = [spoil(output), spoil(errors)];
  };

  const refuseAs = (vendor: Api, { response }: Call, problem: string) => {
    refused.push(problem);
    refuse(response, vendor, { status: 400, message: problem, type: BAD_REQUEST });
  };
  /** Creates a batch and returns it, unless the script overrides this. */
  const created = (vendor: Api, call: Call, create: () => Begun) => {
    const spoilt = script.create?.(counts.create++) ?? null;
    if (spoilt !== null) {
      if (spoilt === 'created-reset') create();
      if (typeof spoilt === 'string') return void call.response.socket?.destroy();
      const { status, headers } = spoilt;
      return refuse(call.response, vendor, { status, message: 'scripted' }, headers);
    }
    const begun = create();
    if (!('id' in begun)) return refuseAs(vendor, call, begun.problem);
    reply(call.response, 200, shownBatch(begun));
  };
  const sendLines = ({ response }: Call, vendor: Api, lines: string[]) => {
    const spoilt = script.results?.(counts.results++) ?? null;
    if (spoilt !== null && spoilt !== 'cut' && 'status' in spoilt)
      return refuse(response, vendor, { status: spoilt.status, message: 'scripted' });
    const joined = (some: string[]) => some.map((line) => `${line}\n`).join('');
    const text = joined(lines);
    const length = { 'content-length': Buffer.byteLength(text) };
    response.writeHead(200, { 'content-type': 'application/x-jsonl', ...length });
    if (spoilt === null) return void response.end(text);
    if (spoilt === 'cut') {
      const half = text.slice(0, Math.ceil(text.length / 2));
      return void response.write(half, () => response.socket?.destroy());
    }
    const half = joined(lines.slice(0, Math.ceil(lines.length / 2)));
    response.write(half);
    void spoilt.after.then(() => response.end(text.slice(half.length)));
  };

  const upload = (call: Call) => {
    const parts = multipart(call.raw, call.request.headers['content-type'] ?? '');
    const file = parts?.get('file');
    if (parts?.get('purpose')?.text !== 'batch' || file?.filename?.endsWith('.jsonl') !== true)
      return refuseAs(
        'openai',
        call,
        'a multipart form with purpose=batch and a .jsonl file is wanted',
      );
    const id = `file-${++last}`;
    files.set(id, file.text);
    reply(call.response, 200, {
      id,
      object: 'file',
      bytes: Buffer.byteLength(file.text),
      created_at: 1_700_000_000,
      filename: file.filename,
      purpose: 'batch',
      status: 'processed',
    });
  };
  const createOpenai = (call: Call) => {
    const { data, error } = openaiCreate.safeParse(parsed(call.raw));
    if (error !== undefined) return refuseAs('openai', call, firstIssue(error));
    const text = files.get(data.input_file_id);
    if (text === undefined) return refuseAs('openai', call, 'No such File object');
    created('openai', call, () =>
      beginFile({ file: data.input_file_id, text, endpoint: data.endpoint }, call.request),
    );
  };
  /** An invalid file creates a batch that fails validation. */
  const beginFile = (
    { file, text, endpoint }: { file: string; text: string; endpoint: string },
    request: http.IncomingMessage,
  ): Kept => {
    const lines = text.trimEnd().split('\n');
    const read = lines.map((line) => openaiLine.safeParse(parsed(Buffer.from(line))));
    const bad = read.find(({ success }) => !success);
    const entries = read.flatMap(({ data }) => data ?? []);
    const strange = entries.find(({ url }) => url !== endpoint);
    const begun: Begun =
      bad !== undefined || strange !== undefined || lines.length > 50_000
        ? { problem: bad?.error?.message ?? strange?.url ?? 'too many requests' }
        : begin('openai', entries, request);
    const about = { file, bytes: Buffer.byteLength(text) };
    if ('id' in begun) return Object.assign(begun, about);
    refused.push(begun.problem ?? '');
    return keep('openai', { ...about, state: 'failed', problem: begun.problem });
  };
  const createAnthropic = (call: Call) => {
    const { headers } = call.request;
    const isJson = headers['content-type']?.startsWith('application/json') === true;
    if (headers['anthropic-version'] === undefined || !isJson)
      return refuseAs('anthropic', call, 'anthropic-version: header is required');
    const { data, error } = anthropicCreate.safeParse(parsed(call.raw));
    if (error !== undefined) return refuseAs('anthropic', call, firstIssue(error));
    const entries = data.requests.map(({ custom_id, params }) => ({ custom_id, body: params }));
    created('anthropic', call, () => {
      const begun = begin('anthropic', entries, call.request);
      return 'id' in begun ? Object.assign(begun, { bytes: call.raw.byteLength }) : begun;
    });
  };
  const missing = (vendor: Api, { response }: Call) => {
    const type = vendor === 'openai' ? BAD_REQUEST : 'not_found_error';
    refuse(response, vendor, { status: 404, message: 'No such batch', type });
  };
  const show = async (vendor: Api, call: Call, id: string) => {
    const batch = batches.find((kept) => kept.id === id);
    if (batch === undefined) return missing(vendor, call);
    const found = script.look?.(batch) ?? (batch.looks === 0 ? 'working' : 'ended');
    batch.looks += 1;
    if (found === 'unknown') return missing(vendor, call);
    if (typeof found === 'object')
      return refuse(call.response, vendor, { status: found.status, message: 'scripted' });
    if (batch.state === 'working') batch.state = found;
    if (batch.state === 'failed') batch.problem ??= 'scripted failure';
    else if (batch.state !== 'working') await finish(batch);
    reply(call.response, 200, shownBatch(batch));
  };
  const download = (vendor: Api, call: Call, id: string, kind: 'output' | 'errors') => {
    const lines = batches.find((batch) => batch.id === id)?.[kind];
    return lines ? sendLines(call, vendor, lines) : missing(vendor, call);
  };

  type Handler = (call: Call, id: string) => void | Promise<void>;
  const routes: [RegExp, Handler][] = [
    [/^POST \/v1\/files$/, upload],
    [/^POST \/v1\/batches$/, createOpenai],
    [/^GET \/v1\/batches\/([\w-]+)$/, (call, id) => show('openai', call, id)],
    [
      /^GET \/v1\/files\/file-(?:out|err)-([\w-]+)\/content$/,
      (call, id) =>
        download('openai', call, id, call.request.url?.includes('-out-') ? 'output' : 'errors'),
    ],
    [/^POST \/v1\/messages\/batches$/, createAnthropic],
    [/^GET \/v1\/messages\/batches\/([\w-]+)$/, (call, id) => show('anthropic', call, id)],
    [
      /^GET \/v1\/messages\/batches\/([\w-]+)\/results$/,
      (call, id) => download('anthropic', call, id, 'output'),
    ],
  ];
  return {
    batches: batches as StoodBatch[],
    /** Returns false if the request is not about batches. */
    async handle(call: Call) {
      const asked = `${call.request.method ?? ''} ${call.request.url ?? ''}`;
      const [pattern, route] = routes.find(([each]) => each.test(asked)) ?? [];
      await route?.(call, pattern?.exec(asked)?.[1] ?? '');
      return route !== undefined;
    },
  };
}

const BAD_REQUEST = 'invalid_request_error';
const LEFT = { expired: 'batch_expired', canceled: 'batch_cancelled' };

/** A result line without its id. */
function resultOf(seen: Seen, left: keyof typeof LEFT | null, scripted: Scripted): object {
  const { status = 200 } = scripted;
  const body: unknown =
    scripted.body === undefined ? answerBody(seen, scripted) : JSON.parse(String(scripted.body));
  if (seen.vendor === 'anthropic') {
    if (left !== null) return { result: { type: left } };
    const isOk = status === 200;
    return {
      result: isOk ? { type: 'succeeded', message: body } : { type: 'errored', error: body },
    };
  }
  const message = 'This request could not be executed before the completion window expired.';
  const request_id = `req_${seen.index}`;
  return {
    id: `batch_req_${seen.index}`,
    response: left === null ? { status_code: status, request_id, body } : null,
    error: left === null ? null : { code: LEFT[left], message },
  };
}

const shownBatch = (batch: Kept): unknown =>
  batch.vendor === 'openai' ? openaiBatch(batch) : anthropicBatch(batch);

const OPENAI_STATES = {
  working: 'in_progress',
  ended: 'completed',
  expired: 'expired',
  canceled: 'cancelled',
  failed: 'failed',
};

function openaiBatch({ id, requests, state, problem, output, errors, file }: Kept): unknown {
  const total = requests.length;
  const faults = [{ code: 'invalid_request', message: problem, line: 1, param: null }];
  return {
    id,
    object: 'batch',
    endpoint: '/v1/chat/completions',
    input_file_id: file,
    completion_window: '24h',
    created_at: 1_700_000_000,
    model: requests[0]?.model,
    status: OPENAI_STATES[state],
    ...(problem === null ? {} : { errors: { object: 'list', data: faults } }),
    ...(output?.length ? { output_file_id: `file-out-${id}` } : {}),
    ...(errors?.length ? { error_file_id: `file-err-${id}` } : {}),
    request_counts: { total, completed: state === 'working' ? 0 : total, failed: 0 },
    metadata: null,
  };
}

function anthropicBatch({ id, requests, state }: Kept): unknown {
  const ended = state !== 'working';
  const [processing, succeeded] = ended ? [0, requests.length] : [requests.length, 0];
  return {
    id,
    type: 'message_batch',
    processing_status: ended ? 'ended' : 'in_progress',
    archived_at: null,
    cancel_initiated_at: null,
    created_at: '2026-01-02T03:04:05Z',
    ended_at: ended ? '2026-01-02T04:04:05Z' : null,
    expires_at: '2026-01-03T03:04:05Z',
    // A URL that clients must not follow.
    results_url: ended ? 'https://elsewhere.example/results' : null,
    request_counts: { canceled: 0, errored: 0, expired: 0, processing, succeeded },
  };
}

/** The vendor whose key a batch request needs; null for other requests. */
export function vendorOfBatch(url: string | undefined): Api | null {
  if (/^\/v1\/(files|batches)(\/|$)/.test(url ?? '')) return 'openai';
  return /^\/v1\/messages\/batches(\/|$)/.test(url ?? '') ? 'anthropic' : null;
}

const firstIssue = ({ issues: [issue] }: z.ZodError) =>
  `${issue?.path.join('.')}: ${issue?.message}`;

function parsed(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The fields of a multipart form (RFC 7578). */
function multipart(raw: Buffer, type: string) {
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(type)?.[1];
  if (boundary === undefined) return null;
  const pieces = raw.toString('utf8').split(`--${boundary}`);
  if (pieces.at(-1)?.trim() !== '--') return null;
  return new Map(
    pieces.slice(1, -1).map((piece) => {
      const [head = '', ...rest] = piece.replace(/^\r\n/, '').split('\r\n\r\n');
      const field = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(head)?.[1] ?? null;
      const text = rest.join('\r\n\r\n').replace(/\r\n$/, '');
      return [field('name') ?? '', { filename: field('filename'), text }];
    }),
  );
}
