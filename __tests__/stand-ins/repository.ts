import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { filePathsBelow } from '../../scripts/entries-below.ts';
import { emptyRepository } from './empty-repository.ts';
import { beginning, forgetMade, madeOnce } from './made-once.ts';

/** What to write at a path: a file's text or bytes, an executable, a link, or a deletion. */
export type FixtureEntry =
  string | Uint8Array | { link: string } | { program: string } | { submodule: string } | null;
export type FixtureFiles = Record<string, FixtureEntry>;

/**
 * A real git repository in a temporary folder. Author and dates are fixed, so the same steps give
 * the same ids.
 */
export interface FixtureRepository {
  directory: string;
  /** Runs git here and returns its output without the last newline. */
  git(...args: string[]): string;
  /**
   * Runs several commands from one small process. Starting git from the large test process costs a
   * copy of it each time.
   */
  all(...commands: string[][]): string;
  gitInput(input: string | Uint8Array, ...args: string[]): string;
  /** Writes into the work tree without committing. */
  write(files: FixtureFiles): void;
  /** Writes files, adds everything and commits; returns the full commit id. */
  commit(message: string, files?: FixtureFiles): string;
  /**
   * Creates many commits on the branch, each changing one text file; returns their ids, oldest
   * first.
   */
  commitMany(count: number, change: (at: number) => { path: string; text: string }): string[];
}

/** Names that break code that quotes, splits by line or passes names as arguments to git. */
export const ODD_NAMES = [
  'prompts/--output=pwned',
  'prompts/a\nb.yaml',
  'prompts/a\r.yaml',
  'prompts/a\tb.yaml',
  'prompts/$(id).yaml',
  'prompts/\u001b[31mred.yaml',
  'prompts/ünï.yaml',
  'prompts/u\u0308n.yaml',
  'prompts/`id`|@everyone<b>.yaml',
  'prompts/a\u202elmay.b',
  'prompts/"quoted".yaml',
  "prompts/it's.yaml",
  'prompts/ blank .yaml',
  'prompts/back\\slash.yaml',
  'prompts/a.yaml',
  'prompts/A.yaml',
  'prompts/\ufeffbom.yaml',
  'prompts/*.yaml',
  'prompts/:(top)x',
  'prompts/__proto__',
  '-x/y.yaml',
  'prompts/😀.yaml',
  'diff --git a/x b/x',
  'prompts/x\nindex 0..1\n@@ -1 +1 @@',
];

const folders: string[] = [];

/** A new folder that is removed at the end of the test file. */
export function temporaryFolder(name = 'fixture'): string {
  const folder = mkdtempSync(join(tmpdir(), `evaldiff-${name}-`));
  folders.push(folder);
  return folder;
}

