import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import ts from 'typescript';

const root = new URL('../../', import.meta.url).pathname;
const run = promisify(execFile);

/** An entry as the product has them: its body must not run a second time in the JavaScript engine's thread. */
const entry = `
import { createSandbox, guardProcess } from './sandbox/index.js';
guardProcess();
console.log('the entry runs');
const sandbox = createSandbox({ mode: 'sandbox', env: {}, timeoutSeconds: 5, log: console.log });
for (const language of ['javascript', 'python']) {
  const [result] = await sandbox.evaluate({ side: 'head', language, code: 'metric = 40 + a\\nresult = metric == 42', outputs: ['metric', 'result'], inputs: [{ a: 2 }] });
  console.log(language, JSON.stringify(result));
}
await sandbox.close();
`;

describe('a bundle made by ncc', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evaldiff-bundle-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    for (const part of ['sandbox', 'text']) {
      await mkdir(join(folder, 'lib', part), { recursive: true });
      for (const name of await readdir(join(root, 'src', part))) {
        if (name.endsWith('.ts')) await writeFile(join(folder, 'lib', part, name.replace(/ts$/, 'js')), await javascriptOf(join(root, 'src', part, name)));
      }
    }
    await writeFile(join(folder, 'lib/entry.js'), entry);
    const ncc = join(root, 'node_modules/@vercel/ncc/dist/ncc/cli.js');
    await run(process.execPath, [ncc, 'build', 'lib/entry.js', '-o', 'out', '--minify', '--no-cache'], { cwd: folder });
  }, 120_000);

  afterAll(async () => { await rm(folder, { recursive: true, force: true }); });

  test('runs code in both languages from a folder without node_modules, and its entry only once', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'evaldiff-elsewhere-'));
    await cp(join(folder, 'out'), join(elsewhere, 'dist'), { recursive: true });
    const { stdout } = await run(process.execPath, [join(elsewhere, 'dist/index.js')], { cwd: elsewhere });
    await rm(elsewhere, { recursive: true, force: true });
    const values = JSON.stringify({ status: 'ok', values: { metric: 42, result: true } });
    expect(stdout.trim().split('\n')).toEqual(['the entry runs', `javascript ${values}`, `python ${values}`]);
  }, 60_000);
});

async function javascriptOf(path: string): Promise<string> {
  return ts.transpileModule(await readFile(path, 'utf8'), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true, rewriteRelativeImportExtensions: true,
    },
  }).outputText;
}
