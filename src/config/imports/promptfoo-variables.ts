import { valueAt, type Document, type Path } from '../../documents/document.ts';
import { folderOf } from '../../documents/paths.ts';
import { isMap, type Json, type Place } from '../../types/plain.ts';
import { isScalar } from './draft.ts';
import {
  type Reader,
  type Variable,
  type Variables,
  leaveOut,
  type Defaults,
  type ForeignTest,
} from './promptfoo-values.ts';

/** The variables at `path`: a map, or the files of one, found from the file that names them. */
export async function readVariables(
  document: Document,
  path: Path,
  reader: Pick<Reader, 'files'>,
): Promise<Variables> {
  const written = valueAt(document.value, path) ?? null;
  const place = document.placeOf(path);
  if (isMap(written)) return ofMap(written, (name) => document.placeOf([...path, name]), reader);
  const named = (Array.isArray(written) ? written : [written]).filter(
    (one) => typeof one === 'string',
  );
  const found = await Promise.all(
    named.map((one) => reader.files.documents(one, place, folderOf(document.file))),
  );
  const maps = await Promise.all(
    found.flat().map(({ value }) => ofMap(isMap(value) ? value : {}, () => place, reader)),
  );
  return new Map(maps.flatMap((each) => [...each]));
}

/** The variables of a table's row: its cells but for those that configure the test (`__…`). */
export function variablesOfRow(
  row: Readonly<Record<string, Json>>,
  place: Place,
  reader: Pick<Reader, 'files'>,
): Promise<Variables> {
  const cells = Object.entries(row).filter(([column]) => !column.startsWith('__'));
  return ofMap(Object.fromEntries(cells), () => place, reader);
}

async function ofMap(
  map: Readonly<Record<string, Json>>,
  placeOf: (name: string) => Place,
  reader: Pick<Reader, 'files'>,
): Promise<Variables> {
  const read = Object.entries(map).map(async ([name, value]): Promise<[string, Variable]> => [
    name,
    await variableOf(value, placeOf(name), reader),
  ]);
  return new Map(await Promise.all(read));
}

async function variableOf(
  value: Json,
  place: Place,
  reader: Pick<Reader, 'files'>,
): Promise<Variable> {
  const isList = Array.isArray(value) && typeof value[0] === 'string';
  if (!isList) return ofValue(value, place, reader);
  const each = await Promise.all(value.map((one) => ofValue(one, place, reader)));
  const lost = each.find((variable) => 'why' in variable);
  return (
    lost ?? {
      each: each.flatMap((variable) => ('why' in variable ? [] : variable.each)),
      whole: value,
    }
  );
}

const CODE = /\.(?:[cm]?[jt]s|py)(?::\w+)?$/i;

/** What a test there holds as bytes, or as what a package makes of them. */
const NO_TEXT =
  /\.(?:pdf|png|jpe?g|gif|webp|bmp|tiff?|ico|avif|hei[cf]|svg|mp3|wav|m4a|aac|ogg|flac|opus|aiff?|wma|mp4|m4v|mov|avi|webm|mkv|mpe?g|wmv|flv|docx?|xlsx?|pptx?)$/i;

/** A value as it stands, or the texts of the files that it names; YAML is its data as JSON text. */
async function ofValue(
  value: Json,
  place: Place,
  { files }: Pick<Reader, 'files'>,
): Promise<Variable> {
  if (typeof value !== 'string' || !value.startsWith('file://'))
    return { each: [{ value, file: null }], whole: isScalar(value) ? null : value };
  if (CODE.test(value)) return { why: 'is made by code, which is not run' };
  if (NO_TEXT.test(value)) return { why: `is the file ${value}, which holds no plain text` };
  if (/\.ya?ml$/i.test(value)) {
    const found = await files.documents(value, place);
    return {
      each: found.map(({ file, value: data }) => ({ value: JSON.stringify(data), file })),
      whole: null,
    };
  }
  const found = await files.texts(value, place);
  const binary = found.find(({ text }) => text.includes('\0'));
  if (binary !== undefined) return { why: `is the file ${binary.file}, which holds no plain text` };
  return { each: found.map(({ file, text }) => ({ value: text.trim(), file })), whole: null };
}

/** How tests and what they inherit are read; handed in, for tests are read with scenarios. */
interface ScenarioReader {
  reader: Reader;
  defaultsIn(document: Document, path: Path, reader: Reader): Promise<Defaults>;
  readEntries(
    written: Json,
    document: Document,
    path: Path,
    reader: Reader,
  ): Promise<ForeignTest[]>;
}

/** Scenarios, written here or in files: every entry of `config` with every one of the tests. */
export async function readScenarios(
  document: Document,
  context: ScenarioReader,
): Promise<ForeignTest[]> {
  const { files } = context.reader;
  const written = valueAt(document.value, ['scenarios']) ?? null;
  const list = Array.isArray(written) ? written : written === null ? [] : [written];
  const found = await Promise.all(
    list.map(async (entry, index) => {
      const path = Array.isArray(written) ? ['scenarios', index] : ['scenarios'];
      if (typeof entry !== 'string') return readScenario(document, path, context);
      const inFiles = (await files.documents(entry, document.placeOf(path))).flatMap((file) =>
        (Array.isArray(file.value) ? [...file.value.keys()].map((at) => [at]) : [[]]).map((at) =>
          readScenario(file, at, context),
        ),
      );
      return (await Promise.all(inFiles)).flat();
    }),
  );
  return found.flat();
}

async function readScenario(
  document: Document,
  path: Path,
  { reader, defaultsIn, readEntries }: ScenarioReader,
): Promise<ForeignTest[]> {
  const config = valueAt(document.value, [...path, 'config']);
  const tests = valueAt(document.value, [...path, 'tests']) ?? [{}];
  if (!Array.isArray(config))
    return leaveOut(reader, document.placeOf(path), 'a scenario', 'its config is not a list');
  const found = await Promise.all(
    config.map(async (entry, index) => {
      const at = [...path, 'config', index];
      if (!isMap(entry))
        return leaveOut(reader, document.placeOf(at), 'an entry of a scenario', 'it is not a map');
      const data = await defaultsIn(document, at, reader);
      const { variables, assertions, expands, options } = reader.defaults;
      const defaults = {
        expands: expands && data.expands,
        options: { ...options, ...data.options },
        variables: new Map([...variables, ...data.variables]),
        assertions,
        always: data.assertions,
      };
      return readEntries(tests, document, [...path, 'tests'], { ...reader, defaults });
    }),
  );
  return found.flat();
}
