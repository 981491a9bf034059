import type { FilePart } from './media.ts';
import type { AskedModel, PublicModel } from './model.ts';
import { isMap, ownEntry, type Json } from './plain.ts';
import type { Passport, Refusal, VendorFacts } from './vendors/facts.ts';
import type { VendorName } from './vendors/names.ts';
import { factsOf } from './vendors.ts';

export function publicModel({ provider, endpoint, model, is }: AskedModel): PublicModel | null {
  return is ?? (endpoint === null ? { provider, model } : null);
}

/** Null if the model is unknown, or called through another vendor's API. */
export function passportOf(asked: AskedModel): Passport | null {
  const known = modelBehind(asked);
  if (known === null || !shareParameters(asked.provider, known.provider)) return null;
  return factsOf(known.provider).passports.find(({ models }) => models.test(known.model)) ?? null;
}

const BEDROCK_CLAUDE = /(?:^|[./])anthropic\.(claude-.+?)(?:-v\d+)?(?::\d+)?$/;

/** The public model behind a cloud's usual name for it. */
function modelBehind(asked: AskedModel): PublicModel | null {
  const known = publicModel(asked);
  if (known === null || asked.is !== undefined) return known;
  const { provider, model } = known;
  const [, claude] = provider === 'bedrock' ? (BEDROCK_CLAUDE.exec(model) ?? []) : [];
  if (claude !== undefined) return { provider: 'anthropic', model: claude };
  const isOpenAi = provider === 'azure' && factsOf('openai').models.test(model);
  return isOpenAi ? { provider: 'openai', model } : known;
}

/** Bedrock passes Claude's parameters on. */
function shareParameters(asked: VendorName, known: VendorName): boolean {
  const ofAsked = factsOf(asked).speaks;
  const ofKnown = factsOf(known).speaks;
  return ofAsked === ofKnown || (ofAsked === 'bedrock' && ofKnown === 'anthropic');
}

/** False if the model is unknown. */
export function canReason(asked: AskedModel): boolean {
  return (passportOf(asked)?.thinks ?? 'no') !== 'no';
}

function filesRow(asked: AskedModel): NonNullable<VendorFacts['files']>[number] | undefined {
  const known = publicModel(asked);
  if (known === null) return undefined;
  return factsOf(known.provider).files?.find(({ models }) => models.test(known.model));
}

export function refusedFile(
  asked: AskedModel,
  types: readonly FilePart['type'][],
): FilePart['type'] | null {
  const row = filesRow(asked);
  return types.find((type) => row?.takes.includes(type) === false) ?? null;
}

export function imageTokens(asked: AskedModel): number | null {
  return filesRow(asked)?.imageTokens ?? null;
}

/** In tokens. Null if unknown. */
export function longestOutput(asked: AskedModel): number | null {
  const known = modelBehind(asked);
  if (known === null) return null;
  const rows = factsOf(known.provider).outputs ?? [];
  return rows.find(({ models }) => models.test(known.model))?.tokens ?? null;
}

export function fileTypeWords(type: FilePart['type']): string {
  return type === 'image' ? 'images' : 'files (PDF)';
}

const SAMPLING = ['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty'];

export const LIMITS = ['max_tokens', 'max_completion_tokens'];

export const DISPENSABLE = [...SAMPLING, ...LIMITS];

export function refusedBy(
  refuses: Passport['refuses'],
  parameters: Readonly<Record<string, Json>>,
): { name: string; refusal: Refusal }[] {
  const word = (name: string): Json => {
    const value = parameters[name] ?? null;
    return isMap(value) ? ((value['type'] as Json | undefined) ?? value) : value;
  };
  return Object.entries(refuses).flatMap(([name, refusal]) => {
    const { but, values, unless } = refusal;
    const given = word(name);
    const refused =
      given !== null && given !== but && (values === undefined || isIn(values, given));
    const excepted = unless !== undefined && isIn(unless.values, word(unless.parameter));
    return refused && !excepted ? [{ name, refusal }] : [];
  });
}

function isIn(values: readonly (string | null)[], word: Json): boolean {
  return values.some((value) => value === word);
}

/** Such as ` other than 1 (only with reasoning_effort: none)` or ` (enabled or disabled)`. */
export function refusalWords({ but, values, unless }: Refusal): string {
  const value = but === undefined ? '' : ` other than ${but}`;
  const which = values === undefined ? '' : ` (${values.join(' or ')})`;
  return `${value}${which}${unless === undefined ? '' : ` (${exception(unless)})`}`;
}

function exception({ parameter, values }: NonNullable<Refusal['unless']>): string {
  const written = values.filter((value) => value !== null);
  if (written.length === 0) return `only without ${parameter}`;
  const without = written.length < values.length ? ' or without it' : '';
  return `only with ${parameter}: ${written.join(' or ')}${without}`;
}

/**
 * The shortest prefix, in tokens, that the vendor's prompt cache stores. Null if there is no such
 * cache, or the request does not control it.
 */
export function cachesFrom({ provider, endpoint, model }: AskedModel): number | null {
  if (endpoint !== null) return null;
  return factsOf(provider).caches?.from.find(({ models }) => models.test(model))?.tokens ?? null;
}

/** What vendors' own lists of models say, and on which day. */
export type ListedEnds = ReadonlyMap<
  VendorName,
  { on: string; ends: Readonly<Record<string, string>> }
>;

export function listedEnd(
  asked: AskedModel,
  lists: ListedEnds,
): { end: string; list: string } | null {
  const known = publicModel(asked);
  const found = known === null ? undefined : lists.get(known.provider);
  const end = known && found && ownEntry(found.ends, known.model);
  return known && found && end
    ? { end, list: `${factsOf(known.provider).label}'s list of ${found.on}` }
    : null;
}

export function retirementDate(asked: AskedModel): string | null {
  const known = publicModel(asked);
  if (known === null) return null;
  const { ends } = factsOf(known.provider);
  return Object.keys(ends).find((day) => ends[day]?.includes(known.model)) ?? null;
}
