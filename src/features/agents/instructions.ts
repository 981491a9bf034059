import { posix } from 'node:path';
import type { SidesRead } from '../../app/run/feature.ts';
import { isBelow } from '../../documents/paths.ts';
import { firstWords } from '../../text/amounts.ts';
import type { Notice } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { InstructionMode } from './settings.ts';
import { matcherOf, placeFiles } from './suite/rules.ts';
import { agentOf, taskOf } from './suite/spec.ts';

const INSTRUCTION_PATHS = [
  /(?:^|\/)(?:AGENTS(?:\.override)?|CLAUDE|GEMINI|SKILL)\.md$/,
  /(?:^|\/)(?:\.claude|\.cursor\/rules)\//,
  /(?:^|\/)\.github\/[^/]*instructions/,
];

/** The folders of a skill that is the whole project. */
const SKILL_PARTS = /^(?:assets|references|scripts)\//;

/** Names the changed instruction files that no agent can have read. */
export function instructionNotices({ base, head, changed, isChosen }: SidesRead): Notice[] {
  if (base === null || isChosen) return [];
  const sides = [{ tree: base.origin, project: base.project }, head];
  const { settings } = (base.project.settings.file === null ? head : base).project;
  const isNamed = sides.some(
    ({ project: { settings, suites } }) =>
      (settings.agent ?? null) !== null ||
      suites.some(({ prompt }) => agentOf(prompt, settings) !== null),
  );
  const [before, after] = sides.map((side) => new Set(coveredFiles(side)));
  const isRead = (path: string) =>
    (head.tree.files.has(path) || head.tree.links?.has(path) ? after : before)?.has(path) ?? false;
  const isInstruction = instructionMatcher([base.origin, head.tree]);
  const left = changed.filter((path) => isInstruction(path) && !isRead(path));
  const { instructions } = settings;
  const byMode = Map.groupBy(left, (path) => {
    if (typeof instructions === 'string') return instructions;
    const found = Object.entries(instructions ?? {}).findLast(([glob]) => matcherOf([glob])(path));
    return found?.[1] ?? (isNamed ? 'judge' : 'tell');
  });
  const where = isNamed
    ? "changed outside every agent's workspace"
    : 'changed; no suite asks an agent (npx evaldiff init)';
  const say = (mode: InstructionMode, kind: Notice['kind'], then = ''): Notice[] => {
    const paths = byMode.get(mode) ?? [];
    const message = `${firstWords(paths)} ${where}${then}`;
    return paths.length === 0 ? [] : [{ kind, place: null, message }];
  };
  return [...say('judge', 'not-comparable', HOW_TO_JUDGE), ...say('tell', 'settings')];
}

const HOW_TO_JUDGE =
  ', so this was not judged. To judge it, add the file to a suite (workspace: { with: [PATH] }) ' +
  'or the skill (workspace: { skills: { NAME: FOLDER } })';

/** Files that a workspace holds, and files of prompts and tests. */
function coveredFiles({ tree, project: { settings, suites } }: SidesRead['head']): string[] {
  const paths = [...tree.files.keys(), ...(tree.links?.keys() ?? [])];
  return suites.flatMap(({ prompt, tests }) => {
    const spec = agentOf(prompt, settings);
    const own = [prompt.file, tests.file, ...prompt.messages.map(({ place }) => place.file)];
    if (spec === null) return own;
    const attached = tests.references.flatMap(({ input }) =>
      Object.values(taskOf(input).files ?? {}),
    );
    return [...own, ...attached, ...placeFiles(paths, spec.workspace).values()];
  });
}

/** Evaluations in a skill's folder test the skill and do not instruct agents. */
export function instructionMatcher(trees: readonly SourceTree[]): (path: string) => boolean {
  const skills = trees
    .flatMap(({ files }) => [...files.keys()])
    .filter((path) => posix.basename(path) === 'SKILL.md')
    .map((path) => path.slice(0, -'/SKILL.md'.length));
  const isInSkill = (path: string, folder: string) =>
    folder === ''
      ? SKILL_PARTS.test(path)
      : isBelow(path, folder) && !isBelow(path, `${folder}/evals`);
  return (path) =>
    INSTRUCTION_PATHS.some((pattern) => pattern.test(path)) ||
    skills.some((folder) => isInSkill(path, folder));
}
