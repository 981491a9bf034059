/**
 * Counts how many projects of promptfoo switch with one command. Each folder below the given ones
 * is a repository: it is copied, `init` writes what it needs, and `validate` checks it. Nothing of
 * the projects runs, and no model is called.
 *
 *   npx node benchmarks/imports.ts [folders of repositories…]
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { filePathsBelow } from '../scripts/entries-below.ts';
import { main } from '../src/app/commands/program.ts';
import { withTree } from '../src/app/commands/project.ts';
import type { Terminal } from '../src/app/commands/terminal.ts';
import { formatByPath } from '../src/config/formats.ts';
import { readOverrides } from '../src/config/overrides.ts';
import { loadSettings } from '../src/config/read-settings.ts';
import { hostSettings } from '../src/config/read-suites.ts';
import { createFiles } from '../src/documents/files.ts';
import { formatProblem } from '../src/errors.ts';
import { lossLine, lossesByReason } from '../src/features/imports/carried.ts';
import { READ_FORMATS } from '../src/features/imports/formats.ts';
import type { Imported } from '../src/features/imports/shared/draft.ts';
import { FEATURES } from '../src/features.ts';
import { metrics } from '../src/metrics/index.ts';
import type { Problem } from '../src/types/plain.ts';
import { table } from './measure/markdown.ts';

const FIXTURES = new URL('../fixtures/promptfoo/projects', import.meta.url).pathname;
const PROMPTFOO = { promptfoo: READ_FORMATS.promptfoo };
/** The share of tests and of assertions from which on a project counts as switched. */
const ENOUGH = 0.95;

interface Counted {
  of: number;
  carried: number;
}

interface Switched {
  name: string;
  isSwitched: boolean;
  test: Counted;
  assertion: Counted;
  /** Verdicts that differ from promptfoo's `results.json` beside a configuration. */
  opposite: number;
  compared: number;
  blocker: string;
}

const given = process.argv.slice(2);
const folders = (given.length === 0 ? [FIXTURES] : given).flatMap((folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name)),
);
const rows: Switched[] = [];
for (const folder of folders) rows.push(await inCopy(folder, switchProject));
const matrix = await inCopy(join(FIXTURES, '..'), matrixVerdicts);
const sum = (count: (row: Switched) => number): number =>
  rows.reduce((total, row) => total + count(row), 0);
const switched = rows.filter(({ isSwitched }) => isSwitched).length;
const share = ({ of, carried }: Counted): string => `${String(carried)} of ${String(of)}`;
const all = (unit: 'test' | 'assertion'): Counted => ({
  of: sum((row) => row[unit].of),
  carried: sum((row) => row[unit].carried),
});
console.log(
  [
    `${String(switched)} of ${String(rows.length)} projects switch with one command: \`validate\` accepts what \`init\` wrote,`,
    `and at least ${String(ENOUGH * 100)} % of the tests and of the assertions are carried over.`,
    '',
    table(
      ['project', 'first blocker', 'switched', 'tests', 'assertions', 'opposite verdicts'],
      [
        ...rows.map((row) => [
          row.name,
          row.isSwitched ? '' : row.blocker.replaceAll('|', '\\|'),
          row.isSwitched ? 'yes' : 'no',
          share(row.test),
          share(row.assertion),
          row.compared === 0 ? '' : `${String(row.opposite)} of ${String(row.compared)}`,
        ]),
        [
          'all',
          '',
          `${String(switched)} of ${String(rows.length)}`,
          share(all('test')),
          share(all('assertion')),
          `${String(sum(({ opposite }) => opposite))} of ${String(sum(({ compared }) => compared))}`,
        ],
      ],
      2,
    ),
    '',
    `${String(matrix.opposite)} of ${String(matrix.compared)} verdicts of the matrix in the fixtures differ from promptfoo's.`,
  ].join('\n'),
);

