import { knownEnd, WARN_DAYS, type ModelEnds } from '../../config/check-models.ts';
import { namedModelsOf } from '../../config/check-suites.ts';
import { askedModel, entryOf } from '../../config/model-names.ts';
import { deduplicate } from '../../documents/document.ts';
import { withText } from '../../documents/files.ts';
import { userError } from '../../errors.ts';
import { keyPlace, type Prompt } from '../../kernel/suite/suite.ts';
import type { Project } from '../../project/settings.ts';
import { fileLines } from '../../trials/unit-places.ts';
import { refusedIn } from '../../types/apis.ts';
import type { AskedModel } from '../../types/model.ts';
import { refusalWords } from '../../types/passports.ts';
import { ownEntry, type Notice, type Place } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import { factsOf } from '../../types/vendors.ts';

/** `to`: the new model's name. `from`: the names to replace; empty: all. */
export interface Migration {
  to: string | null;
  from: readonly string[];
  /** Only models that end soon or have ended. */
  ending: boolean;
}

export interface LineEdit {
  file: string;
  line: number;
  was: string;
  /** Null: the line is removed. */
  becomes: string | null;
}

interface NamedModel {
  model: string;
  place: Place;
}

interface Migrated {
  edits: LineEdit[];
  /** Changed parameters, and places to edit by hand. */
  notices: Notice[];
}

/**
 * With `ending`, also edits graders, evaluators, embeddings and the sweep.
 * @throws UserError without `ending`, if a line cannot be edited
 */
export async function modelEdits(
  tree: SourceTree,
  { settings, suites }: Project,
  migration: Migration,
  ends: ModelEnds,
): Promise<Migrated> {
  const found: Migrated = { edits: [], notices: [] };
  const swept = new Set(settings.sweep['model']);
  const replace = async (named: NamedModel): Promise<string | null> => {
    const to = successorOf(named, settings, migration, ends);
    if (to === null || to === named.model) return null;
    const { model, place } = named;
    const isSwept = place === settings.sweepPlace;
    const isTwice = isSwept && swept.has(to);
    if (isSwept) swept.add(to);
    if (!isTwice && (await renameAt(tree, named, to, found.edits))) return to;
    const message = isTwice
      ? `the sweep already has "${to}"; remove "${model}" by hand`
      : `evaldiff does not find the name "${model}" alone on this line; change it by hand`;
    if (!migration.ending)
      throw userError(place, `${message}, and run npx evaldiff diff explain.fix=true`);
    found.notices.push({ kind: 'settings', place, message });
    return null;
  };
  for (const { prompt } of suites) {
    const { model } = prompt;
    const to = model && (await replace({ model, place: keyPlace(prompt, 'model') }));
    const asked = to && askedModel(settings, to);
    if (to && asked) await fitParameters(tree, prompt, { to, asked }, found);
  }
  for (const { model, place } of migration.ending ? namedModelsOf(settings, suites) : [])
    if (place !== null) await replace({ model, place });
  return { ...found, notices: deduplicate(found.notices) };
}

/** Returns false if no line names the model alone. */
async function renameAt(
  tree: SourceTree,
  { model, place: { file, line } }: NamedModel,
  to: string,
  edits: LineEdit[],
): Promise<boolean> {
  const block = blockAt(await fileLines(tree, file), line);
  const name = model.replace(/\W/g, '\\$&');
  const nameAt = (at: number): RegExp =>
    new RegExp(
      `(?<=^[^#]*(?:${at === 0 ? '[:[,]|-\\s' : '\\bmodel"?:|^\\s*-\\s'})\\s*["']?)` +
        `${name}(?=["']?\\s*([,}\\]#]|$))`,
    );
  const at = block.findIndex((text, index) => nameAt(index).test(text));
  const was = block[at];
  if (was === undefined) return false;
  const edit = editAt(edits, file, line + at) ?? { file, line: line + at, was, becomes: was };
  edit.becomes = edit.becomes?.replace(nameAt(at), () => to) ?? null;
  if (!edits.includes(edit)) edits.push(edit);
  return true;
}

/**
 * A key or list item with the deeper lines below it, the items of its list, and empty lines and
 * comments between them.
 */
const BLOCK = /^( *)(?:-.*(?:\n(?: *(?:#.*)?\n)*\1 .*)*|.*(?:\n(?: *(?:#.*)?\n)*\1[ -].*)*)/;

function blockAt(lines: readonly string[], line: number): string[] {
  const [block = ''] = BLOCK.exec(['', ...lines].slice(line).join('\n')) ?? [];
  return block.split('\n');
}

function editAt(edits: readonly LineEdit[], file: string, line: number): LineEdit | undefined {
  return edits.find((edit) => edit.file === file && edit.line === line);
}

/** Removes or translates the parameters that the new model is known to refuse. */
async function fitParameters(
  tree: SourceTree,
  prompt: Prompt,
  { to, asked }: { to: string; asked: AskedModel },
  { edits, notices }: Migrated,
): Promise<void> {
  for (const { name, refusal } of refusedIn(asked, prompt.parameters)) {
    const { file, line } = keyPlace(prompt, name);
    const lines = await fileLines(tree, file);
    // A key must not stand twice.
    const given = refusal.instead ?? '';
    const instead = ownEntry(prompt.parameters, given) === undefined ? given : '';
    const isWritten = lines[line - 1]?.startsWith(`${name}:`) === true && name !== 'tools';
    if (!isWritten || editAt(edits, file, line) !== undefined) continue;
    const isName = /^\w+$/.test(instead);
    const isOpen = instead.includes('…');
    const block = isOpen ? [] : blockAt(lines, line).slice(0, isName ? 1 : undefined);
    block.forEach((was, at) => {
      const becomes = isName ? was.replace(name, instead) : instead;
      edits.push({ file, line: line + at, was, becomes: (at === 0 && becomes) || null });
    });
    const how = isOpen ? 'change it by hand:' : 'evaldiff migrate writes';
    const fit = instead === '' ? 'evaldiff migrate removes it' : `${how} ${instead}`;
    const message = `${to} does not accept ${name}${refusalWords(refusal)}: ${fit}`;
    notices.push({ kind: 'settings', place: { file, line }, message });
  }
}

/** @throws UserError for an entry of the settings, whose server could lack the vendor's model */
function successorOf(
  { model, place }: NamedModel,
  settings: Project['settings'],
  { to, from, ending }: Migration,
  ends: ModelEnds,
): string | null {
  if (from.length > 0 && !from.includes(model)) return null;
  if (!ending) return to;
  const asked = askedModel(settings, model);
  const end = asked && knownEnd(asked, ends);
  if (asked === null || end === null || end.days > WARN_DAYS) return null;
  if (to !== null) return to;
  if (entryOf(settings, model) !== null)
    throw userError(
      place,
      `the settings define "${model}" under models; name its successor with --to`,
    );
  return factsOf(asked.provider).starterModel;
}

export async function withLineEdits(
  tree: SourceTree,
  edits: readonly LineEdit[],
  hash: (text: string) => string,
): Promise<SourceTree> {
  let edited = tree;
  for (const [file, own] of Map.groupBy(edits, (edit) => edit.file)) {
    const lines = await fileLines(tree, file);
    const kept = lines.flatMap(
      (line, at) => (editAt(own, file, at + 1) ?? { becomes: line }).becomes ?? [],
    );
    const text = kept.join('\n');
    edited = withText(edited, file, text, hash(text));
  }
  return edited;
}
