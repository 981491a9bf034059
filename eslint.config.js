import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const edges = ['providers', 'sandbox', 'solver', 'github', 'git', 'store', 'artifact'];
const pure = ['config', 'core', 'metrics', 'statistics', 'qualeval', 'report', 'text'];
const edgeSdks = [
  '@actions/*',
  '@octokit/*',
  'openai',
  'openai/*',
  '@anthropic-ai/*',
  'javascript-lp-solver',
  'highs',
];

/** Pure folders reach no edge, no SDK and no node; the message is what a contributor reads. */
const pureRule = (folder) => ({
  files: [`src/${folder}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: ['node:*'],
            message: 'Pure folders do not touch the machine: take what you need as an argument.',
          },
          { group: edgeSdks, message: 'SDKs belong to an edge folder.' },
          {
            group: edges.flatMap((edge) => [`**/${edge}/**`]),
            message: 'Pure folders do not import edges: take a function as an argument.',
          },
          {
            group: [
              '**/run.ts',
              '**/action.ts',
              '**/cli.ts',
              '**/job/**',
              '**/world/**',
              '**/commands/**',
            ],
            message: 'Imports point inwards.',
          },
        ],
      },
    ],
  },
});

const edgeRule = (folder) => ({
  files: [`src/${folder}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: [
              ...pure.filter((name) => name !== 'text'),
              ...edges.filter((name) => name !== folder),
            ].map((name) => `../${name}/**`),
            message:
              'An edge imports types, errors, text, node and its own SDK; not the core, the report or another edge.',
          },
          {
            group: [
              '**/run.ts',
              '**/action.ts',
              '**/cli.ts',
              '**/job/**',
              '**/world/**',
              '**/commands/**',
            ],
            message: 'Imports point inwards.',
          },
        ],
      },
    ],
  },
});

export default tseslint.config(
  { ignores: ['dist/', 'build/', 'node_modules/', 'coverage/', '.evaldiff/', 'fixtures/'] },
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
    },
  },
  ...pure.map(pureRule),
  ...edges.map(edgeRule),
  {
    files: ['src/types.ts', 'src/types/*.ts', 'src/errors.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(?!\\./(types/)?[a-z]+\\.ts$)',
              message: 'The leaves import nothing but each other.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/run.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: ['node:*', ...edgeSdks, ...edges.map((edge) => `./${edge}/**`)] },
      ],
    },
  },
  {
    files: ['__tests__/**/*.ts', 'scripts/**/*.ts', 'benchmarks/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
