import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { readOrigin } from '../../../src/app/session/origin.ts';
import { matcherOf } from '../../../src/features/agents/suite/rules.ts';
import { commandIn, withoutKeys } from '../../stand-ins/command-line.ts';
import { gitAt, ownRepository, ROOT } from '../../stand-ins/own-repository.ts';
import {
  createRepository,
  filesBelow,
  fixtureEnvironment,
  temporaryFolder,
} from '../../stand-ins/repository.ts';

import { onlyComment, pullRequest } from '../end-to-end/stage.ts';

interface Step {
  name?: string;
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
}

interface Job {
  needs?: string;
  permissions: Record<string, string>;
  steps: Step[];
}

const { jobs } = parse(readFileSync(join(ROOT, '.github/workflows/release-own.yml'), 'utf8')) as {
  jobs: Record<string, Job>;
};
const REPOSITORY = 'your-account/evaldiff';

interface Released {
  /** The result of each step that ran, in order; a step that fails is the last one. */
  log: string[];
  attested: string[];
  summary: string;
  ok: boolean;
}

interface Run {
  bare: string;
  tag: string;
  commit: string;
  isPrivate?: boolean;
  /** The exit code of `npm run dist:check`. */
  distCheck?: number;
}

/**
 * Runs the workflow's own scripts in a clone of the user's fork. Only npm (the build) and
 * `gh auth setup-git` (the credentials) are replaced.
 */
function release({ bare, tag, commit, isPrivate = false, distCheck = 0 }: Run): Released {
  const folder = temporaryFolder('runner');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, script] of [
    ['npm', `case "$*" in ci) ;; 'run dist:check') exit ${distCheck};; *) exit 9;; esac`],
    ['gh', 'test "$*" = "auth setup-git" && test "$GH_TOKEN" = token-1'],
  ] as const)
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const summary = join(folder, 'summary.md');
  const values: Record<string, string> = { 'inputs.tag': tag, 'github.token': 'token-1' };
  const filled = (text: string) =>
    text.replace(/\$\{\{ (\S+) \}\}/g, (_, name: string) => values[name] ?? `unknown ${name}`);
  const released: Released = { log: [], attested: [], summary: '', ok: true };
  for (const [name, { needs, steps }] of Object.entries(jobs)) {
    if (needs !== undefined && !released.ok) continue;
    const workspace = join(folder, name);
    for (const step of steps) {
      if (step.if === '${{ !github.event.repository.private }}' && isPrivate) continue;
      const done = take(step, {
        workspace,
        bare,
        commit,
        released,
        filled,
        env: {
          PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
          GITHUB_SHA: commit,
          GITHUB_REPOSITORY: REPOSITORY,
          GITHUB_STEP_SUMMARY: summary,
        },
      });
      released.log.push(`${name}: ${step.name ?? step.run ?? step.uses?.split('@')[0] ?? ''}`);
      if (!done) return { ...released, ok: false };
    }
  }
  return { ...released, summary: readFileSync(summary, 'utf8') };
}

interface Place {
  workspace: string;
  bare: string;
  commit: string;
  released: Released;
  filled(text: string): string;
  env: NodeJS.ProcessEnv;
}

function take(step: Step, { workspace, bare, commit, released, filled, env }: Place) {
  const given = step.with ?? {};
  if (step.uses?.startsWith('actions/checkout@') === true) {
    // The steps read no files, so writing the thousands of files would only take time.
    gitAt(dirname(workspace), 'clone', '--quiet', '--shared', '--no-checkout', bare, workspace);
    gitAt(workspace, 'update-ref', '--no-deref', 'HEAD', commit);
    gitAt(workspace, 'read-tree', commit);
  } else if (step.uses?.startsWith('actions/attest-build-provenance@') === true) {
    const isSubject = matcherOf([String(given['subject-path'])]);
    released.attested.push(...gitAt(workspace, 'ls-files').split('\n').filter(isSubject));
  } else if (step.run !== undefined) {
    const own = Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text)]);
    const { status } = spawnSync('bash', ['-e', '-c', step.run], {
      cwd: workspace,
      env: fixtureEnvironment({ ...env, ...(Object.fromEntries(own) as NodeJS.ProcessEnv) }),
    });
    return status === 0;
  }
  return true;
}

let fork: { bare: string; commit: string };
beforeAll(() => {
  const bare = ownRepository();
  fork = { bare, commit: gitAt(bare, 'rev-parse', 'main') };
});

const tagsOf = (bare: string) =>
  gitAt(bare, 'for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/tags')
    .split('\n')
    .filter((line) => line !== '');

const has = (ref: string, path: string) =>
  spawnSync('git', ['cat-file', '-e', `${ref}:${path}`], { cwd: fork.bare }).status === 0;

