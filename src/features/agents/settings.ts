import { z } from 'zod';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import { closed, mapOf } from '../../config/schema.ts';
import type { Document } from '../../documents/document.ts';
import { globProblem } from '../../documents/paths.ts';
import type { OwnSettings, Settings } from '../../project/settings.ts';
import { didYouMean } from '../../text/suggest.ts';
import { isMap, type JsonMap } from '../../types/plain.ts';
import { agentShape } from './schema.ts';

const INSTRUCTION_MODES = ['judge', 'tell', 'off'] as const;

export type InstructionMode = (typeof INSTRUCTION_MODES)[number];

/** Null: the default. A map is from patterns to modes. */
type Instructions = InstructionMode | Record<string, InstructionMode> | null;

declare module '../../project/settings.ts' {
  interface FeatureSettings {
    agent?: JsonMap | null;
    instructions?: Instructions;
  }
}

export const agentSettings: OwnSettings = {
  key: 'agent',
  schema: closed(agentShape)
    .nullable()
    .describe('The agent that works on the cases of evals.json files. Default: none.')
    .default(null),
  members: [],
  fromBase: () => false,
};

const modeError = ({ input }: { input?: unknown }): string => {
  const near = typeof input === 'string' ? didYouMean(input, INSTRUCTION_MODES) : '';
  return `must be one of ${INSTRUCTION_MODES.join(', ')}${near}`;
};

const mode = z.enum(INSTRUCTION_MODES, { error: modeError });

export const instructionSettings: OwnSettings = {
  key: 'instructions',
  schema: z
    .union(
      [
        mode,
        mapOf(mode).superRefine((modes, context) => {
          for (const pattern of Object.keys(modes)) {
            const message = globProblem(pattern);
            if (message !== null) context.addIssue({ code: 'custom', path: [pattern], message });
          }
        }),
      ],
      { error: modeError },
    )
    .nullable()
    .describe(
      'What happens if an instruction file for agents changes that no workspace holds: judge ' +
        '(the check is neutral; the default if an agent is named), tell (only a notice) or off. ' +
        'Or a map from patterns to these; the last pattern that matches applies.',
    )
    .default(null),
  members: [],
  fromBase: () => true,
};

export function asAgentSuite(tasks: Document, { agent = null, file }: Settings): Document | null {
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
  const isTheirs = ([key]: readonly (string | number)[]) =>
    key === undefined || key === 'tests' || key === 'name';
  return {
    ...tasks,
    value: { ...tasks.value, ...agent, workspace },
    placeOf: (path) => (isTheirs(path) ? tasks.placeOf(path) : place),
  };
}
