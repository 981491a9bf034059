import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { logLine } from '../text/log.ts';
import { factsOf, vendorNames } from '../types/vendors.ts';

/**
 * The environment with the keys that the project's `.env` holds, for a person's terminal alone; the
 * action never reads one. Only keys are taken, and none that is set already: nothing else of the
 * file can change what runs, or where requests go. What was taken is said, by name.
 *
 * @param named further names that the command line gives: of servers' keys, and of what host code
 *   may see.
 */
export function withEnvFile(
  env: NodeJS.ProcessEnv,
  folder: string,
  named: readonly string[],
  err: (text: string) => void,
): NodeJS.ProcessEnv {
  const text = textOf(join(folder, '.env'));
  if (text === null) return env;
  const wanted = [...vendorNames().map((name) => factsOf(name).keyVariable), ...named];
  const taken = Object.entries(parseEnv(text)).filter(
    ([name, value]) => wanted.includes(name) && !env[name]?.trim() && value?.trim() !== '',
  );
  if (taken.length === 0) return env;
  err(`${logLine(`.env: took ${taken.map(([name]) => name).join(', ')}`)}\n`);
  return { ...env, ...Object.fromEntries(taken) };
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
