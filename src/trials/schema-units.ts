import type { Path } from '../documents/document.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import { type Json, type JsonMap, isMap, ownEntry } from '../types/plain.ts';

type Has = (change: number) => boolean;

/** A property, description or other value that differs; undefined: the side has none. */
interface ValueChange {
  /** On head; on base if head has no such value. */
  path: Path;
  base: Json | undefined;
  head: Json | undefined;
  /** `base` and `head` are the property's names. */
  isRenamed: boolean;
}

interface MergedValue {
  changes: ValueChange[];
  compose(has: Has): Json;
}

/**
 * Takes the difference of two maps apart. A property is one change with its entry in `required`, as
 * a schema that requires an unknown property is invalid. Null: there are no smaller changes.
 */
export function mergeValues(base: Json | undefined, head: Json | undefined): MergedValue | null {
  if (!isMap(base) || !isMap(head)) return null;
  const changes: ValueChange[] = [];
  const compose = mergeMaps(base, head, [], changes);
  const isWhole = changes.length === 0 || changes.some(({ path }) => path.length === 0);
  return isWhole ||
    !isEqual(
      compose(() => true),
      head,
    )
    ? null
    : { changes, compose };
}

export function isEqual(before: Json | undefined, after: Json | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return canonicalJson(before) === canonicalJson(after);
}

type Compose<T> = (has: Has) => T;

function mergeMaps(
  base: JsonMap,
  head: JsonMap,
  path: Path,
  changes: ValueChange[],
): Compose<JsonMap> {
  const keys = [...new Set([...Object.keys(base), ...Object.keys(head)])];
  const properties = isMap(base['properties']) && isMap(head['properties']);
  const schema = properties ? mergeProperties(base, head, path, changes) : null;
  const isRest = (key: string): boolean =>
    !(properties && SCHEMA_KEYS.has(key)) &&
    key !== 'description' &&
    !isEqual(ownEntry(base, key), ownEntry(head, key)) &&
    !(isMap(ownEntry(base, key)) && isMap(ownEntry(head, key)));
  // Values such as `type` and `enum` only make sense together.
  const rest = mergeRest(base, head, keys.filter(isRest), path, changes);
  const parts = keys.map((key): [string, Compose<Json | undefined>] => {
    const [own, other] = [ownEntry(base, key), ownEntry(head, key)];
    if (schema !== null && SCHEMA_KEYS.has(key)) return [key, (has) => schema(has)[key]];
    if (isEqual(own, other)) return [key, () => own];
    if (isRest(key)) return [key, (has) => rest(has)[key]];
    return [key, mergeValue(own, other, [...path, key], changes)];
  });
  return (has) => definedEntries(parts.map(([key, part]) => [key, part(has)]));
}

const SCHEMA_KEYS: ReadonlySet<string> = new Set(['properties', 'required']);

function mergeRest(
  base: JsonMap,
  head: JsonMap,
  keys: readonly string[],
  path: Path,
  changes: ValueChange[],
): Compose<JsonMap> {
  const pick = (map: JsonMap): JsonMap =>
    definedEntries(keys.map((key) => [key, ownEntry(map, key)]));
  const [only] = keys;
  if (only === undefined) return () => ({});
  if (keys.length > 1) return changeOf(path, pick(base), pick(head), changes);
  const value = changeOf([...path, only], ownEntry(base, only), ownEntry(head, only), changes);
  return (has) => definedEntries([[only, value(has)]]);
}

function mergeValue(
  base: Json | undefined,
  head: Json | undefined,
  path: Path,
  changes: ValueChange[],
): Compose<Json | undefined> {
  if (isEqual(base, head)) return () => base;
  return isMap(base) && isMap(head)
    ? mergeMaps(base, head, path, changes)
    : changeOf(path, base, head, changes);
}

