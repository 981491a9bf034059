import { z } from 'zod';
import { referenceSchema } from '../../config/reference.ts';
import {
  anything,
  closed,
  filled,
  listOf,
  mapOf,
  numberBetween,
  oneOf,
  wholeNumber,
} from '../../config/schema.ts';
import { testsSchema } from '../../config/tests.ts';
import { vendorFeature } from './suite/network.ts';
import { AGENT_NAMES } from './suite/spec.ts';

export const RUN_LIMITS = { turns: 30, minutes: 10, usd: 1 } as const;

const CLIS = AGENT_NAMES.filter((name) => name !== 'acp' && name !== 'command');

const AGENT =
  `must be one of ${CLIS.join(', ')}, if needed with a version like codex@0.169.0, ` +
  'or { command: [words] } or { acp: [words] }, if needed with skill_tool: { name: …, argument: … }';

const wordList = () =>
  listOf(filled(), 'a list of words like [node, agent.mjs]').min(1, {
    error: 'must not be empty',
  });

const skillTool = closed({
  name: filled().describe('Name of the tool.'),
  argument: filled().describe("The argument with the skill's name."),
})
  .describe(
    'The tool by which the agent loads a skill. Without it, `skill_used` with `none` is not judged.',
  )
  .optional();

export const agentSchema = z.union(
  [
    z.string().regex(new RegExp(`^(?:${CLIS.join('|')})(?:@\\d[\\w.-]*)?$`), { error: AGENT }),
    closed({
      command: wordList().describe(
        'A program that works in its current folder. Its last argument is the task.',
      ),
      skill_tool: skillTool,
    }),
    closed({
      acp: wordList().describe('A program that speaks the Agent Client Protocol.'),
      skill_tool: skillTool,
    }),
  ],
  { error: AGENT },
);

const patterns = (example: string) => listOf(filled(), `a list of patterns like [${example}]`);

const HOST = /^[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d+)?$/i;

const hosts = listOf(
  filled().refine((entry) => HOST.test(entry) || vendorFeature(entry) === entry, {
    error: 'must be the name of a host like registry.npmjs.org, or a tool like web_search',
  }),
);

const network = z.union([oneOf(['off']), hosts], { error: 'must be off, or a list of hosts' });

const commands = listOf(filled(), 'a list of commands like [npm ci]');

export const workspaceShape = {
  from: filled()
    .describe('Folder of the repository that becomes the workspace. Default: the project.')
    .optional(),
  with: patterns('AGENTS.md')
    .describe(
      'Files of the same side (paths or patterns) to add to the workspace or to replace in it.',
    )
    .optional(),
  skills: mapOf(filled(), 'a map of skills to folders like { notes: skills/notes }')
    .describe(
      'Skills by name, and their folders. evaldiff copies each to where the agent finds skills.',
    )
    .optional(),
  hide: patterns("'evals/**'")
    .describe(
      "Paths and patterns of files that the agent never sees. The suite's own files are always hidden. " +
        '`runs` metrics ignore what the agent changes or adds at these paths.',
    )
    .optional(),
  setup: z
    .union(
      [
        commands,
        closed({
          run: commands.describe('The commands.'),
          network: network.describe('Hosts that the commands may reach, or off.').optional(),
        }),
      ],
      { error: 'must be a list of commands, or { run: [npm ci], network: [registry.npmjs.org] }' },
    )
    .describe(
      'Commands that prepare the workspace before the agent starts. They run once for identical files.',
    )
    .optional(),
  network: network
    .describe(
      'What the agent may reach in addition to its model, or off (the default): public hosts, and ' +
        'tools and data of the vendor, like web_search.',
    )
    .optional(),
};

const nameList = (example: string) =>
  listOf(filled(), `a list of names like [${example}]`).optional();

export const limitsShape = {
  turns: wholeNumber(1, 1000)
    .describe(`Maximum model calls of one run. Default: ${RUN_LIMITS.turns}.`)
    .optional(),
  minutes: numberBetween(0.1, 180)
    .describe(`Maximum minutes of one run. Default: ${RUN_LIMITS.minutes}.`)
    .optional(),
  usd: numberBetween(0.001, 1000)
    .describe(`Maximum US dollars of one run. Default: ${RUN_LIMITS.usd}.`)
    .optional(),
};

export const taskShape = {
  task: filled().describe('What the agent is asked to do.'),
  trigger: z
    .union([filled(), z.null()], { error: 'must be the name of a skill, or null for none' })
    .describe(
      'The skill that the agent should choose first, or null for none. Such a test makes one model call.',
    )
    .optional(),
  files: mapOf(filled(), 'a map of paths in the workspace to paths of the repository')
    .describe('Additional files of the workspace, only for this task.')
    .optional(),
};

/** Also the keys of the setting `agent`. */
export const agentShape = {
  agent: agentSchema.describe('The agent that works on the tasks.'),
  model: filled().describe("The agent's model, by the vendor's name or a name from the settings."),
  workspace: closed(workspaceShape).describe('The folder that the agent works in.').optional(),
  models: nameList('gpt-5.4-mini').describe(
    'Further models that the agent may call, at the same server. Default: none.',
  ),
  allow: nameList('service_tier').describe(
    'Contents of model requests that evaldiff would refuse: keys, and types of tools and parts.',
  ),
  limits: closed(limitsShape).describe('Where a run is stopped.').optional(),
};

const suiteShape = {
  name: filled().describe('Name of the suite. Default: the name of the file.').optional(),
  ...agentShape,
};

export const suiteMembers = {
  ...suiteShape,
  workspace: anything().optional(),
  defaults: anything().optional(),
  tests: anything().optional(),
};

export function suiteSchema() {
  const tests = testsSchema([]);
  const reference = referenceSchema.omit({ input: true }).extend(taskShape);
  return closed({
    ...suiteShape,
    defaults: tests.shape.defaults,
    tests: tests
      .extend({ references: listOf(reference).describe('The tasks.').optional() })
      .describe('Tasks, and the metrics that judge what the agent did.'),
  });
}
