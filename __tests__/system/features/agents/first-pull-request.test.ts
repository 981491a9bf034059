import { parse } from 'yaml';
import { untilTestEnds } from '../../../stand-ins/after-test.ts';
import { SCRIPTED_AGENT } from '../../../stand-ins/agents/scripted-agent.ts';
import { commandIn, withoutKeys } from '../../../stand-ins/command-line.ts';
import { startAgentModel } from '../../../stand-ins/models/agent-model.ts';
import { createRepository, filesBelow } from '../../../stand-ins/repository.ts';
import { stepsOf } from '../../docs/reader.ts';
import { onlyComment, pullRequest } from '../../end-to-end/stage.ts';

const GUIDE = stepsOf({ pages: ['docs/agents.md'], section: 'Test a skill' }).flatMap((step) =>
  step.kind === 'file' ? step : [],
);

/** Replaces the agent in the guide's suite by the scripted agent. */
function scripted(text: string) {
  return text
    .replace(/^agent: .*$/m, 'agent: { command: [node, tools/agent.mjs] }')
    .replace(/^model: .*$/m, 'model: loopback');
}

test('the guide leads from init to a red pull request whose report names the removed line of a skill', async () => {
  const model = await untilTestEnds(startAgentModel());
  const [skill, suite] = GUIDE;
  if (skill === undefined || suite === undefined) throw new Error('the guide has no suite');
  const { directory, write } = createRepository();
  write({
    [skill.path]: skill.text,
    'tools/agent.mjs': SCRIPTED_AGENT,
  });
  const init = await commandIn(directory, ['init', '--from', 'acme/evaldiff@v1'], withoutKeys());
  expect(init.out).toContain(`wrote ${suite.path}: it tests ${skill.path}`);
  const entry =
    '{ provider: anthropic, endpoint: agents, model: loopback, price: { input: 1, output: 5 } }';
  const written = filesBelow(directory);
  const base = {
    ...written,
    [suite.path]: scripted(suite.text),
    'evaldiff.yaml': `${written['evaldiff.yaml'] ?? ''}models: { loopback: ${entry} }\n`,
  };
  const removed = 'Mention breaking changes.\n';
  const head = { [skill.path]: skill.text.replace(removed, '').replace('NOTES.md.', 'NOTES.md!') };

  const { jobs } = parse(written['.github/workflows/evaldiff.yml'] ?? '') as {
    jobs: { evaldiff: { steps: { with: Record<string, string> }[] } };
  };
  const code = jobs.evaldiff.steps.at(-1)?.with['code'] ?? '';
  const inputs = { code, endpoints: `agents=${model.url} key=LOCAL_KEY` };
  const { at, run } = await pullRequest(base, head, { inputs });

  const line = skill.text.split('\n').indexOf(removed.trim()) + 1;
  expect([run.code, run.outputs['conclusion']]).toEqual([1, 'failure']);
  expect(run.result.suites[0]).toMatchObject({ name: 'release-notes', verdict: 'regressed' });
  const cause = `skills/release-notes/SKILL.md:${line}`;
  expect(onlyComment(at)).toMatch(
    new RegExp(`^\\*\\*Cause\\*\\* in \`release-notes\`: \\[\`${cause}\`\\]`, 'm'),
  );
  expect(onlyComment(at)).toContain('grep -qi');
});
