import { takesVariables, type Message, type Request, type Target } from '../../types/model.ts';
import { codeValues, type Json, type CodeLanguage, type CodePlace } from '../../types/plain.ts';
import type { Variant } from '../result/pieces.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import type { Dependency } from '../suite/own-suite.ts';
import type { Prompt, Reference, Tests } from '../suite/suite.ts';
import { asksNothing, fillMessage, placeholders } from '../suite/template.ts';

/** `target` is null only for prompts that compute their output with code. */
export interface ResolvedVariant extends Variant {
  target: Target | null;
}

/** What has to be asked to get one answer. Equal fingerprints share their answers, try by try. */
export type Generation = { dependencies?: readonly Dependency[] } & (
  | {
      kind: 'request';
      target: Target;
      parameters: Record<string, Json>;
      messages: Message[];
      /** For a program that takes them; absent: it is told the messages alone. */
      variables?: Reference['input'];
      fingerprint: string;
      /** Added to the try index, so that equal questions get answers of their own. */
      draw?: number;
    }
  /** Recorded with its answers: no call. `after`: messages after the last answer; absent: none. */
  | {
      kind: 'recorded';
      thread: Message[];
      after?: Message[];
      fingerprint: string;
      draw?: number;
    }
  | {
      kind: 'code';
      language: CodeLanguage;
      code: string;
      at?: CodePlace;
      variables: Record<string, Json>;
      messages: Message[];
      fingerprint: string;
    }
  | { kind: 'impossible'; message: string }
);

/** Impossible when the reference has no value for a variable of the prompt. */
export function generationOf(
  prompt: Prompt,
  variant: ResolvedVariant,
  reference: Reference,
): Generation {
  const { thread, problem } = reference;
  if (problem !== null) return { kind: 'impossible', message: problem };
  if (thread !== null && bringsAnswer(reference)) return recordedOf(reference, thread);
  const missing = prompt.variables.find(
    ({ name }) =>
      !Object.hasOwn(reference.input, name) && (thread === null || inSystem(prompt, name)),
  );
  if (missing !== undefined) {
    return {
      kind: 'impossible',
      message:
        `the reference has no value for {${missing.name}}: ` +
        'add it to its input, or take it out of the prompt',
    };
  }
  const rendered = renderedBy(prompt, reference);
  if (!Array.isArray(rendered)) return rendered;
  if (variant.target === null)
    return { kind: 'impossible', message: `no model is known for ${prompt.file}` };
  const { target, parameters } = variant;
  const messages = thread === null ? rendered : continueThread(thread.map(plainMessage), rendered);
  const told = takesVariables(target) ? { variables: codeValues(reference).input } : {};
  const fingerprint = canonicalJson({
    target: targetIdentity(target),
    parameters,
    messages: messages.map(plainMessage),
    ...told,
  });
  return { kind: 'request', target, parameters, messages, ...told, fingerprint };
}

/** A question of a suite with dependencies: where they differ, it is another question. */
export function withDependencies(generation: Generation, { own }: Pick<Tests, 'own'>): Generation {
  const { dependencies = [] } = own ?? {};
  if (generation.kind === 'impossible' || dependencies.length === 0) return generation;
  const read = canonicalJson(dependencies.map(({ file, id }) => ({ file, id })));
  return { ...generation, dependencies, fingerprint: `${read} ${generation.fingerprint}` };
}

export function bringsAnswer({ thread }: Reference): boolean {
  return thread !== null && asksNothing(thread);
}

function renderedBy(
  { file, code, messages, made }: Prompt,
  reference: Reference,
): Message[] | Generation {
  const { id, input } = reference;
  if (code !== null) {
    const { source, language, at } = code;
    const { input: variables } = codeValues(reference);
    const fingerprint = canonicalJson({ code: source, language, input: variables });
    const own = { kind: 'code' as const, language, code: source };
    const where = at === undefined ? {} : { at };
    return { ...own, ...where, variables, messages: [], fingerprint };
  }
  if (made === undefined) return filledMessages(messages, reference);
  const own = made.get(canonicalJson(input));
  if (own?.ok === true) return own.messages;
  const from = messages[0]?.place.file ?? file;
  return { kind: 'impossible', message: own?.why ?? `${from} made no prompt of reference ${id}` };
}

