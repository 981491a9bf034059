import type OpenAI from 'openai';
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

export const OPENAI_BATCH = { requests: 50_000, bytes: 200_000_000 };

export const CHAT_PATH = '/chat/completions';

export async function openaiClient(connection: VendorConnection): Promise<OpenAI> {
  const { default: Client } = await import('openai');
  // Sets every credential, so that the SDK reads none from the environment.
  return new Client({
    apiKey: 'added-by-the-transport',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: connection.baseUrl,
    fetch: connection.fetch,
    maxRetries: 0,
    timeout: connection.timeoutMs,
    logLevel: 'off',
  });
}

export const openaiBatches: BatchApi = {
  limits: OPENAI_BATCH,
  bytes: (id, body, path) => Buffer.byteLength(batchLine(id, body, path)),
  async connect({ download, ...connection }) {
    const { toStreamingFile } = await import('openai');
    const client = await openaiClient(connection);
    const downloads = client.withOptions({ fetch: download });
    return {
      async upload(items) {
        const file = await client.files.create({
          file: toStreamingFile(batchLines(items), 'evaldiff.jsonl', { type: 'application/jsonl' }),
          purpose: 'batch',
        });
        return isId(file?.id) ? { file: file.id } : null;
      },
      async create([first], { file }) {
        if (file === null) return null;
        const batch = await client.batches.create({
          input_file_id: file,
          endpoint: `/v1${first?.path ?? CHAT_PATH}` as '/v1/chat/completions',
          completion_window: '24h',
        });
        return isId(batch?.id) ? batch.id : null;
      },
      state: async (id) => openAiBatchState(await client.batches.retrieve(id)),
      async *results(_, { files }) {
        for (const file of files) {
          const { body } = await downloads.files.content(file);
          if (body !== null) yield body;
        }
      },
      readLine: readOpenAiLine,
    } satisfies BatchServer;
  },
};

function batchLine(id: string, body: string, path = CHAT_PATH): string {
  return `{"custom_id":${JSON.stringify(id)},"method":"POST","url":"/v1${path}","body":${body}}\n`;
}

async function* batchLines(items: readonly BatchItem[]): AsyncGenerator<Uint8Array> {
  for (const { id, body, path } of items)
    yield Buffer.from(batchLine(id, JSON.stringify(await body()), path));
}

const batchCounts = z.record(z.string(), z.int().nonnegative().catch(0)).catch({}).default({});

const errors = z
  .object({
    data: z.array(z.object({ code: z.string().nullish(), message: z.string().nullish() })),
  })
  .transform(({ data: [first] }) => ({ code: first?.code ?? '', said: first?.message ?? '' }))
  .catch({ code: '', said: '' });

const file = z.string().nullish();

const batch = z.discriminatedUnion('status', [
  z.object({
    status: z.enum(['validating', 'in_progress', 'finalizing', 'cancelling']),
    request_counts: batchCounts,
  }),
  z.object({
    status: z.enum(['completed', 'expired', 'cancelled']),
    output_file_id: file,
    error_file_id: file,
  }),
  z.object({ status: z.literal('failed'), errors }),
]);

const UNANSWERED_STATUS = { completed: null, expired: 'expired', cancelled: 'canceled' } as const;

function openAiBatchState(reply: unknown): BatchState | null {
  const parsed = batch.safeParse(reply);
  if (!parsed.success) return null;
  const { data } = parsed;
  switch (data.status) {
    case 'failed':
      return { status: 'failed', ...data.errors };
    case 'completed':
    case 'expired':
    case 'cancelled':
      return {
        status: 'ended',
        files: [data.output_file_id, data.error_file_id].filter(isId),
        left: UNANSWERED_STATUS[data.status],
      };
    default: {
      const { completed = 0, failed = 0, total = 0 } = data.request_counts;
      return { status: 'waiting', done: completed + failed, total };
    }
  }
}

const batchError = z.object({
  code: z.string().nullish(),
  message: z.string().nullish(),
  type: z.string().nullish(),
  param: z.string().nullish(),
});

const openAiLine = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.int().min(100).max(599), body: z.unknown() }).nullish(),
  error: batchError.nullish().catch(null),
});

function readOpenAiLine(data: unknown): BatchLine | null {
  const parsed = openAiLine.safeParse(data);
  if (!parsed.success) return null;
  const { custom_id: id, response, error } = parsed.data;
  if (response) {
    const { status_code: status, body } = response;
    if (status < 300) return { id, outcome: { kind: 'reply', data: body } };
    return { id, outcome: failed(status, batchError.catch({}).parse(member(body, 'error'))) };
  }
  if (!error) return null;
  if (error.code === 'batch_expired') return { id, outcome: { kind: 'expired' } };
  if (error.code === 'batch_cancelled') return { id, outcome: { kind: 'canceled' } };
  return { id, outcome: failed(500, error) };
}

function failed(
  status: number,
  { code, type, param, message }: z.output<typeof batchError>,
): BatchLine['outcome'] {
  const codes = `${code ?? ''} ${type ?? ''} ${param ?? ''}`.trim();
  return { kind: 'error', status, code: codes, said: message ?? '' };
}
