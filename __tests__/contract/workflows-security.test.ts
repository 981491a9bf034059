import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { auditRelease } from './release-audits.ts';
import { auditWorkflow, foreignInputs } from './workflow-audits.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const files = ['.github/workflows', 'examples/workflows'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => `${folder}/${name}`),
);
/** Both handle forks with access to secrets. The files and SECURITY.md explain why this is safe. */
const ALLOWED: Record<string, string[]> = {
  'examples/workflows/fork-evaluate.yml': ['workflow_run'],
  'examples/workflows/fork-approve.yml': ['pull_request_target'],
};

/** Permissions of workflows that only a tag, a schedule or a person with write access starts. */
const RELEASE = ['id-token: write', 'contents: write', 'attestations: write'];
const PUBLISHING: Readonly<Record<string, readonly string[]>> = {
  '.github/workflows/release.yml': RELEASE,
  '.github/workflows/release-own.yml': RELEASE,
  'examples/workflows/weekly-drift.yml': ['issues: write'],
  '.github/workflows/site.yml': ['id-token: write', 'pages: write'],
};

describe('the shipped workflows', () => {
  test.each(files)('%s passes every audit', (file) => {
    const allowed = PUBLISHING[file] ?? ALLOWED[file] ?? [];
    expect(auditWorkflow(read(file), { allowed })).toEqual([]);
    expect(auditRelease(read(file))).toEqual([]);
  });

  test.each(files.filter((file) => file.startsWith('examples/')))(
    '%s has no checkout because the action does not need one',
    (file) => {
      expect(read(file)).not.toContain('actions/checkout');
    },
  );

  test('use dangerous triggers only in the files where they are allowed', () => {
    expect(files).toEqual(expect.arrayContaining(Object.keys(ALLOWED)));
    const flagged = files.filter((file) =>
      auditWorkflow(read(file)).some((finding) => finding.startsWith('dangerous-triggers')),
    );
    expect(flagged.sort()).toEqual(Object.keys(ALLOWED).sort());
  });

  test.each(files)('%s passes no untrusted value to an input', (file) => {
    // The exception: someone with write access types it into the form of a manual run.
    expect(
      foreignInputs(read(file)).filter((found) => found !== 'overrides: ${{ inputs.overrides }}'),
    ).toEqual([]);
  });

  test('in the README and the security policy follow the same rules', () => {
    const blocks = ['README.md', 'SECURITY.md']
      .flatMap((page) =>
        [...read(page).matchAll(/```ya?ml\n([\s\S]*?)```/g)].map(([, block = '']) => block),
      )
      .filter((block) => /^jobs:/m.test(block));
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) expect(auditWorkflow(block, { excerpt: true })).toEqual([]);
  });
});

