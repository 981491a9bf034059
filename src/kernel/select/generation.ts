import { plainMessage, takesVariables, targetIdentity, type Message } from '../../types/model.ts';
import { codeValues, type Json } from '../../types/plain.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import type { Prompt, Reference, Tests } from '../suite/suite.ts';
import { bringsAnswer, fillMessage, placeholders } from '../suite/template.ts';

import type { Generation, ResolvedVariant } from './affected-suite.ts';

export function createGeneration(
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
        'add it to its input, or remove it from the prompt',
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

/** Lets a change of a reference's script run the reference. */
export function withScript(
  generation: Generation,
  { own }: Tests,
  { script }: Reference,
): Generation {
  if (generation.kind === 'impossible' || own === null || script === undefined) return generation;
  const fingerprint = `${canonicalJson(script)} ${generation.fingerprint}`;
  return { ...generation, fingerprint, script };
}

function renderedBy(
  { file, code, messages, made }: Prompt,
  reference: Reference,
): Message[] | Generation {
  const { id, input } = reference;
  if (code !== null) {
    const filled = filledMessages(messages, reference);
    if (!Array.isArray(filled)) return filled;
    const { source, language, at } = code;
    const { input: variables } = codeValues(reference);
    const fingerprint = canonicalJson({
      code: source,
      language,
      input: variables,
      ...(filled.length > 0 && { messages: filled.map(plainMessage) }),
    });
    const own = { kind: 'code' as const, language, code: source };
    const where = at === undefined ? {} : { at };
    return { ...own, ...where, variables, messages: filled, fingerprint };
  }
  if (made === undefined) return filledMessages(messages, reference);
  const own = made.get(canonicalJson(input));
  if (own?.ok === true) return own.messages;
  const from = messages[0]?.place.file ?? file;
  return {
    kind: 'impossible',
    message: own?.why ?? `${from} rendered no prompt for reference ${id}`,
  };
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
        message:
          `the file ${found.unknown} is missing at the commit of the tests; ` +
          'rebase the branch, so that prompt and tests use the same files',
      };
    filled.push(found);
  }
  return filled;
}

/**
 * Replaces the recorded system messages by the prompt's, because the run must test the changed
 * prompt.
 */
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
    ...(after !== undefined && { after }),
    fingerprint: canonicalJson({ recorded }),
  };
}
