import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TABLES = ['src/features.ts', 'src/jobs.ts'].map((path) => join(ROOT, path));

export const FEATURE_NAMES = readdirSync(join(ROOT, 'src/features')).sort();

/** The table without a folder's imports and everything that uses them. */
function tableWithout(name: string, table: string) {
  const text = readFileSync(table, 'utf8');
  const gone = [...text.matchAll(/^import \{ ([^}]+) \} from '\.\/features\/([^/]+)\/.*$/gm)]
    .filter(([, , folder]) => folder === name)
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

/** Compiler errors in `src` after deleting a feature's folder and its rows. */
export function problemsWithout(name: string): string[] {
  const folder = join(ROOT, 'src/features', name);
  const read = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(read.config, ts.sys, ROOT);
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const isGone = (path: string) => path.startsWith(`${folder}/`);
  const { getSourceFile } = host;
  host.fileExists = (path) => !isGone(path) && ts.sys.fileExists(path);
  host.getSourceFile = (path, language, ...rest) =>
    TABLES.includes(path)
      ? ts.createSourceFile(path, tableWithout(name, path), language, true)
      : isGone(path)
        ? undefined
        : (last?.getSourceFile(path) ?? getSourceFile(path, language, ...rest));
  const program = ts.createProgram({
    rootNames: fileNames.filter((path) => !isGone(path)),
    options: { ...options, noEmit: true },
    host,
  });
  last ??= program;
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) =>
      [file?.fileName.replace(ROOT, '') ?? '', ts.flattenDiagnosticMessageText(messageText, ' ')]
        .join(': ')
        .slice(0, 300),
    );
}