// Runs per test file, because this module is loaded again for each.
afterAll(() => {
  forgetMade();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

let caches: string | null = null;

/** The process's environment without its git configuration, with separate caches. */
export function fixtureEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  caches ??= temporaryFolder('caches');
  const kept = Object.entries(process.env).filter(
    // Also without the variables of the CI that runs the tests.
    ([name]) => !/^(?:GIT|GITHUB|CI|BITBUCKET|SYSTEM|CHANGE)_/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    // All processes of a test file share these caches, as on a developer's machine.
    HOME: caches,
    XDG_CACHE_HOME: caches,
    ...more,
  };
}

export function createRepository(
  options: { branch?: string; objectFormat?: 'sha1' | 'sha256'; directory?: string } = {},
): FixtureRepository {
  const directory = options.directory ?? join(temporaryFolder('repository'), 'project');
  mkdirSync(directory, { recursive: true });
  const { branch = 'main', objectFormat = 'sha1' } = options;
  const own = join(directory, '.git');
  if (!existsSync(own)) cpSync(emptyRepository(branch, objectFormat), own, { recursive: true });
  return repositoryAt(directory);
}

/** A bare copy with all branches and tags, as on a server. */
export function bareOrigin(source: FixtureRepository): FixtureRepository {
  const directory = join(temporaryFolder('origin'), 'origin.git');
  const own = join(source.directory, '.git');
  for (const name of ['HEAD', 'objects', 'packed-refs', 'refs/heads', 'refs/tags'])
    if (existsSync(join(own, name)))
      cpSync(join(own, name), join(directory, name), { recursive: true });
  const config = readFileSync(join(own, 'config'), 'utf8');
  writeFileSync(join(directory, 'config'), config.replace('bare = false', 'bare = true'));
  return repositoryAt(directory);
}

/** The date of the n-th commit. */
export const dateOf = (commits: number): string => `${1_700_000_000 + commits * 60} +0000`;

/**
 * The result of `actions/checkout`: one ref at depth 1 (or `depth`), detached, with `origin` and no
 * other branch. The fetch uses file://, so the server's rules apply.
 */
export function shallowCheckout(
  origin: FixtureRepository,
  ref: string,
  options: { depth?: number | null } = {},
): FixtureRepository {
  const clone = createRepository();
  const depth = options.depth === null ? [] : [`--depth=${options.depth ?? 1}`];
  const local = `refs/remotes/${ref.replace(/^refs\/(?:heads\/)?/, '')}`;
  const commit = refIn(origin.directory, ref);
  const key = commit === null ? null : ['checkout', commit, ref, ...depth].join(' ');
  madeOnce(key, clone.directory, () => {
    clone.all(
      ['remote', 'add', 'origin', PLACE_OF_ORIGIN],
      [
        '-c',
        `url.file://${origin.directory}.insteadOf=${PLACE_OF_ORIGIN}`,
        'fetch',
        '--quiet',
        '--no-tags',
        ...depth,
        'origin',
        `+${ref}:${local}`,
      ],
      ['-c', 'advice.detachedHead=false', 'checkout', '--quiet', '--detach', local],
    );
  });
  const config = join(clone.directory, '.git', 'config');
  const settings = readFileSync(config, 'utf8');
  writeFileSync(config, settings.replace(PLACE_OF_ORIGIN, `file://${origin.directory}`));
  return clone;
}

/** A placeholder for a checkout's origin, until that is known. */
const PLACE_OF_ORIGIN = 'file:///place/of/origin';

/** The commit of a ref stored as a loose file in `.git`; null: not stored so. */
function refIn(own: string, ref: string) {
  const file = join(own, ref);
  const found = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  return found ? readFileSync(file, 'utf8').trim() : null;
}

export function repositoryAt(directory: string): FixtureRepository {
  let commits = 0;
  const run = (program: string, args: string[], input?: string | Uint8Array) => {
    const date = dateOf(commits);
    const who = { NAME: 'Ada', EMAIL: 'ada@example.com', DATE: date };
    const identity = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
      Object.entries(who).map(([name, value]) => [`GIT_${role}_${name}`, value]),
    );
    // Without this setting, every commit, merge and fetch starts two useless maintenance programs.
    const config = { COUNT: '1', KEY_0: 'maintenance.auto', VALUE_0: 'false' };
    const quiet = Object.entries(config).map(([name, value]) => [`GIT_CONFIG_${name}`, value]);
    const output = execFileSync(program, args, {
      cwd: directory,
      env: fixtureEnvironment(Object.fromEntries([...identity, ...quiet]) as NodeJS.ProcessEnv),
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    });
    return output.replace(/\n$/, '');
  };
  const repository: FixtureRepository = {
    directory,
    git: (...args) => run('git', args),
    all: (...commands) =>
      run('sh', [
        '-c',
        commands.map((args) => ['git', ...args].map(quoted).join(' ')).join(' && '),
      ]),
    gitInput: (input, ...args) => run('git', args, input),
    write: (files) => writeFiles(directory, files),
    commit(message, files = {}) {
      commits += 1;
      repository.write(files);
      const before = commits === 1 ? beginning(directory) : null;
      madeOnce(before && `${before} ${message}`, join(directory, '.git'), () => {
        repository.all(
          ['add', '--all'],
          ['commit', '--quiet', '--allow-empty', '--no-gpg-sign', '-m', message],
        );
      });
      return headIn(directory) ?? repository.git('rev-parse', 'HEAD');
    },
    commitMany(count, change) {
      const branch = repository.git('symbolic-ref', 'HEAD');
      const parent = repository.git('for-each-ref', '--format=%(objectname)', branch);
      const stream = Array.from({ length: count }, (_, at) => {
        commits += 1;
        const { path, text } = change(at);
        const from = at === 0 && parent !== '' ? `from ${parent}\n` : '';
        const length = Buffer.byteLength(text);
        return `commit ${branch}\ncommitter Ada <ada@example.com> ${dateOf(commits)}\ndata 1\nx\n${from}M 100644 inline ${path}\ndata ${length}\n${text}\n`;
      });
      repository.gitInput(stream.join(''), 'fast-import', '--quiet');
      repository.git('reset', '--quiet', '--hard');
      return repository.git('rev-list', '--reverse', `--max-count=${count}`, 'HEAD').split('\n');
    },
  };
  return repository;
}

/** HEAD's commit in a work tree or bare repository, if git stores it in a file. */
export function headIn(directory: string): string | null {
  const own = existsSync(join(directory, '.git')) ? join(directory, '.git') : directory;
  if (statSync(own).isFile()) return null;
  const head = refIn(own, 'HEAD') ?? '';
  return head.startsWith('ref: ') ? refIn(own, head.slice('ref: '.length)) : head;
}

function quoted(text: string) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The text of all files in a folder except git's own, by relative path, sorted. */
export function filesBelow(folder: string): Record<string, string> {
  const paths = filePathsBelow(folder).filter((path) => !path.startsWith('.git/'));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

export function writeFiles(directory: string, files: FixtureFiles): void {
  for (const [path, entry] of Object.entries(files)) writeEntry(join(directory, path), entry);
}

function writeEntry(path: string, entry: FixtureEntry) {
  rmSync(path, { recursive: true, force: true });
  if (entry === null) return;
  mkdirSync(dirname(path), { recursive: true });
  if (typeof entry === 'string' || entry instanceof Uint8Array) return writeFileSync(path, entry);
  if ('link' in entry) return symlinkSync(entry.link, path);
  if ('submodule' in entry) throw new Error('only a planned origin has submodules');
  writeFileSync(path, entry.program);
  chmodSync(path, 0o755);
}
