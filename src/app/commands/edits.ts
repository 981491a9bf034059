import { lstat, readFile, realpath, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isPlainRelative } from '../../documents/paths.ts';
import { userError } from '../../errors.ts';
import type { ProvenFix } from '../../report/sections/feature-report.ts';
import { fixDiff, fixWords } from '../../report/sections/fixes.ts';
import { logLine } from '../../text/log.ts';
import { DIFF_SIGNS } from '../../text/markdown.ts';
import { byCodeUnits } from '../../text/order.ts';
import { withEdit, type Edit } from '../../trials/fix-edit.ts';
import type { Terminal } from './terminal.ts';

interface Offer {
  directory: string;
  /** Writes without a question. */
  apply?: boolean;
  /** The command that does so. */
  command: string;
}

/** Prints each edit, and writes it if the user says so. */
export async function offerEdits(
  edits: readonly ProvenFix[],
  { directory, apply = false, command }: Offer,
  terminal: Terminal,
): Promise<void> {
  const folder = await realpath(resolve(terminal.cwd, directory));
  let [written, open] = [0, 0];
  for (const edit of onePerPlace(edits)) {
    terminal.out(`${editText(edit)}\n`);
    const there = apply ? null : await staleReason(folder, edit);
    if (there !== null) {
      terminal.out(`  ${there}\n`);
      continue;
    }
    open += 1;
    const question = logLine(`Write it into ${edit.file}?`);
    if (!apply && (await terminal.confirm?.(question)) !== true) continue;
    await writeEdit(folder, edit);
    written += 1;
  }
  if (written > 0) terminal.out('Written. Run "npx evaldiff diff" to see.\n');
  else if (open > 0 && terminal.confirm === undefined) terminal.out(`Write with: ${command}\n`);
}

/**
 * Tests that are added at one place become one edit; of other edits the first counts. Later lines
 * come first, so that an edit does not shift the next one.
 */
function onePerPlace(edits: readonly ProvenFix[]): ProvenFix[] {
  const places = new Map<string, ProvenFix>();
  for (const edit of edits) {
    const place = JSON.stringify([edit.file, edit.lines.from]);
    const first = places.get(place);
    const { kind, replaced, replacement } = edit;
    if (first === undefined) places.set(place, edit);
    else if (kind === 'test' && first.kind === 'test' && replacement.startsWith(replaced)) {
      const added = replacement.slice(replaced.length);
      if (!first.replacement.includes(added))
        places.set(place, { ...first, replacement: first.replacement + added });
    }
  }
  return [...places.values()].sort(
    (a, b) => byCodeUnits(a.file, b.file) || b.lines.from - a.lines.from,
  );
}

function editText(edit: ProvenFix): string {
  const lines = fixDiff(edit).map(({ sign, text }) => `${DIFF_SIGNS[sign]} ${text}`);
  return [`${edit.file}:${edit.lines.from}: ${fixWords(edit)}`, ...lines].map(logLine).join('\n');
}

async function staleReason(folder: string, edit: Edit): Promise<string | null> {
  const text = await readFile(await pathOf(folder, edit), 'utf8');
  return withEdit(text, edit) === null
    ? 'The file contains this change, or these lines have changed since the run.'
    : null;
}

/** Writes only to a regular file of the project, and only if the lines are unchanged. */
async function writeEdit(folder: string, edit: Edit): Promise<void> {
  const path = await pathOf(folder, edit);
  const text = withEdit(await readFile(path, 'utf8'), edit);
  if (text === null)
    return refuse(
      edit,
      'has changed since the run, so the change is not written; run npx evaldiff diff again',
    );
  await writeFile(path, text);
}

function refuse({ file, lines }: Edit, message: string): never {
  throw userError({ file, line: lines.from }, message);
}

async function pathOf(folder: string, edit: Edit): Promise<string> {
  if (!isPlainRelative(edit.file) || /(?:^|\/)\.git(?:\/|$)/i.test(edit.file))
    refuse(edit, 'is not a file of this project; nothing was written');
  const path = join(folder, edit.file);
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() !== true || relative(folder, await realpath(path)) !== relative(folder, path))
    refuse(edit, 'is not a regular file of this project; nothing was written');
  return path;
}
