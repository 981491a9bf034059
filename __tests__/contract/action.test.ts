import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { withInputs, withKeyInputs } from '../../scripts/vendor-docs.ts';
import { outputsOf } from '../../src/app/action/publish.ts';
import { INPUT_DEFAULTS } from '../../src/config/inputs.ts';
import { REPORTS } from '../stand-ins/reports.ts';
import { tightTables } from '../tight-tables.ts';
import { resultOf } from '../unit/report/results.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface ActionFile {
  name: string;
  description: string;
  author: string;
  branding: { icon: string; color: string };
  inputs: Record<string, { description: string; default: string; required?: boolean }>;
  outputs: Record<string, { description: string }>;
  runs: { using: string; main: string };
}
const action = parse(read('action.yml')) as ActionFile;
/** The runner replaces this default by the token. */
const TOKEN = '${{ github.token }}';

/** The cells of the table after a heading comment in docs/action.md, without its header. */
function table(remark: string) {
  const [, after = ''] = tightTables(read('docs/action.md')).split(`<!-- ${remark} -->\n`);
  const body = after.trimStart();
  const lines = body.slice(0, body.indexOf('\n\n')).split('\n').slice(2);
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}
const inCode = (value: string) => (value === '' ? '' : `\`${value}\``);

describe('action.yml', () => {
  test('has the same inputs and defaults as the code, in the same order', () => {
    const defaults = Object.entries(action.inputs).map(([name, input]) => [
      name,
      input.default === TOKEN ? '' : input.default,
    ]);
    expect(defaults).toEqual(Object.entries(INPUT_DEFAULTS));
    expect(action.inputs['github-token']?.default).toBe(TOKEN);
    expect(Object.values(action.inputs).filter(({ required }) => required === true)).toEqual([]);
  });

  test('has the same outputs as the code, in the same order', () => {
    const given = outputsOf(
      resultOf({}),
      { commentId: 1, checkRunId: 2 },
      'evaldiff-report',
      REPORTS,
    );
    expect(Object.keys(action.outputs)).toEqual(Object.keys(given));
  });

  test('describes every input and output in one plain line', () => {
    for (const { description } of [
      ...Object.values(action.inputs),
      ...Object.values(action.outputs),
    ])
      expect(description).toMatch(/^[^\n|]{5,}\.$/);
  });

  test('runs a committed file on Node 24 and has the fields for the GitHub Marketplace', () => {
    expect(action.runs).toEqual({ using: 'node24', main: 'dist/action/index.js' });
    expect(existsSync(join(ROOT, action.runs.main))).toBe(true);
    expect(action).toMatchObject({
      name: 'evaldiff',
      branding: {
        icon: expect.any(String),
        color: expect.stringMatching(
          /^(white|black|yellow|blue|green|orange|red|purple|gray-dark)$/,
        ),
      },
    });
    expect(action.description.length).toBeLessThanOrEqual(125);
  });

  test('has the same descriptions of inputs and outputs as docs/action.md', () => {
    expect(table('inputs: written by scripts/vendor-docs.ts from action.yml')).toEqual(
      Object.entries(action.inputs).map(([name, input]) => [
        inCode(name),
        inCode(input.default),
        input.description,
      ]),
    );
    expect(table('outputs: checked against action.yml by a test')).toEqual(
      Object.entries(action.outputs).map(([name, { description }]) => [inCode(name), description]),
    );
  });
});

describe('the inputs for API keys in action.yml and docs/action.md', () => {
  test('match the table of vendors (if not, run npm run generate)', () => {
    expect(read('action.yml')).toBe(withKeyInputs(read('action.yml')));
    expect(tightTables(read('docs/action.md'))).toBe(
      tightTables(withInputs(read('docs/action.md'), read('action.yml'))),
    );
  });
});

describe('package.json', () => {
  const manifest = JSON.parse(read('package.json')) as {
    bin: Record<string, string>;
    engines: { node: string };
    scripts: Record<string, string>;
  };

  test('has the documented scripts, and its evaldiff command is an existing file', () => {
    expect(existsSync(join(ROOT, manifest.bin['evaldiff'] ?? ''))).toBe(true);
    for (const name of ['test', 'demo', 'lint', 'types', 'build', 'dist:check'])
      expect(manifest.scripts).toHaveProperty([name]);
    expect(manifest.engines.node).toBe('>=22.13');
  });

  test('has no runtime dependencies: the bundles contain all code', () => {
    for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies'])
      expect(Object.keys((manifest as Record<string, object>)[field] ?? {})).toEqual([]);
  });

  test('has every script that the README, CONTRIBUTING and CI run', () => {
    const pages = [
      'README.md',
      'CONTRIBUTING.md',
      'RELEASING.md',
      '.ci/run',
      '.github/workflows/ci.yml',
    ]
      .filter((path) => existsSync(join(ROOT, path)))
      .map(read)
      .join('\n');
    const run = [...pages.matchAll(/npm (?:run (?!-)([\w:-]+)|(test)\b)/g)].map(
      ([, script, alone]) => script ?? alone ?? '',
    );
    expect(run.length).toBeGreaterThan(3);
    for (const name of new Set(run)) expect(manifest.scripts).toHaveProperty([name]);
  });
});
