import { readProject, type ReadOptions, type ReadTools } from '../../config/project.ts';
import { LLMEVAL_FILE, SETTINGS_FILE } from '../../config/settings.ts';
import { withText } from '../../documents/files.ts';
import { problem } from '../../errors.ts';
import type { Prepared } from '../../kernel/plan/prepared.ts';
import type { Project } from '../../kernel/suite/suite.ts';
import { metrics } from '../../metrics/index.ts';
import { builtInRubrics } from '../../metrics/rubric.ts';
import { withFilesOf } from '../../trust/arrange.ts';
import { sources } from '../../trust/trust.ts';
import type { Notice, Problem } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { chooseReferences } from './choose.ts';
import type { SidesRead } from './feature.ts';
import type { PlanTools, RunInput } from './input.ts';
import type { JudgeEdges } from './spending.ts';
import { toCompare } from './to-compare.ts';

type ReadSides = {
  base: Project | null;
  read: OwnReads;
  problems: Problem[];
  notices: Notice[];
} & ({ head: null } | { head: Project; sweepsFurther: boolean });

/** What rows read beside the projects, by key. */
export type OwnReads = ReadonlyMap<string, unknown>;

/**
 * Head's mistakes stop the run; base's cannot be fixed by anyone here, so what base cannot say is
 * new.
 */
export async function readSides(
  input: RunInput,
  tools: Pick<PlanTools, 'hash' | 'hostCall'>,
): Promise<ReadSides> {
  const { base, tip = null, read, mode, features } = input;
  const toolsAt = readToolsOf(input, tools);
  const own = headToRead(input);
  // What a pull request may name is asked of the pull request: base's models were chosen by those
  // who may.
  const ofBase = { ...read, configRequired: false, allowedModels: null };
  const [before, later, after] = await Promise.all([
    base === null ? null : readProject(base, ofBase, toolsAt(base)),
    tip === null ? null : readProject(tip, ofBase, toolsAt(tip)),
    readProject(own.tree, own.read, toolsAt(own.tree)),
  ]);
  const unread = (problems: Problem[]): ReadSides => ({
    base: null,
    head: null,
    read: new Map(),
    problems,
    notices: own.notices,
  });
  if (after.problems.length > 0) return unread(after.problems);
  const swept = (project: Project): Project =>
    mode === 'sweep' ? project : onlyAskedSweep(project, read);
  const merged = toCompare(before, later, after.project);
  const { problems, notices, ...sides } = chooseReferences(
    merged.base === null ? null : swept(merged.base),
    swept(merged.head),
    read.overrides,
  );
  if (problems.length > 0) return unread(problems);
  const asRead: SidesRead = {
    input,
    base:
      base === null || sides.base === null
        ? null
        : { tree: tip ?? base, origin: base, project: sides.base },
    head: { tree: input.head, project: sides.head },
  };
  const reads = await Promise.all(
    features.map(async ({ key, read: readOwn }) => ({ key, ...(await readOwn?.(asRead)) })),
  );
  const found = reads.flatMap((each) => each.problems ?? []);
  if (found.length > 0) return unread(found);
  return {
    ...sides,
    read: new Map(reads.map((each) => [each.key, each.read ?? null])),
    problems: [],
    sweepsFurther: sweptIn(sides.head) < sweptIn(merged.head),
    notices: [
      ...own.notices,
      ...merged.notices,
      ...notices,
      ...reads.flatMap((each) => each.notices ?? []),
    ],
  };
}

/** What each side is read with. */
function readToolsOf(
  { mode, today, parsed = new Map() }: RunInput,
  { hash, hostCall }: Pick<PlanTools, 'hash' | 'hostCall'>,
): (tree: SourceTree) => ReadTools {
  const shared: ReadTools = {
    builtInMetrics: metrics,
    builtInRubrics,
    hash,
    ends: { today, past: mode === 'diff' ? 'notice' : 'problem' },
    parsed,
  };
  return ({ commit }) =>
    hostCall === undefined ? shared : { ...shared, hostCall: hostCall(commit) };
}

/**
 * Reads head's prompts as they would be with a file in other words: by the reader that read them,
 * but that no code of the project runs for it.
 */
export function headReader(
  input: Parameters<typeof headToRead>[0],
  hash: PlanTools['hash'],
): NonNullable<JudgeEdges['reread']> {
  const { tree, read } = headToRead(input);
  const tools: ReadTools = { builtInMetrics: metrics, builtInRubrics, hash, parsed: new Map() };
  return async (file, text) => {
    const edited = withText(tree, file, text, hash(text));
    const { project, problems } = await readProject(edited, read, tools);
    return problems.length > 0 ? [] : project.suites.map(({ prompt }) => prompt);
  };
}

/**
 * From an outside contributor, head is read with base's settings: which files count, and what the
 * models' names stand for, is not part of what is measured.
 */
function headToRead({
  base,
  tip,
  head,
  read,
  trust,
}: Pick<RunInput, 'base' | 'tip' | 'head' | 'read' | 'trust'>): {
  tree: SourceTree;
  read: ReadOptions;
  notices: Notice[];
} {
  if (sources(trust).settings === 'head') return { tree: head, read, notices: [] };
  const { tree, unused } = withFilesOf(tip ?? base, head, [read.config, LLMEVAL_FILE], base);
  const notices = unused.map((file): Notice => ({
    kind: 'trust',
    place: { file, line: 0 },
    message: `this pull request comes from an outside contributor and changes ${file}. Base's settings were used.`,
  }));
  return { tree, read: { ...read, configRequired: false, allowedModels: null }, notices };
}

function sweptIn({ settings }: Project): number {
  return Object.keys(settings.sweep).length;
}

/**
 * The settings' `sweep` is for full sweeps; a comparison sweeps only what its overrides ask for.
 */
function onlyAskedSweep(project: Project, { overrides }: ReadOptions): Project {
  const sweep = Object.fromEntries(
    Object.entries(project.settings.sweep).filter(([key]) => overrides.parameters.has(key)),
  );
  return { ...project, settings: { ...project.settings, sweep } };
}

const NO_REFERENCES =
  'has no references, so there is nothing to run: list them under references, or name a data file under references_from';

/**
 * A sweep that would judge nothing is a mistake, never green: whoever asked for it expected
 * answers.
 */
export function nothingToSweep(
  { mode, mayBeEmpty }: Pick<RunInput, 'mode' | 'mayBeEmpty'>,
  { suites, settings }: Project,
  { features }: Prepared,
): Problem[] {
  if (
    mode !== 'sweep' ||
    mayBeEmpty === true ||
    suites.some(({ tests }) => tests.references.length > 0) ||
    features.some(({ tested }) => tested > 0)
  )
    return [];
  const files = new Set(suites.map(({ tests }) => tests.file));
  if (files.size > 0) return [...files].map((file) => problem({ file, line: 0 }, NO_REFERENCES));
  return [
    problem(
      { file: settings.file ?? SETTINGS_FILE, line: 0 },
      'no prompt here has references, so there is nothing to run; write prompts there with their tests ("npx evaldiff init" begins with some), or name the folder that has them (working-directory, --directory)',
    ),
  ];
}
