import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { factsOf } from '../../../src/types/vendors.ts';
import { beginIn, commandIn, localEndpoint } from '../../stand-ins/command-line.ts';
import { startModelServer } from '../../stand-ins/models/server.ts';
import { createRepository, removeTemporaryFolders } from '../../stand-ins/repository.ts';

afterAll(removeTemporaryFolders);

const PAGES = ['docs/first-suite.md', 'docs/workbench.md'];

const lines = PAGES.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(
    ([, block = '']) =>
      block
        .trim()
        .split('\n')
        .map((line) => line.trim()),
  ),
);

/** What the page has its reader do between the commands. */
const EDITS: Readonly<Record<string, readonly [file: string, from: string, to: string]>> = {
  'npx evaldiff validate': [
    'evaldiff.yaml',
    'grader:',
    `models: { ${factsOf('openai').starterModel}: { provider: openai, endpoint: local, model: any, price: { input: 1, output: 1 } } }\ngrader:`,
  ],
  'git switch --create warmer': [
    'prompts/support.yaml',
    'Returns are possible within 30 days. ',
    '',
  ],
};

describe('the guide to a first suite', () => {
  test('leads from an empty folder to a red comparison, command by command', async () => {
    const server = await startModelServer({
      answer: ({ messages }) => {
        const asked = JSON.stringify(messages);
        if (asked.includes('parcel?')) return { text: 'Northmail brings it.' };
        return { text: asked.includes('30 days') ? 'You have 30 days.' : 'As long as you like.' };
      },
    });
    const repository = createRepository();
    const given = { env: localEndpoint(server, { OPENAI_API_KEY: 'none' }) };
    const ended: [string, number][] = [];
    for (const line of lines) {
      const [program = '', ...argv] = line.split(' ');
      if (program === 'git')
        repository.git('-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...argv);
      else if (argv[1] === 'dev') {
        const running = beginIn(repository.directory, argv.slice(1), given);
        await running.said('workbench: http');
        ended.push([line, (await running.stop()).code]);
      } else {
        const { code } = await commandIn(repository.directory, argv.slice(1), given);
        ended.push([line, code]);
      }
      const edit = EDITS[line];
      if (edit === undefined) continue;
      const file = join(repository.directory, edit[0]);
      const before = readFileSync(file, 'utf8');
      expect(before).toContain(edit[1]);
      writeFileSync(file, before.replace(edit[1], edit[2]));
    }
    await server.close();
    expect(ended).toEqual([
      ['npx evaldiff init', 0],
      ['npx evaldiff validate', 0],
      ['npx evaldiff dev', 0],
      ['npx evaldiff diff', 1],
      ['npx evaldiff dev', 0],
      ['npx evaldiff dev --max-cost 0.20 tags=critical', 0],
    ]);
  });
});
