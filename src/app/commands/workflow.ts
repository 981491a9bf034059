import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { lineForm } from '../../config/keys.ts';
import { userError } from '../../errors.ts';
import { member } from '../../types/plain.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { factsOf, keyInputs } from '../../types/vendors.ts';
import { packageRoot } from '../session/installation.ts';
import { archiveOf, type CopyOrigin } from '../session/origin.ts';
import type { SeenProject } from './see-project.ts';

/** The account in shipped examples, which users replace. */
const PLACEHOLDER = '<owner>';

const WORKFLOWS_FOLDER = '.github/workflows';

export async function findWorkflow(
  { root, below }: SeenProject,
  origin: CopyOrigin | null,
): Promise<string | null> {
  const names = await readdir(join(root, WORKFLOWS_FOLDER)).catch(() => []);
  for (const name of names.filter((file) => /\.ya?ml$/.test(file)).sort()) {
    const text = await readFile(join(root, WORKFLOWS_FOLDER, name), 'utf8').catch(() => '');
    const steps = stepsOf(text).filter(
      ({ uses }) =>
        typeof uses === 'string' &&
        (/\/evaldiff@/.test(uses) || uses.split('@')[0] === origin?.repository),
    );
    if (steps.some((step) => stepFolder(step) === below)) return `${WORKFLOWS_FOLDER}/${name}`;
  }
  return null;
}

type Step = Readonly<Record<string, unknown>>;

function stepsOf(text: string): Step[] {
  try {
    return mapsIn(member(parse(text), 'jobs')).flatMap((job) => mapsIn(job['steps']));
  } catch {
    return [];
  }
}

function stepFolder(step: Step): string {
  const folder = member(step['with'], 'working-directory');
  return typeof folder === 'string' ? folder.replace(/^\.\/|\/$|^\.$/g, '') : '';
}

function mapsIn(value: unknown): Step[] {
  return value !== null && typeof value === 'object'
    ? Object.values(value).filter((each): each is Step => each !== null && typeof each === 'object')
    : [];
}

/** GitHub reads workflows only at the root, so each project folder needs its own job name. */
export function jobOf(below: string): string {
  const slug = below
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'evaldiff' : `evaldiff-${slug}`;
}

export function workflowPath(below: string): string {
  return `${WORKFLOWS_FOLDER}/${jobOf(below)}.yml`;
}

export function endpointKey(name: string): string {
  return `KEY_OF_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}

interface WorkflowNeeds {
  vendors: readonly VendorName[];
  endpoints: readonly string[];
  host?: boolean;
  /** Proves the job's identity to the vendors, without secrets. */
  keyless?: boolean;
  /** Commands that install the programs of the suites. */
  installs?: readonly string[];
}

export async function workflowText(
  below: string,
  origin: CopyOrigin,
  { vendors, endpoints, host = false, keyless = false, installs = [] }: WorkflowNeeds,
): Promise<string> {
  const shipped = await readFile(
    join(packageRoot(), 'examples', 'workflows', 'pull-request.yml'),
    'utf8',
  );
  const owned = shipped
    .replace(
      /^# Replace <owner>.*$/m,
      () => `# The same version on your machine: npm install --save-dev ${archiveOf(origin)}`,
    )
    .replace(`${PLACEHOLDER}/evaldiff@v1`, () => `${origin.repository}@${origin.ref}`);
  const hosted = host ? withHostCode(owned, installs) : owned;
  const keyed = withEndpoints(
    keyless ? withIdentities(hosted, vendors) : withKeyInputs(hosted, vendors),
    endpoints,
  );
  return below === '' ? keyed : inFolder(keyed, below);
}

function withKeyInputs(text: string, vendors: readonly VendorName[]): string {
  const byInput = vendors.every((vendor) => factsOf(vendor).keyInput !== null);
  const lines = vendors.map((vendor) => {
    const { keyInput, keyVariable } = factsOf(vendor);
    const name = byInput ? `          ${keyInput}: ` : `            ${vendor}=`;
    return `${name}\${{ secrets.${keyVariable} }}\n`;
  });
  const head = byInput ? '' : '          keys: |\n';
  return text.replace(KEY_LINES, () => `${head}${lines.join('')}`);
}

function withIdentities(text: string, vendors: readonly VendorName[]): string {
  const lines = vendors.flatMap((vendor) => {
    const { federation } = factsOf(vendor);
    return federation === undefined ? [] : `            ${lineForm(vendor, federation, '<ID>')}\n`;
  });
  return text
    .replace(KEY_LINES, () => `          keys: |\n${lines.join('')}`)
    .replace(
      / {6}contents: read\n/,
      (line) => `${line}      id-token: write # the job's identity, instead of a key\n`,
    );
}

function withHostCode(text: string, installs: readonly string[]): string {
  const steps = installs.map((install) => `      - run: ${install}\n`).join('');
  return text
    .replace(/^ {4}steps:\n/m, (start) => `${start}${steps}`)
    .replace(
      /^( {8}with:\n)/m,
      '$1          code: host # runs agents and programs from branches of this repository\n',
    );
}

function withEndpoints(text: string, endpoints: readonly string[]): string {
  if (endpoints.length === 0) return text;
  const indented = (spaces: number, lines: readonly string[]) =>
    lines.map((line) => `${' '.repeat(spaces)}${line}\n`).join('');
  const keys = endpoints.map(
    (name) => `${endpointKey(name)}: \${{ secrets.${endpointKey(name)} }}`,
  );
  const lines = endpoints.map((name) => `${name}=https://<address> key=${endpointKey(name)}`);
  return text.replace(
    /^ {8}with:\n/m,
    (start) =>
      `${indented(8, ['env:'])}${indented(10, keys)}${start}` +
      `${indented(10, ['endpoints: |'])}${indented(12, lines)}`,
  );
}

const KEY_LINES = new RegExp(`(?:^ +(?:${keyInputs().join('|')}): .*\\n)+`, 'm');

function inFolder(text: string, below: string): string {
  if (/\p{Cc}|\$\{\{/u.test(below))
    throw userError(
      null,
      `the folder name ${JSON.stringify(below)} is unsafe in a workflow; rename the folder`,
    );
  const job = jobOf(below);
  return text
    .replace('`evaldiff`, a required check', () => `\`${job}\`, a required check`)
    .replace(/^name: Prompts$/m, () => `name: ${JSON.stringify(`Prompts (${below})`)}`)
    .replace(/^ {2}group: evaldiff-/m, () => `  group: ${job}-`)
    .replace(/^ {2}evaldiff:$/m, () => `  ${job}:`)
    .replace(
      /^ {8}with:\n/m,
      (start) => `${start}          working-directory: ${JSON.stringify(below)}\n`,
    );
}
