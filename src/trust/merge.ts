import { pairReferences, pairSuites } from '../kernel/select/pair.ts';
import { everyMetric } from '../kernel/suite/metrics.ts';
import type { Reference, Suite, Tests } from '../kernel/suite/suite.ts';
import type { Project, Settings } from '../project/settings.ts';
import { firstWords } from '../text/amounts.ts';
import { isMap, type Json, type Notice } from '../types/plain.ts';

interface MergedSides {
  /** The merge base's prompts, with the tests and settings of the base branch's tip. */
  base: Project;
  /** Head's prompts, with merged tests and settings. */
  head: Project;
  notices: Notice[];
}

/** The merge base, the tip of the base branch, and head. */
type ThreeWay<T> = [was: T, tip: T, own: T];

/** Whose version applies. In a conflict, that is the tip's, but prompts are always head's. */
type MergeSource = 'head' | 'tip' | 'conflict' | 'prompt' | 'removed';
type Note = (by: MergeSource, what: string) => void;

const MERGE_WORDS: Record<MergeSource, ((what: string) => string) | null> = {
  head: null,
  tip: (what) =>
    `the base branch changed ${what} after this branch was created: its version is used, as after a merge`,
  conflict: (what) =>
    `this pull request and the base branch both changed ${what}: the base branch's version is used`,
  prompt: (what) =>
    `this pull request and the base branch both changed ${what}: ` +
    "head's version is judged; rebase to judge the merged version",
  removed: (what) =>
    `the base branch removed ${what}, but head changes it: rebase to judge the merged version`,
};

const PLACES = new Set(['place', 'at', 'codeAt', 'gatePlace', 'problemAt']);