describe('the workflow audits', () => {
  const sound = `name: x
on: pull_request
permissions: {}
concurrency: { group: x-1 }
jobs:
  a:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - run: npm test
`;
  const beside = '          persist-credentials: false';
  const condition = (what: string) =>
    sound.replace('      - run', `      - if: ${what}\n        run`);
  const withEnv = (env: string) => sound.replace('npm test', `npm test\n        env: ${env}`);
  const dangerous = sound
    .replace('on: pull_request', 'on: pull_request_target')
    .replace('      - run: npm test\n', '')
    .replace('    runs-on', '    if: true\n    environment: e\n    runs-on');

  test('find nothing in a safe workflow', () => {
    expect(auditWorkflow(sound)).toEqual([]);
    expect(auditWorkflow(dangerous, { allowed: ['pull_request_target'] })).toEqual([]);
  });

  test.each([
    ['unpinned-uses', sound.replace(/@3d3c\S+ # v7\.0\.1/, '@v7')],
    ['unpinned-uses', sound.replace(/@3d3c\S+ # v7\.0\.1/, '@main')],
    ['ref-version-mismatch', sound.replace('# v7.0.1', '# v6.0.0')],
    ['ref-version-mismatch', sound.replace('actions/checkout@3d3c', 'evil/checkout@3d3c')],
    ['excessive-permissions', sound.replace('permissions: {}\n', '')],
    ['excessive-permissions', sound.replace('permissions: {}', 'permissions: write-all')],
    ['excessive-permissions', sound.replace('    permissions:\n      contents: read\n', '')],
    ['excessive-permissions', sound.replace('contents: read', 'contents: write # to push')],
    ['excessive-permissions', sound.replace('contents: read', 'id-token: write # why not')],
    ['undocumented-permissions', sound.replace('contents: read', 'checks: write')],
    ['dangerous-triggers', sound.replace('on: pull_request', 'on: [push, pull_request_target]')],
    [
      'dangerous-triggers',
      sound.replace('on: pull_request', 'on: { workflow_run: { workflows: [x] } }'),
    ],
    ['template-injection', sound.replace('npm test', 'echo "${{ github.event.issue.title }}"')],
    ['github-env', sound.replace('npm test', 'echo "A=1" >> "$GITHUB_ENV"')],
    ['cache-poisoning', sound.replace(beside, `${beside}\n          cache: npm`)],
    ['artipacked', sound.replace('false', 'true')],
    [
      'artipacked',
      sound.replace(
        '        with:\n          persist-credentials: false\n      - run: npm test\n',
        '      - uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0\n        with: { path: . }\n',
      ),
    ],
    ['unsound-condition', condition('|\n          ${{ github.ref == 1 }}')],
    ['unsound-condition', condition("${{ github.ref }} == 'x'")],
    ['bot-conditions', condition("github.actor == 'dependabot[bot]'")],
    ['concurrency-limits', sound.replace('concurrency: { group: x-1 }\n', '')],
    ['timeout', sound.replace('    timeout-minutes: 5\n', '')],
    ['secrets-inherit', sound.replace('    runs-on', '    secrets: inherit\n    runs-on')],
    ['overprovisioned-secrets', withEnv('{ A: "${{ toJSON(secrets) }}" }')],
    ['insecure-commands', withEnv('{ ACTIONS_ALLOW_UNSECURE_COMMANDS: true }')],
    ['self-hosted-runner', sound.replace('ubuntu-latest', '[self-hosted, linux]')],
  ])('report an unsafe workflow with the finding %s', (audit, text) => {
    expect(auditWorkflow(text).map((finding) => finding.split(':')[0])).toContain(audit);
  });

  test.each([
    [
      'checks out',
      dangerous.replace(beside, `${beside}\n          ref: \${{ github.event.issue.head.sha }}`),
    ],
    ['runs a command', `${dangerous}      - run: npm test\n`],
    [
      'reads an artifact',
      `${dangerous}      - uses: actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1\n`,
    ],
    ['runs whatever the event was', dangerous.replace('    if: true\n', '')],
    ['no environment', dangerous.replace('    environment: e\n', '')],
    ['unconfined', `${dangerous}      - uses: <owner>/evaldiff@v1\n        with: { code: host }\n`],
    ['own guard', dangerous.replace(beside, `${beside}\n          allow-unsafe-pr-checkout: true`)],
  ])('report a privileged workflow with the finding "%s"', (what, text) => {
    expect(auditWorkflow(text, { allowed: ['pull_request_target'] })).toEqual([
      expect.stringContaining(what),
    ]);
  });

  test('find inputs with untrusted values', () => {
    expect(
      foreignInputs(sound.replace('persist-credentials: false', 'ref: ${{ github.head_ref }}')),
    ).toEqual(['ref: ${{ github.head_ref }}']);
  });
});

describe('the release audits', () => {
  const release = read('.github/workflows/release.yml');
  /** The release workflow with one change in the job that publishes to npm. */
  const npmJob = (from: string, to: string) => {
    const [before = '', after = ''] = release.split('  npm:\n');
    expect(after).toContain(from);
    return `${before}  npm:\n${after.replace(from, to)}`;
  };
  const proof = `      - name: The commit is on main
        run: git merge-base --is-ancestor "$GITHUB_SHA" origin/main
`;
  const UNPROVEN = ['release-branch: npm', 'release-branch: github'];
  const UNATTESTED = ['release-attestation: npm'];
  const unproven = release.replaceAll(proof, '');
  const attest = /      - uses: actions\/attest[\s\S]*?tgz\n/.exec(release)?.[0] ?? '';

  test.each([
    ['no environment', ['release-environment: npm'], npmJob('    environment: release\n', '')],
    [
      'another environment',
      ['release-environment: npm'],
      npmJob('environment: release', 'environment: test'),
    ],
    [
      'a release on GitHub without an environment',
      ['release-environment: github'],
      release.replace('    needs: npm\n    environment: release\n', '    needs: npm\n'),
    ],
    ['no proof', UNPROVEN, unproven],
    [
      'a proof that comes after other commands',
      UNPROVEN,
      unproven.replaceAll('      - run: npm pack\n', `${proof}      - run: npm pack\n`),
    ],
    [
      'a proof without the history of main',
      UNPROVEN,
      release.replaceAll('          fetch-depth: 0\n', ''),
    ],
    [
      'a proof that may fail',
      UNPROVEN,
      release.replaceAll(proof, `${proof}        continue-on-error: true\n`),
    ],
    [
      'a job that does not wait for the proof',
      ['release-branch: github'],
      release.replace('    needs: npm\n', ''),
    ],
    [
      'a job that runs after a failed proof',
      ['release-branch: github'],
      release.replace('    needs: npm\n', '    needs: npm\n    if: always()\n'),
    ],
    [
      'no attestation',
      ['release-attestation: npm', 'excessive-permissions: npm'],
      npmJob(attest, ''),
    ],
    ['an attestation without dist/', UNATTESTED, npmJob('            dist/**\n', '')],
    ['an attestation without the package', UNATTESTED, npmJob('            *.tgz\n', '')],
    [
      'an attestation after publishing',
      UNATTESTED,
      `${npmJob(attest, '').replace('--access public\n', `--access public\n${attest}`)}`,
    ],
    [
      'a command between attestation and publishing',
      UNATTESTED,
      npmJob('      - run: npm publish', '      - run: npm run build\n      - run: npm publish'),
    ],
    [
      'a folder that is published instead of the attested package',
      UNATTESTED,
      npmJob('npm publish ./*.tgz', 'npm publish'),
    ],
    [
      'an attestation without its permission',
      UNATTESTED,
      npmJob('      attestations: write # to store the attestations\n', ''),
    ],
    [
      'a permission to attest where nothing is attested',
      ['excessive-permissions: github'],
      release.replace('contents: write', 'attestations: write # x\n      contents: write'),
    ],
  ])('report a release workflow with %s', (_what, found, text) => {
    const named = auditRelease(text).map((finding) => finding.replace(/: job (\S+).*$/, ': $1'));
    expect([...new Set(named)].sort()).toEqual([...found].sort());
  });
});
