import { startArtifactServer, type ArtifactServer } from '../../stand-ins/artifact-service.ts';
import { changeOf, obedient, quiz, promptOf } from './projects.ts';
import { onPullRequest, onlyComment, stage } from './stage.ts';

let artifacts: ArtifactServer | null = null;
afterEach(async () => {
  await artifacts?.close();
});

test('comment, check and summary link the uploaded report', async () => {
  artifacts = await startArtifactServer();
  const at = await stage(obedient);
  const worse = changeOf(quiz(), promptOf('Be quick. Skip 2 4 5'));
  const red = await onPullRequest(at, worse, { env: artifacts.environment('run-1') });
  const bodies = new Map(artifacts.artifacts.map(({ name, body }) => [name, body.toString()]));
  expect([...bodies.keys()].sort()).toEqual(['evaldiff-report.html', 'evaldiff-result']);
  expect(bodies.get('evaldiff-report.html')).toBe(red.reports['report.html']);
  const link =
    /\[Full report\]\(<?https:\/\/github\.com\/[\w/-]+\/actions\/runs\/7001\/artifacts\/[12]>?\)/;
  expect(onlyComment(at)).toMatch(link);
  expect(at.github.state.checkRuns[0]?.summary).toMatch(link);
  expect(red.summary).toMatch(link);
  expect(onlyComment(at)).toContain('`gh run download 7001 -n evaldiff-result -D evaldiff-report`');
});
