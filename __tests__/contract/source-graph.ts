import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { filePathsBelow } from '../../scripts/entries-below.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A TypeScript file with its exports and imports. Paths are relative to the root. */
export interface SourceFile {
  path: string;
  declared: string[];
  /** Imported project files, including type imports, with the imported names; null: all names. */
  imports: { path: string; names: string[] | null }[];
  /** Files loaded before this one runs: excludes type imports and dynamic imports. */
  loads: string[];
}

/** Reads every TypeScript file below these folders. */
export function readSources(folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) =>
      filePathsBelow(join(ROOT, folder))
        .filter((path) => /(?<!\.d)\.tsx?$/.test(path))
        .map((path) => join(folder, path)),
    )
    .map(readSource);
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const source = ts.createSourceFile(path, text, {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  });
  const declared = source.statements.filter(isExported).flatMap(namesOf);
  const imports: SourceFile['imports'] = [];
  const loads: string[] = [];
  const take = (specifier: string, names: string[] | null) => {
    if (specifier.startsWith('.'))
      imports.push({ path: normalize(join(dirname(path), specifier)), names });
  };
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const before = imports.length;
      if (node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier))
        take(node.moduleSpecifier.text, takenNames(node));
      if (!isOfTypes(node)) loads.push(...imports.slice(before).map((each) => each.path));
      return;
    }
    if (isDynamicImport(node)) take(node.arguments[0].text, null);
    if (ts.isModuleDeclaration(node)) take(node.name.text, extendedNames(node));
    // Dynamic imports are rare, so other files are not traversed.
    if (text.includes('import(')) ts.forEachChild(node, visit);
  };
  for (const statement of source.statements) visit(statement);
  return { path, declared, imports, loads };
}

export function namesDeclared(path: string): Set<string> {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return new Set(statements.flatMap(namesOf));
}

/** Interfaces that a file extends in another module. */
function extendedNames({ body }: ts.ModuleDeclaration): string[] {
  return body !== undefined && ts.isModuleBlock(body) ? body.statements.flatMap(namesOf) : [];
}

function isExported(statement: ts.Statement) {
  return (
    ts.canHaveModifiers(statement) &&
    (statement.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  );
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  const named =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return named && statement.name !== undefined ? [statement.name.text] : [];
}

function boundNames(name: ts.BindingName): string[] {
  return ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) =>
        ts.isBindingElement(element) ? boundNames(element.name) : [],
      );
}

function takenNames(node: ts.ImportDeclaration | ts.ExportDeclaration) {
  const named = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
  if (named === undefined) return ts.isImportDeclaration(node) ? [] : null;
  if (ts.isNamespaceImport(named) || ts.isNamespaceExport(named)) return null;
  return named.elements.map(({ propertyName, name }) => (propertyName ?? name).text);
}

/** Whether the statement disappears at run time. */
function isOfTypes(node: ts.ImportDeclaration | ts.ExportDeclaration) {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  const named = clause?.namedBindings;
  if (clause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  return (
    named !== undefined &&
    clause?.name === undefined &&
    ts.isNamedImports(named) &&
    named.elements.length > 0 &&
    named.elements.every(({ isTypeOnly }) => isTypeOnly)
  );
}

function isDynamicImport(
  node: ts.Node,
): node is ts.CallExpression & { arguments: [ts.StringLiteral] } {
  const [argument] = ts.isCallExpression(node) ? node.arguments : [];
  return (
    ts.isCallExpression(node) &&
    node.expression.kind === ts.SyntaxKind.ImportKeyword &&
    argument !== undefined &&
    ts.isStringLiteral(argument)
  );
}

/** All files loaded with one file, including itself. */
export function loadedWith(entry: string, files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found = new Set([entry]);
  for (const path of found) for (const next of byPath.get(path)?.loads ?? []) found.add(next);
  return [...found];
}

/** Import cycles, each once, as the path around it. */
export function circles(files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const found: string[][] = [];
  const visit = (path: string, trail: readonly string[]) => {
    const at = trail.indexOf(path);
    if (at !== -1) found.push([...trail.slice(at), path]);
    if (at !== -1 || done.has(path)) return;
    for (const next of byPath.get(path)?.imports ?? []) visit(next.path, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
}
