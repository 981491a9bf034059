import { isGranted } from '../suite/network.ts';
import { readAcp } from './acp.ts';
import type { AgentRow, RunSetup } from './agent-row.ts';

function settings({ model, workspace: { network } }: RunSetup['spec']): string {
  const excluded = [
    ...(isGranted(network, 'googleSearch') ? [] : ['google_web_search']),
    ...(isGranted(network, 'urlContext') ? [] : ['web_fetch']),
  ];
  return JSON.stringify({
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    // The CLI lists these skills in random order, so equal runs would differ.
    skills: { disabled: ['skill-creator', 'antigravity-support'] },
    // These run at the vendor, outside the sandbox.
    tools: { exclude: excluded },
    // Applies to all requests: those of the main agent, and those of presets, which extend `base`.
    modelConfigs: {
      customOverrides: [{ overrideScope: 'core' }, { model: 'base' }].map((match) => ({
        match,
        modelConfig: { model },
      })),
    },
  });
}

export const geminiCli: AgentRow = {
  name: 'gemini-cli',
  npm: { package: '@google/gemini-cli', bin: 'gemini', oldest: '0.45.2' },
  version: '0.61.0',
  protocol: 'acp',
  wires: ['gemini'],
  // Not 429, because the CLI retries for minutes after it.
  refusal: 400,
  instructionFiles: ['GEMINI.md'],
  skillFolders: ['.gemini/skills', '.agents/skills'],
  skillTool: { name: 'activate_skill', argument: 'name' },
  clientValues: [
    // ids of calls, with the time
    { at: 'contents.*.parts.*.functionCall.id' },
    // ids of calls, with the time
    { at: 'contents.*.parts.*.functionResponse.id' },
    // process group of a command, after its output
    {
      at: 'contents.*.parts.*.functionResponse.name=run_shell_command.response.output',
      text: /(?<=\nProcess Group PGID: )\d+(?=\n<\/untrusted_context>$)/,
    },
  ],
  start: ({ spec, bin, url, token }) => ({
    command: [...bin, '--acp', '-m', spec.model],
    env: {
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: token,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
    home: { '.gemini/settings.json': settings(spec) },
  }),
  read: readAcp,
};
