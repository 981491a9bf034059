import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filePathsBelow } from '../../scripts/entries-below.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Publisher, names and addresses of evaldiff. */
interface Publication {
  published: boolean;
  owner: string | null;
  package: string;
  action: string;
  repository: string;
  report: string;
}

const publication = JSON.parse(read('scripts/publication.json')) as Publication;
const manifest = JSON.parse(read('package.json')) as { name: string; version: string };

const below = (folder: string, name: RegExp) =>
  filePathsBelow(join(ROOT, folder))
    .filter((path) => name.test(path))
    .map((path) => `${folder}/${path}`);
const TEXTS = Object.fromEntries(
  [
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    'RELEASING.md',
    'action.yml',
    ...below('docs', /\.md$/),
    ...below('examples', /\.ya?ml$/),
    ...below('src', /\.ts$/),
  ].map((path) => [path, read(path)]),
);

/** Marks a line that must be removed once the package and the repository exist. */
const UNTIL = /not published yet/;
/** How pages use evaldiff before publication. Afterwards only the page about it does. */
const OWN_RELEASE = '--from your-account/';
const OWN_PAGE = 'docs/own-release.md';
/** Pages with commands or addresses that do not work before publication. */
const SAYS_UNTIL = [
  'README.md',
  'SECURITY.md',
  'docs/first-suite.md',
  'docs/from-openai-evals.md',
  'docs/from-promptfoo.md',
  'docs/own-release.md',
];
const GITHUB = 'https://github.com/';

/** Patterns of names and addresses, with the value that each must have. */
const rulesOf = (given: Publication): readonly [RegExp, string][] => {
  const filled = (address: string) =>
    given.owner === null ? address : address.replace('<owner>', given.owner);
  const repository = filled(given.repository);
  return [
    [/\bnpx (?:--yes )?((?:@[\w-]+\/)?\w*evaldiff)(?![\w/])/g, given.package],
    [/(?<![\w<>.-])((?!your-account\/)[\w<>.-]+\/evaldiff@v\d+)/g, filled(given.action)],
    [/(https:\/\/github\.com\/[\w<>.-]+\/\w*evaldiff)\b/g, repository],
    [/(https:\/\/\S+\/security\/advisories\/new)/g, filled(given.report)],
    [/gh attestation verify.* --repo (\S+)/g, repository.replace(GITHUB, '')],
  ];
};

/** Lines that contradict the publication, each with the reason. */
function staleLines(given: Publication, texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).flatMap(([path, text]) =>
    text.split('\n').flatMap((line, index) => {
      const wrong = (path === OWN_PAGE ? [] : rulesOf(given)).flatMap(([pattern, wanted]) =>
        [...line.matchAll(pattern)]
          .filter(([, found]) => found !== wanted)
          .map(([, found = '']) => `${found} is ${wanted}`),
      );
      // Source code keeps the placeholder for copies of the project without an owner.
      if (given.owner !== null && line.includes('<owner>') && !path.startsWith('src/'))
        wrong.push('names no owner');
      if (
        given.published &&
        line.includes(OWN_RELEASE) &&
        path !== OWN_PAGE &&
        !path.startsWith('src/')
      )
        wrong.push('needs no release of its own');
      if (given.published && UNTIL.test(line)) wrong.push('is published');
      return wrong.map((what) => `${path}:${index + 1}: ${what}`);
    }),
  );
}

describe('scripts/publication.json', () => {
  test('agrees with every page, example and message', () => {
    expect(staleLines(publication, TEXTS)).toEqual([]);
  });

  test('has the same name as package.json', () => {
    expect(publication.package).toBe(manifest.name);
  });

  test('names an owner once evaldiff is published', () => {
    expect(publication.published && publication.owner === null).toBe(false);
  });

  test.each(SAYS_UNTIL)(
    'requires %s to say "not published yet" until evaldiff is published, and not after that',
    (path) => {
      expect(UNTIL.test(TEXTS[path] ?? '')).toBe(!publication.published);
    },
  );

  test('requires the README to show the installation from a clone until evaldiff is published', () => {
    const install = `npm install --no-save ../evaldiff`;
    expect(read('README.md').includes(`\n${install}\n`)).toBe(!publication.published);
  });
});

describe('the list of lines to change before publishing', () => {
  const published = { ...publication, published: true, owner: 'acme' };
  const README = `evaldiff is not published yet
npx evaldiff init --from your-account/evaldiff@v1.0.0
      - uses: <owner>/evaldiff@v1`;

  test('contains the install command, every "not published yet" and every placeholder', () => {
    expect(staleLines(published, { 'README.md': README })).toEqual([
      'README.md:1: is published',
      'README.md:2: needs no release of its own',
      'README.md:3: <owner>/evaldiff@v1 is acme/evaldiff@v1',
      'README.md:3: names no owner',
    ]);
    const pages = staleLines(published, TEXTS).map((line) => line.split(':')[0]);
    expect(pages).toEqual(
      expect.arrayContaining([
        ...SAYS_UNTIL,
        'docs/sweeps.md',
        'examples/workflows/full-sweep.yml',
      ]),
    );
    expect(pages.filter((path) => path?.startsWith('src/'))).toEqual([]);
  });

  test.each<[string, Partial<Publication>, string, string[]]>([
    ['is that of another package', {}, 'npx @acme/evaldiff init', ['@acme/evaldiff is evaldiff']],
    [
      'is that of the package without its scope',
      { package: '@acme/evaldiff' },
      "'npx evaldiff run evaluates'",
      ['evaldiff is @acme/evaldiff'],
    ],
    [
      'is of another action',
      {},
      'uses: acme/evaldiff@v1',
      ['acme/evaldiff@v1 is <owner>/evaldiff@v1'],
    ],
    [
      'is that of another repository',
      { owner: 'acme' },
      'https://github.com/other/evaldiff/blob/main/README.md',
      ['https://github.com/other/evaldiff is https://github.com/acme/evaldiff'],
    ],
    [
      'verifies against another repository',
      { owner: 'acme' },
      'gh attestation verify evaldiff-1.0.0.tgz --repo other/evaldiff',
      ['other/evaldiff is acme/evaldiff'],
    ],
    ['is right', { owner: 'acme' }, 'uses: acme/evaldiff@v1', []],
    ['runs another program', {}, 'npx node scripts/pictures.ts', []],
  ])('is correct if an address or a command in the README %s', (_name, change, line, wrong) => {
    expect(staleLines({ ...publication, ...change }, { 'README.md': line })).toEqual(
      wrong.map((what) => `README.md:1: ${what}`),
    );
  });
});
