import { untilTestEnds } from '../../stand-ins/after-test.ts';
import { startArtifactServer } from '../../stand-ins/artifact-service.ts';
import { shallowCheckout, type FixtureFiles } from '../../stand-ins/repository.ts';
import { quiz, straight } from './projects.ts';
import { eventPayload, runOn, type Stage, type StepOptions } from './stage.ts';

export interface WorkflowJob extends Pick<StepOptions, 'env' | 'shipped'> {
  inputs: Record<string, string>;
  /** Index of the commit that the job runs on. Default: the last. */
  commit?: number;
  /** The id of the workflow run whose artifacts it shares. */
  run?: string;
}

/** Jobs of one workflow run, each with its own checkout, and the run's artifacts. */
export async function workflow(at: Stage, ...states: FixtureFiles[]) {
  const artifacts = await untilTestEnds(startArtifactServer());
  const { origin, commits } = straight(
    ...(states.length === 0 ? [quiz({ questions: 20 })] : states),
  );
  const payload = eventPayload('workflow_dispatch');
  const job = (given: WorkflowJob) => {
    const { inputs, env, shipped = false, commit = commits.length - 1, run = 'run-1' } = given;
    return runOn(
      at,
      {
        checkout: shallowCheckout(origin, 'refs/heads/main'),
        event: { name: 'workflow_dispatch', payload, sha: commits[commit]! },
      },
      {
        inputs: { cache: 'false', 'upload-report': 'false', overrides: 'n_tries=2', ...inputs },
        env: { ...artifacts.environment(run), ...env },
        shipped,
      },
    );
  };
  return { job, artifacts: artifacts.artifacts, commits };
}
