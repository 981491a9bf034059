import { describe, expect, test } from '@jest/globals';
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
    sharedName: 'evaldiff (job)',
    owner: { identity: 'abcdef01', workflowRun: '7', attempt: '1', pullRequest: 12 },
    opened: null,
    approved: false,
    detailsUrl: 'https://github.example/acme/prompts/actions/runs/7',
    startedAt: NOW,
    completedAt: new Date(NOW.getTime() + 61_000),
    fork: false,
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

describe('one check run on head', () => {
  test('it is complete from its first request on', async () => {
    const { github, client, requests } = await setup();
    const result = await publishCheck(client, job({ annotations: annotations(2) }));
    expect(requests()).toEqual([`GET /commits/${HEAD}/check-runs`, 'POST /check-runs']);
    expect(github.state.checkRuns).toMatchObject([
      {
        name: 'evaldiff',
        headSha: HEAD,
        status: 'completed',
        conclusion: 'success',
        externalId: 'evaldiff:abcdef01:7:1:12:success',
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
    expect(result).toEqual({ ok: true, id: github.state.checkRuns[0]?.id, warnings: [] });
    expect(github.state.violations).toEqual([]);
  });

  test.each([
    ['success', 'success'],
    ['failure', 'failure'],
    ['neutral', 'neutral'],
    ['error', 'failure'],
  ] as const)('the conclusion %s is shown as %s', async (conclusion, shown) => {
    const { github, client } = await setup();
    await publishCheck(client, job({ conclusion }));
    expect(github.state.checkRuns[0]?.conclusion).toBe(shown);
    expect(github.state.violations).toEqual([]);
  });

  test('an empty name means that no check is wanted', async () => {
    const { client, requests } = await setup();
    expect(await publishCheck(client, job({ name: '' }))).toEqual({
      ok: true,
      id: null,
      warnings: [],
    });
    expect(requests()).toEqual([]);
  });
});

test('a check run that passes is shown where a newer one was held back for it', async () => {
  const { github, client } = await setup();
  github.state.statusUpdates = true;
  const run = (id: number, more: Partial<CheckRun>): CheckRun => ({
    ...{ id, app: ACTIONS_APP, name: 'evaldiff', headSha: HEAD, status: 'completed' },
    ...{ conclusion: 'failure', externalId: null, detailsUrl: null, annotations: [] },
    ...{ startedAt: null, completedAt: null, title: null, summary: null, text: null, ...more },
  });
  github.state.checkRuns.push(
    run(5, {
      ...{ status: 'in_progress', conclusion: null },
      externalId: 'evaldiff:abcdef01:7:1:12:running',
    }),
    run(6, { externalId: 'evaldiff:abcdef01:8:1:13:success' }),
  );
  await publishCheck(client, job({ opened: { id: 5, name: 'evaldiff' } }));
  expect(github.state.checkRuns.map(({ conclusion }) => conclusion)).toEqual([
    'success',
    'failure',
    'success',
  ]);
});

describe('a check run whose creation was not answered', () => {
  test.each<[string, Instead]>([
    ['the answer is an error of a proxy', { status: 502, body: { message: 'Bad Gateway' } }],
    ['the connection breaks off', 'reset'],
  ])('is not created again where GitHub made it: %s', async (_, answer) => {
    const { github, client } = await setup();
    github.intercept('POST', /\/check-runs$/, ({ body, count }) => {
      if (count > 1) return undefined;
      const made = body as Record<string, string>;
      github.state.checkRuns.push({
        ...{ id: 77, app: ACTIONS_APP, name: 'evaldiff', headSha: HEAD, conclusion: 'success' },
        ...{ status: 'completed', externalId: made['external_id']!, detailsUrl: null },
        ...{ startedAt: null, completedAt: null, title: null, summary: null, text: null },
        annotations: [],
      });
      return answer;
    });
    expect(await publishCheck(client, job())).toEqual({ ok: true, id: 77, warnings: [] });
    expect(github.state.checkRuns).toHaveLength(1);
  });

  test('is created again where GitHub did not make it', async () => {
    const { github, client } = await setup();
    github.intercept('POST', /\/check-runs$/, ({ count }) =>
      count < 3 ? { status: 503, body: { message: 'Unavailable' } } : undefined,
    );
    expect(await publishCheck(client, job())).toMatchObject({ ok: true });
    expect(github.state.checkRuns).toHaveLength(1);
  });

  test('is a warning where GitHub stays away', async () => {
    const { github, client } = await setup();
    github.intercept('POST', /\/check-runs$/, () => 'reset');
    expect(await publishCheck(client, job())).toMatchObject({ ok: false });
    expect(github.state.checkRuns).toEqual([]);
  });
});

describe('annotations', () => {
  test.each([
    [0, 2],
    [50, 2],
    [51, 3],
    [100, 3],
  ])('%i annotations take %i requests and arrive in order', async (count, expected) => {
    const { github, client, requests } = await setup();
    const result = await publishCheck(client, job({ annotations: annotations(count) }));
    expect(result).toMatchObject({ ok: true, warnings: [] });
    expect(requests()).toHaveLength(expected);
    expect(github.state.checkRuns[0]?.annotations.map(({ message }) => message)).toEqual(
      annotations(count).map(({ message }) => message),
    );
    expect(github.state.checkRuns[0]).toMatchObject({
      summary: 'All is well.',
      title: 'Nothing regressed',
    });
    expect(github.state.violations).toEqual([]);
  });

  test('of 151 annotations the first 100 are sent, and the summary counts the rest', async () => {
    const { github, client, requests } = await setup();
    await publishCheck(client, job({ conclusion: 'failure', annotations: annotations(151) }));
    expect(requests()).toHaveLength(2);
    expect(github.state.checkRuns[0]?.annotations).toHaveLength(MAX_ANNOTATIONS);
    expect(github.state.checkRuns[0]?.summary).toBe(
      'All is well.\n\n51 more annotations are not shown here.',
    );
    expect(github.state.violations).toEqual([]);
  });

  test('columns are sent on one line only, and long fields are cut to what GitHub takes', async () => {
    const { github, client } = await setup();
    const columns = { start: 3, end: 9 };
    await publishCheck(
      client,
      job({
        annotations: [
          ...annotations(1, { columns }),
          ...annotations(1, { columns, endLine: 4 }),
          ...annotations(1, {
            title: 't'.repeat(300),
            message: 'é'.repeat(40_000),
            details: '€'.repeat(30_000),
          }),
        ],
      }),
    );
    const [one, many, long] = github.state.checkRuns[0]?.annotations ?? [];
    expect(one).toMatchObject({ start_column: 3, end_column: 9 });
    expect(many).not.toHaveProperty('start_column');
    expect(long?.title).toBe(`${'t'.repeat(254)}…`);
    expect(long?.message).toBe('é'.repeat(32_768));
    expect(long?.raw_details).toBe('€'.repeat(21_845));
    expect(github.state.violations).toEqual([]);
  });

  test('characters that GitHub refuses are sent as escapes', async () => {
    const { github, client } = await setup();
    github.intercept('POST', /\/check-runs$/, ({ body }) =>
      JSON.stringify(body).includes('😀')
        ? { status: 422, body: { message: 'Invalid request.', documentation_url: 'x' } }
        : undefined,
    );
    const result = await publishCheck(
      client,
      job({ annotations: annotations(1, { message: 'Lovely 😀' }) }),
    );
    expect(result).toMatchObject({ ok: true, warnings: [] });
    expect(github.state.checkRuns[0]?.annotations[0]?.message).toBe('Lovely \\u{1f600}');
  });

  test('annotations that GitHub refuses altogether do not cost the check', async () => {
    const { github, client } = await setup();
    const result = await publishCheck(
      client,
      job({
        conclusion: 'failure',
        annotations: [...annotations(60), ...annotations(1)].map((annotation) => ({
          ...annotation,
          path: '/etc/passwd',
        })),
      }),
    );
    expect(result).toEqual({
      ok: true,
      id: github.state.checkRuns[0]?.id,
      warnings: [
        '61 annotations were not written: GitHub refuses the content (422): Validation Failed; annotations.path must be relative to the repository',
      ],
    });
    expect(github.state.checkRuns).toMatchObject([{ conclusion: 'failure', annotations: [] }]);
  });

  test('annotations that cannot be appended are a warning; the check stands', async () => {
    const { github, client } = await setup();
    github.intercept('PATCH', /\/check-runs\//, () => ({
      status: 403,
      body: { message: 'Resource not accessible by integration', documentation_url: 'x' },
    }));
    const result = await publishCheck(client, job({ annotations: annotations(51) }));
    expect(result).toEqual({
      ok: true,
      id: github.state.checkRuns[0]?.id,
      warnings: [
        '1 annotation was not written: the token may not do this (403). Give the job `permissions: checks: write`.',
      ],
    });
    expect(github.state.checkRuns[0]?.annotations).toHaveLength(50);
  });
});

describe('summary and title', () => {
  test.each([MAX_SUMMARY_BYTES - 1, MAX_SUMMARY_BYTES])(
    'a summary of %i bytes is sent whole',
    async (size) => {
      const { github, client } = await setup();
      await publishCheck(client, job({ summary: 's'.repeat(size) }));
      expect(github.state.checkRuns[0]?.summary).toHaveLength(size);
      expect(github.state.violations).toEqual([]);
    },
  );

  test('a longer one is cut at the end of a line and says so', async () => {
    const { github, client } = await setup();
    const line = 'ü'.repeat(500);
    await publishCheck(
      client,
      job({
        summary: Array.from({ length: 70 }, () => line).join('\n'),
        annotations: annotations(101),
      }),
    );
    const sent = github.state.checkRuns[0]?.summary ?? '';
    const [text = '', note = ''] = sent.split('\n\n');
    expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(MAX_SUMMARY_BYTES);
    expect(text.split('\n').every((each) => each === line)).toBe(true);
    expect(text.split('\n')).toHaveLength(65);
    expect(note).toBe(
      'This summary is cut; the whole report is in the job summary and in the report files. 1 more annotation is not shown here.',
    );
    expect(github.state.violations).toEqual([]);
  });

  test('a title has at most 255 characters', async () => {
    const { github, client } = await setup();
    await publishCheck(client, job({ title: '😀'.repeat(200) }));
    expect(github.state.checkRuns[0]?.title?.length).toBeLessThanOrEqual(255);
    expect(github.state.checkRuns[0]?.title).toBe(`${'😀'.repeat(127)}…`);
  });
});

describe('what GitHub refuses is a warning', () => {
  test('a token without the right, in the repository and on a fork', async () => {
    const { client } = await setup(workflowToken({ checks: 'read' }));
    expect(await publishCheck(client, job({ annotations: annotations(3) }))).toEqual({
      ok: false,
      warning:
        'The check run was not written: the token may not do this (403). Give the job `permissions: checks: write`.',
    });
    expect(await publishCheck(client, job({ fork: true }))).toEqual({
      ok: false,
      warning:
        'The check run was not written: the token may not do this (403). GitHub gives pull requests from forks and by Dependabot a token that only reads; elsewhere the job needs `permissions: checks: write`.',
    });
  });

  test('a personal token cannot write check runs', async () => {
    const { client, github } = await setup(
      personalToken({ login: 'ada-example', id: 2001, type: 'User' }),
    );
    expect((await publishCheck(client, job())).ok).toBe(false);
    expect(github.state.checkRuns).toEqual([]);
  });

  test.each([
    [
      'Resource not accessible by personal access token',
      "Resource not accessible by personal access token. Leave the input github-token at its default, which is an app's token.",
    ],
    [
      'You must authenticate via a GitHub App.',
      "You must authenticate via a GitHub App. Leave the input github-token at its default, which is an app's token.",
    ],
    ['Repository was archived so is read-only.', 'Repository was archived so is read-only.'],
  ])("GitHub's own reason for a refusal: %s", async (message, words) => {
    const { client, github } = await setup();
    github.intercept('POST', /\/check-runs$/, () => ({
      status: 403,
      body: { message, documentation_url: 'x' },
    }));
    expect(await publishCheck(client, job())).toEqual({
      ok: false,
      warning: `The check run was not written: GitHub refuses it (403): ${words}`,
    });
  });

  test('a commit that GitHub does not know', async () => {
    const { client } = await setup();
    expect(await publishCheck(client, job({ headSha: 'f'.repeat(64) }))).toEqual({
      ok: false,
      warning:
        'The check run was not written: GitHub refuses the content (422): Validation Failed; No commit found for SHA',
    });
  });

  test('an answer that is none', async () => {
    const { client, github } = await setup();
    github.intercept('POST', /\/check-runs$/, () => 'html');
    expect(await publishCheck(client, job())).toEqual({
      ok: false,
      warning:
        'The check run was not written: GitHub sent an answer that is not what its API describes.',
    });
  });
});
