import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { LLMEVAL_FILE } from '../config/settings.ts';
import { logLine } from '../text/log.ts';
import type { EvaluateOptions } from './options.ts';
import type { Terminal } from './terminal.ts';

/** Where nobody names a folder. */
const HERE = '.';

/**
 * The folder of the project, absolute: the one that was named; else the nearest folder from here up
 * to the checkout's root that has the settings file, which is said; else here. Outside of a checkout
 * nothing is looked for: a folder above may be somebody else's.
 */
export function projectFolder(
  { directory, config }: Pick<EvaluateOptions, 'directory' | 'config'>,
  { cwd, err }: Pick<Terminal, 'cwd' | 'err'>,
): string {
  const here = resolve(cwd, directory);
  if (directory !== HERE) return here;
  const inCheckout = upwards(here);
  const names = [config, LLMEVAL_FILE];
  const found = inCheckout.find((folder) => names.some((name) => existsSync(join(folder, name))));
  if (found === undefined || found === here) return here;
  err(
    `${logLine(`project: ${relative(here, found).split(sep).join('/')} (its settings file was found there)`)}\n`,
  );
  return found;
}

/** A folder and those above it, as far as the checkout's root; none where there is no checkout. */
function upwards(from: string): string[] {
  const passed: string[] = [];
  for (let folder = from; ; folder = dirname(folder)) {
    passed.push(folder);
    if (existsSync(join(folder, '.git'))) return passed;
    if (dirname(folder) === folder) return [];
  }
}
