import { canonicalJson } from '../suite/canonical-json.ts';
import type { Project, Prompt, Suite } from '../suite/suite.ts';
import type { Json, Notice } from '../types/plain.ts';

/** One prompt on both sides; a side is null where the prompt does not exist there. */
interface SuitePair {
  base: Suite | null;
  head: Suite | null;
}

/** What both suites of a pair share, the surest sign first. */
const SIGNS: readonly ((prompt: Prompt) => unknown)[] = [
  ({ file, name, model, ...prompt }) => [file, name, model, textOf(prompt)],
  ({ file, model, parameters, ...prompt }) => [file, model, parameters, textOf(prompt)],
  ({ file, model, ...prompt }) => [file, model, textOf(prompt)],
  ({ file, name }) => [file, name],
];

/** What may be one suite that has changed, where it is the only one of its kind on both sides. */
const LONE_SIGNS: readonly ((prompt: Prompt) => unknown)[] = [
  ({ file, ...prompt }) => [file, textOf(prompt)],
  ({ file }) => [file],
];

/** A prompt's own text, wherever its lines stand. */
function textOf({ messages, code }: Pick<Prompt, 'messages' | 'code'>): Json {
  const said = messages.map(({ role, content }) => [role, content]);
  return code === null ? said : [...said, code.source];
}

/**
 * Pairs the suites of two commits. In one file by name, text and model, then by what a new
 * neighbour cannot change: text and model; then by name. What is left of a file is one suite that
 * was changed only where no other could be meant, so that a prompt or model that is added is
 * compared with nothing. Then by name alone, so that a renamed file stays the same suite. Head's
 * order, then what only base has.
 */
export function pairSuites(base: Project | null, head: Project): SuitePair[] {
  const unpaired = new Set(base?.suites ?? []);
  const found = new Map<Suite, Suite>();
  const pairBy = (keyOf: (prompt: Prompt) => unknown, lone: boolean): void => {
    const keyed = (suite: Suite): string => JSON.stringify(keyOf(suite.prompt));
    const open = Map.groupBy(unpaired, keyed);
    const asking = Map.groupBy(
      head.suites.filter((suite) => !found.has(suite)),
      keyed,
    );
    for (const [key, suites] of asking) {
      const others = open.get(key) ?? [];
      if (lone && (suites.length > 1 || others.length > 1)) continue;
      suites.forEach((suite, index) => {
        const other = others[index];
        if (other === undefined) return;
        found.set(suite, other);
        unpaired.delete(other);
      });
    }
  };
  for (const sign of SIGNS) pairBy(sign, false);
  for (const sign of LONE_SIGNS) pairBy(sign, true);
  pairBy(({ name }) => name, false);
  const pairs = head.suites.map((suite) => ({ base: found.get(suite) ?? null, head: suite }));
  return [...pairs, ...[...unpaired].map((suite) => ({ base: suite, head: null }))];
}

/**
 * Head with base's gate in each suite that base has: a pull request does not choose the gate it has
 * to pass.
 */
export function withGatesOfBase(
  base: Project | null,
  head: Project,
): { head: Project; notices: Notice[] } {
  const bases = new Map(
    pairSuites(base, head).flatMap(({ base: before, head: after }) =>
      before === null || after === null ? [] : [[after, before] as const],
    ),
  );
  const notices: Notice[] = [];
  const suites = head.suites.map((suite) => {
    const before = bases.get(suite);
    if (
      before === undefined ||
      canonicalJson({ ...before.tests.gate }) === canonicalJson({ ...suite.tests.gate })
    )
      return suite;
    notices.push({
      kind: 'settings',
      place: { file: suite.tests.file, line: 0 },
      message: `${suite.prompt.name}: this pull request changes the suite's gate; base's is in force until it is merged`,
    });
    const { gate: _, ...tests } = suite.tests;
    return {
      ...suite,
      tests: before.tests.gate === undefined ? tests : { ...tests, gate: before.tests.gate },
    };
  });
  return { head: notices.length === 0 ? head : { ...head, suites }, notices };
}
