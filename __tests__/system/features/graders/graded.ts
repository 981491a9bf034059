import { untilTestEnds } from '../../../stand-ins/after-test.ts';
import { commandIn, type Said } from '../../../stand-ins/command-line.ts';
import {
  startModelServer,
  type ModelServer,
  type Script,
} from '../../../stand-ins/models/server.ts';
import { createRepository, fixtureEnvironment } from '../../../stand-ins/repository.ts';

/** Runs `grade` on these files in a new repository, with a loopback model server. */
export async function gradeIn(
  files: Record<string, string>,
  args: readonly string[],
  answer: Script,
): Promise<Said & { models: ModelServer }> {
  const models = await untilTestEnds(startModelServer({ answer, key: 'secret-key-of-the-server' }));
  const repository = createRepository();
  repository.commit('What is graded', files);
  const said = await commandIn(
    repository.directory,
    ['grade', ...args, '--endpoint', `local=${models.openaiUrl} key=LOCAL_KEY`, '--no-store'],
    { env: fixtureEnvironment({ LOCAL_KEY: 'secret-key-of-the-server' }) },
  );
  return { ...said, models };
}