describe('the workflow that releases evaldiff in your own account', () => {
  test('builds, attests dist/ and tags the commit that init then pins', async () => {
    const { log, attested, summary, ok } = release({ ...fork, tag: 'v1.0.0' });
    expect([ok, tagsOf(fork.bare)]).toEqual([true, [`v1.0.0 ${fork.commit}`]]);
    const at = (words: string) => log.findIndex((line) => line.includes(words));
    expect(at('npm ci')).toBeGreaterThan(-1);
    expect(at('is what src/ builds')).toBeGreaterThan(at('npm ci'));
    expect(at('attest-build-provenance')).toBeGreaterThan(at('is what src/ builds'));
    expect(at('tag: Create the tag')).toBeGreaterThan(at('attest-build-provenance'));
    const lines = summary.split('\n');
    const from = /^npx evaldiff init --from (.*)$/m.exec(summary)?.[1] ?? '';
    expect(from).toBe(`${REPOSITORY}@v1.0.0`);
    expect(lines).toContain(
      `npm install --save-dev https://github.com/${REPOSITORY}/archive/v1.0.0.tar.gz`,
    );
    for (const pinned of [from, `${REPOSITORY}@${fork.commit}`]) {
      const project = createRepository();
      const { code } = await commandIn(
        project.directory,
        ['init', '--from', pinned],
        withoutKeys(),
      );
      const files = filesBelow(project.directory);
      const workflow = parse(files['.github/workflows/evaldiff.yml'] ?? '') as {
        jobs: Record<string, Job>;
      };
      const uses = Object.values(workflow.jobs).flatMap(({ steps }) =>
        steps.flatMap((step) => step.uses ?? []),
      );
      expect([code, uses]).toEqual([0, [pinned]]);
      const [, ref = ''] = pinned.split('@');
      const action = parse(gitAt(fork.bare, 'show', `${ref}:action.yml`)) as {
        runs: { main: string; post?: string };
      };
      for (const entry of [action.runs.main, action.runs.post ?? action.runs.main]) {
        expect([entry, has(ref, entry)]).toEqual([entry, true]);
        expect(attested).toContain(entry);
      }
      const addresses = Object.values(files).flatMap((text) => [
        ...text.matchAll(
          /https:\/\/raw\.githubusercontent\.com\/your-account\/evaldiff\/([^/\s]+)\/(\S+)/g,
        ),
      ]);
      expect(addresses).toHaveLength(2);
      for (const [, tag = '', path = ''] of addresses)
        expect([tag, path, has(tag, path)]).toEqual([ref, path, true]);
    }
  });

  test('is followed by a red comment when a pull request breaks the suite that init wrote', async () => {
    expect(release({ ...fork, tag: 'v6' }).ok).toBe(true);
    const pinned = temporaryFolder('pinned');
    const files = ['--git-dir', fork.bare, '--work-tree', pinned, 'checkout', 'v6', '--', 'dist'];
    gitAt(pinned, ...files);
    const { directory } = createRepository();
    await commandIn(directory, ['init', '--from', `${REPOSITORY}@v6`], withoutKeys());
    const { 'prompts/support.yaml': prompt = '', ...written } = filesBelow(directory);
    const [, model = ''] = /^model: (.*)$/m.exec(prompt) ?? [];
    const local = `models: { ${model}: { provider: openai, endpoint: local } }\n`;
    const settings = `${written['evaldiff.yaml'] ?? ''}${local}`;
    const { at, run } = await pullRequest(
      { ...written, 'evaldiff.yaml': settings, 'prompts/support.yaml': prompt },
      { 'prompts/support.yaml': prompt.replace(/^ {2}Returns .*\n/m, '') },
      {
        answer: ({ messages }) => ({
          text: /parcel\?|30 days/.test(JSON.stringify(messages)) ? 'Northmail, 30 days' : 'Ever',
        }),
        start: (env, cwd) =>
          spawn(process.execPath, [join(pinned, 'dist/action/index.js')], {
            ...{ cwd, env, stdio: ['ignore', 'pipe', 'pipe'] },
          }),
      },
    );
    expect([run.code, run.outputs['conclusion']]).toEqual([1, 'failure']);
    expect(onlyComment(at)).toContain('❌ Regressed: `support`');
    expect(onlyComment(at)).toContain('- Returns are possible within 30 days.');
  });

  test('makes no tag if dist/ is not what src/ builds', () => {
    const { ok, log } = release({ ...fork, tag: 'v2', distCheck: 1 });
    expect([ok, log.at(-1)]).toEqual([false, 'build: dist/ is what src/ builds']);
    expect(tagsOf(fork.bare).join()).not.toContain('v2 ');
  });

  test('makes no tag for a commit that is not on main', () => {
    const clone = join(temporaryFolder('clone'), 'evaldiff');
    gitAt(dirname(clone), 'clone', '--quiet', '--no-checkout', fork.bare, clone);
    const commit = gitAt(clone, 'commit-tree', '-m', 'Other', '-p', 'HEAD', 'HEAD^{tree}');
    gitAt(clone, 'push', '--quiet', 'origin', `${commit}:refs/heads/other`);
    const { ok, log } = release({ bare: fork.bare, commit, tag: 'v3' });
    expect([ok, log.at(-1)]).toEqual([false, 'build: The tagged commit is on main']);
    expect(tagsOf(fork.bare).join()).not.toContain('v3 ');
  });

  test('does not move an existing tag to another commit, and can run twice for one commit', () => {
    gitAt(fork.bare, 'tag', 'v4', 'other');
    const before = tagsOf(fork.bare);
    expect(release({ ...fork, tag: 'v4' }).log.at(-1)).toContain('Create the tag');
    expect(tagsOf(fork.bare)).toEqual(before);
    expect(release({ ...fork, tag: 'v1.0.0' }).ok).toBe(true);
  });

  test.each([['-v1'], ['v1 2'], ['v1..2'], ['v1.lock'], ['0123abcd'], ['$(id)'], ['a/b'], ['']])(
    'rejects the tag %j before it builds',
    (tag) => {
      const { ok, log } = release({ ...fork, tag });
      expect([ok, log.at(-1)]).toEqual([false, 'build: The tag is one that evaldiff init accepts']);
      expect(() => readOrigin(`${REPOSITORY}@${tag}`)).toThrow('is not OWNER/REPO@TAG');
    },
  );

  test('releases a private copy without an attestation', () => {
    const { ok, attested } = release({ ...fork, tag: 'v5', isPrivate: true });
    expect([ok, attested]).toEqual([true, []]);
    expect(tagsOf(fork.bare).join()).toContain('v5 ');
  });
});
