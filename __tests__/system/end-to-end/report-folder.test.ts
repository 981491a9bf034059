import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shallowCheckout, temporaryFolder } from '../../stand-ins/repository.ts';
import { changeOf, obedient, quiz } from './projects.ts';
import {
  endpointLines,
  onPullRequest,
  onlyComment,
  PULL,
  pullRequestEvent,
  runOn,
  stage,
  pullRequest,
} from './stage.ts';

const WARNING = /^report-path evaldiff-report: the report could not be written: /;

describe("a report folder in the pull request's own files", () => {
  const victim = temporaryFolder('victim');
  test.each([
    [
      "that contains a link to git's configuration",
      { 'evaldiff-report/result.json': { link: '../.git/config' } },
      /git tracks evaldiff-report\/result\.json, and evaldiff does not overwrite tracked files/,
    ],
    [
      'that is a link',
      { 'evaldiff-report': { link: victim } },
      /evaldiff-report is a symbolic link, and evaldiff does not write through links/,
    ],
    [
      'that already contains a tracked file',
      { 'evaldiff-report/page.html': 'mine' },
      /git tracks evaldiff-report\/page\.html, and/,
    ],
  ])(
    '%s is not written to, and the verdict, comment and check stay the same',
    async (_, files, why) => {
      const head = { ...quiz({ system: 'Be vague.' }), ...files };
      const { at, run } = await pullRequest(quiz(), head, { needsCheckout: true });
      const honest = await stage(obedient);
      const plain = await onPullRequest(honest, changeOf(quiz(), quiz({ system: 'Be vague.' })));
      expect([run.code, run.outputs['conclusion']]).toEqual([
        plain.code,
        plain.outputs['conclusion'],
      ]);
      expect(onlyComment(at).split('\n')[1]).toBe(onlyComment(honest).split('\n')[1]);
      expect(at.github.state.checkRuns).toHaveLength(honest.github.state.checkRuns.length);
      const [warning, ...more] = run.annotations
        .filter(({ level }) => level === 'warning')
        .map(({ message }) => message);
      expect([warning, more]).toEqual([expect.stringMatching(WARNING), []]);
      expect(warning).toMatch(why);
      // A later step would publish this folder.
      expect([run.outputs['report-path'], readdirSync(victim)]).toEqual(['', []]);
    },
  );
});

describe('a report folder that is not writable', () => {
  test('causes a warning, and the verdict is still published', async () => {
    const {
      at,
      change,
      run: first,
    } = await pullRequest(quiz(), quiz({ system: 'Be vague.' }), {
      inputs: { 'report-path': 'a-file/out' },
    });
    expect(first.outputs['conclusion']).not.toBe('error');
    const checkout = shallowCheckout(change.origin, `refs/pull/${PULL}/merge`);
    writeFileSync(join(checkout.directory, 'a-file'), 'mine');
    mkdirSync(join(checkout.directory, 'sub'));
    const run = await runOn(
      at,
      { checkout, event: pullRequestEvent(change) },
      {
        inputs: { endpoints: endpointLines(at.models), 'report-path': 'a-file/out' },
        needsCheckout: true,
      },
    );
    expect([run.code, run.outputs['conclusion'], run.outputs['report-path']]).toEqual([
      first.code,
      first.outputs['conclusion'],
      '',
    ]);
    expect(onlyComment(at)).toContain('evaldiff');
    expect(run.messages.join('\n')).toContain(
      'report-path a-file/out: the report could not be written: ',
    );
    expect(readFileSync(join(checkout.directory, 'a-file'), 'utf8')).toBe('mine');
  });
});
