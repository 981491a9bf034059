import type { CodeLanguage, Json, Message, Prompt, Reference, Target, Variant } from '../types.ts';
import { canonicalJson } from './canonical.ts';
import { fill } from './template.ts';

/** A variant whose model has been found: `target` is null only for prompts that compute their output with code. */
export interface ResolvedVariant extends Variant { target: Target | null }

/** What has to be asked to get one answer. Equal fingerprints share their answers, try by try. */
export type Generation =
  | { kind: 'request'; target: Target; parameters: Record<string, Json>; messages: Message[]; fingerprint: string }
  | { kind: 'code'; language: CodeLanguage; code: string; variables: Record<string, Json>; messages: Message[]; fingerprint: string }
  | { kind: 'impossible'; message: string };

/** What a prompt asks for one reference. Impossible when the reference has no value for a variable of the prompt. */
export function generationOf(prompt: Prompt, variant: ResolvedVariant, reference: Reference): Generation {
  const missing = prompt.variables.find(({ name }) => !Object.hasOwn(reference.input, name));
  if (missing !== undefined && reference.thread === null) {
    return { kind: 'impossible', message: reference.problem ?? `reference ${reference.id} has no value for {${missing.name}}` };
  }
  if (prompt.code !== null) {
    const { source: code, language } = prompt.code;
    const fingerprint = canonicalJson({ code, language, input: reference.input });
    return { kind: 'code', language, code, variables: reference.input, messages: [], fingerprint };
  }
  if (variant.target === null) return { kind: 'impossible', message: `no model is known for ${prompt.file}` };
  const { target, parameters } = variant;
  const messages = reference.thread ?? prompt.messages.map(({ role, content }) => ({ role, content: fill(content, reference.input) }));
  const fingerprint = canonicalJson({ target: targetIdentity(target), parameters, messages: messages.map(({ role, content }) => ({ role, content })) });
  return { kind: 'request', target, parameters, messages, fingerprint };
}

/** The part of a target that decides what it answers: which checkout a program runs in does not, its files do. */
export function targetIdentity(target: Target): Record<string, Json> {
  if (target.provider === 'program') {
    const { provider, model, command, setup, files } = target;
    return { provider, model, command, setup, files };
  }
  if (target.provider === 'replay') return { provider: target.provider, model: target.model, content: target.content };
  const { provider, endpoint, model } = target;
  return { provider, endpoint, model };
}
