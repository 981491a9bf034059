import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Terminal } from '../../../../src/app/commands/terminal.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { commandIn, localEndpoint } from '../../../stand-ins/command-line.ts';
import { HEAD_LINES, shopFiles, shopModel, shopPrompt } from '../../../stand-ins/eight-lines.ts';
import type { ModelServer, Script } from '../../../stand-ins/models/server.ts';
import { openProject } from '../../../stand-ins/project.ts';

const SETTINGS = 'models:\n  quiz-model: { provider: openai, endpoint: local, model: quiz-1 }\n';

/** The prompt, which has eight lines. */
export const FILE = 'prompts/shop.yaml';

export interface Compared {
  directory: string;
  result: Result;
  server: ModelServer;
  out: string;
  run(args: readonly string[], more?: Partial<Terminal>): Promise<{ code: number; said: string }>;
  /** Compares again with these arguments instead of `--no-store`. */
  again(args: readonly string[]): Promise<Result>;
  file(): string;
}

interface Setup {
  settings?: string;
  args?: readonly string[];
  /** Files on base that replace the shop's files. */
  base?: Record<string, string>;
  head?: Record<string, string>;
  model?: Script;
}

/** Compares eight changed lines with base. The grader replies with these drafts. */
export async function compareShop(
  drafts: readonly string[],
  {
    settings = SETTINGS,
    args = ['--no-store'],
    base = {},
    head = { [FILE]: shopPrompt(HEAD_LINES) },
    model = shopModel(drafts),
  }: Setup = {},
): Promise<Compared> {
  const { repository, server } = await openProject(
    { ...shopFiles(settings), ...base },
    { answer: model },
  );
  repository.git('switch', '--quiet', '--create', 'topic');
  repository.commit('Head', head);
  const { directory } = repository;
  const run: Compared['run'] = async (own, more = {}) => {
    let said = '';
    const write = (text: string) => {
      said += text;
    };
    const given = { env: localEndpoint(server), width: 160, out: write, err: write, ...more };
    const { code } = await commandIn(directory, own, given);
    return { code, said };
  };
  const report = join(directory, 'evaldiff-report/result.json');
  const compare = async (own: readonly string[]) => {
    const { said } = await run(['diff', '--base', 'main', '--report', 'evaldiff-report', ...own]);
    if (!existsSync(report)) throw new Error(said);
    return { result: JSON.parse(readFileSync(report, 'utf8')) as Result, said };
  };
  const { result, said } = await compare(args);
  const again: Compared['again'] = async (own) => (await compare(own)).result;
  const file = () => readFileSync(join(directory, FILE), 'utf8');
  return { directory, result, server, out: said, run, again, file };
}
