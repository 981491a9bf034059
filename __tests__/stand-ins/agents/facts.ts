import type { AgentFacts, WorkspaceRules } from '../../../src/features/agents/suite/spec.ts';

/** A workspace without rules. */
export const WORKSPACE: WorkspaceRules = {
  from: '',
  with: [],
  hide: [],
  own: [],
  setup: { run: [], network: 'off' },
  network: 'off',
};

/** What a run reports that wrote one file and passed one check. */
export const FACTS: AgentFacts = {
  version: null,
  ended: 'done',
  turns: 3,
  calls: 2,
  seconds: 4.1,
  usd: 0.0021,
  context: 40,
  files: [{ path: 'NOTES.md', kind: 'added' }],
  watched: {},
  skills: [],
  leaks: [],
  replies: { own: 3, other: 0, stored: 0 },
  models: ['m'],
  requests: 'r',
  checks: [{ name: 'npm test', code: 0, output: 'ok' }],
};
