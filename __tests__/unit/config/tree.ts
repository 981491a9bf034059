import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filePathsBelow } from '../../../scripts/entries-below.ts';
import { readInputs } from '../../../src/config/inputs.ts';
import { readOverrides } from '../../../src/config/overrides.ts';
import { readProject } from '../../../src/config/project.ts';
import type { ReadOptions, ReadTools } from '../../../src/config/project.ts';
import { formatProblem } from '../../../src/errors.ts';
import { IMPORT_FORMATS } from '../../../src/features/imports/formats.ts';
import type { Suite } from '../../../src/kernel/suite/suite.ts';
import { metrics } from '../../../src/metrics/index.ts';
import type { Project } from '../../../src/project/settings.ts';
import type { SourceTree } from '../../../src/types/repository.ts';
import { OWN_SETTINGS, SUITE_KEYS } from '../../stand-ins/features.ts';

const COMMIT = 'abc1234def5678900000000000000000000000ff';
export const hash = (text: string) => createHash('sha256').update(text).digest('hex');
export const tools: ReadTools = { builtInMetrics: metrics, hash };

export function treeOf(
  files: Record<string, string | Uint8Array>,
  irregular: Record<string, 'symbolic link' | 'submodule'> = {},
): SourceTree {
  const contents = new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === 'string' ? new TextEncoder().encode(content) : content,
    ]),
  );
  return {
    commit: COMMIT,
    files: new Map(
      [...contents].map(([path, content]) => [
        path,
        { id: hash(Buffer.from(content).toString('base64')) },
      ]),
    ),
    irregular: new Map(Object.entries(irregular)),
    read: (path) => {
      const content = contents.get(path);
      return content === undefined
        ? Promise.reject(new Error(`not listed: ${path}`))
        : Promise.resolve(content);
    },
  };
}

export function treeOfFolder(folder: string): SourceTree {
  return treeOf(
    Object.fromEntries(
      filePathsBelow(folder).map((path) => [
        path.replaceAll('\\', '/'),
        new Uint8Array(readFileSync(join(folder, path))),
      ]),
    ),
  );
}

export function optionsOf(
  changes: Partial<ReadOptions> = {},
  lines: readonly string[] = [],
): ReadOptions {
  const { inputs } = readInputs({}, OWN_SETTINGS);
  return {
    ...inputs.read,
    formats: IMPORT_FORMATS,
    configRequired: false,
    suiteKeys: SUITE_KEYS,
    overrides: readOverrides(lines, OWN_SETTINGS).overrides,
    ...changes,
  };
}

export async function read(
  files: Record<string, string | Uint8Array>,
  changes: Partial<ReadOptions> = {},
  lines: readonly string[] = [],
): Promise<{ project: Project; problems: string[]; notices: string[] }> {
  const { project, problems } = await readProject(treeOf(files), optionsOf(changes, lines), tools);
  return {
    project,
    problems: problems.map(formatProblem),
    notices: project.notices.map(formatProblem),
  };
}

export async function problemsOf(
  files: Record<string, string | Uint8Array>,
  changes: Partial<ReadOptions> = {},
): Promise<string[]> {
  return (await read(files, changes)).problems;
}

/** The only suite of a project; throws if there are problems. */
export async function suiteOf(
  files: Record<string, string | Uint8Array>,
  lines: readonly string[] = [],
): Promise<Suite> {
  const { project, problems } = await read(files, {}, lines);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const [suite] = project.suites;
  if (suite === undefined) throw new Error('no suite');
  return suite;
}

export const PROMPT = `defaults: [tests/p]
name: p
model: gpt-4o
temperature: 0
variables:
  - name: a
messages:
  - role: human
    content: "Say {a}."
`;
export const TESTS = `metrics:
  - { name: exact, uses: exact_match }
references:
  - input: { a: one }
    expected: one
`;

/** A prompt file and its test file, with defaults for both. */
export function suiteFiles(prompt: string = PROMPT, tests: string = TESTS): Record<string, string> {
  return { 'prompts/p.yaml': prompt, 'prompts/tests/p.yaml': tests };
}
