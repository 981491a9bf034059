import { WARN_DAYS } from '../../config/check-models.ts';
import { askedModel, entryOf } from '../../config/model-names.ts';
import { withText } from '../../documents/files.ts';
import { userError } from '../../errors.ts';
import { keyPlace, type Prompt } from '../../kernel/suite/suite.ts';
import type { Project } from '../../project/settings.ts';
import { DAY_MS } from '../../text/amounts.ts';
import { fileLines } from '../../trials/unit-places.ts';
import { retirementDate } from '../../types/passports.ts';
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
  becomes: string;
}

/** @throws UserError if a line cannot be edited */
export async function modelEdits(
  tree: SourceTree,
  { settings, suites }: Project,
  migration: Migration,
  today: string,
): Promise<LineEdit[]> {
  const edits = new Map<string, LineEdit>();
  for (const { prompt } of suites) {
    const to = successorOf(prompt, settings, migration, today);
    if (prompt.model === null || to === null || to === prompt.model) continue;
    const { file, line } = keyPlace(prompt, 'model');
    const was = (await fileLines(tree, file))[line - 1] ?? '';
    if (was.split(prompt.model).length !== 2)
      throw userError(
        { file, line },
        `evaldiff does not find the name "${prompt.model}" alone on this line; change it by hand, ` +
          'and run npx evaldiff diff explain.fix=true',
      );
    const becomes = was.replace(prompt.model, () => to);
    edits.set(`${file} ${line}`, { file, line, was, becomes });
  }
  return [...edits.values()];
}

/** @throws UserError for an entry of the settings, whose server could lack the vendor's model */
function successorOf(
  prompt: Prompt,
  settings: Project['settings'],
  { to, from, ending }: Migration,
  today: string,
): string | null {
  const { model } = prompt;
  if (model === null || (from.length > 0 && !from.includes(model))) return null;
  if (!ending) return to;
  const asked = askedModel(settings, model);
  const end = asked === null ? null : retirementDate(asked);
  if (asked === null || end === null) return null;
  const days = (Date.parse(end) - Date.parse(today)) / DAY_MS;
  if (days > WARN_DAYS || to !== null) return days > WARN_DAYS ? null : to;
  if (entryOf(settings, model) !== null)
    throw userError(
      keyPlace(prompt, 'model'),
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
    const text = lines
      .map((line, at) => own.find((each) => each.line === at + 1)?.becomes ?? line)
      .join('\n');
    edited = withText(edited, file, text, hash(text));
  }
  return edited;
}
