import { estimateTokens } from '../text/estimated-tokens.ts';
import { apiOf } from '../types/apis.ts';
import { PDF_TYPE, filesIn, type FilePart } from '../types/media.ts';
import { isHosted, type HostedTarget, type Request, type Target } from '../types/model.ts';
import { imageTokens, LIMITS, longestOutput } from '../types/passports.ts';
import type { Json, Purpose } from '../types/plain.ts';
import { factsOf } from '../types/vendors.ts';

const PER_MESSAGE = 4;

/** Estimates further requests from these, because measuring 100,000 would take half a minute. */
const SAMPLE_REQUESTS = 100;

type CountedRequest = Pick<Request, 'messages'> & Partial<Pick<Request, 'target'>>;

type CountInput = (request: CountedRequest & { schema: Json | null }) => number;

/** In tokens, if the vendor's rule is unknown. */
const USUAL_IMAGE = 1600;

/**
 * A page counts as text and as an image. Few pages have less than 10 kB. Source:
 * https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
const PDF = { pageBytes: 10_000, pageTokens: 3000 + USUAL_IMAGE, pages: 100 };

export function fileTokens({ target, messages }: CountedRequest): number {
  return filesIn(messages).reduce((sum, file) => sum + tokensOfFile(target, file), 0);
}

function tokensOfFile(target: Target | undefined, { media_type, bytes }: FilePart): number {
  if (media_type === PDF_TYPE)
    return PDF.pageTokens * Math.min(PDF.pages, Math.ceil(bytes / PDF.pageBytes));
  const isKnown = target !== undefined && isHosted(target);
  return (isKnown ? imageTokens(target) : null) ?? USUAL_IMAGE;
}

export function createInputCounter(): CountInput {
  let measured = 0;
  let tokens = 0;
  let characters = 0;
  return ({ schema, ...asked }) => {
    const { messages } = asked;
    const parts = [
      ...messages.map(({ content }) => content),
      ...(schema === null ? [] : [JSON.stringify(schema)]),
    ];
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    const frame = PER_MESSAGE * (messages.length + 1) + fileTokens(asked);
    if (measured >= SAMPLE_REQUESTS && characters > 0)
      return Math.ceil((tokens / characters) * size) + frame;
    const own = parts.reduce((sum, part) => sum + estimateTokens(part), 0);
    measured += 1;
    tokens += own;
    characters += size;
    return Math.ceil(own) + frame;
  };
}

const USUAL_OUTPUT: Readonly<Record<Purpose, number>> = {
  prompt: 300,
  grader: 150,
  embedding: 0,
  moderation: 0,
  evaluator: 300,
  qualeval: 300,
  fix: 300,
};

/** `target` and `parameters` of requests. Without them: of a request that sets no limit. */
export function expectedOutput(
  purpose: Purpose,
  asked: Pick<Request, 'target' | 'parameters'> | null = null,
): number {
  const usual = USUAL_OUTPUT[purpose];
  return Math.min(usual, (asked && outputLimit({ ...asked, purpose })) ?? usual);
}

/** The most output tokens that the request asks for. Null if it sets no limit that its API reads. */
export function outputLimit({
  target,
  parameters,
  purpose,
}: Pick<Request, 'target' | 'parameters' | 'purpose'>): number | null {
  if (USUAL_OUTPUT[purpose] === 0) return 0;
  if (!isHosted(target)) return null;
  const limits = limitNames(target, parameters)
    .map((name) => parameters[name])
    .filter((limit) => typeof limit === 'number');
  return limits.length === 0 ? null : Math.max(...limits);
}

function limitNames(target: HostedTarget, parameters: Request['parameters']): readonly string[] {
  if (factsOf(target.provider).speaks === 'anthropic') return ['max_tokens'];
  return apiOf(target, parameters) === 'responses' ? [...LIMITS, 'max_output_tokens'] : LIMITS;
}

/** The longest output of the model, in tokens, if a request sets no limit. Null if unknown. */
export function mostOutput(target: Target): number | null {
  if (!isHosted(target)) return null;
  return factsOf(target.provider).ownLimit?.first ?? longestOutput(target);
}

/** Tokens that a server may add for each message, and for tools or a schema. */
const ADDED = { perMessage: 16, perSchema: 600 };

/** An upper limit of the input tokens: no tokenizer makes more tokens than the text has bytes. */
export function mostInput({ target, messages, parameters, schema }: Request): number {
  const given = ['tools', 'response_format', 'text'].flatMap((name) => parameters[name] ?? []);
  const schemas = [...given, ...(schema === null ? [] : [schema.json])];
  const texts = [
    ...messages.map(({ content }) => content),
    ...schemas.map((each) => JSON.stringify(each)),
  ];
  return (
    texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) +
    ADDED.perMessage * (messages.length + 1) +
    ADDED.perSchema * schemas.length +
    fileTokens({ target, messages })
  );
}
