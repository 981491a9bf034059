import { afterEach, expect, test } from '@jest/globals';
import { startArtifactServer, type ArtifactServer } from '../../stand-ins/artifact-service.ts';
import { changeOf, obedient, quiz, promptOf } from './projects.ts';
import { onPullRequest, onlyComment, stage } from './stage.ts';

let artifacts: ArtifactServer | null = null;
afterEach(async () => {
  await artifacts?.close();
});

test('comment, check and summary link the report that was uploaded', async () => {
  artifacts = await startArtifactServer();
  const at = await stage(obedient);
  const worse = changeOf(quiz(), promptOf('Be quick. Skip 2 4 5'));
  const red = await onPullRequest(at, worse, { env: artifacts.environment('run-1') });
  expect(artifacts.artifacts.map(({ name, body }) => [name, body.toString()])).toEqual([
    ['evaldiff-report.html', red.reports['report.html']],
  ]);
  const link =
    /\[Full report\]\(<?https:\/\/github\.com\/[\w/-]+\/actions\/runs\/7001\/artifacts\/1>?\)/;
  expect(onlyComment(at)).toMatch(link);
  expect(at.github.state.checkRuns[0]?.summary).toMatch(link);
  expect(red.summary).toMatch(link);
});
