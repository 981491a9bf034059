import { askedModel, entryOf, UNNAMED_MODEL, vendorOf } from '../../../config/model-names.ts';
import { folderOf } from '../../../documents/paths.ts';
import type { Settings } from '../../../project/settings.ts';
import { filledText, isMap, jsonText, type Json, type JsonMap } from '../../../types/plain.ts';
import { factsOf } from '../../../types/vendors.ts';
import { nothingImported, type Imported } from '../shared/draft.ts';
import type { ImportContext } from '../shared/files.ts';
import {
  configOf,
  convertProvider,
  idOf,
  providerMap,
  providerNamed,
  type ImportedModel,
} from '../shared/models.ts';
import { tryConvert, leafNode, readEach, type Node } from '../shared/node.ts';
import { codeFileIn, codeModel } from './foreign-code.ts';
import { sentParameters, withFiles } from './promptfoo-parameters.ts';

export interface LocatedModel extends ImportedModel {
  node: Node;
  /** Changes every answer of the provider. Null: none. */
  transform: Json;
}

export interface ModelContext extends ImportContext {
  /** Names of variables that are maps or lists. */
  structured: readonly string[];
}

/** If no provider in the file is supported, uses the settings' model. */
export async function readModels(context: ModelContext): Promise<LocatedModel[]> {
  const { root } = context;
  const written = root.at('providers' in root.map ? 'providers' : 'targets');
  const entries = await readEach(written.each(), async (entry) => {
    const { value } = entry;
    const isFile = typeof value === 'string' && /^file:\/\/.+\.(?:ya?ml|json)$/i.test(value);
    if (!isFile) return value === null ? [] : [entry];
    return (await context.files.nodes(value, entry)).flatMap((file) => file.each());
  });
  const unread: { node: Node; what: string; why: string }[] = [];
  const models: LocatedModel[] = [];
  for (const node of entries) {
    const what = `the provider ${jsonText(providerMap(node.value)['id'] ?? '').slice(0, 100)}`;
    const found = await readModel(node, context, (why) => unread.push({ node, what, why }));
    // The tests, which all models share, have one transform.
    const [first] = models;
    if (first !== undefined && found !== null && first.transform !== found.transform)
      node.lose(`the provider ${found.label}`, `its transform is not that of ${first.label}`);
    else if (found !== null) models.push(found);
  }
  if (models.length === 0) return [withoutProvider(entries.length === 0 ? root : written, unread)];
  for (const { node, what, why } of unread) node.lose(what, why);
  return models;
}

/** Null if the provider is not supported. */
export async function readModel(
  node: Node,
  context: ModelContext,
  refused: (why: string) => unknown,
): Promise<LocatedModel | null> {
  const {
    imported: { models: known },
    files,
  } = context;
  const config = await withFiles(configOf(node.value), node, files);
  return tryConvert<LocatedModel, null>(
    () => {
      const found = providerModel(node, config, context);
      const model = uniqueModelName(found, known);
      if (found.entry !== null) known[model] = found.entry;
      return { ...found, model, node, transform: providerMap(node.value)['transform'] ?? null };
    },
    (why) => {
      refused(why);
      return null;
    },
  );
}

function providerModel(node: Node, config: JsonMap, context: ModelContext): ImportedModel {
  const map = providerMap(node.value);
  const id = idOf(map);
  const inCode = codeProvider(id, map, node, context);
  if (inCode !== null) return inCode;
  return convertProvider(node, config, (given, lost, label) => {
    const { sent, unsent } = sentParameters(replaceRetired(id, context.settings), given, lost);
    if (unsent.length > 0)
      node.remark(
        `${label}: promptfoo does not send ${unsent.join(', ')}, so evaldiff does not either`,
      );
    return sent;
  });
}

/** Replaces a retired model by its successor in the settings. */
function replaceRetired(id: string, settings: Pick<Settings, 'models'>): string {
  const { model, entry } = providerNamed(id);
  if ('endpoint' in (entry ?? {}) || entryOf(settings, model) === null) return id;
  const asked = askedModel(settings, model);
  if (asked === null) return id;
  const isSame = (entry?.['provider'] ?? vendorOf(model)) === asked.provider;
  return isSame ? id.replace(model, () => asked.model) : `${asked.provider}:${asked.model}`;
}

function codeProvider(
  id: string,
  { label, config }: JsonMap,
  node: Node,
  { code, host, structured, root }: ModelContext,
): ImportedModel | null {
  const found = codeFileIn(id, folderOf(root.place.file));
  if (code === 'refused' || code === 'verified' || found === null) return null;
  const named = filledText(label) ?? id;
  if (code === 'written')
    node.remark(`${named}: ${found.file} is your code, which needs code: host`);
  const entry = codeModel(found, id, config, host, structured);
  return { label: named, model: named, parameters: {}, entry };
}

/**
 * With a response schema, promptfoo gives checks parsed data. All models need a schema, because
 * they share checks.
 */
export function answersAsData(models: readonly LocatedModel[]): boolean {
  const [first, ...others] = models.filter(({ parameters }) => {
    const format = parameters['response_format'] ?? null;
    return isMap(format) && format['type'] === 'json_schema';
  });
  if (first === undefined) return false;
  const isShared = others.length + 1 === models.length;
  if (!isShared)
    first.node.remark(
      `${first.label} has a response schema, so promptfoo gives code checks parsed data; other ` +
        'models here have none, so checks get the text of every answer',
    );
  return isShared;
}

/** A file may list a program several times with different parameters. */
function uniqueModelName({ model, entry }: ImportedModel, known: Imported['models']): string {
  const isTaken = (name: string): boolean =>
    Object.hasOwn(known, name) && JSON.stringify(known[name]) !== JSON.stringify(entry);
  let name = model;
  for (let ordinal = 2; entry?.['provider'] === 'program' && isTaken(name); ordinal += 1)
    name = `${model} ${ordinal}`;
  return name;
}

function withoutProvider(
  node: Node,
  unread: readonly { node: Node; what: string; why: string }[],
): LocatedModel {
  const instead =
    `its prompts and tests go to the model "${UNNAMED_MODEL}", which you set in the settings: ` +
    `models: { ${UNNAMED_MODEL}: { provider: openai, model: ` +
    `${factsOf('openai').starterModel} } }, say`;
  for (const { node: entry, what, why } of unread)
    entry.remark(`${what} is not called: ${why}; ${instead}`);
  if (unread.length === 0) node.remark(`no provider is named; ${instead}`);
  const name = UNNAMED_MODEL;
  return { label: name, model: name, parameters: {}, entry: null, node, transform: null };
}

export function importedGrader({ root, imported }: ImportContext): Imported['grader'] {
  const provider = root.at('defaultTest', 'options', 'provider');
  const { value, map, place } = provider;
  if (value === null) return null;
  const { value: ofText } = provider.at('text');
  // The settings' grader has no parameters, so lost ones are not reported.
  const named = leafNode(
    !('id' in map) && isMap(ofText) ? ofText : value,
    place,
    nothingImported(),
  );
  return tryConvert(
    () => {
      const { model, entry } = convertProvider(named);
      if (entry !== null) imported.models[model] = entry;
      return { model, place };
    },
    (why) => {
      provider.lose('the grading provider', why);
      return null;
    },
  );
}
