import { parse } from 'yaml';

/**
 * Audits of a workflow file. They copy zizmor's audits, because zizmor itself cannot run without
 * its registry. Each finding starts with the audit's name. The audits read the file as text too,
 * because the version of a pinned action is in a comment.
 */

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  if?: unknown;
  with?: Record<string, unknown>;
  env?: Record<string, unknown>;
}
interface Job {
  permissions?: Record<string, string> | string;
  environment?: unknown;
  if?: unknown;
  steps?: Step[];
  uses?: string;
  secrets?: unknown;
  'timeout-minutes'?: number;
  'runs-on'?: unknown;
  env?: Record<string, unknown>;
  strategy?: unknown;
}
interface Workflow {
  on?: unknown;
  permissions?: unknown;
  concurrency?: { group?: string } | string;
  env?: Record<string, unknown>;
  jobs: Record<string, Job>;
}

/** Commits read from the actions' own tags. Any other pin has not been reviewed. */
const PINS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'actions/checkout': { 'v7.0.1': '3d3c42e5aac5ba805825da76410c181273ba90b1' },
  'actions/setup-node': { 'v7.0.0': '820762786026740c76f36085b0efc47a31fe5020' },
  'actions/upload-artifact': { 'v7.0.0': 'bbbca2ddaa5d8feaa63e36b76fdaad77386f024f' },
  'actions/download-artifact': { 'v8.0.1': '3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c' },
  'actions/attest-build-provenance': { 'v4.1.0': 'a2bbfa25375fe432b6a289bc6b6cd05ecd0c4c32' },
  'actions/upload-pages-artifact': { 'v5.0.0': 'fc324d3547104276b827a68afc52ff2a11cc49c9' },
  'actions/deploy-pages': { 'v5.0.0': 'cd2ce8fcbc39b97be8ca5fce6e763baed58fa128' },
  'actions/cache': { 'v5.0.5': '27d5ce7f107fe9357f9df03efb73ab90386fccae' },
};
/** References to evaldiff itself: what users replace, or `./` in its own tests. */
const OURS = /^(?:<owner>\/evaldiff@v1|your-account\/evaldiff@v1\.0\.0|\.\/)$/;
const DANGEROUS = [
  'pull_request_target',
  'workflow_run',
  'issue_comment',
  'discussion_comment',
  'issues',
  'fork',
  'watch',
];
const MAY_WRITE = new Set(['pull-requests', 'checks']);
/** Event values that an outsider controls. */
const FOREIGN =
  /github\.(?:event|head_ref|actor|triggering_actor|ref_name|base_ref)|inputs\.|steps\.[\w-]+\.outputs|needs\./;

interface AuditOptions {
  /** Dangerous triggers allowed in this file, because it follows the rules for them. */
  allowed?: readonly string[];
  /** Part of a page: the reader adds timeouts and concurrency. */
  excerpt?: boolean;
}

