/**
 * Writes what follows from the table of vendors (src/types/vendors.ts): their inputs in action.yml,
 * and the README's table of inputs, which says what action.yml says, and docs/models.md. A test compares.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { exception } from '../src/types/passports.ts';
import type { Passport, VendorFacts } from '../src/types/vendors/facts.ts';
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

/** docs/models.md. */
export function renderModels(): string {
  return [
    `# Models

Generated from the table of vendors in \`src/types/vendors\` by \`scripts/vendor-docs.ts\`.

A prompt names a model (\`model: ${factsOf('openai').starterModel}\`), and its other keys go to the vendor as they are written. What a vendor's models refuse is known for the families
below: \`evaldiff validate\`, \`plan\` and every run say it at the line of the prompt, before anything is sent. In a sweep over several models, those that refuse a
parameter are asked without it. A grader's temperature and limit are ours to leave out or to rename.

Of a model that is not in the table, and of one at a server of the workflow's (input \`endpoints\`), the first request finds out alone what it takes; what it learns is kept in the
store for 30 days. Answers of a form (grades, insights) are asked for as a schema, else as a tool that has to be used, else in plain text.`,
    ...vendorNames().map((vendor) => renderVendor(factsOf(vendor))),
    `## When a model ends

A model within 90 days of its end is a notice at its line, one past it an error. Name the successor in the prompt, or for many prompts at once in the settings:

\`\`\`yaml
# evaldiff.yaml
models:
  ${factsOf('openai').starterModel}: { provider: openai, replaces: [gpt-4o, gpt-4o-mini] }
\`\`\``,
  ]
    .join('\n\n')
    .concat('\n');
}

function renderVendor(facts: VendorFacts): string {
  const { label, keyInput, keyVariable, host, headers, passports, ends } = facts;
  const version = Object.entries(headers).map(
    ([name, value]) => ` Requests say \`${name}: ${value}\`.`,
  );
  const families = passports.map(
    (passport) =>
      `| [${passport.family}](${passport.source}) | ${refusals(passport)} | ${passport.forms.join(', ')} | ${passport.thinks} | ${passport.api === 'responses' ? 'Responses' : 'as others'} | ${passport.checked} |`,
  );
  const days = Object.entries(ends)
    .sort()
    .map(([day, models]) => `| ${day} | ${models.map((model) => `\`${model}\``).join(', ')} |`);
  const intro = `## ${label}

Key: the input \`${keyInput}\`, or the variable \`${keyVariable}\`. Host: \`${host}\`.${version.join('')}`;
  return [
    intro,
    ...(families.length === 0
      ? []
      : [
          [
            '| models | refuse | answers of a form | think | API | read |',
            '| --- | --- | --- | --- | --- | --- |',
            ...families,
          ].join('\n'),
        ]),
    ...(days.length === 0 ? [] : [['| ends | models |', '| --- | --- |', ...days].join('\n')]),
  ].join('\n\n');
}

function refusals({ refuses }: Passport): string {
  const all = Object.entries(refuses).map(([name, { but, instead, unless }]) => {
    const words = [
      but === undefined ? '' : ` but ${String(but)}`,
      instead === undefined ? '' : ` (write \`${instead}\`)`,
      unless === undefined ? '' : ` (${exception(unless)})`,
    ];
    return `\`${name}\`${words.join('')}`;
  });
  return all.length === 0 ? 'nothing known' : all.join(', ');
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
  const models = fileURLToPath(new URL('../docs/models.md', import.meta.url));
  writeFileSync(models, renderModels());
  execFileSync('npx', ['prettier', '--write', readme, models]);
}
