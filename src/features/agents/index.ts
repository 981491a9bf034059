import type { Feature } from '../../app/run/feature.ts';
import type { SessionRow } from '../../app/session/edges.ts';
import type { OwnProgram } from '../../edges/providers/index.ts';
import { AGENT_PROGRAM } from '../../types/model.ts';

export const agentsFeature: Feature & SessionRow = {
  key: 'agents',
  programs: (tools) => (options) => {
    // Opened lazily, because most runs have no agent.
    let opening: Promise<OwnProgram> | null = null;
    const open = async (): Promise<OwnProgram> => {
      const { createAgents } = await import('./run-task.ts');
      return createAgents(tools, options);
    };
    return {
      [AGENT_PROGRAM]: {
        complete: async (request, target) => (await (opening ??= open())).complete(request, target),
        close: async () => (await opening)?.close(),
      },
    };
  },
};
