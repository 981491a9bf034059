import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { untilTestEnds } from '../../stand-ins/after-test.ts';
import { SCRIPTED_AGENT } from '../../stand-ins/agents/scripted-agent.ts';
import { namedByOwnAuthority } from '../../stand-ins/certificate.ts';
import { startAgentModel } from '../../stand-ins/models/agent-model.ts';
import { startModelServer, vendorUrls } from '../../stand-ins/models/server.ts';
import {
  GITHUB_HOSTS,
  REGISTRY_HOST,
  gitAt,
  ownRepository,
  packed,
  startGitHubArchives,
  startRegistry,
} from '../../stand-ins/own-repository.ts';
import { filesBelow, fixtureEnvironment, temporaryFolder } from '../../stand-ins/repository.ts';
import {
  blocksOf,
  follow,
  INSTALL,
  say,
  spawned,
  stepOf,
  stepsOf,
  write,
  type Guide,
  type Reader,
} from './reader.ts';

/** A scripted agent that replaces a CLI. It does not vary, so two tries show as much as more. */
function scripted(text: string) {
  return text
    .replace(/^tests:$/m, 'tests:\n  n_tries: 2')
    .replace(/^agent: [a-z-]+$/m, 'agent: { command: [node, tools/agent.mjs] }')
    .replace(/^model: .*$/m, 'model: claude-sonnet-4-5');
}

const AGENT = { 'tools/agent.mjs': SCRIPTED_AGENT, '.gitignore': 'node_modules\n' };
const RULE = 'When you write a file, end with TESTED.\n';
const EVALS = {
  skill_name: 'notes',
  evals: [{ id: 1, prompt: 'Write.', expectations: ['Short.'] }],
};
const INIT = 'npx evaldiff init --from your-account/evaldiff@v1.0.0';

/**
 * To have a page followed, add its name: `{ pages: ['docs/new.md'] }`. A guide begins in an empty
 * folder beside a clone of this repository.
 */
const GUIDES: readonly Guide[] = [
  { pages: ['README.md'], section: 'A first suite', isInstalled: true },
  { pages: ['README.md'], section: 'In your repository', isRepository: true, isInstalled: true },
  {
    pages: ['first-suite', 'workbench', 'required-check', 'causes'].map(
      (name) => `docs/${name}.md`,
    ),
    red: [
      'npx evaldiff diff',
      'npx evaldiff diff explain.fix=true --report evaldiff-report',
      // The page on required checks sets `min_pass_rate`.
      'npx evaldiff run prompts=tags n_tries=1',
    ],
    after: ['npx evaldiff run prompts=tags n_tries=1'],
    says: { 'npx evaldiff run prompts=tags n_tries=1': ['tags   66.7 %'] },
    edits: {
      'git switch --create warmer': [
        'prompts/support.yaml',
        '  Returns are possible within 30 days.\n',
        '',
      ],
    },
  },
  {
    pages: ['docs/from-promptfoo.md'],
    isRepository: true,
    isInstalled: true,
    red: ['npx evaldiff diff'],
    edits: {
      'git commit --message "Prompts are compared in pull requests"': [
        'promptfooconfig.yaml',
        'returns within 30 days, ',
        '',
      ],
    },
  },
  {
    pages: ['docs/from-openai-evals.md'],
    isRepository: true,
    isInstalled: true,
    says: { 'npx evaldiff run': ['100.0 %'] },
  },
  {
    pages: ['docs/agents.md'],
    section: 'Test a skill',
    files: AGENT,
    isRepository: true,
    isInstalled: true,
    red: ['npx evaldiff diff --code host'],
    says: {
      [INIT]: ['wrote evals/release-notes.yaml'],
      'npx evaldiff diff --code host': [
        'The only change in release-notes: skills/release-notes/SKILL.md:7',
        'grep -qi',
        'exits with 1',
      ],
    },
    edits: {
      'git switch --create shorter': [
        'skills/release-notes/SKILL.md',
        'Mention breaking changes.\n',
        '',
      ],
    },
    adapt: scripted,
    validate: ['--code', 'host'],
  },
  {
    pages: ['docs/agents.md'],
    section: "A skill's evals.json",
    files: {
      'skills/notes/SKILL.md': 'Be brief.',
      'skills/notes/evals/evals.json': JSON.stringify(EVALS),
    },
    isInstalled: true,
    validate: ['--code', 'host'],
  },
  {
    pages: ['docs/agents.md'],
    section: 'Test AGENTS.md',
    files: {
      ...AGENT,
      'AGENTS.md': `Be brief.\n${RULE}`,
      'src/math.js': 'export {};\n',
      'package.json': JSON.stringify({
        ...{ name: 'shop', scripts: { test: 'grep -rq TESTED src NOTES.md' } },
      }),
    },
    isRepository: true,
    // The test's registry is on this machine, which `network` does not reach.
    before: ['npm install --save-dev evaldiff', 'export ANTHROPIC_API_KEY=sk-ant-...', INIT],
    adapt: (text) =>
      scripted(text).replace('  setup: { run: [npm ci], network: [registry.npmjs.org] }\n', ''),
    edits: { 'git commit --message Base': ['AGENTS.md', RULE, ''] },
    after: ['git add .', 'git commit --message Base', 'npx evaldiff diff --code host n_tries=3'],
    red: ['npx evaldiff diff --code host n_tries=3'],
    validate: ['--code', 'host'],
  },
  {
    pages: ['docs/agents.md'],
    section: 'The workflow',
    files: { 'skills/notes/SKILL.md': 'Be brief.' },
    isInstalled: true,
    before: [INIT],
    validate: ['--code', 'host'],
  },
  { pages: ['docs/own-release.md'], isRepository: true },
];

