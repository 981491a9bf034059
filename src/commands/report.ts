import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { Result } from '../types.ts';
import { UserError, problem } from '../errors.ts';
import { readResult } from '../config/result.ts';
import { exitCode } from '../exit-code.ts';
import { commentMarker } from '../publish.ts';
import { renderComment } from '../report/comment.ts';
import { renderHtml } from '../report/html.ts';
import { renderJunit } from '../report/junit.ts';
import { renderTerminal } from '../report/terminal.ts';
import type { Terminal } from './options.ts';

type Format = 'terminal' | 'markdown' | 'html' | 'junit';

export function reportCommand(program: Command, terminal: Terminal, done: (code: number) => void): void {
  program.command('report')
    .description('renders a saved result.json again; never asks a model')
    .argument('<file>', 'a result.json')
    .addOption(new Option('-f, --format <format>', 'what to render').choices(['terminal', 'markdown', 'html', 'junit']).default('terminal'))
    .action(async (file: string, { format }: { format: Format }) => {
      const text = await readFile(resolve(terminal.cwd, file), 'utf8').catch(() => { throw new UserError([problem({ file, line: 0 }, 'cannot be read')]); });
      const { result, problems } = readResult(file, text);
      if (result === null) throw new UserError(problems);
      terminal.out(render(result, format, terminal));
      done(exitCode(result.conclusion));
    });
}

function render(result: Result, format: Format, { width, isTerminal }: Terminal): string {
  if (format === 'markdown') return renderComment(result, { marker: commentMarker('evaldiff') });
  if (format === 'html') return renderHtml(result);
  if (format === 'junit') return renderJunit(result);
  return renderTerminal(result, { width, colour: isTerminal });
}
