import type Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import { member } from '../../../types/plain.ts';
import {
  isId,
  type BatchApi,
  type BatchItem,
  type BatchLine,
  type BatchServer,
  type BatchState,
  type VendorConnection,
} from './vendor.ts';

export const ANTHROPIC_BATCH = { requests: 100_000, bytes: 256_000_000 };

const PATH = '/v1/messages/batches';

const [OPEN, CLOSE] = ['{"requests":[', ']}'];

export async function anthropicClient(connection: VendorConnection): Promise<Anthropic> {
  const { default: Client } = await import('@anthropic-ai/sdk');
  return new Client({
    apiKey: 'added-by-the-transport',
    webhookKey: null,
    baseURL: connection.baseUrl,
    fetch: connection.fetch,
    maxRetries: 0,
    timeout: connection.timeoutMs,
    logLevel: 'off',
    openTelemetry: false,
  });
}

export const anthropicBatches: BatchApi = {
  limits: { ...ANTHROPIC_BATCH, bytes: ANTHROPIC_BATCH.bytes - OPEN.length - CLOSE.length },
  bytes: (id, body) => Buffer.byteLength(batchRequestJson(id, body)) + 1,
  async connect({ download, ...connection }) {
    const client = await anthropicClient(connection);
    const downloads = client.withOptions({ fetch: download });
    return {
      upload: () => Promise.resolve({ file: null }),
      async create(items) {
        // `batches.create` would keep all requests in memory twice.
        const body = ReadableStream.from(batchBody(items));
        const reply: unknown = await client.post(PATH, {
          body,
          headers: { 'content-type': 'application/json' },
        });
        const id = member(reply, 'id');
        return isId(id) ? id : null;
      },
      state: async (id) => stateOf(await client.messages.batches.retrieve(id)),
      async *results(id) {
        // Builds the address from the id, because `results_url` could send the key elsewhere.
        const response = await downloads
          .get(`${PATH}/${id}/results`, { headers: { accept: 'application/binary' } })
          .asResponse();
        if (response.body !== null) yield response.body;
      },
      readLine: readAnthropicLine,
    } satisfies BatchServer;
  },
};

function batchRequestJson(id: string, params: string): string {
  return `{"custom_id":${JSON.stringify(id)},"params":${params}}`;
}

async function* batchBody(items: readonly BatchItem[]): AsyncGenerator<Uint8Array> {
  let before = OPEN;
  for (const { id, body } of items) {
    yield Buffer.from(`${before}${batchRequestJson(id, JSON.stringify(await body()))}`);
    before = ',';
  }
  yield Buffer.from(items.length === 0 ? `${OPEN}${CLOSE}` : CLOSE);
}

const anthropicBatch = z.object({
  processing_status: z.enum(['in_progress', 'canceling', 'ended']),
  request_counts: z.record(z.string(), z.int().nonnegative().catch(0)).catch({}).default({}),
});

function stateOf(reply: unknown): BatchState | null {
  const parsed = anthropicBatch.safeParse(reply);
  if (!parsed.success) return null;
  if (parsed.data.processing_status === 'ended') return { status: 'ended', files: [], left: null };
  const { processing = 0, ...ended } = parsed.data.request_counts;
  const done = Object.values(ended).reduce((sum, count) => sum + count, 0);
  return { status: 'waiting', done, total: done + processing };
}

const STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

const anthropicLine = z.object({
  custom_id: z.string(),
  result: z.discriminatedUnion('type', [
    z.object({ type: z.literal('succeeded'), message: z.unknown() }),
    z.object({
      type: z.literal('errored'),
      error: z.object({
        error: z.object({ type: z.string().catch(''), message: z.string().catch('') }),
      }),
    }),
    z.object({ type: z.literal('canceled') }),
    z.object({ type: z.literal('expired') }),
  ]),
});

function readAnthropicLine(data: unknown): BatchLine | null {
  const parsed = anthropicLine.safeParse(data);
  if (!parsed.success) return null;
  const { custom_id: id, result } = parsed.data;
  switch (result.type) {
    case 'succeeded':
      return { id, outcome: { kind: 'reply', data: result.message } };
    case 'canceled':
    case 'expired':
      return { id, outcome: { kind: result.type } };
    case 'errored': {
      const { type, message } = result.error.error;
      return {
        id,
        outcome: { kind: 'error', status: STATUS[type] ?? 500, code: type, said: message },
      };
    }
  }
}