function definedEntries(entries: readonly [string, Json | undefined][]): JsonMap {
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

/** Adds a change; the result is head's value if it is chosen, else base's. */
function changeOf<T extends Json | undefined>(
  path: Path,
  base: T,
  head: T,
  changes: ValueChange[],
): Compose<T> {
  const number = changes.push({ path, base, head, isRenamed: false }) - 1;
  return (has) => (has(number) ? head : base);
}

interface Property {
  name: string;
  value: Json | undefined;
  isRequired: boolean;
}

/** `properties` and `required` of an object schema. */
function mergeProperties(
  base: JsonMap,
  head: JsonMap,
  path: Path,
  changes: ValueChange[],
): Compose<JsonMap> {
  const [before, after] = [propertiesOf(base), propertiesOf(head)];
  const renamed = renames(before, after);
  const pairs = [...before.keys()].map((name) => [name, renamed.get(name) ?? name] as const);
  const added = [...after.keys()].filter((name) => !pairs.some(([, own]) => own === name));
  const merged = [...pairs, ...added.map((name) => [name, name] as const)].map(([from, to]) =>
    mergeProperty(before.get(from), after.get(to), path, changes),
  );
  const order = [...requiredIn(head), ...requiredIn(base)];
  return (has) => {
    const chosen = merged.flatMap((property) => property(has) ?? []);
    const required = chosen.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    required.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    const isListed = required.length > 0 || (base['required'] && head['required']);
    return {
      properties: definedEntries(chosen.map(({ name, value }) => [name, value])),
      ...(isListed ? { required } : {}),
    };
  };
}

function propertiesOf(schema: JsonMap): Map<string, Property> {
  const values = isMap(schema['properties']) ? schema['properties'] : {};
  const required = requiredIn(schema);
  return new Map(
    [...Object.keys(values), ...required].map((name) => [
      name,
      { name, value: ownEntry(values, name), isRequired: required.includes(name) },
    ]),
  );
}

function requiredIn({ required }: JsonMap): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** Base's name → head's: the only one that went and the only one that came, or equal ones. */
function renames(
  before: ReadonlyMap<string, Property>,
  after: ReadonlyMap<string, Property>,
): Map<string, string> {
  const gone = [...before.values()].filter(({ name }) => !after.has(name));
  const came = new Set([...after.values()].filter(({ name }) => !before.has(name)));
  const isOnly = gone.length === 1 && came.size === 1;
  return new Map(
    gone.flatMap(({ name, value }): [string, string][] => {
      const found = [...came].find((own) => isOnly || isEqual(own.value, value));
      if (found === undefined) return [];
      came.delete(found);
      return [[name, found.name]];
    }),
  );
}

function mergeProperty(
  before: Property | undefined,
  after: Property | undefined,
  path: Path,
  changes: ValueChange[],
): Compose<Property | undefined> {
  if (before === undefined || after === undefined || before.name !== after.name)
    return replaceProperty(before, after, path, changes);
  const { name } = before;
  const named = [...path, 'properties', name];
  const value = mergeValue(before.value, after.value, named, changes);
  const isRequired =
    before.isRequired === after.isRequired
      ? () => before.isRequired
      : changeOf([...named, 'required'], before.isRequired, after.isRequired, changes);
  return (has) => ({ name, value: value(has), isRequired: isRequired(has) });
}

function replaceProperty(
  before: Property | undefined,
  after: Property | undefined,
  path: Path,
  changes: ValueChange[],
): Compose<Property | undefined> {
  const isRenamed = before !== undefined && after !== undefined;
  const number = changes.push({
    path: [...path, 'properties', (after ?? before)?.name ?? ''],
    base: isRenamed ? before.name : before?.value,
    head: isRenamed ? after.name : after?.value,
    isRenamed,
  });
  return (has) => (has(number - 1) ? after : before);
}

const STRUCTURE = new Set([
  'function',
  'parameters',
  'input_schema',
  'json_schema',
  'schema',
  'properties',
]);

/** `quantity.type` of `function.parameters.properties.quantity.type`. */
export function propertyName(path: Path): string {
  const words = path.filter(
    (step, i) => path[i - 1] === 'properties' || !STRUCTURE.has(String(step)),
  );
  return (words.length === 0 ? path : words).join('.');
}