async function inCopy<T>(folder: string, work: (copy: string, name: string) => Promise<T>) {
  const home = mkdtempSync(join(tmpdir(), 'evaldiff-imports-'));
  const copy = join(home, 'project');
  cpSync(folder, copy, { recursive: true, filter: (path) => basename(path) !== '.git' });
  execFileSync('git', ['init', '--quiet', copy]);
  try {
    return await work(copy, basename(folder));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function switchProject(folder: string, name: string): Promise<Switched> {
  const written = await command(folder, 'init', '--from', 'owner/evaldiff@v1.0.0');
  const validated = /^npx evaldiff validate.* no errors$/m.test(written.out);
  const runs = /^npx evaldiff validate.* was not run, because it runs (.*)/m.exec(written.out)?.[1];
  const imports = await importsOf(folder);
  const count = (unit: string): Counted => {
    const shares = imports.flatMap(({ carried }) => carried.filter((each) => each.unit === unit));
    return {
      of: shares.reduce((total, { of }) => total + of, 0),
      carried: shares.reduce((total, { carried }) => total + carried, 0),
    };
  };
  const [test, assertion] = [count('test'), count('assertion')];
  const isValid = written.code === 0 && validated;
  const isEnough = [test, assertion].every(({ of, carried }) => carried >= of * ENOUGH);
  const [, problem = ''] = /^npx evaldiff validate.*finds.*\n *(.*)/m.exec(written.out) ?? [];
  const [loss] = lossesByReason(imports.flatMap(({ left }) => left));
  return {
    ...{ name, test, assertion, ...(await verdicts(folder)) },
    isSwitched: isValid && isEnough && test.carried > 0,
    blocker: isValid
      ? loss === undefined
        ? 'no tests'
        : lossLine(loss)
      : problem || (runs === undefined ? written.err : `it runs ${runs}`),
  };
}

/** Writes the matrix of measured verdicts as a configuration with its results. */
async function matrixVerdicts(folder: string): Promise<Pick<Switched, 'opposite' | 'compared'>> {
  const { vars, answers, assertions } = JSON.parse(
    readFileSync(join(folder, 'matrix.json'), 'utf8'),
  ) as { vars: object; answers: string[]; assertions: { pass: string }[] };
  const checks = assertions.map(({ pass, ...assertion }) => ({ pass, assertion }));
  const results = checks.flatMap(({ pass, assertion }, testIdx) =>
    answers.map((output, at) => ({
      ...{ testIdx, vars, response: { output }, prompt: { raw: 'Give an answer' }, latencyMs: 40 },
      gradingResult: { componentResults: [{ assertion, pass: pass[at] === '1', reason: '' }] },
    })),
  );
  const write = (name: string, value: object): void => {
    writeFileSync(join(folder, name), JSON.stringify(value));
  };
  write('results.json', { results: { results } });
  write('promptfooconfig.yaml', {
    ...{ prompts: ['Give an answer'], providers: ['openai:gpt-4o'] },
    tests: checks.map(({ assertion }) => ({ vars, assert: [assertion] })),
  });
  return verdicts(folder);
}

async function verdicts(folder: string): Promise<Pick<Switched, 'opposite' | 'compared'>> {
  let [opposite, compared] = [0, 0];
  for (const results of filePathsBelow(folder).filter((path) => path.endsWith('results.json'))) {
    const file = join(dirname(results), 'promptfooconfig.yaml');
    if (!existsSync(join(folder, file))) continue;
    const { out } = await command(folder, 'import', file, '--verify', results);
    const [, equal = '0', of = '0'] = /^([\d,]+) of ([\d,]+) verdicts? equal/m.exec(out) ?? [];
    const number = (text: string): number => Number(text.replaceAll(',', ''));
    opposite += number(of) - number(equal);
    compared += number(of);
  }
  return { opposite, compared };
}

async function importsOf(folder: string): Promise<Imported[]> {
  return withTree(folder, terminal(folder).terminal, async (tree) => {
    const files = createFiles(tree);
    const { settings } = await loadSettings(
      files,
      {
        config: 'evaldiff.yaml',
        configRequired: false,
        overrides: readOverrides([], []).overrides,
        own: [],
      },
      [],
    );
    const found: Imported[] = [];
    const paths = [...tree.files.keys()].filter(
      (path) =>
        !path.includes('node_modules/') &&
        (formatByPath(path, PROMPTFOO) !== null || settings.prompts.includes(path)),
    );
    for (const path of paths) {
      const problems: Problem[] = [];
      const document = await files.document(path, problems);
      const tools = {
        ...{ files, settings, builtIns: metrics, hasGrader: settings.grader !== null },
        ...{ code: 'refused' as const, host: hostSettings(settings) },
      };
      const read = document && (await READ_FORMATS.promptfoo.read(document, tools, problems));
      if (read !== null) found.push(read.imported);
      for (const each of problems) process.stderr.write(`${formatProblem(each)}\n`);
    }
    return found;
  });
}

async function command(folder: string, ...argv: string[]) {
  const { terminal: own, said } = terminal(folder);
  return { code: await main(argv, own), ...said };
}

function terminal(cwd: string): { terminal: Terminal; said: { out: string; err: string } } {
  const said = { out: '', err: '' };
  return {
    said,
    terminal: {
      env: process.env,
      ...{ cwd, isTerminal: false, width: 100, features: FEATURES },
      out: (text) => void (said.out += text),
      err: (text) => void (said.err += text),
    },
  };
}
