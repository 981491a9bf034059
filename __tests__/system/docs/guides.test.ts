import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { factsOf } from '../../../src/types/vendors.ts';
import { untilTestEnds } from '../../stand-ins/after-test.ts';
import { commandIn, localEndpoint } from '../../stand-ins/command-line.ts';
import { startModelServer, type ModelServer } from '../../stand-ins/models/server.ts';
import { temporaryFolder } from '../../stand-ins/repository.ts';
import { addTo, change, follow, give, stepsOf, type Edits, type Reader } from './reader.ts';

let server: ModelServer;
beforeEach(async () => {
  server = await untilTestEnds(
    startModelServer({
      answer: ({ messages }) => {
        const asked = JSON.stringify(messages);
        if (asked.includes('Tag this ticket')) return { text: 'billing' };
        if (asked.includes('parcel?')) return { text: 'Northmail brings it.' };
        return { text: asked.includes('30 days') ? 'You have 30 days.' : 'As long as you like.' };
      },
    }),
  );
});

/** The vendor's model is a loopback server here. */
const LOOPBACK: Edits[string] = [
  'evaldiff.yaml',
  'grader:',
  `models: { ${factsOf('openai').starterModel}: { provider: openai, endpoint: local, model: any, price: { input: 1, output: 1 } } }\ngrader:`,
];

function newReader(): Reader {
  const none = { OPENAI_API_KEY: undefined, ANTHROPIC_API_KEY: undefined };
  return { folder: temporaryFolder('reader'), env: localEndpoint(server, none) };
}

describe('the suite in docs/first-suite.md', () => {
  test('has ten lines and runs', async () => {
    const [file, ...more] = stepsOf('docs/first-suite.md').flatMap((step) =>
      step.kind === 'file' ? [step] : [],
    );
    expect(more).toEqual([]);
    expect(file?.text.trim().split('\n').length).toBeLessThanOrEqual(10);
    const reader = newReader();
    await give(reader, 'npx evaldiff init');
    change(join(reader.folder, LOOPBACK[0]), LOOPBACK[1], LOOPBACK[2]);
    addTo(join(reader.folder, file?.path ?? ''), file?.text ?? '');
    const argv = ['run', 'prompts=tags', 'n_tries=1'];
    const { code, out } = await commandIn(reader.folder, argv, { env: reader.env });
    expect([code, out]).toEqual([0, expect.stringContaining('tags   66.7 %')]);
  });
});

describe('the guides, run step by step', () => {
  test('lead from an empty folder to a red comparison, its cause, the output of evaldiff noise, and the workbench', async () => {
    const reader = newReader();
    const pages = ['first-suite', 'workbench', 'required-check', 'causes'];
    const said = await follow(
      reader,
      pages.map((name) => `docs/${name}.md`),
      {
        'npx evaldiff validate': LOOPBACK,
        'git switch --create warmer': [
          'prompts/support.yaml',
          'Returns are possible within 30 days. ',
          '',
        ],
      },
    );
    expect(said).toEqual([
      '0 git init --initial-branch main',
      '0 npx evaldiff init',
      '0 npx evaldiff validate',
      '0 export OPENAI_API_KEY=sk-...',
      '0 npx evaldiff dev',
      '0 git add evaldiff.yaml prompts .github',
      '0 git commit --message Prompts',
      '0 git switch --create warmer',
      '1 npx evaldiff diff',
      '0 npx evaldiff dev',
      '0 npx evaldiff dev --max-cost 0.20 tags=critical',
      '0 npx evaldiff noise --runs 20',
      '1 npx evaldiff diff explain.fix=true --report evaldiff-report',
      '0 npx evaldiff fix',
    ]);
  });

  test('lead from a promptfoo configuration to a red comparison and to evaldiff files', async () => {
    const reader = newReader();
    execFileSync('git', ['init', '--quiet', '--initial-branch', 'main', reader.folder]);
    const said = await follow(reader, ['docs/from-promptfoo.md'], {
      'npx evaldiff validate': LOOPBACK,
      'git commit --message "Prompts are compared in pull requests"': [
        'promptfooconfig.yaml',
        'returns within 30 days, ',
        '',
      ],
    });
    expect(said).toEqual([
      '0 npx evaldiff init',
      '0 npx evaldiff validate',
      '0 export OPENAI_API_KEY=sk-...',
      '0 npx evaldiff run',
      '0 git add promptfooconfig.yaml evaldiff.yaml .github',
      '0 git commit --message "Prompts are compared in pull requests"',
      '1 npx evaldiff diff',
      '0 npx evaldiff import promptfooconfig.yaml',
      '0 npx evaldiff validate',
    ]);
  });
});
