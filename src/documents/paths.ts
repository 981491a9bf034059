import picomatch from 'picomatch';

export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

export function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '');
}

/** Rejects absolute paths, drives, URLs, `..`, backslashes and control characters. */
export function isPlainRelative(path: string): boolean {
  if (path === '' || path.startsWith('/') || path.startsWith('~')) return false;
  return !/[\\:%\u0000-\u001f\u007f]/.test(path) && !path.includes('//');
}

export function slashHint(path: string): string {
  const slashed = path.replaceAll('\\', '/').replace(/^\.\//, '');
  return path.includes('\\') && isPlainRelative(slashed)
    ? `; write it with forward slashes: ${slashed.slice(0, 100)}`
    : '';
}

export function join(folder: string, path: string): string | null {
  const steps: string[] = [];
  for (const step of [...folder.split('/'), ...path.split('/')]) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined) return null;
  }
  return steps.join('/');
}

export function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

export function trailOf(path: string): string[] {
  const steps = path.split('/');
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}

const MAX_PATTERN = 300;

/**
 * Limit of `*` in a path segment. The time to match grows with the segment's length to this power.
 */
const MAX_STARS = 3;

export function globProblem(pattern: string): string | null {
  if (!isPlainRelative(pattern))
    return `${pattern.slice(0, 100)} must be a relative pattern like prompts/*.yaml${slashHint(pattern)}`;
  if (pattern.split('/').includes('..')) return `${pattern} is outside the repository`;
  const stars = Math.max(
    ...pattern.split('/').map((segment) => segment.replaceAll('**', '*').split('*').length - 1),
  );
  if (pattern.length > MAX_PATTERN || stars > MAX_STARS || pattern.split('**').length - 1 > 2)
    return `${pattern.slice(0, 100)} has too many wildcards`;
  return null;
}

interface Pattern {
  root: string;
  exact: boolean;
  matches(path: string): boolean;
}

/** Call `globProblem` first. Hidden files match only if the pattern names them. */
export function compileGlob(written: string): Pattern {
  const pattern = join('', written) ?? written;
  const { base, isGlob } = picomatch.scan(pattern);
  if (!isGlob && !pattern.includes('{'))
    return { root: folderOf(pattern), exact: true, matches: (path) => path === pattern };
  // Extended globs are not allowed, because nested repeats can take exponential time.
  return {
    root: base,
    exact: false,
    matches: picomatch(pattern, { noextglob: true, nonegate: true, windows: false }),
  };
}