export function auditWorkflow(
  text: string,
  { allowed = [], excerpt = false }: AuditOptions = {},
): string[] {
  const workflow = parse(text) as Workflow;
  const triggers = triggersOf(workflow.on);
  const dangers = triggers.filter((name) => DANGEROUS.includes(name));
  const jobs = Object.entries(workflow.jobs);
  const secrets = /toJSON\(\s*secrets\s*\)|secrets\[/i;
  return [
    ...pins(text),
    ...permissions(workflow, text, allowed),
    ...dangers
      .filter((name) => !allowed.includes(name))
      .map((name) => `dangerous-triggers: ${name}`),
    ...(dangers.length > 0 ? jobs.flatMap(([name, job]) => rulesOfDanger(name, job)) : []),
    ...jobs.flatMap(([name, job]) => [
      ...(job.steps ?? []).flatMap((step) => stepFindings(name, step)),
      ...artipacked(name, job),
      ...jobFindings(name, job),
    ]),
    ...conditions(text, jobs),
    ...(excerpt ? [] : limits(workflow, triggers, jobs)),
    ...when(secrets.test(text), 'overprovisioned-secrets: all secrets at once'),
    ...when(text.includes('ACTIONS_ALLOW_UNSECURE_COMMANDS'), 'insecure-commands: switched on'),
  ];
}

export const when = (isFound: boolean, finding: string): string[] => (isFound ? [finding] : []);

function triggersOf(on: unknown) {
  if (typeof on === 'string') return [on];
  if (Array.isArray(on)) return on.map(String);
  return Object.keys(on ?? {});
}

/** unpinned-uses and ref-version-mismatch. */
function pins(text: string) {
  return [...text.matchAll(/^\s*-?\s*uses:\s*(\S+)(?:\s+#\s*(\S+))?/gm)].flatMap(
    ([, uses = '', comment = '']) => {
      if (OURS.test(uses)) return [];
      const [name = '', ref = ''] = uses.split('@');
      if (!/^[0-9a-f]{40}$/.test(ref)) return [`unpinned-uses: ${uses}`];
      return PINS[name]?.[comment] === ref ? [] : [`ref-version-mismatch: ${uses} # ${comment}`];
    },
  );
}

/**
 * excessive-permissions: none by default, each job only what it needs, and a comment for every
 * write.
 */
function permissions(
  { permissions: top, jobs }: Workflow,
  text: string,
  allowed: readonly string[],
) {
  const none = typeof top === 'object' && top !== null && Object.keys(top).length === 0;
  return [
    ...(none ? [] : ['excessive-permissions: the workflow does not begin with permissions: {}']),
    ...Object.entries(jobs).flatMap(([name, { permissions: own }]) => {
      if (typeof own !== 'object')
        return [`excessive-permissions: job ${name} has ${own ?? 'no permissions of its own'}`];
      return Object.entries(own).flatMap(([scope, level]) => {
        if (level !== 'write') return [];
        if (!MAY_WRITE.has(scope) && !allowed.includes(`${scope}: write`))
          return [`excessive-permissions: job ${name} may write ${scope}`];
        return new RegExp(`^\\s*${scope}: write # \\S`, 'm').test(text)
          ? []
          : [`undocumented-permissions: ${scope}: write has no comment`];
      });
    }),
  ];
}

/**
 * Rules for a job that outsiders can start and that can read secrets: no foreign code or files, and
 * a person approves.
 */
function rulesOfDanger(name: string, { steps = [], environment, if: condition }: Job) {
  const danger = (isFound: boolean, what: string) =>
    when(isFound, `dangerous-triggers: job ${name} ${what}`);
  const bare = `secrets-outside-env: job ${name} has secrets within a stranger's reach and no environment`;
  return [
    ...when(environment === undefined, bare),
    ...danger(condition === undefined, 'runs whatever the event was'),
    ...steps.flatMap(({ run, uses = '', with: given = {} }) => {
      const foreign = given['ref'] ?? given['repository'];
      const checksOut = uses.startsWith('actions/checkout@') && foreign !== undefined;
      return [
        ...danger(run !== undefined, 'runs a command'),
        ...danger(checksOut, `checks out ${String(foreign)}`),
        ...danger(
          uses.startsWith('actions/download-artifact@'),
          'reads an artifact of another run',
        ),
        ...danger(given['code'] === 'host', 'lets code run unconfined'),
        ...danger(
          given['allow-unsafe-pr-checkout'] !== undefined,
          "switches checkout's own guard off",
        ),
      ];
    }),
  ];
}

function stepFindings(job: string, step: Step) {
  const command =
    step.run ??
    (step.uses?.startsWith('actions/github-script@') === true
      ? String(step.with?.['script'] ?? '')
      : '');
  return [
    ...(command.includes('${{')
      ? [`template-injection: job ${job}: an expression inside a command`]
      : []),
    ...(/GITHUB_(?:ENV|PATH)\b/.test(command)
      ? [`github-env: job ${job} writes to the runner's environment`]
      : []),
    ...(/secrets\./.test(command) ? [`secrets-in-commands: job ${job}`] : []),
    ...(step.uses?.startsWith('actions/cache@') === true ||
    step.uses?.startsWith('actions/cache/') === true ||
    (step.with?.['cache'] !== undefined && !OURS.test(step.uses ?? ''))
      ? [`cache-poisoning: job ${job} restores a cache that other runs can write`]
      : []),
  ];
}

function jobFindings(name: string, { secrets, uses, 'runs-on': runner }: Job) {
  return [
    ...when(secrets === 'inherit', `secrets-inherit: job ${name}`),
    ...when(
      uses !== undefined && !/@[0-9a-f]{40}$/.test(uses),
      `unpinned-uses: job ${name} uses ${String(uses)}`,
    ),
    ...when(
      JSON.stringify(runner ?? '').includes('self-hosted'),
      `self-hosted-runner: job ${name}`,
    ),
  ];
}

/**
 * Uploads must not contain a checkout's credentials. Either the checkout does not persist them, or
 * the job keeps them outside the workspace (as checkout v6 does) and uploads only a named folder.
 */
function artipacked(name: string, { steps = [] }: Job) {
  const keeps = steps.some(
    ({ uses, with: given }) =>
      uses?.startsWith('actions/checkout@') === true && given?.['persist-credentials'] !== false,
  );
  if (!keeps) return [];
  const uploads = steps
    .filter(({ uses }) => uses?.startsWith('actions/upload-artifact@') === true)
    .map(({ with: given }) => String(given?.['path'] ?? '.'));
  const runs = steps.some(({ run }) => run !== undefined);
  return [
    ...uploads
      .filter((path) => !/^[a-z][\w-]*$/.test(path))
      .map((path) => `artipacked: job ${name} uploads ${path} beside persisted credentials`),
    ...when(runs, `artipacked: job ${name} runs commands beside persisted credentials`),
  ];
}

/**
 * unsound-condition: a block scalar keeps its line end, and text around an expression makes it a
 * string. Both are always true.
 */
function conditions(text: string, jobs: [string, Job][]) {
  const written = jobs.flatMap(([name, job]) =>
    [job.if, ...(job.steps ?? []).map((step) => step.if)]
      .filter((value) => value !== undefined)
      .map((value) => ({ name, value: String(value) })),
  );
  return [
    ...when(/^\s*-?\s*if:\s*[|>]/m.test(text), 'unsound-condition: a condition as a block'),
    ...written.flatMap(({ name, value }) => {
      const isMixed = value.includes('${{') && !/^\$\{\{[^}]*\}\}$/.test(value);
      const isOfBot = /github\.(?:actor|triggering_actor)\b/.test(value);
      return [
        ...when(isMixed, `unsound-condition: job ${name}: ${value}`),
        ...when(isOfBot, `bot-conditions: job ${name}: ${value}`),
      ];
    }),
  ];
}

/** concurrency-limits, and a timeout for every job. */
function limits({ concurrency }: Workflow, triggers: string[], jobs: [string, Job][]) {
  const repeated = triggers.some((name) => ['push', 'pull_request', ...DANGEROUS].includes(name));
  const group = typeof concurrency === 'object' ? (concurrency.group ?? '') : (concurrency ?? '');
  return [
    ...when(
      repeated && group === '',
      'concurrency-limits: every push starts a run beside the others',
    ),
    ...jobs.flatMap(([name, job]) =>
      when(job['timeout-minutes'] === undefined, `timeout: job ${name} may run for six hours`),
    ),
  ];
}

/**
 * Expressions in `env:` and `with:` are values, but untrusted text must not decide where things go.
 */
export function foreignInputs(text: string): string[] {
  const { jobs } = parse(text) as Workflow;
  return Object.values(jobs).flatMap(({ steps = [] }) =>
    steps.flatMap((step) =>
      Object.entries(step.with ?? {}).flatMap(([key, value]) =>
        FOREIGN.test(String(value)) ? [`${key}: ${String(value)}`] : [],
      ),
    ),
  );
}
