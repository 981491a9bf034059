import { dirname, join, relative } from 'node:path';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';
import { importFault } from './scripts/rooms.js';

/** Which room may import which; scripts/rooms.js decides. */
const importsDown = {
  create(context) {
    const from = relative(import.meta.dirname, context.filename);
    const check = (node) => {
      const { source } = node;
      if (source?.type !== 'Literal') return;
      const to = source.value.startsWith('.')
        ? join(dirname(from), source.value)
        : String(source.value);
      const message = importFault(from, to);
      if (message !== null) context.report({ node, message });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

const recursiveReaddir = {
  selector:
    'CallExpression:matches([callee.name=/^readdir/], [callee.property.name=/^readdir/]) Property[key.name="recursive"]',
  message: 'A recursive readdir follows links, and one may lead back. Open only real folders.',
};

/** How long something takes depends on what else the machine does. */
const timeInTests = [
  {
    selector: 'MemberExpression[object.name="performance"]',
    message: 'Use processorSeconds (stand-ins/processor-time.ts).',
  },
  {
    selector:
      'CallExpression:matches([callee.name=/^(test|it)$/], [callee.object.name=/^(test|it)$/], [callee.callee.property.name="each"])[arguments.length>2]',
    message: 'The only time limit of tests is in jest.config.js.',
  },
  {
    selector: 'CallExpression[callee.name=/^(before|after)(All|Each)$/][arguments.length>1]',
    message: 'The only time limit of tests is in jest.config.js.',
  },
  {
    selector: 'MemberExpression[object.name="jest"][property.name="setTimeout"]',
    message: 'The only time limit of tests is in jest.config.js.',
  },
];

export default tseslint.config(
  {
    ignores: ['dist/', 'build/', 'node_modules/', 'coverage/', '.evaldiff/', 'fixtures/'],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/extensions': ['.ts', '.tsx'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
      'import-x/resolver-next': [
        createNodeResolver({ extensions: ['.ts', '.tsx', '.js', '.json'] }),
      ],
    },
    rules: {
      'no-restricted-syntax': ['error', recursiveReaddir],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      'import-x/no-cycle': 'error',
      'import-x/no-duplicates': 'error',
      'import-x/order': [
        'error',
        { groups: ['builtin', 'external', 'parent', 'sibling'], alphabetize: { order: 'asc' } },
      ],
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    rules: {
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      eqeqeq: ['error', 'always'],
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    rules: {
      complexity: ['error', 12],
      'no-console': 'error',
      // Says nothing: name what the value is.
      'id-denylist': ['error', 'one'],
    },
  },
  {
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    plugins: { house: { rules: { 'imports-down': importsDown } } },
    rules: {
      'house/imports-down': 'error',
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['__tests__/**/*.ts', 'scripts/**/*.ts', 'benchmarks/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['__tests__/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', recursiveReaddir, ...timeInTests] },
  },
);
