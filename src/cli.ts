#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { terminalOf } from './app/commands/terminal.ts';
import { keepCompiled, whyTooOld } from './app/session/runtime.ts';
import { guardProcess } from './edges/sandbox/index.ts';
import { NOT_JUDGED } from './errors.ts';
// Node also runs this file as a worker thread. A thread never gets past these imports, so it does
// not load the rest.
import './edges/solver/thread.ts';

/** Older versions of Node lack `import.meta.main`. */
function isStarted(file: string | undefined): boolean {
  return (
    file !== undefined &&
    ((import.meta.main as boolean | undefined) ??
      realpathSync(file) === fileURLToPath(import.meta.url))
  );
}

async function start(): Promise<number> {
  const old = whyTooOld(process.versions.node);
  if (old !== null) {
    process.stderr.write(`${old}\n`);
    return NOT_JUDGED;
  }
  guardProcess();
  keepCompiled(process.env);
  const { main } = await import('./app/commands/program.ts');
  const { FEATURES } = await import('./features.ts');
  return main(process.argv.slice(2), terminalOf(process, FEATURES));
}

if (isStarted(process.argv[1])) process.exitCode = await start();
