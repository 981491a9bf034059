import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProgram } from '../../src/app/commands/program.ts';
import { storePlace } from '../../src/app/session/store-place.ts';
import { readOverrides } from '../../src/config/overrides.ts';
import { readProject } from '../../src/config/project.ts';
import { SIDE_SUFFIXES } from '../../src/edges/store/database.ts';
import { formatProblem } from '../../src/errors.ts';
import { MOST_CAUSE_CALLS } from '../../src/features/causes/calls.ts';
import { promisedNames } from '../../src/features/promises/promised.ts';
import { builtInRubrics } from '../../src/metrics/rubric.ts';
import { experimentCalls } from '../../src/trials/tries.ts';
import { readAttributes } from '../stand-ins/attributes-file.ts';
import { FEATURES, OWN_SETTINGS } from '../stand-ins/features.ts';
import { pdf, png } from '../stand-ins/pictures.ts';
import { hash, optionsOf, tools, treeOf } from '../unit/config/tree.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const DOCS = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
const PAGES = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'RELEASING.md',
  ...DOCS.map((name) => `docs/${name}`),
];

interface Block {
  page: string;
  line: number;
  language: string;
  text: string;
  /** A comment before the block says why no test runs it. */
  isExample: boolean;
}

function blocksOf(page: string): Block[] {
  const text = read(page);
  // A block in a list is indented like the list.
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', body = ''], index, all) => ({
      page,
      line: text.slice(0, all[index]?.index).split('\n').length,
      language,
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      isExample: /<!-- not run: [^\n]+ -->\s*$/.test(text.slice(0, all[index]?.index)),
    }),
  );
}

const placesOf = (blocks: readonly Block[]) => blocks.map(({ page, line }) => `${page}:${line}`);

function isJson(text: string) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const ALL = PAGES.flatMap(blocksOf);
const pathOf = ({ text }: Block) =>
  /^# ([\w./-]+\.(?:ya?ml|json))$/.exec(text.split('\n')[0] ?? '')?.[1] ?? null;
const isWorkflow = ({ text }: Block) => /^jobs:/m.test(text);

const causeCalls = (compared: number) => experimentCalls(compared, MOST_CAUSE_CALLS);

/** Files that pages mention without showing their content. */
const DATA: Record<string, string | Uint8Array> = {
  'photos/vase.png': png(),
  'docs/return-rules.pdf': pdf('30 days'),
  'data/refunds.jsonl': '{"prompt": "How long?", "ideal": "30"}\n',
  'recordings/demo.jsonl': '',
  'data/dialogues.jsonl':
    '{"input": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}\n',
  'prompts/data/dialogues.jsonl':
    '{"input": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}], "course": "algebra"}\n',
  'data/answers.jsonl': '{"question": "Q", "answer": "A", "accepted": true, "score": 4}\n',
};
/** The project for blocks with settings only. */
const PROMPT: Record<string, string> = {
  'prompts/p.yaml':
    'name: p\nmodel: gpt-4o\ntemperature: 1\nprompt: hi\ntests: { metrics: [{ uses: is_json }], references: [{}] }\n',
  'prompts/q.prompt.yml': 'messages: [{ role: user, content: hi }]\n',
  'prompts/fragment.yaml':
    'name: fragment\nmodel: gpt-4o\nprompt: hi\ndefaults: [tests/fragment]\n',
  'prompts/tests/fragment.yaml': 'metrics: [{ uses: is_json }]\n',
};

/** Path for blocks that show only part of a test file. */
const FRAGMENT = 'prompts/tests/fragment.yaml';
const OWN_TESTS: Readonly<Record<string, string>> = {
  'docs/from-openai-evals.md': 'system/docs/pages.test.ts',
  'docs/from-promptfoo.md': 'system/docs/pages.test.ts',
  'docs/agents.md': 'system/docs/pages.test.ts',
  'docs/agent-runs.md': 'system/docs/agents.test.ts',
  'docs/first-suite.md': 'system/docs/pages.test.ts',
  'docs/other-ci.md': 'system/features/publish/publish.test.ts',
  'docs/own-release.md': 'system/docs/pages.test.ts',
  'README.md': 'system/docs/pages.test.ts',
};

