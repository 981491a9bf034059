import { posix } from 'node:path';
import type { SidesRead } from '../../app/run/feature.ts';
import { isBelow } from '../../documents/paths.ts';
import { firstWords } from '../../text/amounts.ts';
import { AGENT_PROGRAM } from '../../types/model.ts';
import type { Notice } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { InstructionMode } from './settings.ts';
import { matcherOf, placeFiles } from './suite/rules.ts';
import { specOf, taskOf } from './suite/spec.ts';

const INSTRUCTIONS =
  /(?:^|\/)(?:(?:AGENTS(?:\.override)?|CLAUDE|GEMINI|SKILL)\.md$|\.claude\/|\.cursor\/rules\/|\.github\/[^/]*instructions)/;

/** The folders of a skill that is the whole project. */
const SKILL_PARTS = /^(?:assets|references|scripts)\//;

/** Says which changed instruction files no agent can have read. */
export function instructionNotices({ base, head, isChosen }: SidesRead): Notice[] {
  if (base === null || isChosen) return [];
  const sides = [{ tree: base.origin, project: base.project }, head];
  const { settings } = (base.project.settings.file === null ? head : base).project;
  const isNamed = sides.some(namesAgent);
  const read = new Set(sides.flatMap(readFiles));
  const left = changedInstructions(base.origin, head.tree).filter(({ path }) => !read.has(path));
  const byMode = Map.groupBy(left, ({ path }) => modeOf(path, settings.instructions, isNamed));
  const told = (byMode.get('tell') ?? []).map(({ path }) => path);
  const judged = Map.groupBy(byMode.get('judge') ?? [], ({ skill }) => skill);
  const why = isNamed
    ? 'no workspace of an agent holds it'
    : 'no suite asks an agent (npx evaldiff init)';
  return [
    ...(told.length === 0 ? [] : [notice('settings', `${firstWords(told)} changed; ${why}`)]),
    ...[...judged].map(([skill, found]) => {
      const paths = found.map(({ path }) => path);
      return notice(
        'not-comparable',
        `${firstWords(paths)} changed, but ${why}, so the change was not judged. ` +
          `To judge it, write in a suite: workspace: ${coveringLine(skill, paths)}`,
      );
    }),
  ];
}

interface ChangedInstruction {
  path: string;
  /** The folder of the skill that the file belongs to. */
  skill: string | null;
}

export function changedInstructions(base: SourceTree, head: SourceTree): ChangedInstruction[] {
  const skills = [base, head].flatMap(skillFolders);
  return changedPaths(base, head).flatMap((path) => {
    const skill = skills.find((folder) => isInSkill(path, folder)) ?? null;
    return skill === null && !INSTRUCTIONS.test(path) ? [] : [{ path, skill }];
  });
}

function notice(kind: Notice['kind'], message: string): Notice {
  return { kind, place: null, message };
}

function coveringLine(skill: string | null, paths: readonly string[]): string {
  if (skill === null || skill === '') return `{ with: [${paths.slice(0, 3).join(', ')}] }`;
  return `{ skills: { ${posix.basename(skill)}: ${skill} } }`;
}

function modeOf(
  path: string,
  written: NonNullable<SidesRead['base']>['project']['settings']['instructions'],
  isNamed: boolean,
): InstructionMode {
  if (typeof written === 'string') return written;
  const matching = Object.entries(written ?? {}).filter(([glob]) => matcherOf([glob])(path));
  return matching.at(-1)?.[1] ?? (isNamed ? 'judge' : 'tell');
}

function namesAgent({ project: { settings, suites } }: SidesRead['head']): boolean {
  const asks = (model: string | null): boolean =>
    settings.models.get(model ?? '')?.command[0] === AGENT_PROGRAM;
  return (settings.agent ?? null) !== null || suites.some(({ prompt }) => asks(prompt.model));
}

/** Files that a workspace holds, and files of prompts and tests. */
function readFiles({ tree, project: { settings, suites } }: SidesRead['head']): string[] {
  const paths = [...tree.files.keys(), ...(tree.links?.keys() ?? [])];
  return suites.flatMap(({ prompt, tests }) => {
    const spec = specOf(settings.models.get(prompt.model ?? '')?.command ?? []);
    return [
      ...(spec === null ? [] : placeFiles(paths, spec.workspace).values()),
      ...tests.references.flatMap(({ input }) => Object.values(taskOf(input).files ?? {})),
      ...[prompt.file, tests.file, ...prompt.messages.map(({ place }) => place.file)],
    ];
  });
}

function skillFolders({ files }: SourceTree): string[] {
  return [...files.keys()].flatMap((path) =>
    posix.basename(path) === 'SKILL.md' ? path.slice(0, -'/SKILL.md'.length) : [],
  );
}

/** Evaluations in a skill's folder test the skill and do not instruct agents. */
function isInSkill(path: string, folder: string): boolean {
  if (folder === '') return SKILL_PARTS.test(path);
  return isBelow(path, folder) && !isBelow(path, `${folder}/evals`);
}

function changedPaths(base: SourceTree, head: SourceTree): string[] {
  const idIn = ({ files, links, irregular }: SourceTree, path: string): string => {
    const file = files.get(path);
    return [file?.id, file?.executable, links?.get(path), irregular.get(path)].join(' ');
  };
  const paths = [base, head].flatMap(({ files, irregular }) => [
    ...files.keys(),
    ...irregular.keys(),
  ]);
  return [...new Set(paths)].filter((path) => idIn(base, path) !== idIn(head, path)).sort();
}
