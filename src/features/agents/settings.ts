import { SETTINGS_FILE } from '../../config/file-names.ts';
import { closed, filled } from '../../config/schema.ts';
import type { Document } from '../../documents/document.ts';
import type { OwnSettings, Settings } from '../../project/settings.ts';
import { isMap, type JsonMap } from '../../types/plain.ts';
import { agentSchema, limitsShape, modelsShape, workspaceShape } from './schema.ts';

declare module '../../project/settings.ts' {
  interface FeatureSettings {
    agent?: JsonMap | null;
  }
}

export const agentSettings: OwnSettings = {
  key: 'agent',
  schema: closed({
    agent: agentSchema.describe('The agent that works on the tasks.'),
    model: filled().describe(
      "The agent's model, by the vendor's name or a name from the settings.",
    ),
    workspace: closed(workspaceShape).describe('The folder that the agent works in.').optional(),
    ...modelsShape,
    limits: closed(limitsShape).describe('Where a run is stopped.').optional(),
  })
    .nullable()
    .describe('The agent that works on the cases of evals.json files. Default: none.')
    .default(null),
  members: [],
  fromBase: () => false,
};

export function asAgentSuite(
  tasks: Document,
  { agent = null, file }: Pick<Settings, 'agent' | 'file'>,
): Document | null {
  if (agent === null || !isMap(tasks.value)) return null;
  const [own, given] = [tasks.value['workspace'], agent['workspace']].map((rules) =>
    rules !== undefined && isMap(rules) ? rules : {},
  ) as [JsonMap, JsonMap];
  const workspace = {
    ...given,
    skills: { ...(own['skills'] as JsonMap), ...(given['skills'] as JsonMap | undefined) },
    hide: [own['hide'] ?? [], given['hide'] ?? []].flat(),
  };
  const place = { file: file ?? SETTINGS_FILE, line: 0 };
  const isTheirs = ([key]: readonly (string | number)[]): boolean =>
    key === undefined || key === 'tests' || key === 'name';
  return {
    ...tasks,
    value: { ...tasks.value, ...agent, workspace },
    placeOf: (path) => (isTheirs(path) ? tasks.placeOf(path) : place),
  };
}
