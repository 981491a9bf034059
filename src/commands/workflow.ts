import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { UserError, problem } from '../errors.ts';
import { packageRoot } from '../session/installation.ts';
import { factsOf, keyInputs, type VendorName } from '../types/vendors.ts';

/** What stands for the account that publishes the action where nobody has said which. */
export const PLACEHOLDER = '<owner>';

const FOLDER = '.github/workflows';

/**
 * A workflow that evaluates a project: its path below the repository's root, and whether the
 * account is still to be filled in.
 */
export interface FoundWorkflow {
  path: string;
  unfinished: boolean;
}

/**
 * A workflow of the repository at `root` that uses the action on the project in the folder `below`
 * ('' for the root itself); null: there is none.
 */
export async function findWorkflow(root: string, below: string): Promise<FoundWorkflow | null> {
  const names = await readdir(join(root, FOLDER)).catch(() => []);
  for (const name of names.filter((file) => /\.ya?ml$/.test(file)).sort()) {
    const text = await readFile(join(root, FOLDER, name), 'utf8').catch(() => '');
    const steps = stepsOf(text).filter(
      ({ uses }) => typeof uses === 'string' && /\/evaldiff@/.test(uses),
    );
    if (steps.some((step) => folderOf(step) === below))
      return { path: `${FOLDER}/${name}`, unfinished: text.includes(`${PLACEHOLDER}/evaldiff@`) };
  }
  return null;
}

type Step = Readonly<Record<string, unknown>>;

/** The steps of all jobs; none where the text is not a workflow. */
function stepsOf(text: string): Step[] {
  try {
    return mapsIn(fieldOf(parse(text), 'jobs')).flatMap((job) => mapsIn(job['steps']));
  } catch {
    return [];
  }
}

/** The folder of the project that a step evaluates, '' for the root. */
function folderOf(step: Step): string {
  const folder = fieldOf(step['with'], 'working-directory');
  return typeof folder === 'string' ? folder.replace(/^\.\/|\/$|^\.$/g, '') : '';
}

function mapsIn(value: unknown): Step[] {
  return value !== null && typeof value === 'object'
    ? Object.values(value).filter((each): each is Step => each !== null && typeof each === 'object')
    : [];
}

function fieldOf(value: unknown, key: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Step)[key] : undefined;
}

/**
 * The name of a project's job and workflow file: GitHub reads workflows at the repository's root
 * alone, so a project in a folder needs one of its own.
 */
export function jobOf(below: string): string {
  const slug = below
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'evaldiff' : `evaldiff-${slug}`;
}

/** Where a project's workflow goes, below the repository's root. */
export function workflowPath(below: string): string {
  return `${FOLDER}/${jobOf(below)}.yml`;
}

/**
 * The account that this copy of evaldiff was published from, as its package.json says; null for a
 * copy that nobody published.
 */
export async function publisher(): Promise<string | null> {
  const manifest: unknown = JSON.parse(await readFile(join(packageRoot(), 'package.json'), 'utf8'));
  const repository = fieldOf(manifest, 'repository');
  const url = typeof repository === 'string' ? repository : fieldOf(repository, 'url');
  return typeof url === 'string' ? (/github\.com[/:]([^/]+)\//.exec(url)?.[1] ?? null) : null;
}

/** The secret, and the variable, that hold the key of a server. */
export function endpointKey(name: string): string {
  return `KEY_OF_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}

/**
 * The shipped workflow for a project, with the account filled in if it is known, the keys of these
 * vendors among its inputs, and a line for each server, whose address is left to fill in.
 */
export async function workflowText(
  below: string,
  owner: string,
  { vendors, endpoints }: { vendors: readonly VendorName[]; endpoints: readonly string[] },
): Promise<string> {
  const shipped = await readFile(
    join(packageRoot(), 'examples', 'workflows', 'pull-request.yml'),
    'utf8',
  );
  const owned =
    owner === PLACEHOLDER
      ? shipped
      : shipped.replace(/^# Replace <owner>[^\n]*\n/m, '').replaceAll(PLACEHOLDER, owner);
  const keyed = withEndpoints(withKeys(owned, vendors), endpoints);
  return below === '' ? keyed : inFolder(keyed, below);
}

/** The keys that the shipped workflow does not name, after those that it does. */
function withKeys(text: string, vendors: readonly VendorName[]): string {
  const [last = ''] = text.match(KEY_LINE)?.slice(-1) ?? [];
  const lines = vendors
    .map((vendor) => factsOf(vendor))
    .filter(({ keyInput }) => !text.includes(`${keyInput}:`))
    .map(
      ({ keyInput, keyVariable }) =>
        `${/^ */.exec(last)?.[0] ?? ''}${keyInput}: \${{ secrets.${keyVariable} }}`,
    );
  return text.replace(last, () => [last, ...lines].join('\n'));
}

/** Lines for the servers, before the keys of vendors, and their own keys in the step's environment. */
function withEndpoints(text: string, endpoints: readonly string[]): string {
  if (endpoints.length === 0) return text;
  const indented = (spaces: number, lines: readonly string[]): string =>
    lines.map((line) => `${' '.repeat(spaces)}${line}\n`).join('');
  const keys = endpoints.map(
    (name) => `${endpointKey(name)}: \${{ secrets.${endpointKey(name)} }}`,
  );
  const lines = endpoints.map((name) => `${name}=https://<address> key=${endpointKey(name)}`);
  return text.replace(
    /^ {8}with:\n/m,
    (start) =>
      `${indented(8, ['env:'])}${indented(10, keys)}${start}${indented(10, ['endpoints: |'])}${indented(12, lines)}`,
  );
}

const KEY_LINE = new RegExp(`^ +(?:${keyInputs().join('|')}): .*$`, 'gm');

/**
 * Separate names for what two workflows of one repository must not share: the job and the queue.
 * The check and its comment have the folder's name by default.
 */
function inFolder(text: string, below: string): string {
  if (/\p{Cc}|\$\{\{/u.test(below))
    throw new UserError([
      problem(null, `the folder ${JSON.stringify(below)} cannot stand in a workflow; rename it`),
    ]);
  const job = jobOf(below);
  return text
    .replace('`evaldiff`, a required check', () => `\`${job}\`, a required check`)
    .replace(/^name: Prompts$/m, () => `name: ${JSON.stringify(`Prompts (${below})`)}`)
    .replace(/^ {2}group: evaldiff-/m, () => `  group: ${job}-`)
    .replace(/^ {2}evaldiff:$/m, () => `  ${job}:`)
    .replace(
      new RegExp(`^( +)(?:${keyInputs().join('|')}):`, 'm'),
      (line, indent: string) => `${indent}working-directory: ${JSON.stringify(below)}\n${line}`,
    );
}
