import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Builds the report's page, src/viewer, into one script and one style sheet. */
export async function buildViewer(folder = join(root, 'build/viewer')): Promise<void> {
  const { metafile } = await build({
    entryPoints: [join(root, 'src/viewer/main.tsx')],
    absWorkingDir: root,
    outdir: folder,
    entryNames: 'viewer',
    bundle: true,
    minify: true,
    metafile: true,
    format: 'iife',
    target: 'es2023',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'error',
  });
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  const licenses = [...new Set(packages)]
    .sort()
    .map((name) => `${name}\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'licenses.txt'), licenses.join('\n'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildViewer();
