import { stringify } from 'yaml';
import type { HostSettings } from '../../config/host-call.ts';
import { schemaLine } from '../../config/schema-line.ts';
import type { Files } from '../../documents/files.ts';
import type { Limits } from '../../documents/limits.ts';
import { folderOf } from '../../documents/paths.ts';
import type { BuiltInMetrics } from '../../kernel/suite/metrics.ts';
import { UNNAMED_MODEL, entryOf } from '../../kernel/suite/models.ts';
import type { Settings } from '../../kernel/suite/suite.ts';
import { isMap, type Json, type JsonMap, type Problem } from '../../types/plain.ts';
import { importFiles, type Draft, type Imported } from './draft.ts';
import type { CodeHost } from './foreign-code.ts';
import { formatOfContent, type ImportFormat } from './formats.ts';

/** Default locations of other tools' files, if the settings name no prompts. */
export const IMPORTED_BY_NAME: readonly string[] = [
  '{promptfooconfig,evals/promptfooconfig}.{yaml,yml}',
  '**/*{.,_}prompt.{yml,yaml}',
  '.github/**/*{.,_}prompt.{yml,yaml}',
  '**/evals/evals.json',
  '.claude/skills/**/evals/evals.json',
  'flexeval.{yaml,yml}',
  '**/*.flexeval.{yaml,yml}',
];

/** The format of a file by name; null for our files. */
export function importFormat(file: string): ImportFormat | null {
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (/^promptfoo(?:config)?\.(?:ya?ml|json)$/.test(name)) return 'promptfoo';
  if (/\.prompt\.ya?ml$/.test(name)) return 'prompt-yml';
  if (/(?:^|\.)flexeval\.ya?ml$/.test(name)) return 'flexeval';
  return /(?:^|\/)evals\/evals\.json$/.test(file) ? 'agent-skills' : null;
}

/** The format of a file by name, else by content; null for our files. */
export async function formatOf(file: string, files: Files): Promise<ImportFormat | null> {
  const named = importFormat(file);
  if (named !== null || !/\.(?:ya?ml|json)$/.test(file)) return named;
  // The file's reader reports its errors.
  const document = await files.document(file, []);
  return document === null ? null : formatOfContent(file, document.value);
}

interface ImportTools {
  files: Files;
  hasGrader: boolean;
  settings: Pick<Settings, 'models'>;
  limits: Limits;
  builtIns: BuiltInMetrics;
  /** Runs another tool's code; absent: does not run it. */
  code?: CodeHost;
  host?: HostSettings;
}

/** Errors go to `problems`, losses into `left`. Loads only the reader of its format. */
export async function readImport(
  file: string,
  format: ImportFormat,
  { files, ...tools }: ImportTools,
  problems: Problem[],
): Promise<Imported | null> {
  const document = await files.document(file, problems);
  if (document === null) return null;
  const contentOf = async (path: string): Promise<Uint8Array | null> =>
    (await files.data(path, { file: '', line: 0 }, problems))?.content ?? null;
  if (format === 'prompt-yml') {
    const { importPromptYml } = await import('./prompt-yml/prompt-yml.ts');
    return importPromptYml(document, tools.hasGrader, problems);
  }
  if (format === 'flexeval') {
    const { importFlexEval } = await import('./flexeval/flexeval.ts');
    return await importFlexEval(
      document,
      {
        builtIns: tools.builtIns,
        absence: files.absence,
        text: async (path) => {
          const content = await contentOf(path);
          return content && new TextDecoder().decode(content).replaceAll('\r\n', '\n');
        },
      },
      problems,
    );
  }
  if (format === 'promptfoo') {
    const { importPromptfoo } = await import('./promptfoo/promptfoo.ts');
    const beside = importFiles(files, folderOf(file), tools.limits, problems);
    const host = { setup: [], files: [] };
    return importPromptfoo(document, { code: 'refused', host, ...tools, files: beside }, problems);
  }
  const { importAgentSkill } = await import('./agent-skills/agent-skills.ts');
  return importAgentSkill(
    document,
    {
      files: {
        exists: (path) => files.absence(path) === null,
        below: files.below,
        read: contentOf,
      },
      ...tools,
      isProgram: entryOf(tools.settings, UNNAMED_MODEL)?.provider === 'program',
    },
    problems,
  );
}

const OWN_RUBRICS = 'rubrics/*.{yaml,yml}';

/** An imported file as files of ours, by path, and the settings that it needs. */
export interface Conversion {
  files: Map<string, string>;
  settings: JsonMap;
  /** Data and rubric files that it refers to, relative to the project; not copied. */
  needs: string[];
}

/** Writes imported prompts as our files: one per prompt, and one per set of shared tests. */
export function convertImport(imported: Imported, source: string): Conversion {
  const files = new Map<string, string>();
  const slugs = new Map<Draft, string>();
  const taken = new Set<string>();
  for (const { prompt, tests } of imported.prompts) {
    const slug = free(slugOf(String(prompt.value['name'] ?? '')), taken);
    const shared = tests === null ? null : (slugs.get(tests) ?? slug);
    if (tests !== null && shared !== null && !slugs.has(tests)) {
      slugs.set(tests, shared);
      files.set(
        `prompts/tests/${shared}.yaml`,
        `${schemaLine('tests')}# From ${source}\n${yaml(tests.value)}`,
      );
    }
    files.set(
      `prompts/${slug}.yaml`,
      `${schemaLine('prompt')}# From ${source}\n${yaml({ ...(shared === null ? {} : { defaults: [`tests/${shared}`] }), ...prompt.value })}`,
    );
  }
  return {
    files,
    settings: settingsOf(imported),
    needs: [
      ...(imported.rubrics ?? []).map(({ file }) => file),
      ...[...slugs.keys()].flatMap(dataOf),
    ],
  };
}

function settingsOf({ models, grader, rubrics }: Imported): JsonMap {
  return {
    ...(Object.keys(models).length === 0 ? {} : { models }),
    ...(grader === null ? {} : { grader: { model: grader.model } }),
    ...(rubrics === undefined
      ? {}
      : { rubrics: [OWN_RUBRICS, ...rubrics.map(({ file }) => file)] }),
  };
}

function dataOf({ value }: Draft): string[] {
  const sources = value['references_from'];
  return Array.isArray(sources)
    ? sources.filter(isMap).flatMap(({ file }) => (typeof file === 'string' ? [file] : []))
    : [];
}

export function settingsFile(settings: JsonMap): string {
  return `${schemaLine('settings')}${Object.keys(settings).length === 0 ? '' : yaml(settings)}`;
}

/** Our reader accepts no aliases. */
function yaml(value: Json): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.2' });
}

function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return slug === '' ? 'prompt' : slug;
}

/** A unique name that is not read as the other tool's file (`promptfooconfig.yaml`). */
function free(slug: string, taken: Set<string>): string {
  let name = slug;
  for (
    let ordinal = importFormat(`${slug}.yaml`) === null ? 2 : 1;
    taken.has(name) || importFormat(`${name}.yaml`) !== null;
    ordinal += 1
  )
    name = `${slug}-${String(ordinal)}`;
  taken.add(name);
  return name;
}
