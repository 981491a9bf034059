import { refusedIn } from '../../types/apis.ts';
import type { HostedTarget, Request, AskedModel } from '../../types/model.ts';
import { DISPENSABLE, LIMITS, passportOf, canReason } from '../../types/passports.ts';
import type { Json } from '../../types/plain.ts';
import type { Form } from '../../types/vendors/facts.ts';
import type { Fault } from './fault.ts';
import type { Ask } from './vendors/vendor.ts';

interface ModelRefusals {
  parameters: Record<string, string | null>;
  forms: [Form, ...Form[]];
}

export interface RefusalMemory {
  known(key: string): Promise<ModelRefusals | null>;
  keep(key: string, learned: ModelRefusals): void;
}

export type Refusals = ReturnType<typeof createRefusals>;

const ALL_FORMS: ModelRefusals['forms'] = ['schema', 'tool', 'plain'];

const FORM_NAMES: Readonly<Record<Form, string>> = {
  schema: 'an answer schema',
  tool: 'a tool that the model must call',
  plain: 'plain text',
};

const REFUSED_FORM: Readonly<Record<Form, RegExp>> = {
  schema:
    /response_?format|response_?schema|json[ _]schema|output_?config|output_format|structured[ _]outputs?|grammar/i,
  tool: /tool_?choice|\btools?\b|function[ _]call/i,
  plain: /(?!)/,
};

/** Never drops a prompt's own parameters, because that would change what is tested. */
export function createRefusals(base: string, memory: RefusalMemory | null) {
  const models = new Map<string, ModelRefusals>();
  const accepted = new Set<string>();
  const answering = new Set<string>();
  const keyOf = (model: string) => `${base} ${model}`;
  const learnedOf = (target: AskedModel): ModelRefusals => {
    const [first, ...others] = passportOf(target)?.forms ?? ALL_FORMS;
    const known = models.get(target.model) ?? { parameters: {}, forms: [first, ...others] };
    models.set(target.model, known);
    return known;
  };
  const recalled = new Map<string, Promise<void>>();
  const look = async (model: string) => {
    const learned = await memory?.known(keyOf(model));
    if (learned && !models.has(model)) models.set(model, learned);
  };
  const without = (request: Request): Ask => askFor(request, learnedOf(hosted(request)));
  return {
    recall({ model }: HostedTarget): Promise<void> {
      const lookup = recalled.get(model) ?? look(model);
      recalled.set(model, lookup);
      return lookup;
    },
    without,
    /** The kind of a request whose options the model has not accepted yet. Null: nothing is open. */
    open(request: Request): string | null {
      const kind = discoveryKind(request, without(request));
      return kind === null || accepted.has(kind) ? null : kind;
    },
    accept({ model }: HostedTarget, open: string | null): void {
      answering.add(model);
      if (open !== null) accepted.add(open);
    },
    answered: (model: string) => answering.has(model),
    learn(fault: Fault, request: Request, sent: Ask): ReturnType<typeof learnFrom> {
      const { model } = hosted(request);
      const learned = learnedOf(hosted(request));
      const refused = learnFrom(fault, request, sent, learned);
      if (refused?.first === true) memory?.keep(keyOf(model), learned);
      return refused;
    },
  };
}

function askFor(request: Request, learned: ModelRefusals): Ask {
  const { target, messages, schema } = request;
  const [form] = learned.forms;
  const asked = schema === null || form === 'plain';
  return {
    model: target.model,
    parameters: parametersFor(request, learned),
    messages,
    ...(canReason(hosted(request)) && { reasons: true }),
    ...(asked ? { schema: null, form: 'plain' } : { schema, form }),
  };
}

function discoveryKind(request: Request, { form, parameters }: Ask): string | null {
  const { purpose } = request;
  const target = hosted(request);
  if (purpose === 'embedding' || purpose === 'prompt' || passportOf(target) !== null) return null;
  const ours = DISPENSABLE.filter((name) => name in parameters);
  return form === 'plain' && ours.length === 0 ? null : [target.model, form, ...ours].join(' ');
}

/**
 * Returns the optional part of the request that the model refuses. `first`: this was not known
 * before.
 */
function learnFrom(
  { kind, status, detail }: Fault,
  { purpose }: Request,
  sent: Ask,
  learned: ModelRefusals,
) {
  // A request that is too long or filtered shows nothing about the model.
  if (kind !== 'request' || (status !== 400 && status !== 422)) return null;
  const ours = DISPENSABLE.filter((name) => name in sent.parameters);
  const parameter = purpose === 'prompt' ? undefined : namedIn(ours, detail);
  if (parameter !== undefined) {
    const first = !(parameter in learned.parameters);
    learned.parameters[parameter] = insteadOf(parameter, detail);
    return { what: parameter, first };
  }
  const isForm = REFUSED_FORM[sent.form].test(detail) && !/invalid schema/i.test(detail);
  if (sent.schema === null || !isForm) return null;
  const [form, next, ...others] = learned.forms;
  const first = form === sent.form && next !== undefined;
  if (first) learned.forms = [next, ...others];
  return { what: FORM_NAMES[sent.form], first };
}

function hosted({ target }: Request): HostedTarget {
  if ('endpoint' in target) return target;
  throw new Error('only servers refuse');
}

function parametersFor(request: Request, learned: ModelRefusals): Record<string, Json> {
  if (request.purpose === 'prompt' || request.purpose === 'embedding') return request.parameters;
  const refused = new Map([
    ...refusedIn(hosted(request), request.parameters).map(
      ({ name, refusal: { instead = null } }) => [name, instead] as const,
    ),
    ...Object.entries(learned.parameters),
  ]);
  const sent = Object.entries(request.parameters).flatMap(([name, value]) => {
    const instead = refused.get(name);
    if (instead === undefined) return [[name, value] as const];
    const written = instead !== null && /^\w+$/.test(instead) && !(instead in request.parameters);
    return written && !refused.has(instead) ? [[instead, value] as const] : [];
  });
  return Object.fromEntries(sent);
}

function insteadOf(parameter: string, detail: string): string | null {
  if (!LIMITS.includes(parameter)) return null;
  return LIMITS.find((name) => name !== parameter && detail.includes(name)) ?? null;
}

function namedIn(parameters: readonly string[], detail: string): string | undefined {
  const words = new Set(detail.toLowerCase().match(/\w+/g));
  return parameters.find((name) => {
    const lower = name.toLowerCase();
    // xAI and Google write `presencePenalty` for `presence_penalty`.
    return words.has(lower) || words.has(lower.replaceAll('_', ''));
  });
}
