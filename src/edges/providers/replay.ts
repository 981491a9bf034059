import { z } from 'zod';
import { formatProblem, problem } from '../../errors.ts';
import { shorten, visibleLine } from '../../text/visible.ts';
import { opaqueSchema, partSchema, usageSchema } from '../../types/answer-schema.ts';
import { ENDED, saysNothing, ownAnswer, partsOf, type Answer } from '../../types/answer.ts';
import type { Completion, Message, Request } from '../../types/model.ts';
import { parsedJson, type Json } from '../../types/plain.ts';

interface RecordedRequest {
  model: string;
  parameters: Record<string, Json>;
  messages: Message[];
  try: number;
  kind?: 'embedding' | undefined;
}

export interface ReplayOptions {
  readRecording(commit: string, file: string): Promise<string>;
  recordingKey(request: RecordedRequest): string;
}

type ReplayTarget = Extract<Request['target'], { provider: 'replay' }>;

type RecordedReply = z.infer<typeof recording>['reply'];

type Recordings = { replies: Map<string, RecordedReply> } | { problem: string };

const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.enum(['image', 'file']),
    path: z.string(),
    media_type: z.string(),
    id: z.string(),
    bytes: z.number(),
  }),
]);

const messageText = { content: z.string(), parts: z.array(part).exactOptional() };

const call = z.object({
  id: z.string().exactOptional(),
  name: z.string(),
  arguments: z.string(),
});

const replayedMessage = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'user']), ...messageText }),
  z.object({
    role: z.literal('assistant'),
    ...messageText,
    tool_calls: z.array(call).exactOptional(),
    opaque: opaqueSchema.exactOptional(),
  }),
  z.object({ role: z.literal('tool'), id: z.string(), name: z.string(), content: z.string() }),
]) satisfies z.ZodType<Message>;

const recording = z.object({
  request: z.object({
    provider: z.string().optional(),
    model: z.string(),
    parameters: z.record(z.string(), z.json()).default({}),
    messages: z.array(replayedMessage),
    try: z.int().nonnegative(),
    kind: z.literal('embedding').optional(),
  }),
  reply: z
    .object({
      output: z.string().optional(),
      parts: z.array(partSchema).optional(),
      usage: usageSchema.nullable().default(null),
      ended: z.enum(ENDED).default('stop'),
      latency_ms: z.number().nonnegative().nullable().default(0),
      opaque: opaqueSchema.exactOptional(),
    })
    .refine(({ output, parts }) => (output === undefined) !== (parts === undefined))
    .transform(({ output = '', parts = partsOf(output), ...reply }): Answer => ({
      ...ownAnswer(parts),
      ...reply,
    })),
});

const CUT_SILENT =
  'the recorded answer reached its token limit before it contained text; record it again ' +
  'with a higher limit';

export function createReplay(
  options: ReplayOptions,
): (request: Request, target: ReplayTarget) => Promise<Completion> {
  const files = new Map<string, Promise<Recordings>>();
  const load = async ({ commit, file }: ReplayTarget): Promise<Recordings> => {
    try {
      return readRecordings(await options.readRecording(commit, file), file, options.recordingKey);
    } catch {
      const at = commit === 'worktree' ? '' : ` at commit ${visibleLine(commit).slice(0, 8)}`;
      return { problem: `${visibleLine(file)}: cannot be read${at}; write it with --record` };
    }
  };
  return async (request, target) => {
    const id = JSON.stringify([target.commit, target.file]);
    const loading = files.get(id) ?? load(target);
    files.set(id, loading);
    const recordings = await loading;
    if ('problem' in recordings)
      return { status: 'error', kind: 'recording', message: recordings.problem };
    const { parameters, messages, try: attempt } = request;
    const kind = request.purpose === 'embedding' ? { kind: 'embedding' as const } : {};
    const reply = recordings.replies.get(
      options.recordingKey({ model: target.model, parameters, messages, try: attempt, ...kind }),
    );
    if (reply === undefined)
      return { status: 'error', kind: 'recording', message: missingRecording(request, target) };
    return reply.ended === 'length' && saysNothing(reply)
      ? { status: 'error', kind: 'reply', message: CUT_SILENT, ended: 'length' }
      : { status: 'ok', ...reply, reused: false };
  };
}

function readRecordings(
  text: string,
  file: string,
  keyOf: ReplayOptions['recordingKey'],
): Recordings {
  const replies = new Map<string, RecordedReply>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const read = recording.safeParse(parsedJson(line));
    if (!read.success) {
      const issue = read.error.issues[0];
      const field =
        issue === undefined || issue.path.length === 0 ? 'the line' : issue.path.join('.');
      const message =
        `${visibleLine(field)} does not have the form {"request": {"provider", "model", ` +
        '"parameters", "messages", "try"}, "reply": {"output" or "parts", "usage"}}; record ' +
        'again with --record';
      return {
        problem: formatProblem(problem({ file: visibleLine(file), line: index + 1 }, message)),
      };
    }
    replies.set(keyOf(read.data.request), read.data.reply);
  }
  return { replies };
}

function missingRecording(
  { parameters, messages, try: attempt, purpose }: Request,
  { file, model }: ReplayTarget,
): string {
  const given = shorten(visibleLine(JSON.stringify(parameters)), 120);
  const last = shorten(visibleLine(messages.at(-1)?.content ?? ''), 120);
  return (
    `${visibleLine(file)}: no recording${purpose === 'embedding' ? ' of an embedding' : ''} ` +
    `for model ${visibleLine(model)}, parameters ${given}, try ${attempt} and the last message ` +
    `"${last}"; record it with --record`
  );
}