describe('the default limit on model calls for finding causes', () => {
  test('is the same in documentation and code', () => {
    const page = read('docs/causes.md');
    const rows = [...page.matchAll(/^\| +(\d+) \| +(\d+) \|$/gm)];
    expect(rows.length).toBeGreaterThan(3);
    for (const [, compared, most] of rows)
      expect([compared, causeCalls(Number(compared))]).toEqual([compared, Number(most)]);
    const [least, most] = [causeCalls(0), causeCalls(Infinity)].map(String);
    expect(most).toBe(String(MOST_CAUSE_CALLS));
    expect(page).toContain(
      `half of what the comparison took, at least ${least} and at most ${most}`,
    );
    expect(page).toContain(`"up to ${most} more calls if something regresses or is fixed"`);
  });

  test('is documented with the results of its benchmark', () => {
    const sections = read('benchmarks/causes.md').split(/^## /m);
    const rowsOf = (title: string) =>
      (sections.find((section) => section.startsWith(title)) ?? '')
        .split('\n')
        .map((line) => line.split('|').map((cell) => cell.trim()))
        .filter((cells) => /^\d/.test(cells.at(-2) ?? ''));
    const named = (title: string, row: string) =>
      Number(rowsOf(title).find(([, name]) => name === row)?.[3]);
    const half = 'one line of eight breaks to a half';
    const [narrow, usual] = ['With `explain: { max_calls: 60 }`', 'With the default budget'].map(
      (title) => named(title, half).toFixed(0),
    );
    const edits = rowsOf('Edits that do nothing');
    const sum = (runs: string, cell: number) =>
      edits
        .filter(([, , , of]) => of === runs)
        .reduce((all, cells) => all + Number(cells[cell]), 0);
    expect([sum('1000', 5), sum('200', 4), sum('200', 5)]).toEqual([0, 563, 0]);
    const page = read('docs/causes.md').replaceAll('\n', ' ');
    expect(page).toContain('none for 563 such edits that were examined although nothing regressed');
    expect(page).toContain('The search names no line for 3,000 edits that do nothing');
    expect(page).toContain(`is named in ${narrow} % of the runs, and with 120 in ${usual} %`);
    const all =
      rowsOf('With the default budget').find(([, name]) => name === 'one line of eight') ?? [];
    expect([all[3], all[5]]).toEqual(['100.0', '27']);
    expect(page).toContain('in all of 200 runs, after 27 calls on average');
  });
});

describe('code blocks', () => {
  test('use only languages that this file checks', () => {
    const known = ['yaml', 'sh', 'json', 'text', 'console', 'python', 'js', 'javascript', ''];
    const others = ALL.filter(({ language }) => !known.includes(language));
    expect(others.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([]);
    expect(ALL.length).toBeGreaterThan(20);
  });

  const guides = [
    'suites',
    'values',
    'code-answers',
    'comment',
    'causes',
    'coverage',
    'required-check',
    'costs',
    'sweeps',
    'migrate',
    'attributes',
    'conversations',
    'metrics',
    'models',
    'programs',
    'rubrics',
    'vendors',
    'verdicts',
  ].map((name) => `docs/${name}.md`);
  test('in YAML contain the path of the file that they show, except in workflows', () => {
    const nameless = ALL.filter(
      (block) =>
        block.language === 'yaml' &&
        guides.includes(block.page) &&
        // Shows parts of a file.
        block.page !== 'docs/metrics.md' &&
        pathOf(block) === null &&
        !isWorkflow(block),
    );
    expect(placesOf(nameless)).toEqual([]);
  });

  const shown = ALL.filter(
    (block) => guides.includes(block.page) && block.language === 'yaml' && !isWorkflow(block),
  ).map((block) => ({ ...block, path: pathOf(block) ?? FRAGMENT }));

  test('in YAML occur only on pages that a test checks', () => {
    const pages = new Set(ALL.filter((block) => block.language === 'yaml').map(({ page }) => page));
    expect([...pages].filter((page) => !guides.includes(page) && !(page in OWN_TESTS))).toEqual([]);
    for (const [page, file] of Object.entries(OWN_TESTS))
      expect(read(`__tests__/${file}`)).toContain(page);
  });

  test.each(shown.map((block) => [`${block.page}:${block.line}`, block] as const))(
    'at %s are valid together with the other blocks of their page',
    async (_, block) => {
      const { path } = block;
      const others = Object.fromEntries(
        [...shown]
          .reverse()
          .filter(({ page }) => page === block.page)
          .map((each) => [each.path, each.text]),
      );
      const files: Record<string, string> = {
        ...(Object.keys(others).some((name) => name.startsWith('prompts/') && name !== FRAGMENT)
          ? {}
          : PROMPT),
        ...others,
        [path]: block.text,
      };
      const settings = files['evaldiff.yaml'] ?? '';
      // A grader in another block's settings also applies to an imported file that needs one.
      const complete =
        path === 'promptfooconfig.yaml' ||
        settings.includes('grader') ||
        !('promptfooconfig.yaml' in files)
          ? files
          : { ...files, 'evaldiff.yaml': `${settings}grader: gpt-4o\n` };
      const { project, problems } = await readProject(
        treeOf({ ...DATA, ...complete }),
        optionsOf({ configRequired: true }),
        { ...tools, builtInRubrics, hash },
      );
      expect(problems.map(formatProblem)).toEqual([]);
      expect(project.suites.length).toBeGreaterThan(0);
      expect(
        project.suites.flatMap(({ tests }) =>
          tests.references.flatMap(({ problem }) => problem ?? []),
        ),
      ).toEqual([]);
    },
  );

  test('that show evaldiff.attributes.yaml are valid', () => {
    const [block, ...others] = ALL.filter((one) => pathOf(one) === 'evaldiff.attributes.yaml');
    expect(others).toEqual([]);
    expect(readAttributes('evaldiff.attributes.yaml', block?.text ?? '')).toMatchObject({
      ok: true,
    });
  });

  test('in JSON are valid', () => {
    const invalid = ALL.filter(({ language, text }) => language === 'json' && !isJson(text));
    expect(placesOf(invalid)).toEqual([]);
  });

  test('in other languages are checked, or have a comment that says why not', () => {
    const isChecked = ({ page, text }: Block) =>
      OWN_TESTS[page] === 'system/docs/pages.test.ts' ||
      promisedNames(text).length > 0 ||
      text
        .trim()
        .split('\n')
        .every((line) => isJson(line.replace(/^(?:in|out|or): +/, '')));
    const others = ALL.filter(
      (block) => !['yaml', 'sh', 'json'].includes(block.language) && !block.isExample,
    );
    expect(placesOf(others.filter((block) => !isChecked(block)))).toEqual([]);
    expect(others.length).toBeGreaterThan(3);
  });
});

/** The words of a shell line without quotes, up to `>` or `#`. */
function words(line: string) {
  const [command = ''] = line.split(/\s+[>#]\s*/);
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

const program = () =>
  createProgram(
    {
      env: {},
      cwd: ROOT,
      out: () => undefined,
      err: () => undefined,
      isTerminal: false,
      width: 80,
      features: FEATURES,
    },
    () => undefined,
  );

/** The reason why a command line is invalid, or null. Runs nothing. */
async function refusal([, name = '', ...words]: readonly string[]) {
  const outer = (await program()).commands.find((each) => each.name() === name);
  const inner = outer?.commands.find((each) => each.name() === words[0]);
  const command = inner ?? outer;
  const rest = inner === undefined ? words : words.slice(1);
  if (command === undefined) return name.startsWith('--') ? null : `there is no command ${name}`;
  try {
    const { operands, unknown } = command.parseOptions(rest);
    if (unknown.length > 0) return `there is no option ${unknown[0] ?? ''}`;
    const [least, most] = [
      command.registeredArguments.filter(({ required }) => required).length,
      command.registeredArguments.some(({ variadic }) => variadic)
        ? Infinity
        : command.registeredArguments.length,
    ];
    if (operands.length < least || operands.length > most)
      return `${name} takes no ${operands.length} arguments`;
    const overrides = command.registeredArguments.some(
      (argument) => argument.name() === 'overrides',
    )
      ? operands.slice(command.registeredArguments.length - 1)
      : [];
    return readOverrides(overrides, OWN_SETTINGS).problems.map(formatProblem)[0] ?? null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('the store of answers', () => {
  const page = read('docs/costs.md').replaceAll(/\s+/g, ' ');
  const place = (platform: NodeJS.Platform, option?: string) =>
    storePlace(
      { commonFolder: '/work/shop/.git', workTree: { root: '/work/shop', below: '' } },
      option,
      '/work',
      { platform, env: platform === 'win32' ? { LOCALAPPDATA: '%LOCALAPPDATA%' } : {}, home: '~' },
    )!;

  test.each<[NodeJS.Platform, string]>([
    ['linux', 'Linux'],
    ['darwin', 'macOS'],
    ['win32', 'Windows'],
  ])('is documented with its file and key on %s', (platform, name) => {
    const { file, keyFile } = place(platform);
    const [, folder = ''] = new RegExp(`\`([^\`]+)\` on ${name}`).exec(page) ?? [];
    expect(dirname(keyFile!).replaceAll('/', platform === 'win32' ? '\\' : '/')).toBe(folder);
    expect(file.startsWith(dirname(keyFile!))).toBe(true);
    expect(page).toContain(`a file \`${basename(file)}\` below the cache folder`);
    expect(page).toContain(`The file \`${basename(keyFile!)}\` in the cache folder`);
  });

  test('has the file that the option names, with the key of the cache folder', () => {
    expect(place('linux', 'mine')).toMatchObject({
      file: '/work/mine',
      keyFile: place('linux').keyFile,
    });
    expect(page).toContain('another file | `--store` or `EVALDIFF_STORE` sets it');
    expect(page).toContain(SIDE_SUFFIXES.map((end) => `\`${end}\``).join(' and '));
  });

  test('is a file in the help of every command that takes it', async () => {
    const options = (await program()).commands.flatMap(({ options }) =>
      options.filter(({ long }) => long === '--store'),
    );
    expect(options.length).toBeGreaterThan(5);
    for (const { flags, description } of options) {
      expect(flags).toBe('--store <file>');
      expect(description).toContain(
        '(default: EVALDIFF_STORE, or else a file for the project in your cache folder)',
      );
    }
  });
});

describe('shell commands in documentation', () => {
  const lines = ALL.filter(({ language }) => language === 'sh')
    .flatMap(({ page, line, text }) =>
      text.split('\n').map((content, index) => ({
        at: `${page}:${line + index + 1}`,
        content: content.trim(),
      })),
    )
    .flatMap(({ at, content }) => content.split('&&').map((part) => ({ at, content: part.trim() })))
    .filter(({ content }) => content !== '' && !content.startsWith('#'));

  test('use existing evaldiff commands and options', async () => {
    const ours = lines
      .map(({ at, content }) => ({
        at,
        argv: words(content.replace(/^(?:npx evaldiff|node dist\/cli\/index\.js)\b/, 'evaldiff')),
      }))
      .filter(({ argv }) => argv[0] === 'evaldiff');
    expect(ours.length).toBeGreaterThan(12);
    const refused: string[] = [];
    for (const { at, argv } of ours) {
      const why = await refusal(argv);
      if (why !== null) refused.push(`${at}: ${why}`);
    }
    expect(refused).toEqual([]);
  });

  test('are rejected if the command, an option or an argument is unknown', async () => {
    expect(await refusal(['evaldiff', 'dif'])).toBe('there is no command dif');
    expect(await refusal(['evaldiff', 'diff', '--bass', 'main'])).toBe('there is no option --bass');
    expect(await refusal(['evaldiff', 'import'])).toBe('import takes no 0 arguments');
    expect(await refusal(['evaldiff', 'run', 'temprature=1'])).toContain(
      'did you mean "temperature"',
    );
    expect(await refusal(['evaldiff', 'report', 'a', '--format', 'pdf'])).toContain('pdf');
  });

  test('use only existing npm scripts and common tools', () => {
    const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);
    const others = lines
      .filter(({ content }) => !/^(?:npx evaldiff|node dist\/cli\/index\.js) /.test(content))
      .filter(({ content }) => {
        const script =
          /^npm run ([\w:-]+)/.exec(content)?.[1] ?? /^npm (test)\b/.exec(content)?.[1];
        return script === undefined
          ? !/^(?:npm (?:ci|login|version|publish|pack|install)\b|gh attestation verify |gh workflow run |find dist |bash \.ci\/run|node scripts\/|git |export [A-Z_]+=)/.test(
              content,
            )
          : !scripts.includes(script);
      });
    expect(others.map(({ at, content }) => `${at}: ${content}`)).toEqual([]);
  });
});
