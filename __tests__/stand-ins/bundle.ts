import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';

const root = new URL('../../', import.meta.url).pathname;

export interface Bundle {
  /** Where the files of the bundle lie. */ folder: string;
  remove(): Promise<void>;
}

/** Bundles an entry, written as JavaScript that imports from src/, as the build does. */
export async function bundle(entry: string): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'evaldiff-bundle-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await transpile(join(root, 'src'), join(folder, 'lib'));
  await writeFile(join(folder, 'lib/entry.js'), entry);
  const ncc = join(root, 'node_modules/@vercel/ncc/dist/ncc/cli.js');
  await promisify(execFile)(
    process.execPath,
    [ncc, 'build', 'lib/entry.js', '-o', 'out', '--minify', '--no-cache'],
    { cwd: folder },
  );
  return {
    folder: join(folder, 'out'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function transpile(from: string, to: string): Promise<void> {
  for (const name of await readdir(from, { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const target = join(to, name.replace(/ts$/, 'js'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, await javascriptOf(join(from, name)));
  }
}

async function javascriptOf(path: string): Promise<string> {
  return ts.transpileModule(await readFile(path, 'utf8'), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  }).outputText;
}
