import { isGranted } from '../suite/network.ts';
import { acpRow } from './acp.ts';
import type { RunSetup } from './agent-row.ts';

const SKILL_TOOL = 'activate_skill';

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

export const geminiCli = acpRow({
  name: 'gemini-cli',
  npm: { package: '@google/gemini-cli', bin: 'gemini', oldest: '0.45.2' },
  version: '0.61.0',
  wires: ['gemini'],
  // Not 429, because the CLI retries for minutes after it.
  refusal: 400,
  instructionFiles: ['GEMINI.md'],
  skillFolders: ['.gemini/skills', '.agents/skills'],
  skillTool: { name: SKILL_TOOL, argument: 'name' },
  normalisers: [
    { why: 'process group of a command', text: /Process Group PGID: \d+/g, in: 'results' },
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
  // Ids start with the tool's name: `read_file__read_file_1795716722239_0`.
  toolOf({ id, title }) {
    const [name = '', ...more] = id.split('__');
    if (more.length === 0) return null;
    const skill = name === SKILL_TOOL ? /^"([^"]+)"/.exec(title)?.[1] : undefined;
    return { name, ...(skill !== undefined && { input: { name: skill } }) };
  },
});
