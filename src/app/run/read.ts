import { checkEnds } from '../../config/check-models.ts';
import { LLMEVAL_FILE } from '../../config/file-names.ts';
import type { HostCall } from '../../config/host-call.ts';
import { readProject, type ReadOptions, type ReadTools } from '../../config/project.ts';
import { sweepNotice } from '../../config/sweep.ts';
import { deduplicate } from '../../documents/document.ts';
import { withText, type ParsedDocuments } from '../../documents/files.ts';
import { problem } from '../../errors.ts';
import { metrics } from '../../metrics/index.ts';
import { builtInRubrics } from '../../metrics/rubric.ts';
import type { Project } from '../../project/settings.ts';
import { applyTrust, withFilesOf } from '../../trust/arrange.ts';
import { mergeProjects } from '../../trust/merge.ts';
import { sources } from '../../trust/trust.ts';
import type { ListedEnds } from '../../types/passports.ts';
import type { Notice, Problem } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { chooseReferences } from './choose-references.ts';
import { ownSettings, type SidesRead } from './feature.ts';
import type { ReadSides, RunInput } from './record.ts';

interface Reading {
  read: ReadOptions;
  hash(text: string): string;
  hostCall?: ((commit: string) => HostCall) | undefined;
  parsed?: ParsedDocuments | undefined;
  /** What the vendors' lists of models say that are known by now. */
  listed?(): Promise<ListedEnds>;
}

/** If base is unreadable, all of head counts as new, because this pull request cannot fix base. */
export async function readSides(input: RunInput, reading: Reading): Promise<ReadSides> {
  const { base, tip = null, mode } = input;
  const { read } = reading;
  // A sweep opens the store in any case.
  const lists: ListedEnds = mode === 'sweep' ? await knownLists(reading) : new Map();
  const toolsAt = readToolsOf(input, reading, lists);
  const own = headToRead(input, read);
  const reread = headReader(own, reading.hash);
  // Maintainers chose base's models, so the list of allowed models restricts only head.
  const ofBase = { ...read, configRequired: false, allowedModels: null };
  const [before, later, after] = await Promise.all([
    base === null ? null : readProject(base, ofBase, toolsAt(base)),
    tip === null ? null : readProject(tip, ofBase, toolsAt(tip)),
    readProject(own.tree, own.read, toolsAt(own.tree)),
  ]);
  const unread = (problems: Problem[]): ReadSides => ({
    arranged: null,
    own: new Map(),
    problems,
    notices: own.notices,
    reread,
  });
  if (after.problems.length > 0) return unread(after.problems);
  const lost = findLostRows(before?.project ?? null, after.project, input.strict === true);
  if (lost.problems.length > 0) return unread(lost.problems);
  const swept = (project: Project): Project =>
    mode === 'sweep' ? project : onlyAskedSweep(project, read);
  const merged = toCompare(before, later, after.project);
  const { problems, notices, ...sides } = chooseReferences(
    merged.base === null ? null : swept(merged.base),
    swept(merged.head),
    read.overrides,
  );
  if (problems.length > 0) return unread(problems);
  const earlier = earlierProject(input, ofBase, toolsAt);
  const reads = await ownReads(input, sides, read, earlier);
  const found = reads.flatMap((each) => each.problems ?? []);
  if (found.length > 0) return unread(found);
  return {
    arranged: applyTrust(sides.base, sides.head, sources(input.trust), ownSettings(input.features)),
    own: new Map(reads.map((each) => [each.key, each.read ?? null])),
    problems: [],
    reread,
    relist: relisting(after.project, input, lists, reading),
    sweepNotices: sweepNotice(sides.head.settings.sweep, sides.head.suites),
    sweepsFurther: sweptIn(sides.head) < sweptIn(merged.head),
    notices: [
      ...own.notices,
      ...lost.notices,
      ...merged.notices,
      ...notices,
      ...reads.flatMap((each) => each.notices ?? []),
    ],
  };
}

async function ownReads(
  { base, tip = null, head, changed = [], description, trust, features }: RunInput,
  sides: { base: Project | null; head: Project },
  { overrides: { prompts, references, tags, sample } }: ReadOptions,
  earlier: SidesRead['earlier'],
) {
  const asRead: SidesRead = {
    trust,
    isChosen: [prompts, references, tags, sample].some((each) => each !== null),
    base:
      base === null || sides.base === null
        ? null
        : { tree: tip ?? base, origin: base, project: sides.base },
    head: { tree: head, project: sides.head },
    changed: [...new Set(changed.flatMap(({ path, basePath }) => [path, basePath ?? path]))],
    description,
    earlier,
  };
  return Promise.all(features.map(async ({ key, read }) => ({ key, ...(await read?.(asRead)) })));
}

function earlierProject(
  { earlier }: RunInput,
  read: ReadOptions,
  toolsAt: (tree: SourceTree) => ReadTools,
): SidesRead['earlier'] {
  if (earlier === undefined) return undefined;
  return async (since) => {
    const found = await earlier(since);
    if (found === null) return null;
    const { project, problems } = await readProject(found.tree, read, toolsAt(found.tree));
    return { ...found, project, problems };
  };
}

function readToolsOf(
  { mode, today }: RunInput,
  { hash, hostCall, parsed = new Map() }: Reading,
  lists: ListedEnds,
): (tree: SourceTree) => ReadTools {
  const shared: ReadTools = {
    builtInMetrics: metrics,
    builtInRubrics,
    hash,
    ends: { today, past: mode === 'diff' ? 'notice' : 'problem', lists },
    parsed,
  };
  return ({ commit }) =>
    hostCall === undefined ? shared : { ...shared, hostCall: hostCall(commit) };
}

