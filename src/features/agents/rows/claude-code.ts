import { isGranted } from '../suite/network.ts';
import type { WorkspaceRules } from '../suite/spec.ts';
import type { AgentRow } from './agent-row.ts';
import { listIn, textIn } from './fields.ts';

export const claudeCode: AgentRow = {
  name: 'claude-code',
  npm: { package: '@anthropic-ai/claude-code', bin: 'claude', oldest: '2.1.6' },
  version: '2.1.332',
  protocol: 'lines',
  wires: ['anthropic'],
  // Not 400 or 429, because the CLI retries after those.
  refusal: 403,
  instructionFiles: ['CLAUDE.md', '.claude/CLAUDE.md', '.claude/rules/**/*.md'],
  skillFolders: ['.claude/skills'],
  skillTool: { name: 'Skill', argument: 'skill' },
  clientValues: [
    // ids of device and session
    { at: 'metadata' },
    // the version of the kernel, which changes with the image of the runner
    {
      at: 'messages.0.content.0.text',
      text: /(?<=^<system-reminder>\n# Environment\n(?:.*\n){1,9}? - OS Version: )Linux [\w.+-]+(?=\n)/,
    },
  ],
  start: ({ spec, bin, task, url, token }) => ({
    command: [
      ...[...bin, '-p', task, '--model', spec.model],
      ...['--output-format', 'stream-json', '--verbose', '--no-session-persistence'],
      ...['--setting-sources', 'project', '--permission-mode', 'bypassPermissions'],
      ...disallowedTools(spec.workspace),
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: token,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      ...Object.fromEntries(MODEL_VARIABLES.map((name) => [name, spec.model])),
      // Otherwise the CLI does not let root skip permission prompts.
      IS_SANDBOX: '1',
    },
    home: {},
  }),
  read(line) {
    if (line['type'] === 'result') {
      const ok = line['is_error'] === false;
      // `subtype` may be `success` although `is_error` is true.
      const isContradiction = !ok && line['subtype'] === 'success';
      return [{ kind: 'end', ok, why: textIn(line, isContradiction ? 'result' : 'subtype') }];
    }
    if (line['type'] !== 'assistant') return [];
    return listIn(line['message'], 'content')
      .flatMap((block) => textIn(block, 'text') ?? [])
      .map((text) => ({ kind: 'message', text }));
  },
};

/** The models of titles, summaries and subagents. */
const MODEL_VARIABLES = [
  'ANTHROPIC_SMALL_FAST_MODEL',
  'ANTHROPIC_DEFAULT_HAIKU_MODEL',
  'ANTHROPIC_DEFAULT_SONNET_MODEL',
  'ANTHROPIC_DEFAULT_OPUS_MODEL',
  'ANTHROPIC_DEFAULT_FABLE_MODEL',
  'CLAUDE_CODE_SUBAGENT_MODEL',
];

function disallowedTools({ network }: WorkspaceRules): string[] {
  // WebSearch runs at the vendor, outside the sandbox.
  const tools = [
    ...(isGranted(network, 'web_search') ? [] : ['WebSearch']),
    ...(network === 'off' ? ['WebFetch'] : []),
  ];
  return tools.length === 0 ? [] : ['--disallowedTools', tools.join(',')];
}
