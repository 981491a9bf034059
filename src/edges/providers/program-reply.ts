import { z } from 'zod';
import { usageSchema } from '../../types/answer-schema.ts';
import { callsOf, partsOf, textOf, type Part, type Step } from '../../types/answer.ts';
import type { Json } from '../../types/plain.ts';
import { MOST_LEVELS, isDeeper } from '../../types/plain.ts';
import { imagePart } from './vendors/image.ts';
import type { VendorOutput } from './vendors/vendor.ts';

const text = z.string({ error: 'must be text' });

const name = text.min(1, { error: 'must not be empty' });

const json = z
  .unknown()
  .refine((value) => value !== undefined, { error: 'is missing' })
  .transform((value) => JSON.parse(JSON.stringify(value)) as Json);

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const argumentsText = z
  .union([z.string(), z.looseObject({})], { error: 'must be a map or its JSON text' })
  .transform(asText);

const fileText = text.max(1_048_576, { error: 'is longer than 1 MiB' }).optional();

const file = z
  .object({ path: name, content: fileText, diff: fileText })
  .refine(({ content, diff }) => (content === undefined) !== (diff === undefined), {
    error: 'needs either "content" or "diff"',
  })
  .transform(({ path, content = '', diff = content }): Part => ({ type: 'file', path, diff }));

const image = z
  .object({
    media_type: z.string({ error: 'must be a type such as image/png' }).regex(/^image\/[\w.+-]+$/, {
      error: 'must be a type such as image/png',
    }),
    data: z.base64({ error: 'must be base64' }),
  })
  .transform(({ media_type, data }) => imagePart(media_type, data));

const KNOWN_PARTS = new Map<string, z.ZodType<Part>>([
  ['text', z.object({ type: z.literal('text'), text })],
  ['tool_call', z.object({ type: z.literal('tool_call'), name, arguments: argumentsText })],
  ['json', z.object({ type: z.literal('json'), value: json })],
  ['image', image],
  ['file', file],
]);

const part = z
  .looseObject({ type: name }, { error: 'must be a map with a "type"' })
  .transform((given, context): Part => {
    const schema = KNOWN_PARTS.get(given.type);
    if (schema === undefined)
      return { type: 'unknown', kind: given.type, json: JSON.stringify(given) };
    const read = schema.safeParse(given);
    if (read.success) return read.data;
    for (const { path, message } of read.error.issues)
      context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  });

const step = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('message'), role: z.enum(['user', 'assistant']), text }),
    z.object({
      type: z.literal('tool_call'),
      name,
      arguments: argumentsText,
      result: z
        .unknown()
        .optional()
        .transform((given) => (given === undefined || given === null ? null : asText(given))),
    }),
  ],
  { error: 'must be "message" or "tool_call"' },
) satisfies z.ZodType<Step>;

const list = <T extends z.ZodType>(of: T) => z.array(of, { error: 'must be a list' });

const replyId = z.union([z.string(), z.number()]).transform(String);

const onlyId = z.object({ id: replyId });

const reply = z.object({
  id: replyId,
  output: text.optional(),
  parts: list(part).optional(),
  files: list(file).default([]),
  steps: list(step).default([]),
  model: name.nullable().default(null),
  usage: z.object(usageSchema.shape).nullable().default(null).catch(null),
  error: text.optional(),
  retryable: z.boolean({ error: 'must be true or false' }).default(false),
});

type Reply =
  | { kind: 'answer'; id: string; answer: VendorOutput }
  | { kind: 'error'; id: string; error: string; retryable: boolean }
  | { kind: 'odd'; id: string | null; problem: string };

export function readReply(data: unknown): Reply {
  const id = onlyId.safeParse(data).data?.id ?? null;
  if (isDeeper(data, MOST_LEVELS))
    return { kind: 'odd', id, problem: `is nested deeper than ${MOST_LEVELS} levels` };
  const read = reply.safeParse(data);
  if (!read.success) {
    const [{ path, message } = { path: [], message: 'is not JSON' }] = read.error.issues;
    return { kind: 'odd', id, problem: `${z.core.toDotPath(path)} ${message}`.trim() };
  }
  const { error, retryable, output, parts, files } = read.data;
  if (error !== undefined) return { kind: 'error', id: read.data.id, error, retryable };
  if (output !== undefined && parts !== undefined)
    return { kind: 'odd', id, problem: 'has both "output" and "parts"; "output" is a text alone' };
  if (output === undefined && parts === undefined && files.length === 0)
    return { kind: 'odd', id, problem: 'has none of "output", "parts", "files" and "error"' };
  return { kind: 'answer', id: read.data.id, answer: answerOf(read.data) };
}

function answerOf({
  output = '',
  parts: given,
  files,
  steps,
  model,
  usage,
}: z.output<typeof reply>): VendorOutput {
  const all = [...(given ?? partsOf(output)), ...files];
  const said = all.flatMap((each) => (each.type === 'text' ? each.text : [])).join('');
  const parts = [...partsOf(said), ...all.filter(({ type }) => type !== 'text')];
  const isCall = callsOf({ parts }).length > 0 && textOf({ parts }) === '';
  return {
    kind: 'answer',
    parts,
    ended: isCall ? 'tool_calls' : 'stop',
    usage,
    served: { model, fingerprint: null },
    steps,
  };
}
