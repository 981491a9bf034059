import { PROMPTFOO_PROGRAM } from '../../types/model.ts';
import { isMap, type Json, type JsonMap, type Scalar } from '../../types/plain.ts';

/** A command of the shipped program's, with what its file is told, and what came back. */
export type HostCall = (
  command: string[],
  setup: string[],
  variables: Readonly<Record<string, Scalar>>,
) => Promise<{ ok: true; value: Json } | { ok: false; why: string }>;

/** What the settings say of the program that runs another tool's code. */
export interface HostSettings {
  setup: string[];
  files: string[];
}

/**
 * How another tool's code is met. `refused`: it is not run. `written`: the file is converted, so
 * that what the settings can say of it is said, and nothing is run. Else it is called, which only
 * `code: host` allows.
 */
export type CodeHost = 'refused' | 'written' | HostCall;

/** A file of code that a configuration names, by its path in the project. */
export interface CodeFile {
  file: string;
  /** What of it is called; '': what it exports by default. */
  called: string;
}

/** `file://app/provider.py:answer`, `python:app/provider.py`, `provider.js`; null for anything else. */
export function codeFileIn(text: string, folder: string): CodeFile | null {
  const [, path = '', called = ''] =
    /^(?:file:\/\/|python:|javascript:)?(?:\.\/)?((?!\/|\.\.\/)[^\n:]+\.(?:[cm]?[jt]s|py))(?::([A-Za-z_$][\w$]*))?$/.exec(
      text.trim(),
    ) ?? [];
  if (path === '' || path.split('/').includes('..')) return null;
  return { file: folder === '' ? path : `${folder}/${path}`, called };
}

/** The command that runs such a file. `told`: what it gets besides, as JSON. */
export function codeCommand(
  kind: 'provider' | 'prompt' | 'tests',
  { file, called }: CodeFile,
  told: { id?: string; config?: Json; json?: readonly string[] },
): string[] {
  const settings: JsonMap = {
    ...(told.id === undefined ? {} : { id: told.id }),
    ...(told.config === undefined ? {} : { config: told.config }),
    ...((told.json ?? []).length === 0 ? {} : { json: [...(told.json ?? [])] }),
  };
  return [
    PROMPTFOO_PROGRAM,
    kind,
    called === '' ? file : `${file}:${called}`,
    JSON.stringify(settings),
  ];
}

/** What a file of code may be made of: all code of its language, for it may import any of it. */
function filesOf({ file }: CodeFile): string[] {
  return file.endsWith('.py') ? ['**/*.py'] : ['**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx}'];
}

/** A provider in code as a model of the settings. */
export function codeModel(
  code: CodeFile,
  id: string,
  config: Json | undefined,
  { setup, files }: HostSettings,
  structured: readonly string[],
): JsonMap {
  return {
    provider: 'program',
    command: codeCommand('provider', code, {
      id,
      ...(isMap(config ?? null) ? { config: config ?? null } : {}),
      json: structured,
    }),
    files: files.length > 0 ? files : filesOf(code),
    ...(setup.length === 0 ? {} : { setup }),
  };
}
