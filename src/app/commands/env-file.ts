import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Repository } from '../../edges/git/repository.ts';
import { logLine } from '../../text/log.ts';
import type { SourceTree } from '../../types/repository.ts';
import { factsOf, vendorNames } from '../../types/vendors.ts';

/** Adds only missing API keys, so that `.env` cannot change what runs. The action never reads it. */
export function withEnvFile(
  env: NodeJS.ProcessEnv,
  folder: string,
  named: readonly string[],
  err: (text: string) => void,
): NodeJS.ProcessEnv {
  const text = readOrNull(join(folder, '.env'));
  if (text === null) return env;
  const missing = wantedOf(named).filter((name) => !env[name]?.trim());
  const taken = keysIn(text, named).filter(([name]) => missing.includes(name));
  const lacking = missing.filter((name) => !taken.some(([given]) => given === name));
  for (const words of unread(text, lacking)) err(`${logLine(words)}\n`);
  if (taken.length === 0) return env;
  err(`${logLine(`.env: took ${taken.map(([name]) => name).join(', ')}`)}\n`);
  return { ...env, ...Object.fromEntries(taken) };
}

function wantedOf(named: readonly string[]): string[] {
  return [...vendorNames().map((name) => factsOf(name).keyVariable), ...named];
}

function unread(text: string, names: readonly string[]): string[] {
  return text.split('\n').flatMap((line, index) => {
    const [, word = '', after = ''] = /^\s*(?:export\s+)?(\w+)\s*(.?)/.exec(line) ?? [];
    return names.includes(word) && after !== '='
      ? [`.env:${index + 1}: gives ${word} no value; write ${word}=…`]
      : [];
  });
}

function keysIn(text: string, named: readonly string[]): [string, string | undefined][] {
  const wanted = wantedOf(named);
  return Object.entries(parseEnv(text)).filter(
    ([name, value]) => wanted.includes(name) && value?.trim() !== '',
  );
}

export async function openKeys(
  repository: Pick<Repository, 'commonFolder' | 'tracked' | 'workTree'>,
  files: SourceTree,
  named: readonly string[],
): Promise<string | null> {
  if (!files.files.has('.env')) return null;
  const { root, below } = repository.workTree;
  if ((await repository.commonFolder()) === root) return null; // The folder is not in a git repository.
  if (keysIn(new TextDecoder().decode(await files.read('.env')), named).length === 0) return null;
  const tracked = await repository.tracked(join(root, below, '.env'));
  return tracked.length > 0
    ? '.env: git tracks this file, which contains keys; add the line ".env" to .gitignore, run ' +
        '"git rm --cached .env", and replace keys that were pushed'
    : '.env: git does not ignore this file, so a commit may include its keys; add the ' +
        'line ".env" to .gitignore';
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
