import type { Problem } from '../../types.ts';
import type { Files } from '../files.ts';
import type { Limits } from '../limits.ts';
import type { BuiltInMetrics } from '../metric.ts';
import { importAgentSkill } from './agent-skills.ts';
import { importFiles } from './files.ts';
import { importFlexEval, isFlexEval } from './flexeval.ts';
import type { Imported } from './imported.ts';
import { importPromptYml } from './prompt-yml.ts';
import { importPromptfoo } from './promptfoo.ts';

export type { Imported, ImportedPrompt } from './imported.ts';
export { documentOf } from './imported.ts';

export const IMPORT_FORMATS = ['promptfoo', 'prompt-yml', 'agent-skills', 'flexeval'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/**
 * Where other tools keep their files; read where the settings do not say which prompts there are.
 */
export const IMPORTED_BY_NAME: readonly string[] = [
  '{promptfooconfig,evals/promptfooconfig}.{yaml,yml}',
  '**/*.prompt.{yml,yaml}',
  '.github/**/*.prompt.{yml,yaml}',
  '**/evals/evals.json',
  '.claude/skills/**/evals/evals.json',
  'flexeval.{yaml,yml}',
  '**/*.flexeval.{yaml,yml}',
];

/** The format of a file, by its name alone; null for files of ours. */
export function importFormat(file: string): ImportFormat | null {
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (/^promptfoo(?:config)?\.(?:ya?ml|json)$/.test(name)) return 'promptfoo';
  if (/\.prompt\.ya?ml$/.test(name)) return 'prompt-yml';
  if (/(?:^|\.)flexeval\.ya?ml$/.test(name)) return 'flexeval';
  return /(?:^|\/)evals\/evals\.json$/.test(file) ? 'agent-skills' : null;
}

/**
 * The format of a file by its name, else by what it holds: FlexEval's files have no name of their
 * own.
 */
export async function formatOf(file: string, files: Files): Promise<ImportFormat | null> {
  const named = importFormat(file);
  if (named !== null || !/\.ya?ml$/.test(file)) return named;
  // Whatever is wrong with the file is told where it is read.
  const document = await files.document(file, []);
  return document !== null && isFlexEval(document.value) ? 'flexeval' : null;
}

export interface ImportTools {
  files: Files;
  limits: Limits;
  builtIns: BuiltInMetrics;
}

/**
 * Reads another tool's file as prompts of ours. What is wrong goes to `problems`, what has no
 * counterpart into `left`.
 */
export async function readImport(
  file: string,
  format: ImportFormat,
  { files, limits, builtIns }: ImportTools,
  problems: Problem[],
): Promise<Imported | null> {
  const document = await files.document(file, problems);
  if (document === null) return null;
  if (format === 'prompt-yml') return importPromptYml(document, problems);
  if (format === 'flexeval')
    return importFlexEval(document, { builtIns, absence: files.absence }, problems);
  const beside = importFiles(files, limits, problems);
  if (format === 'promptfoo')
    return importPromptfoo(document, { files: beside, limits, builtIns }, problems);
  return importAgentSkill(
    document,
    async (path) => {
      const absent = files.absence(path) !== null;
      const loaded = absent ? null : await files.data(path, { file: '', line: 0 }, problems);
      return loaded === null ? null : new TextDecoder().decode(loaded.content);
    },
    problems,
  );
}
