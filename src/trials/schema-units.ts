import { type Path, valueAt } from '../documents/document.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import { type Json, type JsonMap, isMap, ownEntry } from '../types/plain.ts';

export interface ValueChange {
  /** The path on head, or on base if head lacks the value. */
  path: Path;
  base: Json | undefined;
  head: Json | undefined;
  isRenamed: boolean;
}

type AppliedChange = ValueChange & { apply(value: JsonMap): void };

/**
 * A property and its entry in `required` are one change, because a schema must not require an
 * unknown property. Null if the difference cannot be split.
 */
export function mergeValues(
  base: Json | undefined,
  head: Json | undefined,
): { changes: ValueChange[]; compose(has: (change: number) => boolean): Json } | null {
  if (!isMap(base) || !isMap(head)) return null;
  const changes = mapChanges(base, head, []);
  const compose = (has: (change: number) => boolean): Json => {
    const value = structuredClone(base);
    for (const { apply } of changes.filter((_, number) => has(number))) apply(value);
    return value;
  };
  const isWhole = changes.some(({ path }) => path.length === 0);
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

function mapChanges(base: JsonMap, head: JsonMap, path: Path): AppliedChange[] {
  const isSchema = isMap(base['properties']) && isMap(head['properties']);
  const differing = [...new Set([...Object.keys(base), ...Object.keys(head)])].filter(
    (key) =>
      !(isSchema && (key === 'properties' || key === 'required')) &&
      !isEqual(ownEntry(base, key), ownEntry(head, key)),
  );
  const inner = differing.flatMap((key) => {
    const [own, other] = [ownEntry(base, key), ownEntry(head, key)];
    if (isMap(own) && isMap(other))
      return [{ key, changes: mapChanges(own, other, [...path, key]) }];
    return key === 'description' ? [{ key, changes: valueChange(base, head, path, [key]) }] : [];
  });
  // The other keys form one change, because keys such as `type` and `enum` depend on each other.
  const rest = differing.filter((key) => !inner.some((own) => own.key === key));
  return [
    ...inner.flatMap(({ changes }) => changes),
    ...valueChange(base, head, path, rest),
    ...(isSchema ? propertyChanges(base, head, path) : []),
  ];
}

function valueChange(
  base: JsonMap,
  head: JsonMap,
  path: Path,
  keys: readonly string[],
): AppliedChange[] {
  const [only, ...others] = keys;
  if (only === undefined) return [];
  const pick = (map: JsonMap) =>
    others.length === 0
      ? ownEntry(map, only)
      : Object.fromEntries(Object.entries(map).filter(([key]) => keys.includes(key)));
  return [
    {
      ...{ path: others.length === 0 ? [...path, only] : path, isRenamed: false },
      ...{ base: pick(base), head: pick(head) },
      apply(value) {
        for (const key of keys) setEntry(valueAt(value, path), key, ownEntry(head, key));
      },
    },
  ];
}

function propertyChanges(base: JsonMap, head: JsonMap, path: Path): AppliedChange[] {
  const [before, after] = [propertiesIn(base), propertiesIn(head)];
  const [needed, needs] = [requiredIn(base), requiredIn(head)];
  const renamed = renamedProperties(before, after);
  const came = new Set(renamed.values());
  const inProperties = [...path, 'properties'];
  const change = (from: string | null, to: string | null): Pick<AppliedChange, 'apply'> => ({
    apply(value) {
      const schema = valueAt(value, path) as JsonMap;
      if (from !== to) {
        if (from !== null) setEntry(schema['properties'], from, undefined);
        if (to !== null) setEntry(schema['properties'], to, after[to]);
      }
      const required = requiredIn(schema).filter((name) => name !== from && name !== to);
      if (to !== null && needs.includes(to)) required.push(to);
      required.sort((a, b) => needs.indexOf(a) - needs.indexOf(b));
      const isListed = required.length > 0 || head['required'] !== undefined;
      setEntry(schema, 'required', isListed ? required : undefined);
    },
  });
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [own, other] = [ownEntry(before, name), ownEntry(after, name)];
    const at = [...inProperties, name];
    const values = { path: at, base: own, head: other, isRenamed: false };
    if (own === undefined) return came.has(name) ? [] : [{ ...values, ...change(null, name) }];
    const to = renamed.get(name);
    if (to !== undefined) {
      const names = { base: name, head: to, isRenamed: true };
      return [{ path: [...inProperties, to], ...names, ...change(name, to) }];
    }
    if (other === undefined) return [{ ...values, ...change(name, null) }];
    const [was, is] = [needed.includes(name), needs.includes(name)];
    const inside =
      isMap(own) && isMap(other)
        ? mapChanges(own, other, at)
        : valueChange(before, after, inProperties, isEqual(own, other) ? [] : [name]);
    const required = { path: [...at, 'required'], base: was, head: is, isRenamed: false };
    return was === is ? inside : [...inside, { ...required, ...change(name, name) }];
  });
}

function setEntry(map: Json | undefined, key: string, value: Json | undefined): void {
  if (!isMap(map)) return;
  if (value === undefined) Reflect.deleteProperty(map, key);
  else map[key] = value;
}

function propertiesIn({ properties }: JsonMap): JsonMap {
  return isMap(properties) ? properties : {};
}

function requiredIn({ required }: JsonMap): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/**
 * A property counts as renamed if both values are equal, or if nothing else was removed or added.
 */
function renamedProperties(before: JsonMap, after: JsonMap): Map<string, string> {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const came = new Set(Object.keys(after).filter((name) => !Object.hasOwn(before, name)));
  const isOnly = gone.length === 1 && came.size === 1;
  return new Map(
    gone.flatMap((name): [string, string][] => {
      const found = [...came].find((own) => isOnly || isEqual(after[own], before[name]));
      if (found === undefined) return [];
      came.delete(found);
      return [[name, found]];
    }),
  );
}

const STRUCTURE = /^(?:function|parameters|input_schema|json_schema|schema|properties)$/;

/** For example `quantity.type` for `function.parameters.properties.quantity.type`. */
export function propertyName(path: Path): string {
  const words = path.filter(
    (step, i) => path[i - 1] === 'properties' || !STRUCTURE.test(`${step}`),
  );
  return (words.length === 0 ? path : words).join('.');
}
