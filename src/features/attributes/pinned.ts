import { createFiles } from '../../documents/files.ts';
import { join } from '../../documents/paths.ts';
import { pairSuites } from '../../kernel/select/pair.ts';
import type { Project, Settings } from '../../project/settings.ts';
import type { Source } from '../../trust/trust.ts';
import type { Notice, Problem } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { attributesOf, type PinnedAttributes } from './file.ts';
import { DEFAULT_ATTRIBUTES } from './settings.ts';

interface Pinned {
  pinned: PinnedAttributes | null;
  problems: Problem[];
  notices: Notice[];
}

interface ProjectTree {
  tree: SourceTree;
  project: Project;
  origin?: SourceTree;
}

interface PinnedOptions {
  source: Source;
  /** Whether only some prompts are loaded, so that unused sections are expected. */
  chosen: boolean;
}

/** Reads base's file, or head's if base's is invalid. Never reads an outside contributor's file. */
export async function readPinned(
  base: ProjectTree | null,
  head: ProjectTree,
  { source, chosen }: PinnedOptions,
): Promise<Pinned> {
  const isOutside = source === 'base' || source === 'base-else-defaults';
  const [before, after] = await Promise.all([
    base === null || source === 'head'
      ? ABSENT
      : readPins(base.tree, isOutside ? head.project : base.project),
    isOutside ? ABSENT : readPins(head.tree, head.project),
  ]);
  const known =
    before.pinned === null || base === null
      ? null
      : underNewNames(before.pinned, base.project, head.project);
  return {
    pinned: known ?? after.pinned,
    problems: after.problems,
    notices: [
      ...after.notices,
      ...(chosen ? [] : unusedSections(after, head.project)),
      ...unreadAttributes(before, isOutside),
      ...(base === null || source === 'head'
        ? []
        : changeNotices(base, head, isOutside, known !== null)),
    ],
  };
}

function unusedSections({ pinned }: Pinned, { suites }: Project): Notice[] {
  const known = suites.map(({ prompt }) => prompt.file);
  return [...(pinned?.places ?? [])].flatMap(([path, place]): Notice[] => {
    const message = `${path} is not a prompt of this project with tests, so these attributes are ignored`;
    return known.includes(path) ? [] : [{ kind: 'unused', place, message }];
  });
}

function unreadAttributes({ problems: [first] }: Pinned, isOutside: boolean): Notice[] {
  if (first === undefined) return [];
  const used = isOutside ? 'none' : "head's";
  const message = `base's attributes cannot be read, so ${used} are used: ${first.message}`;
  return [{ kind: 'qualeval', place: first.place, message }];
}

const ABSENT: Pinned = { pinned: null, problems: [], notices: [] };

async function readPins(tree: SourceTree, { settings }: Project): Promise<Pinned> {
  const file = attributesPath(settings);
  const files = createFiles(tree);
  const absence = files.absence(file);
  if (absence?.startsWith('does not exist') === true) {
    if (file === DEFAULT_ATTRIBUTES) return ABSENT;
    const place = { file: settings.file ?? 'evaldiff.yaml', line: 0 };
    const message = `qualeval.attributes: ${file} ${absence}; attributes are discovered when needed`;
    return { ...ABSENT, notices: [{ kind: 'qualeval', place, message }] };
  }
  const problems: Problem[] = [];
  const document = await files.document(file, problems);
  if (document === null) return { ...ABSENT, problems };
  const reading = attributesOf(document);
  return reading.ok
    ? { ...ABSENT, pinned: reading.value }
    : { ...ABSENT, problems: reading.problems };
}

export function attributesPath({ qualeval: { attributes } }: Settings): string {
  return join('', attributes) ?? attributes;
}

function underNewNames(pinned: PinnedAttributes, base: Project, head: Project): PinnedAttributes {
  const names = new Map(
    [...pairSuites(base.suites, head.suites)].map(([{ prompt }, was]) => [
      was.prompt.file,
      prompt.file,
    ]),
  );
  return {
    ...pinned,
    byPrompt: new Map(
      [...pinned.byPrompt].map(([path, attributes]) => [names.get(path) ?? path, attributes]),
    ),
  };
}

function changeNotices(
  base: ProjectTree,
  head: ProjectTree,
  isOutside: boolean,
  inForce: boolean,
): Notice[] {
  const [before, after] = [
    attributesFile(base, isOutside ? head.project : base.project),
    attributesFile(head, head.project),
  ];
  const origin = base.origin === undefined ? before.id : base.origin.files.get(after.path)?.id;
  if (before.id === after.id || origin === after.id) return [];
  const file = after.id === undefined ? before.path : after.path;
  const place = { file, line: 0 };
  if (isOutside) {
    const used = inForce ? "Base's attributes were used." : 'It was not used.';
    const message = `this pull request comes from an outside contributor and changes ${file}. ${used}`;
    return [{ kind: 'trust', place, message }];
  }
  const message = inForce
    ? `this pull request changes ${file}; base's attributes apply until it is merged`
    : `this pull request adds ${file}; it does not start a run by itself, ` +
      'but applies to every prompt that runs';
  return [{ kind: 'settings', place, message }];
}

function attributesFile({ tree }: ProjectTree, { settings }: Project) {
  const path = attributesPath(settings);
  return { path, id: tree.files.get(path)?.id };
}
