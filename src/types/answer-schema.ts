import { z } from 'zod';

const count = z.int().nonnegative();

const digest = z.string().regex(/^[0-9a-f]{64}$/);

const toolName = z.string().describe('Name of the tool.');

const callArguments = z.string().describe('The arguments as JSON text, as the model wrote it.');

const kindOf = <T extends string>(type: T) => z.literal(type).describe('The kind of part.');

export const partSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: kindOf('text'), text: z.string().describe('The text.') }),
  z.strictObject({ type: kindOf('tool_call'), name: toolName, arguments: callArguments }),
  z.strictObject({ type: kindOf('json'), value: z.json().describe('The value.') }),
  z.strictObject({
    type: kindOf('image'),
    media_type: z.string().describe('Such as `image/png`.'),
    digest: digest.describe('SHA-256 of its bytes, in hex.'),
    bytes: count.describe('Its size.'),
    data: z
      .string()
      .nullable()
      .describe(
        'Base64; null if the image is larger than 200 KB, of which only the digest is stored.',
      ),
  }),
  z.strictObject({
    type: kindOf('file'),
    path: z.string().describe('Path of the file.'),
    diff: z.string().describe('Unified diff, or the whole text of a new file.'),
  }),
  z.strictObject({
    type: kindOf('unknown'),
    kind: z.string().describe("The vendor's name for it."),
    json: z.string().describe('The part as the vendor sent it.'),
  }),
]);

export const stepSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message').describe('The kind of step.'),
    role: z.enum(['user', 'assistant']).describe('Who said it.'),
    text: z.string().describe('The text.'),
  }),
  z.strictObject({
    type: z.literal('tool_call').describe('The kind of step.'),
    name: toolName,
    arguments: callArguments,
    result: z.string().nullable().describe("The tool's result; null if there is none."),
  }),
]);

export const usageSchema = z.strictObject({
  input_tokens: count.describe('Tokens of the request.'),
  output_tokens: count.describe('Tokens of the answer.'),
  reasoning_tokens: count
    .describe('Output tokens for thinking; absent if they are not counted separately.')
    .exactOptional(),
});

export const opaqueSchema = z.strictObject({
  api: z.enum(['responses', 'chat', 'messages']),
  model: z.string(),
  data: z.json(),
});
