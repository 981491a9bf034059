import { isOfUser } from '../../metrics/transcript.ts';
import type { Json } from '../../types/plain.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import { countsIn } from '../suite/gate.ts';
import { metricIdentity, metricsFor } from '../suite/metrics.ts';
import type { Prompt, Reference, Suite, Tests } from '../suite/suite.ts';

interface SuitePair {
  base: Suite | null;
  head: Suite | null;
}

/** Two suites are a pair if one of these values is equal. Tried in this order. */
const SIGNS: readonly ((prompt: Prompt) => unknown)[] = [
  ({ file, name, model, ...prompt }) => [file, name, model, contentWithRoles(prompt)],
  ({ file, model, parameters, ...prompt }) => [file, model, parameters, contentWithRoles(prompt)],
  ({ file, model, ...prompt }) => [file, model, contentWithRoles(prompt)],
  ({ file, name }) => [file, name],
];

/** Tried last. The value must be unique on both sides. */
const LONE_SIGNS: readonly ((prompt: Prompt) => unknown)[] = [
  ({ file, ...prompt }) => [file, contentWithRoles(prompt)],
  ({ file }) => [file],
];

function contentWithRoles({ messages, code }: Pick<Prompt, 'messages' | 'code'>): Json {
  const said = messages.map(({ role, content }) => [role, content]);
  return code === null ? said : [...said, code.source];
}

/**
 * Maps head's suites to base's. In one file, equal text and model come before an equal name,
 * because names may depend on the file's other prompts. Across files, names come first, then shared
 * references.
 */
export function pairSuites(base: readonly Suite[], head: readonly Suite[]): Map<Suite, Suite> {
  const unpaired = new Set(base);
  const found = new Map<Suite, Suite>();
  const pair = (suite: Suite, other: Suite) => {
    found.set(suite, other);
    unpaired.delete(other);
  };
  const pairBy = (keyOf: (prompt: Prompt) => unknown, isLone = false) => {
    const keyed = (suite: Suite) => JSON.stringify(keyOf(suite.prompt));
    const open = Map.groupBy(unpaired, keyed);
    const asking = head.filter((suite) => !found.has(suite));
    for (const [key, suites] of Map.groupBy(asking, keyed)) {
      const others = open.get(key) ?? [];
      if (isLone && (suites.length > 1 || others.length > 1)) continue;
      for (const suite of suites) {
        const other = others.shift();
        if (other !== undefined) pair(suite, other);
      }
    }
  };
  for (const sign of SIGNS) pairBy(sign);
  for (const sign of LONE_SIGNS) pairBy(sign, true);
  pairBy(({ name }) => name);
  const fresh = onlyIn(head, base).filter((suite) => !found.has(suite));
  const gone = onlyIn(base, head).filter((suite) => unpaired.has(suite));
  for (const [suite, other] of renames(gone, fresh)) pair(suite, other);
  return found;
}

/** Two suites with at least half of their questions in common are a pair. */
function renames(gone: readonly Suite[], fresh: readonly Suite[]): [Suite, Suite][] {
  const asked = new Map([...gone, ...fresh].map((suite) => [suite, inputsOf(suite)]));
  const likely = fresh
    .flatMap((suite) => gone.map((other): [Suite, Suite] => [suite, other]))
    .map((pair) => {
      const [ofHead, ofBase] = pair.map((suite) => asked.get(suite) ?? new Set<string>());
      const shared = [...(ofBase ?? [])].filter((input) => ofHead?.has(input)).length;
      return { pair, shared, ofBase: ofBase?.size ?? 0 };
    })
    .filter(({ shared, ofBase }) => shared > 0 && shared * 2 >= ofBase)
    .sort((a, b) => b.shared - a.shared || suiteSimilarity(b.pair) - suiteSimilarity(a.pair));
  const taken = new Set<Suite>();
  return likely.flatMap(({ pair }) => {
    if (pair.some((suite) => taken.has(suite))) return [];
    for (const suite of pair) taken.add(suite);
    return [pair];
  });
}

function onlyIn(suites: readonly Suite[], beside: readonly Suite[]): Suite[] {
  const files = new Set(beside.map(({ prompt }) => prompt.file));
  return suites.filter(({ prompt }) => !files.has(prompt.file));
}

