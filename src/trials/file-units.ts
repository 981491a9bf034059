import {
  takesOverlay,
  type OverlaidFile,
  type ProgramTarget,
  type Target,
} from '../types/model.ts';
import type { Side } from '../types/plain.ts';
import type { ChangeUnit } from './change-unit.ts';
import { composeText, mergeTexts } from './merged-text.ts';
import type { MergedText } from './text-units.ts';

/** Null if the file is too large or unknown. */
export type ReadBytes = (side: Side, path: string) => Uint8Array | null;

/** In bytes. The change of a larger file is not split. */
export const MAX_UNIT_FILE = 200_000;

export interface FilesChange {
  units: ChangeUnit[];
  target(side: Side, has: (unit: number) => boolean): Target | null;
  revert(unit: ChangeUnit): { before: string; after: string } | null;
}

interface FileChange {
  path: string;
  ids: Record<Side, string | undefined>;
  text: FileText | null;
  first: number;
  size: number;
}

interface FileText {
  merged: MergedText;
  texts: Record<Side, string>;
}

type FileSides = Record<Side, ProgramTarget>;

export function filesChange(
  base: Target | null,
  head: Target | null,
  read: ReadBytes,
): FilesChange {
  return takesOverlay(base) && takesOverlay(head)
    ? workspaceChange({ base, head }, read)
    : { units: [], target: (side) => (side === 'base' ? base : head), revert: () => null };
}

function workspaceChange(targets: FileSides, read: ReadBytes): FilesChange {
  const files: FileChange[] = [];
  const units: ChangeUnit[] = [];
  for (const path of changedPaths(targets.base, targets.head)) {
    const ids = { base: targets.base.ids?.get(path), head: targets.head.ids?.get(path) };
    const isBoth = ids.base !== undefined && ids.head !== undefined;
    const text = isBoth ? mergedFile(path, read) : null;
    const own = text === null ? [wholeFile(path, ids)] : linesOf(path, text.merged);
    files.push({ path, ids, text, first: units.length, size: own.length });
    units.push(...own);
  }
  return {
    units,
    target: (side, has) => overlaidTarget(files, side, targets, has),
    revert(unit) {
      const at = units.indexOf(unit);
      const file = files.find(({ first, size }) => at >= first && at < first + size);
      const merged = file?.text?.merged;
      if (file === undefined || merged === undefined) return null;
      return {
        before: composeText(merged, () => true),
        after: composeText(merged, (own) => own + file.first !== at),
      };
    },
  };
}

/** Agents read these files as instructions, so changes in them are the likeliest causes. */
const INSTRUCTIONS = /\.(?:mdc?|mdx|markdown|txt|rst)$|(?:^|\/)\.[a-z]+rules$/i;

export function changedPaths(base: ProgramTarget, head: ProgramTarget): string[] {
  const before = base.ids ?? new Map<string, string>();
  const after = head.ids ?? new Map<string, string>();
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .sort();
  const isInstruction = (path: string) => INSTRUCTIONS.test(path);
  return [...changed.filter(isInstruction), ...changed.filter((path) => !isInstruction(path))];
}

function mergedFile(path: string, read: ReadBytes): FileText | null {
  const [base, head] = [sideText(read('base', path)), sideText(read('head', path))];
  if (base === null || head === null) return null;
  const grain = INSTRUCTIONS.test(path) ? 'lines' : 'hunks';
  const merged = mergeTexts(plainLines(base), plainLines(head), grain);
  return merged.units.length === 0 ? null : { merged, texts: { base, head } };
}

function sideText(bytes: Uint8Array | null): string | null {
  if (bytes === null || bytes.length > MAX_UNIT_FILE || bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function plainLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}

function wholeFile(path: string, { base, head }: FileChange['ids']): ChangeUnit {
  return {
    ...{ kind: 'file', name: null, file: path, side: head === undefined ? 'base' : 'head' },
    ...{ lines: { from: 0, to: 0 }, head: { file: path, line: 0 } },
    base_text: base === undefined ? null : '',
    head_text: head === undefined ? null : '',
  };
}

function linesOf(path: string, { units, lines }: MergedText): ChangeUnit[] {
  const last = lines.filter(
    ({ shared, pieces }) => shared || pieces.some(({ side }) => side === 'head'),
  ).length;
  return units.map(({ kind, base, head, anchor }): ChangeUnit => {
    const { from, to } = head ?? base ?? { from: 0, to: 0 };
    return {
      ...{ kind, name: null, file: path, side: head === null ? 'base' : 'head' },
      lines: { from: from + 1, to: to + 1 },
      head: { file: path, line: head === null ? Math.min(anchor + 1, last) : from + 1 },
      base_text: base?.text ?? null,
      head_text: head?.text ?? null,
    };
  });
}

function overlaidTarget(
  files: readonly FileChange[],
  side: Side,
  targets: FileSides,
  has: (unit: number) => boolean,
): ProgramTarget {
  const other = side === 'base' ? 'head' : 'base';
  const changed = files.flatMap(({ path, ids, text, first, size }): [string, OverlaidFile][] => {
    const chosen = Array.from({ length: size }, (_, at) => has(first + at));
    const isAll = (value: boolean) => chosen.every((own) => own === value);
    if (isAll(side === 'head')) return [];
    if (text !== null && !isAll(side === 'base'))
      return [[path, { text: composedText(text, side, (unit) => chosen[unit] === true) }]];
    const { [other]: id } = ids;
    return [[path, id === undefined ? null : { id }]];
  });
  const { [side]: target } = targets;
  return changed.length === 0
    ? target
    : { ...target, overlay: { commit: targets[other].commit, files: Object.fromEntries(changed) } };
}

function composedText(
  { merged, texts }: FileText,
  side: Side,
  has: (unit: number) => boolean,
): string {
  const { [side]: own } = texts;
  const text = `${composeText(merged, has)}${own.endsWith('\n') ? '\n' : ''}`;
  return own.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}