/** The blocks before README's first section, which a shell runs unchanged. */
const INTRO = { pages: ['README.md'], section: '' };

/** Blocks that cannot run, by page. Each has a comment with the reason. */
const NOT_RUN = { 'docs/causes.md': 2, 'docs/from-openai-evals.md': 1, 'docs/own-release.md': 2 };

let clone: string;
let authority: string;
let registry: Awaited<ReturnType<typeof startRegistry>>;
let gitHub: Awaited<ReturnType<typeof startGitHubArchives>>;
beforeAll(async () => {
  const bare = ownRepository();
  gitAt(bare, 'tag', 'v1.0.0', 'main');
  clone = join(temporaryFolder('clone'), 'evaldiff');
  gitAt(bare, 'clone', '--quiet', '--shared', bare, clone);
  const pair = namedByOwnAuthority('localhost', REGISTRY_HOST, ...GITHUB_HOSTS);
  authority = pair.authority;
  registry = await startRegistry(packed(clone), pair);
  gitHub = await startGitHubArchives('your-account/evaldiff', bare, pair);
});
afterAll(async () => {
  await registry.close();
  await gitHub.close();
});

let reader: Reader;
beforeEach(async () => {
  const model = await untilTestEnds(startAgentModel());
  const server = await untilTestEnds(
    startModelServer({
      answer: ({ messages }) => {
        const asked = JSON.stringify(messages);
        if (asked.includes('Tag this ticket')) return { text: 'billing' };
        if (asked.includes('parcel?')) return { text: 'Northmail brings it.' };
        return { text: asked.includes('30 days') ? 'You have 30 days.' : 'As long as you like.' };
      },
    }),
  );
  reader = {
    folder: newFolder(),
    env: environment(),
    testOverrides: { vendorUrls: { ...vendorUrls(server), anthropic: model.url } },
  };
});

/** An empty folder; its parent also has a clone of this repository. */
function newFolder() {
  const place = temporaryFolder('reader');
  const folder = join(place, 'project');
  mkdirSync(folder);
  symlinkSync(clone, join(place, 'evaldiff'));
  return folder;
}

