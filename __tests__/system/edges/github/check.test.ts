import {
  MAX_ANNOTATIONS,
  MAX_SUMMARY_BYTES,
  publishCheck,
  type CheckAnnotation,
  type CheckJob,
} from '../../../../src/edges/github/check.ts';
import {
  ACTIONS_APP,
  personalToken,
  workflowToken,
  type CheckRun,
  type Instead,
} from '../../../stand-ins/github/index.ts';
import { HEAD, NOW, REPOSITORY, setup } from './setup.ts';

function job(more: Partial<CheckJob> = {}): CheckJob {
  return {
    repository: REPOSITORY,
    headSha: HEAD,
    name: 'evaldiff',
    conclusion: 'success',
    title: 'Nothing regressed',
    summary: 'All is well.',
    annotations: [],
    owner: { identity: 'abcdef01', workflowRun: '7', attempt: '1', pullRequest: 12, base: 'main' },
    opened: null,
    approved: false,
    detailsUrl: 'https://github.example/acme/prompts/actions/runs/7',
    startedAt: NOW,
    completedAt: new Date(NOW.getTime() + 61_000),
    fork: false,
    ...more,
  };
}

const written = (id: unknown, ...warnings: string[]) => ({ ok: true, id, warnings });
const refused = (why: string) => ({ ok: false, warning: `The check run was not written: ${why}` });

/** A simulated GitHub, and a client that publishes to it. */
async function ready(...given: Parameters<typeof setup>) {
  const made = await setup(...given);
  const publish = (more: Partial<CheckJob> = {}) => publishCheck(made.client, job(more));
  return { ...made, publish };
}

const forbidden = (message: string): Instead => {
  return { status: 403, body: { message, documentation_url: 'x' } };
};

function checkRun(id: number, more: Partial<CheckRun>): CheckRun {
  return {
    id,
    app: ACTIONS_APP,
    name: 'evaldiff',
    headSha: HEAD,
    status: 'completed',
    conclusion: 'failure',
    externalId: null,
    detailsUrl: null,
    annotations: [],
    startedAt: null,
    completedAt: null,
    title: null,
    summary: null,
    text: null,
    ...more,
  };
}

function annotations(count: number, more: Partial<CheckAnnotation> = {}): CheckAnnotation[] {
  return Array.from({ length: count }, (_, index) => ({
    path: 'prompts/tests/capitals.yaml',
    startLine: index + 1,
    endLine: index + 1,
    level: 'failure' as const,
    title: 'regressed',
    message: `reference ${index}`,
    ...more,
  }));
}

describe('the check run on head', () => {
  test('is created as completed in one request', async () => {
    const { github, requests, publish } = await ready();
    const result = await publish({ annotations: annotations(2) });
    expect(requests()).toEqual([`GET /commits/${HEAD}/check-runs`, 'POST /check-runs']);
    expect(github.state.checkRuns).toMatchObject([
      {
        name: 'evaldiff',
        headSha: HEAD,
        status: 'completed',
        conclusion: 'success',
        externalId: 'evaldiff:abcdef01:7:1:12:main:success',
        title: 'Nothing regressed',
        summary: 'All is well.',
        startedAt: '2026-11-02T10:00:00.000Z',
        completedAt: '2026-11-02T10:01:01.000Z',
        detailsUrl: 'https://github.example/acme/prompts/actions/runs/7',
      },
    ]);
    expect(github.state.checkRuns[0]?.annotations[1]).toEqual({
      path: 'prompts/tests/capitals.yaml',
      start_line: 2,
      end_line: 2,
      annotation_level: 'failure',
      title: 'regressed',
      message: 'reference 1',
    });
    expect(result).toEqual(written(github.state.checkRuns[0]?.id));
    expect(github.state.violations).toEqual([]);
  });

  test.each([
    ['success', 'success'],
    ['failure', 'failure'],
    ['neutral', 'neutral'],
    ['error', 'failure'],
  ] as const)('shows the conclusion %s as %s', async (conclusion, shown) => {
    const { github, publish } = await ready();
    await publish({ conclusion });
    expect(github.state.checkRuns[0]?.conclusion).toBe(shown);
    expect(github.state.violations).toEqual([]);
  });

  test('is not created if its name is empty', async () => {
    const { requests, publish } = await ready();
    expect(await publish({ name: '' })).toEqual(written(null));
    expect(requests()).toEqual([]);
  });
});

