import { stringify } from 'yaml';
import type { Files } from '../../documents/files.ts';
import type { Limits } from '../../documents/limits.ts';
import { folderOf } from '../../documents/paths.ts';
import type { BuiltInMetrics } from '../../suite/metrics.ts';
import { entryOf, UNNAMED_MODEL } from '../../suite/models.ts';
import type { Settings } from '../../suite/suite.ts';
import { isMap, type Json, type JsonMap, type Problem } from '../../types/plain.ts';
import { importFiles, type Draft, type Imported } from './draft.ts';
import type { CodeHost, HostSettings } from './foreign-code.ts';
import { formatOfContent, type ImportFormat } from './formats.ts';

/**
 * Where other tools keep their files; read where the settings do not say which prompts there are,
 * as far as they are what their names say.
 */
export const IMPORTED_BY_NAME: readonly string[] = [
  '{promptfooconfig,evals/promptfooconfig}.{yaml,yml}',
  '**/*{.,_}prompt.{yml,yaml}',
  '.github/**/*{.,_}prompt.{yml,yaml}',
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

/** The format of a file by its name, else by what it holds; null for files of ours. */
export async function formatOf(file: string, files: Files): Promise<ImportFormat | null> {
  const named = importFormat(file);
  if (named !== null || !/\.(?:ya?ml|json)$/.test(file)) return named;
  // What is wrong with the file is reported where it is read.
  const document = await files.document(file, []);
  return document === null ? null : formatOfContent(file, document.value);
}

interface ImportTools {
  files: Files;
  /** Whether the settings name a grader. */
  hasGrader: boolean;
  /** What the settings say of models. */
  settings: Pick<Settings, 'models'>;
  limits: Limits;
  builtIns: BuiltInMetrics;
  /** Whether another tool's code is run; absent: it is not. */
  code?: CodeHost;
  host?: HostSettings;
}

/**
 * Reads another tool's file as prompts of ours. What is wrong goes to `problems`, what has no
 * counterpart into `left`. Only the reader of its format is loaded: most projects have none.
 */
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
    const { importPromptYml } = await import('./prompt-yml.ts');
    return importPromptYml(document, tools.hasGrader, problems);
  }
  if (format === 'flexeval') {
    const { importFlexEval } = await import('./flexeval.ts');
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
    const { importPromptfoo } = await import('./promptfoo.ts');
    const beside = importFiles(files, folderOf(file), tools.limits, problems);
    const host = { setup: [], files: [] };
    return importPromptfoo(document, { code: 'refused', host, ...tools, files: beside }, problems);
  }
  const { importAgentSkill } = await import('./agent-skills.ts');
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

/**
 * Where editors find the JSON Schema of a kind of file: in the npm package, of the major version
 * that writes the line.
 */
export function schemaLine(kind: 'settings' | 'prompt' | 'tests' | 'attributes'): string {
  return `# yaml-language-server: $schema=https://cdn.jsdelivr.net/npm/evaldiff@1/schemas/${kind}.schema.json\n`;
}

/** Where rubrics are looked for unless the settings say so. */
const OWN_RUBRICS = 'rubrics/*.{yaml,yml}';

/**
 * What an imported file comes to as files of ours, by path; and what its settings would have to
 * say.
 */
export interface Conversion {
  files: Map<string, string>;
  settings: JsonMap;
  /**
   * Files of data and rubrics that these refer to, by their paths below the project; they are not
   * copied.
   */
  needs: string[];
}

/**
 * Writes imported prompts as files of ours: one prompt file each, and one test file for those that
 * share their tests.
 */
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

/** A settings file with these settings. */
export function settingsFile(settings: JsonMap): string {
  return `${schemaLine('settings')}${Object.keys(settings).length === 0 ? '' : yaml(settings)}`;
}

/**
 * As our reader takes it: no aliases for values that are there twice, no lines broken for width.
 */
function yaml(value: Json): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.2' });
}

/** A file's name for a prompt's name: letters, digits and dashes. */
function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return slug === '' ? 'prompt' : slug;
}

/**
 * A name that no other prompt has, and by which the new file is not read as the other tool's
 * (`promptfooconfig.yaml`).
 */
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
