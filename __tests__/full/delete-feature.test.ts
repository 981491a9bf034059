import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TABLES = ['src/features.ts', 'src/jobs.ts'].map((path) => join(ROOT, path));
const FEATURES = readdirSync(join(ROOT, 'src/features')).sort();

/**
 * Sets of features, each feature in three of the six. For any two features, one set contains the
 * first but not the second. So each feature is deleted while each of the others is still there.
 */
const SETS = [0, 1, 2, 3, 4, 5];
const threeOfSix = SETS.flatMap((a) =>
  SETS.slice(a + 1).flatMap((b) => SETS.slice(b + 1).map((c) => [a, b, c])),
);
const DELETED = SETS.map((set) =>
  FEATURES.filter((_, at) => threeOfSix[at]?.includes(set) === true),
);

/** For files outside the features, which need each feature deleted only once. */
const HALVES = [0, 1].map((half) => FEATURES.filter((_, at) => at % 2 === half));

/** The table without the folders' imports and everything that uses them. */
function tableWithout(deleted: readonly string[], table: string) {
  const text = readFileSync(table, 'utf8');
  const gone = [...text.matchAll(/^import \{ ([^}]+) \} from '\.\/features\/([^/]+)\/.*$/gm)]
    .filter(([, , folder = '']) => deleted.includes(folder))
    .flatMap(([line, names = '']) => [
      line,
      ...names.split(', ').flatMap((each) => [`  ${each},`, `  ...${each},`]),
    ]);
  return text
    .split('\n')
    .filter((line) => !gone.includes(line))
    .join('\n');
}

let last: ts.Program | undefined;

/** Compiler errors in these files after deleting the features' folders and rows. */
function problemsWithout(deleted: readonly string[], isChecked: (path: string) => boolean) {
  const folders = deleted.map((name) => `${join(ROOT, 'src/features', name)}/`);
  const read = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(read.config, ts.sys, ROOT);
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const isGone = (path: string) => folders.some((folder) => path.startsWith(folder));
  const { getSourceFile } = host;
  host.fileExists = (path) => !isGone(path) && ts.sys.fileExists(path);
  host.getSourceFile = (path, language, ...rest) =>
    TABLES.includes(path)
      ? ts.createSourceFile(path, tableWithout(deleted, path), language, true)
      : isGone(path)
        ? undefined
        : (last?.getSourceFile(path) ?? getSourceFile(path, language, ...rest));
  const program = ts.createProgram({
    rootNames: fileNames.filter((path) => !isGone(path)),
    options: { ...options, noEmit: true },
    host,
  });
  last ??= program;
  return program
    .getSourceFiles()
    .filter(({ fileName }) => isChecked(fileName))
    .flatMap((file) => ts.getPreEmitDiagnostics(program, file))
    .map(({ file, messageText }) =>
      [file?.fileName.replace(ROOT, '') ?? '', ts.flattenDiagnosticMessageText(messageText, ' ')]
        .join(': ')
        .slice(0, 300),
    );
}

test('each feature is in three sets', () => {
  expect(FEATURES.length).toBeLessThanOrEqual(threeOfSix.length);
});

const isOfFeatures = (path: string) => path.startsWith(join(ROOT, 'src/features/'));
const named = (sets: readonly string[][]) =>
  sets.map((deleted) => [deleted.join(', '), deleted] as const);

test.each(named(HALVES))(
  'the program compiles without the folders of the features %s and the lines that register them',
  (_, deleted) => {
    expect(problemsWithout(deleted, (path) => !isOfFeatures(path))).toEqual([]);
  },
);

test.each(named(DELETED))(
  'the other features compile without the folders of the features %s',
  (_, deleted) => {
    expect(problemsWithout(deleted, isOfFeatures)).toEqual([]);
  },
);
