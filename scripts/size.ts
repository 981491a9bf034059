/**
 * Prints the size of src and __tests__ in tokens, so that line breaks and packed lines change
 * nothing. Comments and white space do not count. A text counts one token and a quarter of its
 * words. `--rooms` lists the folders.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const SOURCE = /\.(?:[cm]?ts|tsx|[cm]?js)$/;

/** Counted by words and signs, and only below src. */
const OTHER = /\.(?:py|css|json|ya?ml)$/;

export interface FileSize {
  path: string;
  tokens: number;
}

export function sizesBelow(folder: 'src' | '__tests__'): FileSize[] {
  return execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard', '--', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((path) => SOURCE.test(path) || (folder === 'src' && OTHER.test(path)))
    .map((path) => ({ path, tokens: tokensIn(path, readFileSync(join(ROOT, path), 'utf8')) }));
}

export function totalTokens(sizes: readonly FileSize[]): number {
  return sizes.reduce((sum, { tokens }) => sum + tokens, 0);
}

function tokensIn(path: string, text: string): number {
  if (OTHER.test(path)) {
    const code = text.replace(/^\s*#.*$|\/\*[\s\S]*?\*\//gm, '');
    return code.match(/[\p{L}\p{N}_$-]+|[^\s\p{L}\p{N}_$-]/gu)?.length ?? 0;
  }
  return nodeTokens(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
}

function nodeTokens(source: ts.SourceFile): number {
  const count = (node: ts.Node): number => {
    if (ts.isJSDoc(node)) return 0;
    const children = node.getChildren(source);
    if (children.length > 0) return children.reduce((sum, child) => sum + count(child), 0);
    if (node.getText(source) === '') return 0;
    return 1 + Math.floor(wordsOf(node) / 4);
  };
  return count(source);
}

function wordsOf(node: ts.Node): number {
  const isText =
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node);
  return isText ? (node.text.match(/\S+/g)?.length ?? 0) : 0;
}

function roomOf(path: string): string {
  const [, first = '', second = '', third] = path.split('/');
  return first === 'features' && third !== undefined ? `${first}/${second}` : first;
}

if (import.meta.main)
  for (const folder of ['src', '__tests__'] as const) {
    const sizes = sizesBelow(folder);
    console.log(`${folder}: ${String(totalTokens(sizes))} tokens in ${String(sizes.length)} files`);
    if (!process.argv.includes('--rooms')) continue;
    const rooms = [...Map.groupBy(sizes, ({ path }) => roomOf(path))]
      .map(([room, files]) => ({ room, tokens: totalTokens(files) }))
      .sort((a, b) => b.tokens - a.tokens);
    for (const { room, tokens } of rooms) console.log(`  ${room}: ${String(tokens)}`);
  }
