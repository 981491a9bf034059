import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Settings from promptfoo's documentation, so that it contacts only the model. */
export const PROMPTFOO_ALONE = {
  PROMPTFOO_DISABLE_TELEMETRY: '1',
  PROMPTFOO_DISABLE_UPDATE: '1',
  PROMPTFOO_DISABLE_REMOTE_GENERATION: '1',
};

export interface Installed {
  script: string;
  folder: string;
  version: string;
  packages: number;
}

/**
 * Installs the newest promptfoo, unless one is present. Skips its packages' install scripts, which
 * an evaluation does not need.
 */
export function installPromptfoo(): Installed {
  const home = join(tmpdir(), 'evaldiff-bench-promptfoo');
  const folder = join(home, 'node_modules');
  if (!existsSync(folder)) {
    const making = `${home}-${String(process.pid)}`;
    mkdirSync(making, { recursive: true });
    writeFileSync(join(making, 'package.json'), '{ "private": true }\n');
    process.stderr.write('installing promptfoo\n');
    execFileSync(
      'npm',
      ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', 'promptfoo'],
      { cwd: making, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    rmSync(home, { recursive: true, force: true });
    renameSync(making, home);
  }
  const { version, bin } = JSON.parse(
    readFileSync(join(folder, 'promptfoo/package.json'), 'utf8'),
  ) as { version: string; bin: Record<string, string> };
  const lock = JSON.parse(readFileSync(join(folder, '.package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  return {
    script: join(folder, 'promptfoo', bin['promptfoo'] ?? ''),
    folder,
    version,
    packages: Object.keys(lock.packages).length,
  };
}
