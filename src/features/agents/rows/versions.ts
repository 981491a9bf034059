import type { AgentRow } from './agent-row.ts';

export function installCommand(npm: { package: string }, version: string): string {
  return `npm install --global ${npm.package}@${version}`;
}

export function versionFault({ name, npm, version }: AgentRow, wanted: string): string | null {
  if (npm === null) return `${name} has no version; write only \`${name}\``;
  const fix = `write \`agent: ${name}@${version ?? ''}\``;
  if (!/^\d+\.\d+\.\d+$/.test(wanted)) return `"${wanted}" is not a version of ${name}; ${fix}`;
  const isOld = wanted.localeCompare(npm.oldest, 'en', { numeric: true }) < 0;
  return isOld
    ? `${name} ${wanted} is too old: evaldiff needs ${npm.oldest} or newer; ${fix}`
    : null;
}
