import type { Variant } from '../kernel/result/pieces.ts';
import { shorten } from '../text/visible.ts';
import { isMap, type Json, type JsonMap } from '../types/plain.ts';
import type { Words } from './words.ts';

/** For example `gpt-4o, temperature 0, tools: create_order`. */
export function variantWords({ model, parameters }: Variant): string {
  return [
    ...(model === null ? [] : [model]),
    ...Object.entries(parameters).map(([name, value]) => {
      const names = namesIn(value);
      return names === null ? `${name} ${shortValue(value)}` : `${name}: ${names}`;
    }),
  ].join(', ');
}

/** The variant of a suite, if another suite has the same name. Else empty. */
export function ownVariant<S extends { name: string; variant: Variant }>(
  { name, variant }: S,
  suites: readonly S[],
): string {
  return suites.filter((suite) => suite.name === name).length < 2 ? '' : variantWords(variant);
}

/** For example `temperature 0 → 0.2, top_p none → 1`. */
export function variantChanges(base: Variant, head: Variant): string {
  const before = valuesOf(base);
  const after = valuesOf(head);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => {
      const old = variantValue(before[name]);
      const now = variantValue(after[name]);
      return old === now ? `${name} ${old} changed` : `${name} ${old} → ${now}`;
    })
    .join(', ');
}

function valuesOf({ model, parameters }: Variant): JsonMap {
  return { ...(model !== null && { model }), ...parameters };
}

function variantValue(value: Json | undefined): string {
  return value === undefined ? 'none' : (namesIn(value) ?? shortValue(value));
}

const LONGEST_VALUE = 60;

function shortValue(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return shorten(text, LONGEST_VALUE);
}

/** Tools that the vendor runs have a type, but no name. */
function namesIn(value: Json): string | null {
  if (!Array.isArray(value)) return nameOf(value);
  const names = value.map((each) => nameOf(each) ?? (isMap(each) ? textIn(each, 'type') : null));
  return names.length > 0 && names.every((name) => name !== null) ? names.join(', ') : null;
}

/** Tools may be `{ type: function, function: { name: … } }`. */
function nameOf(value: Json): string | null {
  if (!isMap(value)) return null;
  const maps = [value, ...Object.values(value).filter(isMap)];
  return maps.map((map) => textIn(map, 'name')).find((name) => name !== null) ?? null;
}

function textIn(map: JsonMap, key: string): string | null {
  const value = map[key];
  return typeof value === 'string' ? value : null;
}

export function suiteWords<S extends { name: string; variant: Variant }>(
  suite: S,
  suites: readonly S[],
): Words {
  const { name } = suite;
  const variant = ownVariant(suite, suites);
  return variant === '' ? [{ name }] : [{ name }, ' (', { name: variant }, ')'];
}
