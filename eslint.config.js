import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/**
 * The house from the top down. A folder imports what stands in a later row, types included; folders
 * of one row stand side by side and never import each other.
 */
export const ROWS = [
  ['action', 'commands'],
  ['workbench'],
  ['session'],
  ['run', 'report'],
  ['explain', 'judge', 'ask'],
  ['plan'],
  ['select', 'config'],
  ['result'],
  ['suite'],
  ['statistics', 'metrics', 'documents'],
  ['text'],
  ['errors'],
  ['types'],
];

/** Folders that touch the machine or the network. They know nothing of the rows but the last. */
export const EDGES = ['providers', 'sandbox', 'git', 'github', 'store', 'solver'];
export const EDGES_MAY_IMPORT = ['types', 'errors', 'text'];
export const MAY_IMPORT_EDGES = ['action', 'commands', 'workbench', 'session'];
const SDKS = [
  '@actions/*',
  '@octokit/*',
  'openai',
  'openai/*',
  '@anthropic-ai/*',
  'javascript-lp-solver',
  'highs',
];

/** Imports of another folder of `src`, or of the file there that stands for one. */
const inFolders = (folders) => `^(\\.\\./)+(${folders.join('|')})(/|\\.ts$)`;
const restricted = (files, patterns) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: patterns.filter(Boolean) }] },
});

/** What a folder of the rows may not import. */
function rowRule(name, row) {
  const above = ROWS.slice(0, row).flat();
  const beside = ROWS[row].filter((other) => other !== name);
  const pure = !MAY_IMPORT_EDGES.includes(name);
  return restricted(
    [`src/${name}/**/*.ts`],
    [
      above.length > 0 && { regex: inFolders(above), message: 'Imports point down the rows.' },
      beside.length > 0 && {
        regex: inFolders(beside),
        message: 'Folders of one row do not import each other: what both need lies below.',
      },
      pure && {
        regex: inFolders(EDGES),
        message: 'Pure folders do not import edges: take a function as an argument.',
      },
      pure && {
        group: ['node:*'],
        message: 'Pure folders do not touch the machine: take what you need as an argument.',
      },
      pure && { group: SDKS, message: 'SDKs belong to an edge folder.' },
    ],
  );
}

function edgeRule(name) {
  const others = [...ROWS.flat(), ...EDGES].filter(
    (other) => other !== name && !EDGES_MAY_IMPORT.includes(other),
  );
  return restricted(
    [`src/${name}/**/*.ts`],
    [
      {
        regex: inFolders(others),
        message: 'An edge imports types, errors, text, node and its own SDK; nothing else of ours.',
      },
    ],
  );
}

export default tseslint.config(
  {
    ignores: ['dist/', 'build/', 'node_modules/', 'coverage/', '.evaldiff/', 'fixtures/'],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/extensions': ['.ts'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js', '.json'] })],
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      'import-x/no-cycle': 'error',
      'import-x/order': [
        'error',
        { groups: ['builtin', 'external', 'parent', 'sibling'], alphabetize: { order: 'asc' } },
      ],
      eqeqeq: ['error', 'always'],
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      complexity: ['error', 12],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      // Says nothing: name what the value is.
      'id-denylist': ['error', 'one'],
    },
  },
  ...ROWS.flatMap((folders, row) => folders.map((name) => rowRule(name, row))),
  ...EDGES.map(edgeRule),
  restricted(
    ['src/errors.ts'],
    [{ regex: '^(?!\\./types/)', message: 'Errors import nothing but types.' }],
  ),
  {
    files: ['__tests__/**/*.ts', 'scripts/**/*.ts', 'benchmarks/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
