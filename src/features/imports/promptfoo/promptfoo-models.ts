import { askedModel, entryOf, UNNAMED_MODEL, vendorOf } from '../../../config/model-names.ts';
import { type Document, valueAt } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import type { Settings } from '../../../project/settings.ts';
import { filledText, isMap, type Json, type JsonMap, type Place } from '../../../types/plain.ts';
import { factsOf } from '../../../types/vendors.ts';
import { isScalar, type Imported, type Loss, lose, addRemark } from '../shared/draft.ts';
import { convertProvider, providerMap, type ImportedModel } from '../shared/models.ts';
import { readEach, nodeOf } from '../shared/node.ts';
import { codeFileIn, codeModel } from './foreign-code.ts';
import type { ImportContext } from './promptfoo-drafts.ts';
import { sentParameters, withFiles } from './promptfoo-parameters.ts';

export interface LocatedModel extends ImportedModel {
  place: Place;
}

interface ModelContext extends Pick<ImportContext, 'code' | 'host' | 'files' | 'settings'> {
  structured: readonly string[];
}

/** If no provider in the file is supported, uses the settings' model. */
export async function readModels(
  document: Document,
  context: ModelContext,
  imported: Imported,
): Promise<LocatedModel[]> {
  const key = valueAt(document.value, ['providers']) === undefined ? 'targets' : 'providers';
  const written = nodeOf(document, [key]);
  const unread: Loss[] = [];
  const models: LocatedModel[] = [];
  const entries = await readEach(written.each(), async (entry) => {
    const { value, place } = entry;
    const isFile = typeof value === 'string' && /^file:\/\/.+\.(?:ya?ml|json)$/i.test(value);
    if (!isFile) return value === null ? [] : [entry];
    return (await context.files.documents(value, place)).flatMap((file) => nodeOf(file).each());
  });
  for (const { value, place } of entries) {
    const { found, unsent, left } = await readModel(value, place, document.file, context);
    if ('why' in found) {
      lose(unread, place, `the provider ${providerId(value)}`, found.why);
      continue;
    }
    const { label } = found;
    for (const { key: part, why } of [...left, ...found.left])
      lose(imported.left, place, `${part} of ${label}`, why);
    const ignored = `promptfoo does not send ${unsent.join(', ')}, so evaldiff does not either`;
    const remarks = [...found.aside.map(({ why }) => why), ...(unsent.length > 0 ? [ignored] : [])];
    for (const why of remarks) addRemark(imported.remarks, place, `${label}: ${why}`);
    const model = uniqueModelName(found, imported.models);
    if (found.entry !== null) imported.models[model] = found.entry;
    models.push({ ...found, model, place });
  }
  if (models.length === 0) {
    const { place } = entries.length === 0 ? nodeOf(document) : written;
    return [withoutProvider(place, unread, imported)];
  }
  imported.left.push(...unread);
  return models;
}

async function readModel(value: Json, place: Place, file: string, context: ModelContext) {
  const map = providerMap(value);
  const { id, config } = map;
  const read = await withFiles(isMap(config) ? config : {}, place, context.files);
  const none = { found: convertProvider(value), unsent: [], left: [] };
  if (typeof id !== 'string') return none;
  const asked = sentParameters(replaceRetired(id, context.settings), read);
  const sent = { ...map, config: asked.config };
  return { ...asked, found: codeProvider(map, file, context) ?? convertProvider(sent) };
}

/** Replaces a retired model by its successor in the settings. */
function replaceRetired(id: string, settings: Pick<Settings, 'models'>): string {
  const found = convertProvider(id);
  if (
    'why' in found ||
    'endpoint' in (found.entry ?? {}) ||
    entryOf(settings, found.model) === null
  )
    return id;
  const asked = askedModel(settings, found.model);
  if (asked === null) return id;
  const isSame = (found.entry?.['provider'] ?? vendorOf(found.model)) === asked.provider;
  return isSame ? id.replace(found.model, () => asked.model) : `${asked.provider}:${asked.model}`;
}

function codeProvider(
  { id, label, config }: JsonMap,
  file: string,
  { code, host, structured }: ModelContext,
): ImportedModel | null {
  const found = typeof id === 'string' ? codeFileIn(id, folderOf(file)) : null;
  if (code === 'refused' || found === null || typeof id !== 'string') return null;
  const named = filledText(label) ?? id;
  const why = `${found.file} is your code, which needs code: host`;
  return {
    label: named,
    model: named,
    parameters: {},
    entry: codeModel(found, id, config, host, structured),
    left: [],
    aside: code === 'written' ? [{ key: 'id', why }] : [],
  };
}

/**
 * With a response schema, promptfoo gives checks parsed data. All models need a schema, because
 * they share checks.
 */
export function answersAsData(models: readonly LocatedModel[], { remarks }: Imported): boolean {
  const bySchema = models.filter(({ parameters }) => {
    const format = parameters['response_format'] ?? null;
    return isMap(format) && format['type'] === 'json_schema';
  });
  const [first] = bySchema;
  if (first !== undefined && bySchema.length < models.length)
    addRemark(
      remarks,
      first.place,
      `${first.label} has a response schema, so promptfoo gives code checks parsed data; other ` +
        'models here have none, so checks get the text of every answer',
    );
  return first !== undefined && bySchema.length === models.length;
}

/** A file may list a program several times with different parameters. */
function uniqueModelName(
  { model, entry }: ImportedModel,
  models: Readonly<Record<string, JsonMap>>,
): string {
  const same = (name: string): boolean =>
    JSON.stringify(models[name]) === JSON.stringify(entry ?? undefined);
  let name = model;
  for (
    let ordinal = 2;
    entry?.['provider'] === 'program' && Object.hasOwn(models, name) && !same(name);
    ordinal += 1
  )
    name = `${model} ${String(ordinal)}`;
  return name;
}

function withoutProvider(
  place: Place,
  unread: readonly Loss[],
  { remarks }: Imported,
): LocatedModel {
  const instead =
    `its prompts and tests go to the model "${UNNAMED_MODEL}", which you set in the settings: ` +
    `models: { ${UNNAMED_MODEL}: { provider: openai, model: ` +
    `${factsOf('openai').starterModel} } }, say`;
  for (const loss of unread)
    addRemark(remarks, loss.place, `${loss.what} is not called: ${loss.why}; ${instead}`);
  if (unread.length === 0) addRemark(remarks, place, `no provider is named; ${instead}`);
  return {
    label: UNNAMED_MODEL,
    model: UNNAMED_MODEL,
    parameters: {},
    entry: null,
    left: [],
    aside: [],
    place,
  };
}

function providerId(value: Json): string {
  const id = isMap(value) ? (value['id'] ?? Object.keys(value)[0]) : value;
  return isScalar(id) ? String(id).slice(0, 100) : '';
}

export function importedGrader(document: Document, { left, models }: Imported): Imported['grader'] {
  const provider = nodeOf(document, ['defaultTest', 'options', 'provider']);
  const { value, map, place, at } = provider;
  if (value === null) return null;
  const { value: ofText } = at('text');
  const found = convertProvider(!('id' in map) && isMap(ofText) ? ofText : value);
  if ('why' in found) {
    lose(left, place, 'the grading provider', found.why);
    return null;
  }
  if (found.entry !== null) models[found.model] = found.entry;
  return { model: found.model, place };
}
