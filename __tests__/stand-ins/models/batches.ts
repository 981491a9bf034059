import type http from 'node:http';
import { z } from 'zod';
import type { Api } from '../../../src/types/vendors/facts.ts';
import type { Scripted, Seen } from './server.ts';

/**
 * Both vendors' batches: OpenAI's files and batches, Anthropic's message batches, from their
 * published API (the type declarations of their SDKs, and the guides' lines of input and output).
 * Results come in reverse order, as they may.
 */

/** A batch as the stand-in keeps it, for scripts and assertions. */
export interface StoodBatch {
  id: string;
  vendor: Api;
  /** In the order they were sent. */
  customIds: string[];
  requests: Seen[];
  /** How often it was looked at. */
  looks: number;
  /** Of the file, or of the request that holds all. */
  bytes: number;
}

export interface BatchScript {
  /** What a look finds. Default: `working` at the first, `ended` from the second on. */
  look?(
    batch: StoodBatch,
  ): 'working' | 'ended' | 'expired' | 'canceled' | 'failed' | 'unknown' | { status: number };
  /**
   * For single requests: without a result, or not answered. The rest is answered as the server's
   * script says.
   */
  line?(seen: Seen): 'missing' | 'expired' | 'canceled' | null;
  /** The lines as they would be sent, to be spoilt. */
  lines?(lines: string[]): string[];
  /**
   * Instead of the n-th (from 0) creation or download of results: a status, or a connection that
   * breaks.
   */
  create?(
    nth: number,
  ): { status: number; headers?: Record<string, string> } | 'reset' | 'created-reset' | null;
  /** `after`: the second half of the results comes when that is over. */
  results?(nth: number): { status: number } | 'cut' | { after: Promise<void> } | null;
}

export interface BatchTools {
  /** A request in the vendor's form, or what is wrong with it. */
  check(
    vendor: Api,
    body: unknown,
  ): Pick<Seen, 'model' | 'messages' | 'body' | 'schema'> | { problem: string };
  answer(seen: Seen): Scripted | Promise<Scripted>;
  replyBody(seen: Seen, scripted: Scripted): unknown;
  errorBody(vendor: Api, error: NonNullable<Scripted['error']>, status: number): unknown;
  reply(
    response: http.ServerResponse,
    status: number,
    body: unknown,
    headers?: Record<string, string>,
  ): void;
}

export interface StoodBatches {
  batches: StoodBatch[];
  /** False when the request is not about batches. */
  handle(
    request: http.IncomingMessage,
    raw: Buffer,
    response: http.ServerResponse,
  ): Promise<boolean>;
}

interface Kept extends StoodBatch {
  state: 'working' | 'ended' | 'expired' | 'canceled' | 'failed';
  file: string | null;
  problem: string | null;
  output: string[] | null;
  errors: string[] | null;
}

const openaiLine = z.strictObject({
  custom_id: z.string().min(1),
  method: z.literal('POST'),
  url: z.literal('/v1/chat/completions'),
  body: z.record(z.string(), z.unknown()),
});
const openaiCreate = z.strictObject({
  input_file_id: z.string(),
  endpoint: z.literal('/v1/chat/completions'),
  completion_window: z.literal('24h'),
  metadata: z.record(z.string(), z.string()).nullish(),
});
const anthropicCreate = z.strictObject({
  requests: z
    .array(
      z.strictObject({
        custom_id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
        params: z.record(z.string(), z.unknown()),
      }),
    )
    .min(1)
    .max(100_000),
});

