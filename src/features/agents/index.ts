import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { SessionRow } from '../../app/session/session-row.ts';
import type { OwnProgram } from '../../edges/providers/index.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { AGENT_PROGRAM, takesOverlay } from '../../types/model.ts';
import { agentSettings, asAgentSuite, instructionSettings } from './settings.ts';

export const agentsFeature: Feature & SessionRow & CommandRow & ReportRow = {
  key: 'agents',
  settings: [agentSettings, instructionSettings],
  report: async () => (await import('./report.ts')).agentsReport,
  formats: {
    agent: {
      places: ['evals/*.{yaml,yml}'],
      path: /(?!)/,
      holds: (value) => 'agent' in value && !('messages' in value) && !('prompt' in value),
      read: async (document, tools, problems) =>
        (await import('./format.ts')).readAgentSuite(document, tools, problems),
      takes: asAgentSuite,
    },
  },
  files: async () => {
    const { suiteSchema } = await import('./schema.ts');
    return [{ kind: 'agents', type: suiteSchema(), isWritten: false }];
  },
  read: async (sides) => {
    const { instructionNotices } = await import('./instructions.ts');
    return { notices: instructionNotices(sides) };
  },
  plan: ({ suites }) =>
    suites.some(({ run: { suite } }) => takesOverlay(suite.head?.variant.target ?? null))
      ? { own: null }
      : null,
  after: async (_plan, run) => ({ notices: (await import('./unread.ts')).unreadNotices(run) }),
  demo: {
    name: 'agents',
    words: "A pull request shortens a shop's AGENTS.md. An agent works with both versions:",
    fixture: 'fixtures/demo-agents',
    files: { 'tools/agent.mjs': 'fixtures/agents/agent.mjs' },
    server: 'fixtures/demo-agents/model.mjs',
    refusal: async () => {
      const walls = await (await import('./workspace/walls.ts')).findWalls();
      return 'refused' in walls ? walls.refused : null;
    },
  },
  starter: async (project) => (await import('./starter.ts')).starterFor(project),
  metrics: async () => (await import('./metrics.ts')).agentMetrics,
  programs: (tools) => (options) => {
    let opening: Promise<OwnProgram> | null = null;
    const open = async () => (await import('./run-task.ts')).createAgents(tools, options);
    return {
      [AGENT_PROGRAM]: {
        complete: async (request, target) => (await (opening ??= open())).complete(request, target),
        close: async () => (await opening)?.close(),
      },
    };
  },
};