function suiteSimilarity([{ prompt: before }, { prompt: after }]: [Suite, Suite]): number {
  const isSameText =
    canonicalJson(contentWithRoles(before)) === canonicalJson(contentWithRoles(after));
  return (isSameText ? 2 : 0) + (before.model === after.model ? 1 : 0);
}

const REFERENCE_SIGNS: readonly ((reference: Reference) => string)[] = [
  (reference) => canonicalJson([reference.id, askedOf(reference), reference.expected ?? null]),
  (reference) => canonicalJson([askedOf(reference), reference.expected ?? null]),
  (reference) => canonicalJson([reference.id, askedOf(reference)]),
  (reference) => canonicalJson(askedOf(reference)),
  ({ id }) => id,
  // Ignores answers, because a recorded dialogue without an id gets a new id when its answer
  // changes.
  ({ input, thread }) =>
    canonicalJson([{ ...input }, (thread ?? []).filter(isOfUser).map(({ content }) => content)]),
  // Ignores names, because a reference without an id gets a new id when a variable is renamed.
  ({ input, ...reference }) =>
    canonicalJson([Object.values(input), askedOf({ ...reference, input: {} })]),
];

/** Pairs references by question first and by id second, because ids may be new or shifted. */
export function pairReferences(
  base: readonly Reference[],
  head: readonly Reference[],
  signs = REFERENCE_SIGNS,
): Map<Reference, Reference> {
  const found = new Map<Reference, Reference>();
  let open = base;
  let asking = head;
  for (const sign of signs) {
    if (open.length === 0 || asking.length === 0) break;
    const others = Map.groupBy(open, sign);
    for (const reference of asking) {
      const other = others.get(sign(reference))?.shift();
      if (other !== undefined) found.set(reference, other);
    }
    const taken = new Set(found.values());
    open = open.filter((reference) => !taken.has(reference));
    asking = asking.filter((reference) => !found.has(reference));
  }
  return found;
}

export interface Moves {
  moved: ReadonlyMap<Reference, Reference>;
  /** References that moved to another suite with the same scoring. They do not count as removed. */
  kept: ReadonlySet<Reference>;
}

export const NO_MOVES: Moves = { moved: new Map(), kept: new Set() };

export function findMoves(pairs: readonly SuitePair[]): Moves {
  const scoring = new Map<Reference, string>();
  const own = pairs.map(({ base, head }) => {
    for (const { tests } of [base, head].flatMap((suite) => suite ?? []))
      for (const reference of tests.references)
        scoring.set(reference, scoringKey(tests, reference));
    const before = base?.tests.references ?? [];
    const after = head?.tests.references ?? [];
    const pairs = pairReferences(before, after);
    const stay = new Set(pairs.values());
    return {
      gone: before.filter((reference) => !stay.has(reference) && hasOwnQuestion(reference)),
      fresh: after.filter((reference) => !pairs.has(reference)),
    };
  });
  const gone = own.flatMap((each) => each.gone);
  const fresh = own.flatMap((each) => each.fresh);
  const moved = pairReferences(gone, fresh, REFERENCE_SIGNS.slice(0, 4));
  const same = [...moved].filter(([now, was]) => scoring.get(now) === scoring.get(was));
  return { moved, kept: new Set(same.map(([, was]) => was)) };
}

function scoringKey(tests: Tests, reference: Reference): string {
  const metrics = metricsFor(tests, reference).map(metricIdentity);
  return canonicalJson([countsIn(tests, reference), reference.expected ?? null, metrics]);
}

function hasOwnQuestion({ input, thread }: Reference): boolean {
  return thread !== null || Object.keys(input).length > 0;
}

export function askedOf({ input, thread, after, shown = {}, script }: Reference): Json {
  const files = Object.values(shown).map(({ path, id }) => [path, id]);
  const said = [thread, after].map((messages) =>
    (messages ?? []).map((message) => ({ ...message }) as unknown as Json),
  );
  return [{ ...input }, ...said, ...files, ...(script === undefined ? [] : [script])];
}

function inputsOf({ tests }: Suite): Set<string> {
  return new Set(
    tests.references
      .filter(hasOwnQuestion)
      .map(({ input, thread }) =>
        canonicalJson([Object.values(input), (thread ?? []).map(({ content }) => content)]),
      ),
  );
}