export function createStoodBatches(
  script: BatchScript,
  tools: BatchTools,
  refused: string[],
): StoodBatches {
  const batches: Kept[] = [];
  const files = new Map<string, string>();
  /** What is wrong with single requests. */
  const bad = new Map<string, string>();
  const counts = { create: 0, results: 0 };
  let last = 0;

  const begin = (
    vendor: Api,
    entries: { custom_id: string; body: unknown }[],
    headers: http.IncomingHttpHeaders,
    file: string | null,
    bytes: number,
  ): Kept | { problem: string } => {
    const ids = new Set<string>();
    const requests: Seen[] = [];
    last += 1;
    for (const { custom_id, body } of entries) {
      if (ids.has(custom_id))
        return { problem: `The custom_id '${custom_id}' is used more than once.` };
      ids.add(custom_id);
      const checked = tools.check(vendor, body);
      // Each request is checked when its turn comes, so that a bad one is an error of its own.
      const known =
        'problem' in checked
          ? {
              model: String((body as { model?: unknown }).model),
              messages: [],
              body: body as Record<string, unknown>,
              schema: null,
            }
          : checked;
      if ('problem' in checked) {
        bad.set(`${custom_id} ${String(last)}`, checked.problem);
        refused.push(checked.problem);
      }
      requests.push({ ...known, embedding: false, vendor, index: requests.length, headers });
    }
    if (vendor === 'openai' && new Set(requests.map(({ model }) => model)).size > 1)
      return { problem: 'The batch contains requests for more than one model.' };
    const id = vendor === 'openai' ? `batch_${last}` : `msgbatch_${last}`;
    const batch: Kept = {
      id,
      vendor,
      customIds: [...ids],
      requests,
      looks: 0,
      bytes,
      state: 'working',
      file,
      problem: null,
      output: null,
      errors: null,
    };
    batches.push(batch);
    return batch;
  };

  const look = (batch: Kept): 'unknown' | number | null => {
    const found = script.look?.(batch) ?? (batch.looks === 0 ? 'working' : 'ended');
    batch.looks += 1;
    if (found === 'unknown') return 'unknown';
    if (typeof found === 'object') return found.status;
    if (batch.state === 'working') batch.state = found;
    return null;
  };

  /** Makes the results, once. */
  const finish = async (batch: Kept): Promise<void> => {
    if (batch.output !== null) return;
    const [output, errors]: [string[], string[]] = [[], []];
    for (const [index, seen] of batch.requests.entries()) {
      const custom_id = batch.customIds[index];
      const left =
        script.line?.(seen) ??
        (batch.state === 'expired' || batch.state === 'canceled' ? batch.state : null);
      if (left === 'missing') continue;
      const problem = bad.get(`${custom_id} ${batch.id.replace(/\D/g, '')}`);
      const scripted: Scripted =
        problem !== undefined
          ? { status: 400, error: { message: problem, type: 'invalid_request_error' } }
          : left === null
            ? await tools.answer(seen)
            : {};
      const status = scripted.status ?? 200;
      const line =
        batch.vendor === 'openai'
          ? openaiResult(custom_id, seen, left, status, scripted)
          : anthropicResult(custom_id, seen, left, status, scripted);
      (batch.vendor === 'openai' && (left !== null || status !== 200) ? errors : output).push(
        JSON.stringify(line),
      );
    }
    const spoil = (lines: string[]): string[] => (script.lines ?? ((all) => all))(lines.reverse());
    [batch.output, batch.errors] = [spoil(output), spoil(errors)];
  };
  const openaiResult = (
    custom_id: unknown,
    seen: Seen,
    left: 'expired' | 'canceled' | null,
    status: number,
    scripted: Scripted,
  ): unknown => ({
    id: `batch_req_${seen.index}`,
    custom_id,
    response:
      left !== null
        ? null
        : {
            status_code: status,
            request_id: `req_${seen.index}`,
            body: bodyOf(seen, status, scripted),
          },
    error:
      left === null
        ? null
        : {
            code: left === 'expired' ? 'batch_expired' : 'batch_cancelled',
            message: 'This request could not be executed before the completion window expired.',
          },
  });
  const anthropicResult = (
    custom_id: unknown,
    seen: Seen,
    left: 'expired' | 'canceled' | null,
    status: number,
    scripted: Scripted,
  ): unknown => ({
    custom_id,
    result:
      left !== null
        ? { type: left }
        : status === 200
          ? { type: 'succeeded', message: bodyOf(seen, status, scripted) }
          : { type: 'errored', error: bodyOf(seen, status, scripted) },
  });
  const bodyOf = (seen: Seen, status: number, scripted: Scripted): unknown =>
    scripted.body !== undefined
      ? (JSON.parse(String(scripted.body)) as unknown)
      : status === 200
        ? tools.replyBody(seen, scripted)
        : tools.errorBody(seen.vendor, scripted.error ?? { message: `scripted ${status}` }, status);

  const counted = ({ requests, state }: Kept) => ({
    total: requests.length,
    done: state === 'working' ? 0 : requests.length,
  });
  const openaiBatch = (batch: Kept): unknown => ({
    id: batch.id,
    object: 'batch',
    endpoint: '/v1/chat/completions',
    input_file_id: batch.file,
    completion_window: '24h',
    created_at: 1_700_000_000,
    model: batch.requests[0]?.model,
    status: {
      working: 'in_progress',
      ended: 'completed',
      expired: 'expired',
      canceled: 'cancelled',
      failed: 'failed',
    }[batch.state],
    ...(batch.problem === null
      ? {}
      : {
          errors: {
            object: 'list',
            data: [{ code: 'invalid_request', message: batch.problem, line: 1, param: null }],
          },
        }),
    ...(batch.output !== null && batch.output.length > 0
      ? { output_file_id: `file-out-${batch.id}` }
      : {}),
    ...(batch.errors !== null && batch.errors.length > 0
      ? { error_file_id: `file-err-${batch.id}` }
      : {}),
    request_counts: { total: counted(batch).total, completed: counted(batch).done, failed: 0 },
    metadata: null,
  });
  const anthropicBatch = (batch: Kept): unknown => {
    const ended = batch.state !== 'working';
    return {
      id: batch.id,
      type: 'message_batch',
      processing_status: ended ? 'ended' : 'in_progress',
      archived_at: null,
      cancel_initiated_at: null,
      created_at: '2026-01-02T03:04:05Z',
      ended_at: ended ? '2026-01-02T04:04:05Z' : null,
      expires_at: '2026-01-03T03:04:05Z',
      // An address that must not be followed.
      results_url: ended ? 'https://elsewhere.example/results' : null,
      request_counts: {
        canceled: 0,
        errored: 0,
        expired: 0,
        processing: ended ? 0 : batch.requests.length,
        succeeded: ended ? batch.requests.length : 0,
      },
    };
  };

  const refuse = (response: http.ServerResponse, vendor: Api, problem: string): void => {
    refused.push(problem);
    tools.reply(
      response,
      400,
      tools.errorBody(vendor, { message: problem, type: 'invalid_request_error' }, 400),
    );
  };
  const missing = (response: http.ServerResponse, vendor: Api): void =>
    tools.reply(
      response,
      404,
      tools.errorBody(
        vendor,
        {
          message: 'No such batch',
          type: vendor === 'openai' ? 'invalid_request_error' : 'not_found_error',
        },
        404,
      ),
    );
  /** True when the script replaced the creation. */
  const spoiltCreation = (
    response: http.ServerResponse,
    vendor: Api,
    create: () => void,
  ): boolean => {
    const spoilt = script.create?.(counts.create++) ?? null;
    if (spoilt === null) return false;
    if (spoilt === 'created-reset') create();
    if (typeof spoilt === 'string') response.socket?.destroy();
    else
      tools.reply(
        response,
        spoilt.status,
        tools.errorBody(vendor, { message: 'scripted' }, spoilt.status),
        spoilt.headers,
      );
    return true;
  };
  const sendLines = (response: http.ServerResponse, vendor: Api, lines: string[]): void => {
    const spoilt = script.results?.(counts.results++) ?? null;
    const text = lines.map((line) => `${line}\n`).join('');
    if (spoilt !== null && spoilt !== 'cut' && 'status' in spoilt)
      return tools.reply(
        response,
        spoilt.status,
        tools.errorBody(vendor, { message: 'scripted' }, spoilt.status),
      );
    response.writeHead(200, {
      'content-type': 'application/x-jsonl',
      'content-length': Buffer.byteLength(text),
    });
    if (spoilt === 'cut')
      response.write(text.slice(0, Math.ceil(text.length / 2)), () => response.socket?.destroy());
    else if (spoilt === null) response.end(text);
    else {
      const half = lines
        .slice(0, Math.ceil(lines.length / 2))
        .map((line) => `${line}\n`)
        .join('');
      response.write(half);
      void spoilt.after.then(() => response.end(text.slice(half.length)));
    }
  };

  const upload = (
    raw: Buffer,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): void => {
    const parts = multipart(raw, request.headers['content-type'] ?? '');
    const file = parts?.get('file');
    if (
      parts === null ||
      parts.get('purpose')?.text !== 'batch' ||
      file?.filename?.endsWith('.jsonl') !== true
    )
      return refuse(
        response,
        'openai',
        'a multipart form with purpose=batch and a .jsonl file is wanted',
      );
    const id = `file-${++last}`;
    files.set(id, file.text);
    tools.reply(response, 200, {
      id,
      object: 'file',
      bytes: Buffer.byteLength(file.text),
      created_at: 1_700_000_000,
      filename: file.filename,
      purpose: 'batch',
      status: 'processed',
    });
  };
  const createOpenai = (
    raw: Buffer,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): void => {
    const body = openaiCreate.safeParse(parsed(raw));
    const text = files.get(body.data?.input_file_id ?? '');
    if (!body.success || text === undefined)
      return refuse(
        response,
        'openai',
        body.success
          ? 'No such File object'
          : `${body.error.issues[0]?.path.join('.')}: ${body.error.issues[0]?.message}`,
      );
    let made: Kept | null = null;
    const create = (): void => {
      made = beginFile(body.data.input_file_id, text, request.headers);
    };
    if (spoiltCreation(response, 'openai', create)) return;
    create();
    tools.reply(response, 200, openaiBatch(made!));
  };
  /** A file that breaks the rules makes a batch that fails when it is validated. */
  const beginFile = (file: string, text: string, headers: http.IncomingHttpHeaders): Kept => {
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => openaiLine.safeParse(parsed(Buffer.from(line))));
    const bad = lines.find(({ success }) => !success);
    const begun =
      bad !== undefined || lines.length > 50_000
        ? { problem: bad?.error?.message ?? 'too many requests' }
        : begin(
            'openai',
            lines.map(({ data }) => ({ custom_id: data!.custom_id, body: data!.body })),
            headers,
            file,
            Buffer.byteLength(text),
          );
    if (!('problem' in begun) || 'id' in begun) return begun as Kept;
    refused.push(begun.problem);
    const failed: Kept = {
      id: `batch_${++last}`,
      vendor: 'openai',
      customIds: [],
      requests: [],
      looks: 0,
      bytes: Buffer.byteLength(text),
      state: 'failed',
      file,
      problem: begun.problem,
      output: null,
      errors: null,
    };
    batches.push(failed);
    return failed;
  };
  const createAnthropic = (
    raw: Buffer,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): void => {
    if (
      request.headers['anthropic-version'] === undefined ||
      request.headers['content-type']?.startsWith('application/json') !== true
    )
      return refuse(response, 'anthropic', 'anthropic-version: header is required');
    const body = anthropicCreate.safeParse(parsed(raw));
    if (!body.success)
      return refuse(
        response,
        'anthropic',
        `${body.error.issues[0]?.path.join('.')}: ${body.error.issues[0]?.message}`,
      );
    let made: Kept | { problem: string } | null = null;
    const create = (): void => {
      made = begin(
        'anthropic',
        body.data.requests.map(({ custom_id, params }) => ({ custom_id, body: params })),
        request.headers,
        null,
        raw.byteLength,
      );
    };
    if (spoiltCreation(response, 'anthropic', create)) return;
    create();
    const begun = made as Kept | { problem: string } | null;
    if (begun === null || !('id' in begun))
      return refuse(response, 'anthropic', begun?.problem ?? '');
    tools.reply(response, 200, anthropicBatch(begun));
  };
  const show = async (id: string, response: http.ServerResponse, vendor: Api): Promise<void> => {
    const batch = batches.find((kept) => kept.id === id);
    if (batch === undefined) return missing(response, vendor);
    const found = look(batch);
    if (found === 'unknown') return missing(response, vendor);
    if (found !== null)
      return tools.reply(response, found, tools.errorBody(vendor, { message: 'scripted' }, found));
    if (batch.state === 'failed') batch.problem ??= 'scripted failure';
    if (batch.state !== 'working' && batch.state !== 'failed') await finish(batch);
    tools.reply(response, 200, vendor === 'openai' ? openaiBatch(batch) : anthropicBatch(batch));
  };

  const routes: [
    string,
    RegExp,
    (
      match: RegExpExecArray,
      raw: Buffer,
      request: http.IncomingMessage,
      response: http.ServerResponse,
    ) => void | Promise<void>,
  ][] = [
    ['POST', /^\/v1\/files$/, (_, raw, request, response) => upload(raw, request, response)],
    [
      'POST',
      /^\/v1\/batches$/,
      (_, raw, request, response) => createOpenai(raw, request, response),
    ],
    [
      'GET',
      /^\/v1\/batches\/([\w-]+)$/,
      (match, _, __, response) => show(match[1] ?? '', response, 'openai'),
    ],
    [
      'GET',
      /^\/v1\/files\/file-(out|err)-([\w-]+)\/content$/,
      (match, _, __, response) => {
        const batch = batches.find(({ id }) => id === match[2]);
        const lines = match[1] === 'out' ? batch?.output : batch?.errors;
        return lines ? sendLines(response, 'openai', lines) : missing(response, 'openai');
      },
    ],
    [
      'POST',
      /^\/v1\/messages\/batches$/,
      (_, raw, request, response) => createAnthropic(raw, request, response),
    ],
    [
      'GET',
      /^\/v1\/messages\/batches\/([\w-]+)$/,
      (match, _, __, response) => show(match[1] ?? '', response, 'anthropic'),
    ],
    [
      'GET',
      /^\/v1\/messages\/batches\/([\w-]+)\/results$/,
      (match, _, __, response) => {
        const batch = batches.find(({ id }) => id === match[1]);
        return batch?.output
          ? sendLines(response, 'anthropic', batch.output)
          : missing(response, 'anthropic');
      },
    ],
  ];
  return {
    batches,
    async handle(request, raw, response) {
      for (const [method, path, route] of routes) {
        const match = request.method === method ? path.exec(request.url ?? '') : null;
        if (match === null) continue;
        await route(match, raw, request, response);
        return true;
      }
      return false;
    },
  };
}

/** Whose key a request about batches has to carry; null for others. */
export function vendorOfBatch(url: string | undefined): Api | null {
  if (/^\/v1\/(files|batches)(\/|$)/.test(url ?? '')) return 'openai';
  return /^\/v1\/messages\/batches(\/|$)/.test(url ?? '') ? 'anthropic' : null;
}

function parsed(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The fields of a multipart form, read as RFC 7578 has them. */
function multipart(
  raw: Buffer,
  type: string,
): Map<string, { filename: string | null; text: string }> | null {
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(type)?.[1];
  if (boundary === undefined) return null;
  const pieces = raw.toString('utf8').split(`--${boundary}`);
  if (pieces.at(-1)?.trim() !== '--') return null;
  return new Map(
    pieces.slice(1, -1).map((piece) => {
      const [head = '', ...rest] = piece.replace(/^\r\n/, '').split('\r\n\r\n');
      return [
        /name="([^"]*)"/.exec(head)?.[1] ?? '',
        {
          filename: /filename="([^"]*)"/.exec(head)?.[1] ?? null,
          text: rest.join('\r\n\r\n').replace(/\r\n$/, ''),
        },
      ];
    }),
  );
}
