import { removeLabel } from '../../../../src/edges/github/approval.ts';
import { workflowToken } from '../../../stand-ins/github/index.ts';
import { REPOSITORY, setup } from './setup.ts';

const LABEL = 'evaldiff: approved / ok?';
const job = { repository: REPOSITORY, pullRequest: 12, label: LABEL };

test('removeLabel removes a label with any name', async () => {
  const { client, github, requests } = await setup();
  github.state.pulls.get(12)!.labels = ['bug', LABEL];
  expect(await removeLabel(client, job)).toEqual([]);
  expect(github.state.pulls.get(12)?.labels).toEqual(['bug']);
  expect(requests()).toEqual([`DELETE /issues/12/labels/${encodeURIComponent(LABEL)}`]);
  expect(github.state.violations).toEqual([]);
});

test('removeLabel ignores a label that is already gone', async () => {
  const { client } = await setup();
  expect(await removeLabel(client, job)).toEqual([]);
});

test('removeLabel warns and names the permission if the token lacks it', async () => {
  const { client, github } = await setup(workflowToken({ pull_requests: 'read' }));
  github.state.pulls.get(12)!.labels = [LABEL];
  expect(await removeLabel(client, job)).toEqual([
    'The label that approved this run was not removed: the token is not allowed to do this (403). Give the job `permissions: pull-requests: write`.',
  ]);
});
