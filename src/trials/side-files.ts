import { UserError } from '../errors.ts';
import type { AffectedSuite } from '../kernel/select/affected-suite.ts';
import type { Prompt } from '../kernel/suite/suite.ts';
import { takesOverlay } from '../types/model.ts';
import { SIDES, type Side } from '../types/plain.ts';
import type { SourceTree } from '../types/repository.ts';
import { changedPaths, instructionFiles, MAX_UNIT_FILE, type ReadBytes } from './file-units.ts';
import { fileLines, type ReadLines } from './unit-places.ts';

export interface SideFiles {
  lines: ReadLines;
  bytes: ReadBytes;
}

export const NOTHING_READ: SideFiles = { lines: () => null, bytes: () => null };

/** Reads the files in which prompts and agents' workspaces differ, or an agent's instructions. */
export async function readSideFiles(
  suites: readonly AffectedSuite[],
  sources: Partial<Record<Side, SourceTree | null>> = {},
): Promise<SideFiles> {
  const texts = new Map<string, readonly string[]>();
  const bodies = new Map<string, Uint8Array>();
  const keyOf = (side: Side, file: string) => `${side} ${file}`;
  for (const suite of suites)
    for (const side of SIDES) {
      const tree = sources[side] ?? null;
      for (const file of sourceFiles(suite[side]?.suite.prompt))
        texts.set(keyOf(side, file), await fileLines(tree, file));
      for (const file of workspaceFiles(suite)) {
        const body = tree?.files.has(file) === true ? await readSmall(tree, file) : null;
        if (body === null) continue;
        bodies.set(keyOf(side, file), body);
        texts.set(keyOf(side, file), new TextDecoder().decode(body).split(/\r?\n/));
      }
    }
  return {
    lines: (side, file) => texts.get(keyOf(side, file)) ?? null,
    bytes: (side, file) => bodies.get(keyOf(side, file)) ?? null,
  };
}

function workspaceFiles({ base, head }: AffectedSuite): string[] {
  const [before, after] = [base?.variant.target ?? null, head?.variant.target ?? null];
  if (!takesOverlay(after)) return [];
  return takesOverlay(before) ? changedPaths(before, after) : instructionFiles(after);
}

/** A large file counts as one change and is not read. */
function readSmall(tree: SourceTree, file: string): Promise<Uint8Array | null> {
  return tree.read(file, MAX_UNIT_FILE).catch((error: unknown) => {
    if (error instanceof UserError) return null;
    throw error;
  });
}

/** The files that a prompt is written in. */
function sourceFiles(prompt: Prompt | undefined): Set<string> {
  if (prompt === undefined) return new Set();
  return new Set([
    prompt.file,
    ...prompt.messages.map(({ place }) => place.file),
    ...Object.values(prompt.places).map(({ file }) => file),
    ...(prompt.code === null ? [] : [prompt.code.place.file]),
  ]);
}
