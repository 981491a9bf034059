import type { ProgramTools } from '../../app/session/edges.ts';
import type { OwnProgram, OwnProgramOptions } from '../../edges/providers/index.ts';
import { specOf, taskOf } from './spec.ts';

/** Runs agents: starts the gateway and the walls on first use. */
export function createAgents(_tools: ProgramTools, _options: OwnProgramOptions): OwnProgram {
  return {
    complete(request, target) {
      const spec = specOf(target.command);
      const { task } = taskOf(request.variables ?? {});
      return Promise.resolve({
        status: 'error',
        kind: 'program',
        message: `the agent ${spec?.agent ?? ''} cannot run yet: ${task}`,
      });
    },
    close: () => Promise.resolve(),
  };
}