async function knownLists({ listed }: Reading): Promise<ListedEnds> {
  return (await listed?.()) ?? new Map();
}

/** Lists arrive beside the first calls. What they say replaces what was said before the calls. */
function relisting(
  { settings, suites }: Project,
  { today }: RunInput,
  before: ListedEnds,
  reading: Reading,
): (notices: Notice[]) => Promise<Notice[]> {
  const noticesBy = (lists: ListedEnds): Notice[] => {
    const found = { problems: [], notices: [] as Notice[] };
    checkEnds(settings, suites, { today, past: 'notice', lists }, found);
    return found.notices;
  };
  return async (notices) => {
    const [old, now] = [noticesBy(before), noticesBy(await knownLists(reading))];
    const isIn = (all: Notice[], notice: Notice) =>
      all.some(({ message }) => message === notice.message);
    return [
      ...notices.filter((each) => !isIn(old, each) || isIn(now, each)),
      ...now.filter((each) => !isIn(notices, each)),
    ];
  };
}

export function headReader(
  { tree, read }: Pick<ReturnType<typeof headToRead>, 'tree' | 'read'>,
  hash: Reading['hash'],
): ReadSides['reread'] {
  const tools: ReadTools = { builtInMetrics: metrics, builtInRubrics, hash, parsed: new Map() };
  return async (file, text) => {
    const edited = withText(tree, file, text, hash(text));
    const { project, problems } = await readProject(edited, read, tools);
    return problems.length > 0 ? [] : project.suites.map(({ prompt }) => prompt);
  };
}

/**
 * An outside contributor's settings must not decide which files count and what model names mean.
 */
function headToRead(
  { base, tip, head, trust }: RunInput,
  read: ReadOptions,
): { tree: SourceTree; read: ReadOptions; notices: Notice[] } {
  if (sources(trust).settings === 'head') return { tree: head, read, notices: [] };
  const { tree, unused } = withFilesOf(tip ?? base, head, [read.config, LLMEVAL_FILE], base);
  const notices = unused.map((file): Notice => ({
    kind: 'trust',
    place: { file, line: 0 },
    message:
      `this pull request comes from an outside contributor and changes ${file}. ` +
      "Base's settings were used.",
  }));
  return { tree, read: { ...read, configRequired: false, allowedModels: null }, notices };
}

function sweptIn({ settings }: Project): number {
  return Object.keys(settings.sweep).length;
}

function onlyAskedSweep(project: Project, { overrides }: ReadOptions): Project {
  const sweep = Object.fromEntries(
    Object.entries(project.settings.sweep).filter(([key]) => overrides.parameters.has(key)),
  );
  return { ...project, settings: { ...project.settings, sweep } };
}

type ReadProject = Awaited<ReturnType<typeof readProject>>;

function toCompare(
  base: ReadProject | null,
  tip: ReadProject | null,
  head: Project,
): { base: Project | null; head: Project; notices: Notice[] } {
  const notices = [
    ...unreadBase('Base', 'head was not compared', base),
    ...unreadBase("The base branch's tip", 'its tests and gate were not used', tip),
  ];
  if (base === null || base.problems.length > 0) return { base: null, head, notices };
  return notices.length > 0 || tip === null
    ? { base: base.project, head, notices }
    : mergeProjects(base.project, tip.project, head);
}

function unreadBase(what: string, so: string, read: ReadProject | null): Notice[] {
  return (read?.problems ?? []).slice(0, 1).map(({ place, message }) => ({
    kind: 'not-comparable',
    place,
    message: `${what} cannot be read, so ${so}: ${message}`,
  }));
}

/** Finds files that lost most of their references. If `strict`, any empty file is an error. */
export function findLostRows(
  base: Project | null,
  head: Project,
  strict: boolean,
): { problems: Problem[]; notices: Notice[] } {
  const before = rowsByFile(base);
  const now = rowsByFile(head);
  const problems = head.suites.flatMap(({ tests: { empty = [], references } }) =>
    empty.flatMap((place) => {
      const had = before.get(place.file)?.size ?? 0;
      const isAlone = references.length === 0;
      const isError = place.line > 0 ? had > 0 && isAlone : had > 0 || isAlone || strict;
      return isError ? [problem(place, emptyWords(place.line > 0, had))] : [];
    }),
  );
  const notices = [...before].flatMap(([file, { size }]): Notice[] => {
    const left = now.get(file)?.size ?? 0;
    if (left === 0 || left * 2 >= size || /\.ya?ml$/.test(file)) return [];
    const message = `has ${left} of base's ${size} rows`;
    return [{ kind: 'removed', place: { file, line: 0 }, message }];
  });
  return { problems: deduplicate(problems), notices };
}

function emptyWords(isList: boolean, had: number): string {
  const what = isList ? 'references is empty' : 'has no rows';
  const fix = had > 0 ? `, and base's has ${had}; restore them, or ` : '; add some, or ';
  return `${what}${fix}${isList ? 'delete the prompt too' : 'remove it from references_from'}`;
}

function rowsByFile(project: Project | null): Map<string, Set<string>> {
  const references = project?.suites.flatMap(({ tests }) => tests.references) ?? [];
  const files = Map.groupBy(references, ({ place }) => place.file);
  return new Map([...files].map(([file, rows]) => [file, new Set(rows.map(({ id }) => id))]));
}
