import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { FILE_LIMITS } from '../../src/documents/limits.ts';
import { COMMENT_LIMIT } from '../../src/report/comment.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const DOCS = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
const PAGES = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'RELEASING.md',
  ...DOCS.map((name) => `docs/${name}`),
].filter((path) => existsSync(join(ROOT, path)));
const blocks = (page: string) =>
  [...read(page).matchAll(/```ya?ml\n([\s\S]*?)```/g)].map(([, block = '']) => block);
const isWorkflow = (block: string) => /^jobs:/m.test(block);

interface Job {
  permissions: unknown;
  'runs-on': string;
  steps: { uses?: string; with?: Record<string, unknown> }[];
}
interface Workflow {
  on: unknown;
  permissions: unknown;
  jobs: Record<string, Job>;
}

describe("the README's workflow", () => {
  const [shown] = blocks('README.md')
    .filter(isWorkflow)
    .map((block) => parse(block) as Workflow);
  const example = parse(read('examples/workflows/pull-request.yml')) as Workflow;

  test('has the same triggers, permissions and pinned steps as the shipped example', () => {
    expect(shown?.on).toEqual(example.on);
    expect(shown?.permissions).toEqual({});
    expect(Object.keys(shown?.jobs ?? {})).toEqual(Object.keys(example.jobs));
    const [job, whole] = [shown?.jobs['evaldiff'], example.jobs['evaldiff']];
    expect(job?.permissions).toEqual(whole?.permissions);
    expect(job?.['runs-on']).toBe(whole?.['runs-on']);
    const uses = whole?.steps.map((step) => step.uses);
    for (const step of job?.steps ?? [])
      expect(uses).toContain(
        step.uses?.replace('your-account/evaldiff@v1.0.0', '<owner>/evaldiff@v1'),
      );
  });

  test('uses only inputs that the action has, as does every other shipped workflow', () => {
    const inputs = Object.keys((parse(read('action.yml')) as { inputs: object }).inputs);
    const files = ['examples/workflows', '.github/workflows'].flatMap((folder) =>
      readdirSync(join(ROOT, folder)).map((name) => read(`${folder}/${name}`)),
    );
    const steps = [...files, ...PAGES.flatMap(blocks).filter(isWorkflow)].flatMap((text) =>
      Object.values((parse(text) as Workflow).jobs).flatMap((job) => job.steps),
    );
    const ours = steps.filter(({ uses = '' }) => uses === './/' || uses.includes('/evaldiff@'));
    expect(ours.length).toBeGreaterThanOrEqual(4);
    const given = ours.flatMap((step) => Object.keys(step.with ?? {}));
    expect(given.filter((name) => !inputs.includes(name))).toEqual([]);
  });
});

test('the suite in the README has at most ten lines', () => {
  const [suite = ''] = blocks('README.md');
  expect(suite).toContain('# prompts/capitals.yaml');
  expect(suite.trim().split('\n').length).toBeLessThanOrEqual(10);
});

test('README.md is at most 8 KB with one picture', () => {
  const text = read('README.md');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * 1024);
  expect([...text.matchAll(/<img /g)]).toHaveLength(1);
});

test('CONTRIBUTING.md has at most 100 lines', () => {
  expect(read('CONTRIBUTING.md').trimEnd().split('\n').length).toBeLessThanOrEqual(100);
});

describe('documentation', () => {
  test.each(PAGES)('in %s links only to files that exist', (page) => {
    const links = [
      ...read(page)
        .replaceAll(/```[\s\S]*?```/g, '')
        .matchAll(/\]\(([^)\s]+)\)/g),
    ]
      .map(([, link = '']) => link)
      .filter((link) => !/^(https?:|#|mailto:)/.test(link));
    const missing = links.filter(
      (link) =>
        !existsSync(join(ROOT, dirname(page), decodeURIComponent(link.split('#')[0] ?? ''))),
    );
    expect(missing).toEqual([]);
  });

  test.each(PAGES)('in %s links only to headings that exist', (page) => {
    const anchorsOf = (path: string) =>
      [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w\- ]/g, '')
          .trim()
          .replaceAll(' ', '-'),
      );
    const missing = [...read(page).matchAll(/\]\(([^)\s#:]*)#([^)\s]+)\)/g)].filter(
      ([, path = '', anchor = '']) =>
        !anchorsOf(path === '' ? page : join(dirname(page), path)).includes(anchor),
    );
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  test('uses the name in package.json for its npx commands', () => {
    const { name } = JSON.parse(read('package.json')) as { name: string };
    expect(read('README.md')).toContain(`\nnpx ${name} init `);
    const lines = PAGES.flatMap((page) => [...read(page).matchAll(/^ *npx (\S*evaldiff) /gm)]);
    expect([...new Set(lines.map(([, command]) => command))]).toEqual([name]);
  });

  test('states the limits that the code has', () => {
    const [, section = ''] = read('README.md').split('## Limits\n');
    const { yamlBytes, references, dataBytes, dataRows, tries, combinations } = FILE_LIMITS;
    const number = (value: number) => value.toLocaleString('en-US');
    expect(section).toContain(
      `A YAML file can have up to ${number(yamlBytes / 2 ** 20)} MB and ${number(references)} references, a JSONL or CSV file up to ${number(dataBytes / 2 ** 20)} MB and ${number(dataRows)} rows. A reference can have up to ${number(tries)} tries, a sweep up to ${number(combinations)} variants.`,
    );
    expect(section).toContain(`${number(COMMENT_LIMIT)} characters`);
  });
});
