import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { logLine } from '../../text/log.ts';
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
  const keys = vendorNames().map((name) => factsOf(name).keyVariable);
  const missing = [...keys, ...named].filter((name) => !env[name]?.trim());
  const taken = Object.entries(parseEnv(text)).filter(
    ([name, value]) => missing.includes(name) && value?.trim() !== '',
  );
  const lacking = missing.filter((name) => !taken.some(([given]) => given === name));
  for (const words of unread(text, lacking)) err(`${logLine(words)}\n`);
  if (taken.length === 0) return env;
  err(`${logLine(`.env: took ${taken.map(([name]) => name).join(', ')}`)}\n`);
  return { ...env, ...Object.fromEntries(taken) };
}

function unread(text: string, names: readonly string[]): string[] {
  return text.split('\n').flatMap((line, index) => {
    const [, word = '', after = ''] = /^\s*(?:export\s+)?(\w+)\s*(.?)/.exec(line) ?? [];
    return names.includes(word) && after !== '='
      ? [`.env:${index + 1}: gives ${word} no value; write ${word}=…`]
      : [];
  });
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
