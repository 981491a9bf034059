/**
 * Builds dist/ from src/: TypeScript to JavaScript, then one ncc bundle each for the action and the
 * command line. `--check` builds into a temporary folder and fails if dist/ differs in any byte.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { minify } from '@swc/core';
import { compileAtOnce } from './compile-at-once.ts';
import { filePathsBelow } from './entries-below.ts';
import { placeHighs } from './place-highs.ts';
import { buildViewer } from './viewer.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const check = process.argv.includes('--check');
/** Written by `npm pack`; git ignores it. */
/** Texts of others in the bundles, and their licences. */
const TEXTS = [
  ['FlexEval (texts of rubrics)', 'src/metrics/flexeval/LICENSE'],
  ['code_chat_eval (evaluator text)', 'src/features/conversations/code-chat-eval/LICENSE'],
] as const;

const STAMP = 'commit.txt';
const out = check ? mkdtempSync(join(tmpdir(), 'evaldiff-dist-')) : join(root, 'dist');

function node(script: string, ...args: string[]): void {
  execFileSync(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function files(folder: string): string[] {
  return filePathsBelow(folder).filter((path) => path !== STAMP);
}

/** ncc only minifies its entry; the chunks loaded on demand are larger. */
async function minifyChunks(folder: string): Promise<void> {
  for (const chunk of readdirSync(folder).filter((name) => /^\d+\.index\.js$/.test(name))) {
    const path = join(folder, chunk);
    const written = readFileSync(path, 'utf8');
    const { code } = await minify(written, {
      module: true,
      compress: true,
      mangle: true,
      ecma: 2020,
      format: { comments: false },
    });
    // Minifying a chunk with an embedded program makes it longer.
    if (Buffer.byteLength(code) < Buffer.byteLength(written)) writeFileSync(path, code);
  }
}

rmSync(join(root, 'build', 'lib'), { recursive: true, force: true });
node('typescript/bin/tsc', '-p', 'tsconfig.build.json');
// Copied unchanged, because they run in sandboxes, next to the user's files or in browsers.
for (const path of [
  'edges/sandbox/worker.py',
  'edges/sandbox/globals.js',
  'edges/sandbox/guest.js',
  'edges/providers/promptfoo-adapter.py',
  'edges/providers/promptfoo-adapter.js',
  'features/agents/workspace/inside.js',
])
  cpSync(join(root, 'src', path), join(root, 'build/lib', path), { recursive: true });
for (const entry of ['action', 'cli']) {
  const target = join(out, entry);
  rmSync(target, { recursive: true, force: true });
  node(
    '@vercel/ncc/dist/ncc/cli.js',
    'build',
    `build/lib/${entry}.js`,
    '-o',
    target,
    '--minify',
    '--license',
    'licenses.txt',
    '--no-cache',
    '--quiet',
  );
  for (const [text, licence] of TEXTS) {
    const terms = readFileSync(join(root, licence), 'utf8');
    appendFileSync(join(target, 'licenses.txt'), `\n${text}\n${terms}`);
  }
  await minifyChunks(target);
  for (const file of readdirSync(target).filter((name) => name.endsWith('index.js'))) {
    const path = join(target, file);
    writeFileSync(path, compileAtOnce(readFileSync(path, 'utf8')));
  }
}
placeHighs(join(out, 'cli'));
await buildViewer(join(out, 'viewer'));

if (check) {
  const committed = join(root, 'dist');
  const wanted = files(out);
  const stale = [...new Set([...wanted, ...files(committed)])].filter(
    (path) =>
      !wanted.includes(path) ||
      !files(committed).includes(path) ||
      !readFileSync(join(out, path)).equals(readFileSync(join(committed, path))),
  );
  rmSync(out, { recursive: true, force: true });
  if (stale.length > 0) {
    process.stderr.write(
      `dist/ is not what src/ builds: ${stale.join(', ')}. Run \`npm run build\` and commit dist/.\n`,
    );
    process.exitCode = 1;
  } else process.stdout.write('dist/ is current.\n');
} else {
  for (const path of files(out))
    process.stdout.write(`${path} ${(statSync(join(out, path)).size / 1e6).toFixed(2)} MB\n`);
}
