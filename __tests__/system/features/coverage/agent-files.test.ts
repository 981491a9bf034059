import { join } from 'node:path';
import type { CoverFile } from '../../../../src/features/coverage/cover-file.ts';
import { clock } from '../../../stand-ins/clock.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { startAgentModel } from '../../../stand-ins/models/agent-model.ts';
import {
  createRepository,
  fixtureEnvironment,
  temporaryFolder,
} from '../../../stand-ins/repository.ts';
import { KEY, PROJECT, SUITE } from '../agents/diff-setting.ts';

const INSTRUCTIONS = `---
description: How to write
---

# Rules

Write short sentences.
When you write a file, end with GOOD.
Keep one idea per line.

\`\`\`sh
npm test
\`\`\`
`;

describe('evaldiff cover of an agent', () => {
  test('finds the line of AGENTS.md that a test holds', async () => {
    const model = await startAgentModel();
    const repository = createRepository();
    repository.commit('base', {
      ...PROJECT,
      'AGENTS.md': INSTRUCTIONS,
      'evals/notes.yaml': SUITE.replace(/\n.*id: login.*/, ''),
      'docs/guide.md': 'Not an instruction.\n',
    });
    const run = async (...args: string[]) => {
      let [out, err] = ['', ''];
      const { code } = await commandIn(repository.directory, [...args, '--code', 'host'], {
        env: fixtureEnvironment({
          EVALDIFF_STORE: join(temporaryFolder('store'), 'answers.sqlite'),
          ANTHROPIC_API_KEY: KEY,
        }),
        testOverrides: { clock, vendorUrls: { anthropic: model.url } },
        width: 300,
        out: (text) => (out += text),
        err: (text) => (err += text),
      });
      return { code, out, err };
    };
    const { out, err, code } = await run('cover', '--format', 'json');
    const [suite] = (JSON.parse(out) as CoverFile).coverage ?? [];
    await model.close();
    expect(code).toBe(0);
    expect(err).toContain('up to 400 calls without some of the lines');
    const lines = suite?.lines.map(({ unit, status }) => [unit.file, unit.lines.from, status]);
    expect(lines).toEqual([
      ['AGENTS.md', 5, 'idle'],
      ['AGENTS.md', 7, 'idle'],
      ['AGENTS.md', 8, 'held'],
      ['AGENTS.md', 9, 'idle'],
    ]);
    expect(suite?.reason).toBeNull();
  });
});