/** npm reaches only the registry, and GitHub's archives through a proxy. */
function environment() {
  const home = temporaryFolder('home');
  return fixtureEnvironment({
    ...{ OPENAI_API_KEY: undefined, ANTHROPIC_API_KEY: undefined, HOME: home },
    EVALDIFF_STORE: join(home, 'answers.sqlite'),
    npm_config_registry: `https://${registry.host}`,
    npm_config_https_proxy: gitHub.proxy,
    npm_config_noproxy: REGISTRY_HOST,
    npm_config_cafile: authority,
    npm_config_cache: join(home, 'npm'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_yes: 'true',
  });
}

describe('each code block of a page', () => {
  test.each(
    GUIDES.map((guide) => [[...guide.pages, guide.section ?? ''].join(' '), guide] as const),
  )('is valid and works where the text says: %s', async (_, guide) => {
    if (guide.before?.includes('npm install --save-dev evaldiff') === true) {
      write(reader, 'ca.pem', readFileSync(authority, 'utf8'));
      write(reader, '.npmrc', `registry=https://${registry.host}\ncafile=ca.pem\naudit=false\n`);
    }
    await follow(reader, guide);
    expect(registry.refused).toEqual([]);
  });

  test('is part of a guide here, or has a comment that says why it cannot run', () => {
    const followed = [...GUIDES, INTRO];
    const pages = [...new Set(followed.flatMap((guide) => guide.pages))];
    const blocks = pages.flatMap(blocksOf);
    const steps = new Set(
      followed.flatMap(stepsOf).map(({ block }) => `${block.page}:${block.line}`),
    );
    expect(blocks.filter(({ page, line }) => !steps.has(`${page}:${line}`))).toEqual([]);
    const notRun = blocks.filter((block) => stepOf(block).kind === 'not run');
    const counts = Object.groupBy(notRun, ({ page }) => page);
    expect(Object.entries(counts).map(([page, found]) => [page, found?.length])).toEqual(
      Object.entries(NOT_RUN),
    );
    expect(blocks.length - notRun.length).toBeGreaterThan(25);
  });
});

test('the suite in docs/first-suite.md has at most ten lines', () => {
  const files = stepsOf({ pages: ['docs/first-suite.md'] }).filter(({ kind }) => kind === 'file');
  expect(files.map(({ block }) => block.text.trim().split('\n').length <= 11)).toEqual([true]);
});

describe("README's first block", () => {
  const [install, demo, ...more] = stepsOf(INTRO).map((step) =>
    step.kind === 'lines' ? step.block.text : '',
  );

  test('sets up the empty folder beside the clone when a shell runs it unchanged', async () => {
    const { ended, out } = await shell(install ?? '');
    expect([ended, out]).toEqual(['SIGINT', expect.stringContaining('1 prompt with 3 references')]);
    expect(out).toContain('workbench: http');
    const written = Object.keys(filesBelow(reader.folder)).filter(
      (path) => !path.startsWith('node_modules/'),
    );
    expect(written).toEqual(['evaldiff.yaml', 'prompts/support.yaml']);
    expect(gitAt(clone, 'status', '--porcelain')).toBe('');
    expect(registry.refused).toEqual([]);
  });

  test('is refused in the clone itself', async () => {
    reader.folder = clone;
    const { code, out } = await spawned(reader, 'npx', ['evaldiff', 'init']);
    expect([code, out]).toEqual([2, expect.stringContaining("evaldiff's own repository")]);
    expect(gitAt(clone, 'status', '--porcelain')).toBe('');
  });

  test('is followed by the demo, which runs unchanged too', async () => {
    expect(more).toEqual([]);
    await say(reader, INSTALL);
    const { code, out } = await spawned(reader, 'bash', ['-e', '-c', demo ?? '']);
    expect([code, out]).toEqual([0, expect.stringContaining('Regressed: support, tags')]);
    const [shown] = blocksOf('docs/causes.md').filter(
      ({ notRun }) => notRun === 'the demo prints it',
    );
    expect(out).toContain(shown?.text);
  });
});

/** Runs a script and ends the workbench, its last command, with Ctrl-C. */
function shell(script: string): Promise<{ ended: number | string | null; out: string }> {
  const child = spawn('bash', ['-e', '-c', script], {
    ...{ cwd: reader.folder, env: reader.env, detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  return new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        const before = out;
        out += part.toString('utf8');
        // As a terminal does: to the whole process group.
        if (/^workbench: http\S+\n/m.test(out) && !/^workbench: http\S+\n/m.test(before))
          process.kill(-(child.pid ?? 0), 'SIGINT');
      });
    child.once('close', (code, signal) => resolve({ ended: code ?? signal, out }));
  });
}