test('a run that passes also creates a newer check run if another run failed only because this run had not finished', async () => {
  const { github, publish } = await ready();
  github.state.statusUpdates = true;
  const running = { status: 'in_progress', conclusion: null } as const;
  github.state.checkRuns.push(
    checkRun(5, { ...running, externalId: 'evaldiff:abcdef01:7:1:12:main:running' }),
    checkRun(6, { externalId: 'evaldiff:abcdef01:8:1:13:main:success' }),
  );
  await publish({ opened: { id: 5 } });
  const conclusions = github.state.checkRuns.map(({ conclusion }) => conclusion);
  expect(conclusions).toEqual(['success', 'failure', 'success']);
});

describe('a check run whose creation got no response', () => {
  test.each<[string, Instead]>([
    ['the answer is an error of a proxy', { status: 502, body: { message: 'Bad Gateway' } }],
    ['the connection breaks off', 'reset'],
  ])('is not created again if GitHub created it: %s', async (_, answer) => {
    const { github, publish } = await ready();
    github.intercept('POST', /\/check-runs$/, ({ body, count }) => {
      if (count > 1) return undefined;
      const made = body as Record<string, string>;
      const known = { conclusion: 'success', externalId: made['external_id']! } as const;
      github.state.checkRuns.push(checkRun(77, known));
      return answer;
    });
    expect(await publish()).toEqual(written(77));
    expect(github.state.checkRuns).toHaveLength(1);
  });

  test('is created again if GitHub did not create it', async () => {
    const { github, publish } = await ready();
    github.intercept('POST', /\/check-runs$/, ({ count }) =>
      count < 3 ? { status: 503, body: { message: 'Unavailable' } } : undefined,
    );
    expect(await publish()).toMatchObject({ ok: true });
    expect(github.state.checkRuns).toHaveLength(1);
  });

  test('is a warning if GitHub stays unreachable', async () => {
    const { github, publish } = await ready();
    github.intercept('POST', /\/check-runs$/, () => 'reset');
    expect(await publish()).toMatchObject({ ok: false });
    expect(github.state.checkRuns).toEqual([]);
  });
});

describe('annotations', () => {
  test.each([
    [0, 2],
    [50, 2],
  ])('are sent in order: %i annotations in %i requests', async (count, expected) => {
    const { github, requests, publish } = await ready();
    const result = await publish({ annotations: annotations(count) });
    expect(result).toMatchObject({ ok: true, warnings: [] });
    expect(requests()).toHaveLength(expected);
    expect(github.state.checkRuns[0]).toMatchObject({
      summary: 'All is well.',
      title: 'Nothing regressed',
      annotations: annotations(count).map(({ message }) => ({ message })),
    });
    expect(github.state.violations).toEqual([]);
  });

  test('beyond the first 50 are only counted in the summary', async () => {
    const { github, requests, publish } = await ready();
    await publish({ conclusion: 'failure', annotations: annotations(151) });
    expect(requests()).toHaveLength(1);
    expect(github.state.checkRuns[0]?.annotations).toHaveLength(MAX_ANNOTATIONS);
    expect(github.state.checkRuns[0]?.summary).toBe(
      'All is well.\n\n101 more annotations are not shown here.',
    );
    expect(github.state.violations).toEqual([]);
  });

  test('have columns only if they cover one line, and long fields are truncated', async () => {
    const { github, publish } = await ready();
    const columns = { start: 3, end: 9 };
    const details = '€'.repeat(30_000);
    const long = { title: 't'.repeat(300), message: 'é'.repeat(40_000), details };
    await publish({
      annotations: [
        ...annotations(1, { columns }),
        ...annotations(1, { columns, endLine: 4 }),
        ...annotations(1, long),
      ],
    });
    const [one, many, cut] = github.state.checkRuns[0]?.annotations ?? [];
    expect(one).toMatchObject({ start_column: 3, end_column: 9 });
    expect(many).not.toHaveProperty('start_column');
    expect(cut?.title).toBe(`${'t'.repeat(254)}…`);
    expect(cut?.message).toBe('é'.repeat(32_768));
    expect(cut?.raw_details).toBe('€'.repeat(21_845));
    expect(github.state.violations).toEqual([]);
  });

  test('escape characters that GitHub refuses', async () => {
    const { github, publish } = await ready();
    const invalid = { status: 422, body: { message: 'Invalid request.', documentation_url: 'x' } };
    github.intercept('POST', /\/check-runs$/, ({ body }) =>
      JSON.stringify(body).includes('😀') ? invalid : undefined,
    );
    const result = await publish({ annotations: annotations(1, { message: 'Lovely 😀' }) });
    expect(result).toMatchObject({ ok: true, warnings: [] });
    expect(github.state.checkRuns[0]?.annotations[0]?.message).toBe('Lovely \\u{1f600}');
  });

  test('are dropped if GitHub refuses them, and the check is still written', async () => {
    const { github, publish } = await ready();
    const result = await publish({
      conclusion: 'failure',
      annotations: [...annotations(60), ...annotations(1)].map((annotation) => ({
        ...annotation,
        path: '/etc/passwd',
      })),
    });
    expect(result).toEqual(
      written(
        github.state.checkRuns[0]?.id,
        '50 annotations were not written: GitHub rejects the content (422): Validation Failed; annotations.path must be relative to the repository',
      ),
    );
    expect(github.state.checkRuns).toMatchObject([{ conclusion: 'failure', annotations: [] }]);
  });
});

