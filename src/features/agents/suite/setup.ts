import { posix } from 'node:path';
import type { WorkspaceRules } from './spec.ts';

/** Commands that install packages. They need the hosts and, if listed, one of the files. */
const INSTALLERS: readonly { command: RegExp; hosts: string; lockfiles: readonly string[] }[] = [
  {
    command: /\bnpm ci\b/,
    hosts: 'registry.npmjs.org',
    lockfiles: ['package-lock.json', 'npm-shrinkwrap.json'],
  },
  { command: /\b(?:npm|pnpm|bun) (?:i|install)\b/, hosts: 'registry.npmjs.org', lockfiles: [] },
  { command: /\byarn(?: install)?$/, hosts: 'registry.yarnpkg.com', lockfiles: ['yarn.lock'] },
  { command: /\bpip3? install\b/, hosts: 'pypi.org, files.pythonhosted.org', lockfiles: [] },
];

const OFFLINE = /--(?:offline|no-index)\b/;

interface SetupFaults {
  /** The setup cannot work. */
  errors: string[];
  /** The setup probably does not work. */
  warnings: string[];
}

export function setupFaults(
  { run, network }: WorkspaceRules['setup'],
  paths: Iterable<string>,
): SetupFaults {
  const names = new Set([...paths].map((path) => posix.basename(path)));
  const used = INSTALLERS.flatMap(({ command, ...needs }) => {
    const found = run.find((each) => command.test(each) && !OFFLINE.test(each));
    return found === undefined ? [] : [{ found, ...needs }];
  });
  return {
    errors: used.flatMap(({ found, lockfiles }) =>
      lockfiles.length === 0 || lockfiles.some((name) => names.has(name))
        ? []
        : `"${found}" needs ${lockfiles.join(' or ')}, which the workspace does not contain; ` +
          'commit it, or add it with `with`',
    ),
    warnings: used.flatMap(({ found, hosts }) =>
      network !== 'off'
        ? []
        : `"${found}" probably fails, because setup has no network; write ` +
          `setup: { run: [${run.join(', ')}], network: [${hosts}] }`,
    ),
  };
}