export function canonicalContent(value: unknown): string {
  const plain = (key: string, member: unknown): unknown => {
    if (member instanceof Map) return [...(member as Map<unknown, unknown>)];
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    // Ignores positions, but not a variable that is named `place`.
    if (PLACES.has(key) && 'file' in member && 'line' in member) return undefined;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.stringify(value, plain) ?? '';
}

function referenceContent(reference: Reference | undefined): string {
  return canonicalContent({ ...reference, problem: null, columns: null, inputFiles: null });
}

function mergeThing<T>(
  three: ThreeWay<T>,
  say: (value: T) => string = canonicalContent,
): { value: T; by: MergeSource } {
  const [before, onTip, onHead] = three.map(say);
  const [, tip, own] = three;
  if (onTip === onHead || onTip === before) return { value: own, by: 'head' };
  return { value: tip, by: onHead === before ? 'tip' : 'conflict' };
}

function mergeMaps<T>(
  [was, tip, own]: ThreeWay<ReadonlyMap<string, T>>,
  note: Note,
  say?: (value: T | undefined) => string,
): Map<string, T> {
  const names = new Set([...tip.keys(), ...own.keys()]);
  return new Map(
    [...names].flatMap((name) => {
      const { value, by } = mergeThing([was.get(name), tip.get(name), own.get(name)], say);
      note(by, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function mergeKeys<T extends object>(three: ThreeWay<T>, note: Note): T {
  const maps = three.map((each) => new Map(Object.entries(each))) as ThreeWay<Map<string, unknown>>;
  return Object.fromEntries(mergeMaps(maps, note)) as T;
}

function membersByKey<T>(
  [was, tip, own]: ThreeWay<readonly T[]>,
  pair: (before: readonly T[], after: readonly T[]) => ReadonlyMap<T, T>,
): ThreeWay<Map<string, T>> {
  const onTip = pair(was, tip);
  const onHead = pair(was, own);
  const addedTwice = pair(
    tip.filter((item) => !onTip.has(item)),
    own.filter((item) => !onHead.has(item)),
  );
  const keys = new Map<T, string>();
  const under = (items: readonly T[], mark: string, partners: ReadonlyMap<T, T>): Map<string, T> =>
    new Map(
      items.map((item, index) => {
        const partner = partners.get(item);
        const known = partner === undefined ? undefined : keys.get(partner);
        const key = known ?? `${mark}${index}`;
        keys.set(item, key);
        return [key, item];
      }),
    );
  const first = [under(was, 'was ', new Map()), under(tip, 'tip ', onTip)] as const;
  return [...first, under(own, 'own ', new Map([...onHead, ...addedTwice]))];
}

/** Prompts are not merged, because head's answers are compared with the merge base's. */
export function mergeProjects(...three: ThreeWay<Project>): MergedSides {
  const [was, tip, head] = three;
  const log: { by: MergeSource; file: string | null; what: string }[] = [];
  const noteIn =
    (file: string | null): Note =>
    (by, what) =>
      void log.push({ by, file, what });
  const [before, later, own] = membersByKey([was.suites, tip.suites, head.suites], pairSuites);
  const suites = [...own].flatMap(([key, suite]): Suite[] => {
    const { prompt, tests } = suite;
    const first = before.get(key);
    const last = later.get(key);
    const note = noteIn(prompt.file);
    if (first !== undefined && last === undefined) {
      if (
        canonicalContent([promptContent(first), first.tests]) ===
        canonicalContent([promptContent(suite), tests])
      )
        return [];
      note('removed', `prompt ${prompt.name}`);
      return [suite];
    }
    const texts = [first, last, suite].map(
      (each) => each && promptContent(each),
    ) as ThreeWay<unknown>;
    if (mergeThing(texts).by === 'conflict') note('prompt', `prompt ${prompt.name}`);
    if (last === undefined) return [suite];
    const judging: ThreeWay<Tests> = [first?.tests ?? NO_TESTS, last.tests, tests];
    return [{ prompt, tests: mergeTests(judging, noteIn(tests.file)) }];
  });
  const bases = [...before].flatMap(([key, suite]): Suite[] => {
    const last = later.get(key);
    if (last !== undefined) return [{ ...suite, tests: asBefore(suite.tests, last.tests) }];
    return suites.some((kept) => kept === own.get(key)) ? [suite] : [];
  });
  const { prompts, rubrics, models } = was.settings;
  const ofBase = { prompts, rubrics, models: ownModels(models, tip.settings.models) };
  const file = head.settings.file ?? tip.settings.file;
  const merged = {
    settings: mergeSettings([was.settings, tip.settings, head.settings], noteIn(file)),
    rubrics: mergeRubrics(three, suites, noteIn(null)),
  };
  const notices = [...Map.groupBy(log, ({ by, file: where }) => `${by} ${where ?? ''}`).values()];
  return {
    base: { ...tip, settings: { ...tip.settings, ...ofBase }, suites: bases },
    head: { ...head, ...merged, suites },
    notices: notices.flatMap((found) => {
      const [{ by, file: where } = { by: 'head' as const, file: null }] = found;
      const message = MERGE_WORDS[by]?.(firstWords(found.map(({ what }) => what)));
      const place = where === null ? null : { file: where, line: 0 };
      const kind = by === 'removed' ? 'not-comparable' : 'settings';
      return message === undefined ? [] : [{ kind, place, message }];
    }),
  };
}

function promptContent({ prompt }: Suite): unknown {
  const { messages, model, parameters, variables, code } = prompt;
  return { messages, model, parameters, variables, code };
}

/**
 * If the tip did not change a reference, uses the merge base's, which was checked with the merge
 * base's prompt.
 */
function asBefore(was: Tests, tip: Tests): Tests {
  const known = pairReferences(was.references, tip.references);
  const references = tip.references.map((reference) => {
    const before = known.get(reference);
    return before !== undefined && referenceContent(before) === referenceContent(reference)
      ? before
      : reference;
  });
  return { ...tip, references };
}

const SEPARATE_KEYS =
  /^(gate|models|metrics|quarantine|references|file|tool|gatePlace|prompts|rubrics)$/;

function inGroup(note: Note, group: string): Note {
  return (by, name) => {
    if (group !== '' || !SEPARATE_KEYS.test(name)) note(by, `${group}${name}`);
  };
}

const NO_TESTS = { metrics: [], quarantine: [], references: [] } as unknown as Tests;

function mergeTests(three: ThreeWay<Tests>, note: Note): Tests {
  const merged = mergeKeys(three, inGroup(note, ''));
  const each = <T>(pick: (tests: Tests) => T): ThreeWay<T> => three.map(pick) as ThreeWay<T>;
  const metrics = each((tests) => new Map(tests.metrics.map((metric) => [metric.name, metric])));
  const quarantine = each((tests) => new Map(tests.quarantine.map((entry) => [entry.id, entry])));
  const gates = each(({ gate: own = {} }) => own);
  const gate = mergeKeys(gates, inGroup(note, 'gate.'));
  const references = each((tests) => tests.references);
  return {
    ...merged,
    file: three[2].file,
    metrics: [...mergeMaps(metrics, inGroup(note, 'metrics.')).values()],
    quarantine: [...mergeMaps(quarantine, inGroup(note, 'quarantine.')).values()],
    ...('gate' in merged ? { gate } : {}),
    references: mergeReferences(references, note),
  };
}

function mergeReferences(lists: ThreeWay<readonly Reference[]>, note: Note): Reference[] {
  const three = membersByKey(lists, pairReferences);
  const [, tip, own] = three;
  const noteId: Note = (by, key) => {
    note(by, `reference ${(own.get(key) ?? tip.get(key))?.id ?? ''}`);
  };
  const merged = [...mergeMaps(three, noteId, referenceContent)].map(
    ([key, reference]): Reference => {
      const written = own.get(key);
      if (reference === written) return reference;
      return {
        ...reference,
        place: written?.place ?? { ...reference.place, line: 0 },
        ofTip: true,
      };
    },
  );
  // Head and the tip may have given the same id to different references.
  const ids = new Set(merged.filter(({ ofTip }) => ofTip).map(({ id }) => id));
  return merged.filter(({ id, ofTip }) => {
    const isTaken = !ofTip && ids.has(id);
    if (isTaken) note('conflict', `reference ${id}`);
    return !isTaken;
  });
}

function mergeRubrics(
  [was, tip, own]: ThreeWay<Project>,
  suites: readonly Suite[],
  note: Note,
): Project['rubrics'] {
  const merged = mergeMaps([was.rubrics, tip.rubrics, own.rubrics], inGroup(note, 'rubric '));
  const metrics = suites.flatMap(({ tests }) => everyMetric(tests));
  const named = metrics.flatMap(({ source }) => (source.kind === 'rubric' ? source.rubric : []));
  const all = new Map([...was.rubrics, ...own.rubrics, ...tip.rubrics, ...merged]);
  return new Map([...all].filter(([name]) => merged.has(name) || named.includes(name)));
}

const UNMERGED_MAPS = new Set(['grader', 'embeddings']);

function mergeSettings(three: ThreeWay<Settings>, note: Note): Settings {
  const [was, tip, own] = three;
  const models = mergeMaps([was.models, tip.models, own.models], inGroup(note, 'models.'));
  const sections = new Map(
    Object.keys(own).flatMap((key): [string, object][] => {
      if (UNMERGED_MAPS.has(key)) return [];
      const values: unknown[] = three.map((settings) => settings[key as keyof Settings]);
      const [first, second, third] = values.filter(
        (value): value is object => isMap(value as Json) && !(value instanceof Map),
      );
      return first === undefined || second === undefined || third === undefined
        ? []
        : [[key, mergeKeys([first, second, third], inGroup(note, `${key}.`))]];
    }),
  );
  const notSections: Note = (by, name) => {
    if (!sections.has(name)) inGroup(note, '')(by, name);
  };
  const { file, prompts, rubrics } = own;
  return {
    ...mergeKeys(three, notSections),
    ...Object.fromEntries(sections),
    models: ownModels(own.models, models),
    file,
    prompts,
    rubrics,
  };
}

/** Programs and recorded answers come from the same commit as the prompt. */
function ownModels(own: Settings['models'], newer: Settings['models']): Settings['models'] {
  const isOfCommit = (name: string): boolean =>
    [own, newer].some((models) => /^(program|replay)$/.test(models.get(name)?.provider ?? ''));
  return new Map([...newer, ...[...own].filter(([name]) => !newer.has(name) || isOfCommit(name))]);
}
