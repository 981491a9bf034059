import {
  takesOverlay,
  type OverlaidFile,
  type ProgramTarget,
  type Target,
} from '../types/model.ts';
import type { Side } from '../types/plain.ts';
import { joinParts, lineUnit, type ChangeUnit, type MergedPart } from './change-unit.ts';
import { composeText, mergeTexts } from './merged-text.ts';
import type { MergedText } from './text-units.ts';

/** Null if the file is too large or unknown. */
export type ReadBytes = (side: Side, path: string) => Uint8Array | null;

/** In bytes. The change of a larger file is not split. */
export const MAX_UNIT_FILE = 200_000;

/** Composes the target of a side. */
export interface FilesChange extends MergedPart<(side: Side) => Target | null> {
  revert(unit: ChangeUnit): { before: string; after: string } | null;
}

type FileIds = Record<Side, string | undefined>;

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
  if (takesOverlay(base) && takesOverlay(head)) return workspaceChange({ base, head }, read);
  const targets = { base, head };
  return { units: [], compose: () => (side) => targets[side], revert: () => null };
}

function workspaceChange(targets: FileSides, read: ReadBytes): FilesChange {
  const files = changedPaths(targets.base, targets.head).map((path) => {
    const ids = { base: targets.base.ids?.get(path), head: targets.head.ids?.get(path) };
    const text = mergedFile(path, read);
    const units = text === null ? [wholeFile(path, ids)] : linesOf(path, text.merged);
    return { path, text, units, compose: overlaidFile(ids, text, units.length) };
  });
  const { units, compose } = joinParts(files);
  // If both sides are one commit, base stands for head without some lines.
  const isOneTree = targets.base.commit === targets.head.commit;
  return {
    units,
    compose: (has) => (given) => {
      const side = isOneTree ? 'head' : given;
      const changed = compose(has).flatMap((overlaid, index) => {
        const file = overlaid(side);
        return file === undefined ? [] : [[files[index]?.path ?? '', file] as const];
      });
      const { commit } = targets[side === 'base' ? 'head' : 'base'];
      const overlay = { commit, files: Object.fromEntries(changed) };
      return changed.length === 0 ? targets[side] : { ...targets[side], overlay };
    },
    revert(unit) {
      const file = files.find((each) => each.units.includes(unit));
      const merged = file?.text?.merged;
      if (file === undefined || merged === undefined) return null;
      return {
        before: composeText(merged, () => true),
        after: composeText(merged, (own) => file.units[own] !== unit),
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

const INSTRUCTION_FILES =
  /(?:^|\/)(?:AGENTS|CLAUDE|GEMINI|SKILL|copilot-instructions)\.md$|\.mdc$|(?:^|\/)\.[a-z]+rules$/i;

/** The files that agents read without being told, in order. */
export function instructionFiles({ ids }: ProgramTarget): string[] {
  return [...(ids?.keys() ?? [])].filter((path) => INSTRUCTION_FILES.test(path)).sort();
}

/** The workspace of `target` without its instructions, as base of a change that adds them. */
export function withoutInstructions(
  target: ProgramTarget,
  read: ReadBytes,
): { target: ProgramTarget; read: ReadBytes } {
  const away = new Set(instructionFiles(target));
  const ids = new Map([...(target.ids ?? [])].filter(([path]) => !away.has(path)));
  return {
    target: { ...target, ids },
    read(side, path) {
      const text = sideText(read('head', path));
      if (side === 'head' || text === null) return read('head', path);
      return new TextEncoder().encode(fixedLines(text));
    },
  };
}

/** Front matter and fenced code stay, because a part of them means nothing. */
function fixedLines(text: string): string {
  const lines = text.split('\n');
  const matterEnd = lines[0]?.trim() === '---' ? lines.findIndex(isMatterEnd) : -1;
  let isFenced = false;
  return lines
    .filter((line, at) => {
      const isFence = /^\s*(?:```|~~~)/.test(line);
      if (isFence) isFenced = !isFenced;
      return at <= matterEnd || isFence || isFenced || line.trim() === '';
    })
    .join('\n');
}

function isMatterEnd(line: string, at: number): boolean {
  return at > 0 && line.trim() === '---';
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

function wholeFile(path: string, { base, head }: FileIds): ChangeUnit {
  const textOf = (id: string | undefined) => (id === undefined ? null : '');
  return lineUnit('file', { file: path, line: 0 }, { base: textOf(base), head: textOf(head) });
}

function linesOf(path: string, { units, lines }: MergedText): ChangeUnit[] {
  const last = lines.filter(
    ({ shared, pieces }) => shared || pieces.some(({ side }) => side === 'head'),
  ).length;
  return units.map(({ kind, base, head, anchor }): ChangeUnit => {
    const { from, to } = head ?? base ?? { from: 0, to: 0 };
    const line = head === null ? Math.min(anchor + 1, last) : from + 1;
    const texts = { base: base?.text ?? null, head: head?.text ?? null };
    return {
      ...lineUnit(kind, { file: path, line }, texts),
      lines: { from: from + 1, to: to + 1 },
    };
  });
}

/** The file to put over a side's own. Undefined if the side's own file is wanted. */
function overlaidFile(
  ids: FileIds,
  text: FileText | null,
  units: number,
): MergedPart<(side: Side) => OverlaidFile | undefined>['compose'] {
  return (has) => (side) => {
    const isAll = (value: boolean) =>
      Array.from({ length: units }, (_, unit) => has(unit)).every((own) => own === value);
    if (isAll(side === 'head')) return undefined;
    const { [side === 'base' ? 'head' : 'base']: id } = ids;
    if (text !== null && (id === undefined || !isAll(side === 'base')))
      return { text: composedText(text, side, has) };
    return id === undefined ? null : { id };
  };
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
