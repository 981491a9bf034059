import { valueAt, type Document, type Path } from '../../documents/document.ts';
import { isMap, type Json } from '../../types/plain.ts';
import { left, type Defaults, type ForeignTest, type Reader } from './promptfoo-values.ts';

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
    return left(reader, document.placeOf(path), 'a scenario', 'its config is not a list');
  const found = await Promise.all(
    config.map(async (entry, index) => {
      const at = [...path, 'config', index];
      if (!isMap(entry))
        return left(reader, document.placeOf(at), 'an entry of a scenario', 'it is not a map');
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
