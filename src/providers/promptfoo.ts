import { readFileSync } from 'node:fs';
import { PROMPTFOO_PROGRAM } from '../types/model.ts';

/** What answers by files written for promptfoo. A bundle carries it as files beside its entry. */
const forJavaScript = readFileSync(new URL('./promptfoo-adapter.js', import.meta.url), 'utf8');
const forPython = readFileSync(new URL('./promptfoo-adapter.py', import.meta.url), 'utf8');

/** The command as it is started: where the program that is shipped is meant, with its source. */
export function startedAs(command: readonly string[]): readonly string[] {
  const [first, ...words] = command;
  if (first !== PROMPTFOO_PROGRAM) return command;
  return /\.py(?::\w+)?$/.test(words[1] ?? '')
    ? ['python3', '-B', '-c', forPython, ...words]
    : [process.execPath, '--input-type=module', '-e', forJavaScript, '--', ...words];
}