describe('summary and title', () => {
  test.each([MAX_SUMMARY_BYTES - 1, MAX_SUMMARY_BYTES])(
    'are sent whole up to the limit: %i bytes',
    async (size) => {
      const { github, publish } = await ready();
      await publish({ summary: 's'.repeat(size) });
      expect(github.state.checkRuns[0]?.summary).toHaveLength(size);
      expect(github.state.violations).toEqual([]);
    },
  );

  test('are cut at the end of a line, with a note', async () => {
    const { github, publish } = await ready();
    const line = 'ü'.repeat(500);
    await publish({ summary: Array(70).fill(line).join('\n'), annotations: annotations(51) });
    const sent = github.state.checkRuns[0]?.summary ?? '';
    const [text = '', note = ''] = sent.split('\n\n');
    expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(MAX_SUMMARY_BYTES);
    expect(text.split('\n').every((each) => each === line)).toBe(true);
    expect(text.split('\n')).toHaveLength(65);
    expect(note).toBe(
      'This summary is cut off. The whole report is in the job summary and in the report files. 1 more annotation is not shown here.',
    );
    expect(github.state.violations).toEqual([]);
  });

  test('have at most 255 characters in the title', async () => {
    const { github, publish } = await ready();
    await publish({ title: '😀'.repeat(200) });
    expect(github.state.checkRuns[0]?.title?.length).toBeLessThanOrEqual(255);
    expect(github.state.checkRuns[0]?.title).toBe(`${'😀'.repeat(127)}…`);
  });
});

describe('a refusal by GitHub is a warning', () => {
  test('if the token lacks the permission, in the repository and on a fork', async () => {
    const { publish } = await ready(workflowToken({ checks: 'read' }));
    expect(await publish({ annotations: annotations(3) })).toEqual(
      refused(
        'the token is not allowed to do this (403). Give the job `permissions: checks: write`.',
      ),
    );
    expect(await publish({ fork: true })).toEqual(
      refused(
        'the token is not allowed to do this (403). GitHub gives pull requests from forks and by Dependabot a read-only token. Other runs need `permissions: checks: write` for the job.',
      ),
    );
  });

  test('if the token is personal, which cannot write check runs', async () => {
    const token = personalToken({ login: 'ada-example', id: 2001, type: 'User' });
    const { github, publish } = await ready(token);
    expect((await publish()).ok).toBe(false);
    expect(github.state.checkRuns).toEqual([]);
  });

  const advice = " Leave the input github-token at its default, which is an app's token.";
  test.each([
    ['Resource not accessible by personal access token', `.${advice}`],
    ['You must authenticate via a GitHub App.', advice],
    ['Repository was archived so is read-only.', ''],
  ])("with GitHub's own reason: %s", async (message, more) => {
    const { github, publish } = await ready();
    github.intercept('POST', /\/check-runs$/, () => forbidden(message));
    expect(await publish()).toEqual(refused(`GitHub denies it (403): ${message}${more}`));
  });

  test('for a commit that GitHub does not know', async () => {
    const { publish } = await ready();
    expect(await publish({ headSha: 'f'.repeat(64) })).toEqual(
      refused('GitHub rejects the content (422): Validation Failed; No commit found for SHA'),
    );
  });

  test('for a response that cannot be read', async () => {
    const { github, publish } = await ready();
    github.intercept('POST', /\/check-runs$/, () => 'html');
    expect(await publish()).toEqual(
      refused("GitHub's response does not have the documented form."),
    );
  });
});