function filledMessages(
  messages: Prompt['messages'],
  reference: Reference,
): Message[] | Generation {
  const filled: Message[] = [];
  for (const message of messages) {
    const found = fillMessage(message, reference);
    if ('unknown' in found)
      return {
        kind: 'impossible',
        message: `the file ${found.unknown} was not read with the tests; rebase, so that prompt and tests name the same files`,
      };
    filled.push(found);
  }
  return filled;
}

/** Under the prompt's own system messages, if any: they are what a change of the prompt changes. */
function continueThread(thread: Message[], rendered: readonly Message[]): Message[] {
  const system = rendered.filter(({ role }) => role === 'system');
  return system.length === 0
    ? thread
    : [...system, ...thread.filter(({ role }) => role !== 'system')];
}

function inSystem({ messages }: Prompt, variable: string): boolean {
  return messages.some(
    ({ role, content }) =>
      role === 'system' && placeholders(content).some(({ name }) => name === variable),
  );
}

export function questionOf(generation: Exclude<Generation, { kind: 'impossible' }>): string {
  const { draw } = generation.kind === 'code' ? {} : generation;
  return draw === undefined
    ? generation.fingerprint
    : generation.fingerprint.slice(0, -drawMark(draw).length);
}

function drawMark(draw: number): string {
  return ` draw ${String(draw)}`;
}

/** A question asked once more: its answers are shared with no other draw of it. */
export function drawnAgain(generation: Generation, draw: number): Generation {
  if (generation.kind === 'impossible') return generation;
  const fingerprint = `${generation.fingerprint}${drawMark(draw)}`;
  return generation.kind === 'code'
    ? { ...generation, fingerprint }
    : { ...generation, fingerprint, draw };
}

function recordedOf({ id, after }: Reference, thread: readonly Message[]): Generation {
  if (thread.length === 0)
    return {
      kind: 'impossible',
      message: `reference ${id} is a dialogue without a message`,
    };
  const recorded = [...thread, ...(after ?? [])].map(
    (message) => ({ ...message }) as unknown as Json,
  );
  return {
    kind: 'recorded',
    thread: [...thread],
    ...(after === undefined ? {} : { after }),
    fingerprint: canonicalJson({ recorded }),
  };
}

/** Which checkout a program runs in does not decide its answers; its files do. */
export function targetIdentity(target: Target): Record<string, Json> {
  if (target.provider === 'program') {
    const { provider, model, command, setup, files, process } = target;
    return { provider, model, command, setup, files, ...(process && { process }) };
  }
  if (target.provider === 'replay')
    return { provider: target.provider, model: target.model, content: target.content };
  const { provider, endpoint, model, api } = target;
  return { provider, endpoint, model, ...(api && { api }) };
}

/**
 * What one paid call is identified by: where it goes, parameters, messages, schema and try index.
 * Equal keys may share one completion; two tries never do. `purpose` is left out, and so is the
 * commit, so that both sides share; a vector is not an answer in words, though.
 *
 * @param hash collision-resistant hash of text, for example SHA-256 in hexadecimal.
 */
export function requestKey(request: Request, hash: (text: string) => string): string {
  const { parameters, messages, schema } = request;
  return hash(
    canonicalJson({
      target: targetIdentity(request.target),
      parameters,
      messages: messages.map(plainMessage),
      schema: schema === null ? null : { name: schema.name, json: schema.json },
      try: request.try,
      ...(request.variables === undefined ? {} : { variables: request.variables }),
      ...embeddingField(request),
    }),
  );
}

/** Equal for equal content, without the provider, so that a vendor's answers can be replayed. */
export function recordingKey({
  model,
  parameters,
  messages,
  try: attempt,
  kind,
}: Pick<Request, 'parameters' | 'messages' | 'try'> & {
  model: string;
  kind?: 'embedding' | undefined;
}): string {
  return canonicalJson({
    model,
    parameters,
    messages: messages.map(plainMessage),
    try: attempt,
    ...(kind === undefined ? {} : { kind }),
  });
}

function embeddingField({ purpose }: Pick<Request, 'purpose'>): { kind?: 'embedding' } {
  return purpose === 'embedding' ? { kind: 'embedding' } : {};
}

/** Messages may carry places of the user's file, which are not content. */
function plainMessage({
  role,
  content,
  parts,
}: Message): Pick<Message, 'role' | 'content' | 'parts'> {
  return { role, content, ...(parts === undefined ? {} : { parts }) };
}
