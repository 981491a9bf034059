import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyRepository } from './empty-repository.ts';
import { madeOnce } from './made-once.ts';
import {
  dateOf,
  repositoryAt,
  temporaryFolder,
  type FixtureEntry,
  type FixtureFiles,
} from './repository.ts';

/** A commit to create. Its files replace the files of its first parent. */
interface PlannedCommit {
  ref: string;
  /** Indices in the plan. */
  parents: readonly number[];
  message: string;
  files: FixtureFiles;
  /** The number of commits up to this one, which determines its date. */
  number: number;
}

/**
 * A bare repository of these commits with HEAD at `branch`, and their ids. One process creates them
 * all, with the same ids as `commit`.
 */
export function plannedOrigin(branch: string, plan: readonly PlannedCommit[]) {
  const directory = join(temporaryFolder('origin'), 'origin.git');
  const marks = join(directory, 'marks');
  const stream = plan.flatMap(
    ({ ref, parents: [first, ...others], message, files, number }, at) => [
      `reset ${ref}\ncommit ${ref}\nmark :${at + 1}\n`,
      ...['author', 'committer'].map((who) => `${who} Ada <ada@example.com> ${dateOf(number)}\n`),
      ...data(`${message}\n`),
      first === undefined ? '' : `from :${first + 1}\n`,
      ...others.map((parent) => `merge :${parent + 1}\n`),
      ...Object.entries(files).flatMap(([path, entry]) => changeLines(path, entry)),
    ],
  );
  const input = Buffer.concat(stream.map((part) => Buffer.from(part)));
  const origin = repositoryAt(directory);
  madeOnce(`${branch} ${createHash('sha256').update(input).digest('hex')}`, directory, () => {
    cpSync(emptyRepository(branch, 'sha1'), directory, { recursive: true });
    const config = join(directory, 'config');
    writeFileSync(config, readFileSync(config, 'utf8').replace('bare = false', 'bare = true'));
    const importing = ['-c', 'fastimport.unpackLimit=1', 'fast-import', '--quiet'];
    origin.gitInput(input, ...importing, `--export-marks=${marks}`);
  });
  const ids = new Map(
    readFileSync(marks, 'utf8')
      .split('\n')
      .map((line) => [Number(line.slice(1).split(' ')[0]) - 1, line.slice(-40)]),
  );
  rmSync(marks);
  return { origin, ids: plan.map((_, at) => ids.get(at)!) };
}

/** Whether a file changes how git adds other files. Git itself must add these. */
export const hasRules = (files: FixtureFiles): boolean =>
  Object.keys(files).some((path) => /(?:^|\/)\.git(?:ignore|attributes)$/.test(path));

function changeLines(path: string, entry: FixtureEntry) {
  const name = `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
  if (entry === null) return [`D ${name}\n`];
  if (typeof entry === 'string' || entry instanceof Uint8Array)
    return [`M 100644 inline ${name}\n`, ...data(entry)];
  if ('submodule' in entry) return [`M 160000 ${entry.submodule} ${name}\n`];
  return 'link' in entry
    ? [`M 120000 inline ${name}\n`, ...data(entry.link)]
    : [`M 100755 inline ${name}\n`, ...data(entry.program)];
}

const data = (content: string | Uint8Array) => [
  `data ${Buffer.byteLength(content)}\n`,
  content,
  '\n',
];
