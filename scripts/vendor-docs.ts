/**
 * Writes what follows from the table of vendors (src/types/vendors.ts): their inputs in action.yml,
 * and the README's table of inputs, which says what action.yml says. A test compares.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { factsOf, vendorNames } from '../src/types/vendors.ts';

const KEYS = {
  begin: '  # Keys: written by scripts/vendor-docs.ts\n',
  end: '  # End of keys\n',
} as const;

/** action.yml with an input for the key of every vendor. */
export function withKeyInputs(action: string): string {
  const inputs = vendorNames().map((vendor) => {
    const { label, keyInput, keyVariable } = factsOf(vendor);
    return `  ${keyInput}:
    description: Key for ${label}. Default – the environment variable ${keyVariable}. Reaches only ${label}'s own host.
    default: ''
`;
  });
  return between(action, KEYS.begin, KEYS.end, inputs.join(''));
}

const INPUTS = '<!-- inputs: written by scripts/vendor-docs.ts from action.yml -->';

/** The README with the inputs of this action.yml. */
export function withInputs(readme: string, action: string): string {
  const { inputs } = parse(action) as {
    inputs: Record<string, { description: string; default: string }>;
  };
  const rows = Object.entries(inputs).map(
    ([name, { description, default: value }]) =>
      `| \`${name}\` | ${value === '' ? '' : `\`${value}\``} | ${description.replaceAll('|', '\\|')} |`,
  );
  const table = ['| input | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
  return between(readme, `${INPUTS}\n\n`, '\n\n', table);
}

function between(text: string, begin: string, end: string, content: string): string {
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end, from);
  if (from < begin.length || to === -1) throw new Error(`the line ${begin.trim()} is missing`);
  return text.slice(0, from) + content + text.slice(to);
}

if (import.meta.main) {
  const [action, readme] = ['action.yml', 'README.md'].map((name) =>
    fileURLToPath(new URL(`../${name}`, import.meta.url)),
  ) as [string, string];
  writeFileSync(action, withKeyInputs(readFileSync(action, 'utf8')));
  writeFileSync(readme, withInputs(readFileSync(readme, 'utf8'), readFileSync(action, 'utf8')));
  execFileSync('npx', ['prettier', '--write', readme]);
}
