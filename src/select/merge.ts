import { everyMetric } from '../suite/metrics.ts';
import type { Project, Reference, Settings, Suite, Tests } from '../suite/suite.ts';
import { firstWords } from '../text/amounts.ts';
import type { Notice } from '../types/plain.ts';
import { pairReferences, pairSuites } from './pair.ts';

/** Base and head as they are compared where the base branch moved on after head left it. */
interface Merged {
  /** The merge base's prompts under the tip's tests and settings. */
  base: Project;
  /** Head's prompts under what would be merged. */
  head: Project;
  notices: Notice[];
}

/** Whose version of one thing is used: head's, the tip's, or the tip's although head changed it too. */
type By = 'head' | 'tip' | 'conflict';
type Note = (by: By, what: string) => void;

const PLACES = new Set(['place', 'at', 'codeAt', 'gatePlace', 'problemAt']);

/** Equal for values that say the same, wherever they are written. */
export function bare(value: unknown): string {
  const plain = (key: string, member: unknown): unknown => {
    if (member instanceof Map) return [...(member as Map<unknown, unknown>)];
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    // A variable may be called `place` too.
    if (PLACES.has(key) && 'file' in member && 'line' in member) return undefined;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.stringify(value, plain) ?? '';
}

/** What a reference says, without how its row is read and what was found wrong with it. */
function said(reference: Reference | undefined): string {
  return bare({ ...reference, problem: null, columns: null, inputFiles: null });
}

/**
 * Merges one thing over the merge base, the tip and head; undefined: it is not there. A change on
 * one side is kept. Of two different changes the tip's is kept.
 */
function mergeThing<T>(
  was: T,
  tip: T,
  own: T,
  say: (value: T) => string = bare,
): { value: T; by: By } {
  const [before, onTip, onHead] = [say(was), say(tip), say(own)];
  if (onTip === onHead || onTip === before) return { value: own, by: 'head' };
  return { value: tip, by: onHead === before ? 'tip' : 'conflict' };
}

/** Merges member by member: the tip's in their order, then those that head adds. */
function mergeMaps<T>(
  [was, tip, own]: [ReadonlyMap<string, T>, ReadonlyMap<string, T>, ReadonlyMap<string, T>],
  note: Note,
): Map<string, T> {
  const names = new Set([...tip.keys(), ...own.keys()]);
  return new Map(
    [...names].flatMap((name) => {
      const { value, by } = mergeThing(was.get(name), tip.get(name), own.get(name));
      note(by, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function mergeKeys<T extends object>(was: Partial<T>, tip: T, own: T, note: Note): T {
  const entries = (of: object): Map<string, unknown> => new Map(Object.entries(of));
  return Object.fromEntries(mergeMaps([entries(was), entries(tip), entries(own)], note)) as T;
}

/**
 * What would be judged after the merge: tests, rubrics and settings are merged three ways over the
 * merge base, the base branch's tip and head. Prompts are not merged: answers of head are head's,
 * and they are compared with the merge base's.
 */
export function mergeProjects(was: Project, tip: Project, head: Project): Merged {
  const earlier = counterparts(was, head);
  const sinceThen = counterparts(was, tip);
  const later = new Map([...sinceThen].map(([suite, before]) => [before, suite]));
  const addedTwice = counterparts(
    { ...tip, suites: tip.suites.filter((suite) => !sinceThen.has(suite)) },
    { ...head, suites: head.suites.filter((suite) => !earlier.has(suite)) },
  );
  const log = new Map<string | null, Record<By, string[]>>();
  const noteIn = (file: string | null): Note => {
    const names = log.get(file) ?? { head: [], tip: [], conflict: [] };
    log.set(file, names);
    return (by, what) => names[by].push(what);
  };
  const suites = head.suites.map((suite): Suite => {
    const { prompt, tests } = suite;
    const before = earlier.get(suite);
    const after = before === undefined ? addedTwice.get(suite) : later.get(before);
    if (before !== undefined)
      noteIn(prompt.file)(promptBy(before, after, suite), `prompt ${prompt.name}`);
    if (after === undefined) return suite;
    return { prompt, tests: mergeTests(before?.tests, after.tests, tests, noteIn(tests.file)) };
  });
  const kept = new Set(earlier.values());
  const bases = was.suites.flatMap((suite): Suite[] => {
    const after = later.get(suite);
    if (after === undefined) return kept.has(suite) ? [suite] : [];
    return [{ ...suite, tests: asBefore(suite.tests, after.tests) }];
  });
  const file = head.settings.file ?? tip.settings.file;
  const settings = mergeSettings(was.settings, tip.settings, head.settings, noteIn(file));
  const rubrics = mergeRubrics([was, tip, head], suites, noteIn(null));
  return {
    base: { ...tip, settings: settingsOfBase(was.settings, tip.settings), suites: bases },
    head: { ...head, settings, suites, rubrics },
    notices: [...log].flatMap(([where, names]) => noticesOf(where, names)),
  };
}

/** The second project's suites, each with the one of the first that it was. */
function counterparts(before: Project, after: Project): Map<Suite, Suite> {
  return new Map(
    pairSuites(before, after).flatMap(({ base, head }) =>
      base === null || head === null ? [] : [[head, base] as const],
    ),
  );
}

/** Head's text is judged in any case; a conflict where the tip changed it too, or removed it. */
function promptBy(was: Suite, tip: Suite | undefined, own: Suite): By {
  const text = ({ messages, model, parameters, variables, code }: Suite['prompt']): unknown => ({
    ...{ messages, model, parameters, variables, code },
  });
  const { by } = mergeThing(text(was.prompt), tip && text(tip.prompt), text(own.prompt));
  return by === 'conflict' ? 'conflict' : 'head';
}

/** The tip's tests; a reference that it did not change is the merge base's, checked by its prompt. */
function asBefore(was: Tests, tip: Tests): Tests {
  const known = pairReferences(was.references, tip.references);
  const references = tip.references.map((reference) => {
    const before = known.get(reference);
    return before !== undefined && said(before) === said(reference) ? before : reference;
  });
  return { ...tip, references };
}

/** Keys that are merged by what is in them, or are the commit's own. */
const APART = new Set(
  'gate budget explain qualeval sweep models metrics quarantine references gatePlace file tool prompts rubrics'.split(
    ' ',
  ),
);

function mergeTests(was: Tests | undefined, tip: Tests, own: Tests, note: Note): Tests {
  const merged = mergeKeys<Tests>(was ?? {}, tip, own, inGroup(note, ''));
  const lists = <T>(
    pick: (tests: Tests) => T[],
    keyOf: (item: T) => string,
    group: string,
  ): T[] => {
    const byKey = (tests?: Tests): Map<string, T> =>
      new Map((tests === undefined ? [] : pick(tests)).map((item) => [keyOf(item), item]));
    return [...mergeMaps([byKey(was), byKey(tip), byKey(own)], inGroup(note, group)).values()];
  };
  const [before = {}, after = {}, wanted = {}] = [was?.gate, tip.gate, own.gate];
  const gate = mergeKeys(before, after, wanted, inGroup(note, 'gate.'));
  return {
    ...merged,
    file: own.file,
    metrics: lists(
      ({ metrics }) => metrics,
      ({ name }) => name,
      'metrics.',
    ),
    quarantine: lists(
      ({ quarantine }) => quarantine,
      ({ id }) => id,
      'quarantine.',
    ),
    ...('gate' in merged ? { gate } : {}),
    references: mergeReferences(was?.references ?? [], tip.references, own.references, note),
  };
}

function inGroup(note: Note, group: string): Note {
  return (by, name) => {
    if (group !== '' || !APART.has(name)) note(by, `${group}${name}`);
  };
}

/** Head's references in their order, then those that the tip brings. */
function mergeReferences(
  was: readonly Reference[],
  tip: readonly Reference[],
  own: readonly Reference[],
  note: Note,
): Reference[] {
  const earlier = pairReferences(was, own);
  const sinceThen = pairReferences(was, tip);
  const later = new Map([...sinceThen].map(([reference, before]) => [before, reference]));
  const addedTwice = pairReferences(
    tip.filter((reference) => !sinceThen.has(reference)),
    own.filter((reference) => !earlier.has(reference)),
  );
  const kept = new Set(earlier.values());
  const matched = new Set(addedTwice.values());
  const cells: (Reference | undefined)[][] = [
    ...own.map((reference) => {
      const before = earlier.get(reference);
      const after = before === undefined ? addedTwice.get(reference) : later.get(before);
      return [before, after, reference];
    }),
    ...tip.flatMap((reference) => {
      const before = sinceThen.get(reference);
      const isLeft = before === undefined ? !matched.has(reference) : !kept.has(before);
      return isLeft ? [[before, reference, undefined]] : [];
    }),
  ];
  const merged = cells.flatMap(([before, after, reference]): Reference[] => {
    const { value, by } = mergeThing(before, after, reference, said);
    note(by, `reference ${(reference ?? after)?.id ?? ''}`);
    if (value === undefined) return [];
    const { place } = reference ?? { place: { file: value.place.file, line: 0 } };
    return [by === 'head' ? value : { ...value, place, ofTip: true }];
  });
  // A reference may have got an id that the tip gave to another one.
  const ids = new Set(merged.flatMap(({ id, ofTip }) => (ofTip === true ? [id] : [])));
  return merged.filter(({ id, ofTip }) => {
    const isTaken = ofTip !== true && ids.has(id);
    if (isTaken) note('conflict', `reference ${id}`);
    return !isTaken;
  });
}

/** Merged by name; what a metric still names stays, whoever removed it. */
function mergeRubrics(
  [was, tip, own]: [Project, Project, Project],
  suites: readonly Suite[],
  note: Note,
): Project['rubrics'] {
  const merged = mergeMaps([was.rubrics, tip.rubrics, own.rubrics], inGroup(note, 'rubric '));
  const metrics = suites.flatMap(({ tests }) => everyMetric(tests));
  const named = metrics.flatMap(({ source }) => (source.kind === 'rubric' ? source.rubric : []));
  const all = new Map([...was.rubrics, ...own.rubrics, ...tip.rubrics, ...merged]);
  return new Map([...all].filter(([name]) => merged.has(name) || named.includes(name)));
}

function mergeSettings(was: Settings, tip: Settings, own: Settings, note: Note): Settings {
  const { file, prompts, rubrics } = own;
  const of = <K extends 'gate' | 'budget' | 'explain' | 'qualeval' | 'sweep'>(
    key: K,
  ): Settings[K] => mergeKeys<Settings[K]>(was[key], tip[key], own[key], inGroup(note, `${key}.`));
  const models = mergeMaps([was.models, tip.models, own.models], inGroup(note, 'models.'));
  return {
    ...mergeKeys(was, tip, own, inGroup(note, '')),
    ...{ gate: of('gate'), budget: of('budget'), explain: of('explain') },
    ...{ qualeval: of('qualeval'), sweep: of('sweep'), models: ownModels(own.models, models) },
    ...{ file, prompts, rubrics },
  };
}

function settingsOfBase(was: Settings, tip: Settings): Settings {
  const { prompts, rubrics } = was;
  return { ...tip, prompts, rubrics, models: ownModels(was.models, tip.models) };
}

/**
 * Models by the newer settings. A prompt may still name what these no longer have, and programs and
 * recordings are files of the prompt's own commit.
 */
function ownModels(own: Settings['models'], newer: Settings['models']): Settings['models'] {
  const isOfCommit = (name: string): boolean =>
    [own, newer].some((models) => /^(program|replay)$/.test(models.get(name)?.provider ?? ''));
  return new Map([...newer, ...[...own].filter(([name]) => !newer.has(name) || isOfCommit(name))]);
}

function noticesOf(file: string | null, { tip, conflict }: Record<By, string[]>): Notice[] {
  const place = file === null ? null : { file, line: 0 };
  const prompts = conflict.filter((what) => what.startsWith('prompt '));
  const others = conflict.filter((what) => !what.startsWith('prompt '));
  const say = (names: readonly string[], message: string): Notice[] =>
    names.length === 0
      ? []
      : [{ kind: 'settings', place, message: message.replace('%', () => firstWords(names)) }];
  return [
    ...say(
      prompts,
      "this pull request and the base branch both changed %: head's is judged as it is; rebase to judge what would be merged",
    ),
    ...say(
      others,
      "this pull request and the base branch both changed %: the base branch's is used",
    ),
    ...say(
      tip,
      'the base branch changed % since this branch left it: that is used, as it would be after the merge',
    ),
  ];
}
