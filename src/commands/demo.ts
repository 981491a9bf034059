import type { Command } from 'commander';
import { join } from 'node:path';
import { runDemo } from '../demo/demo.ts';
import type { Terminal } from './options.ts';

const RULE = '─'.repeat(72);

export function demoCommand(
  program: Command,
  terminal: Terminal,
  done: (code: number) => void,
): void {
  program
    .command('demo')
    .description('the whole pull-request job on the shipped example: no key, no network')
    .addHelpText('after', '\nExample:\n  evaldiff demo')
    .option('--verbose', "also show the action's own log")
    .action(async ({ verbose }: { verbose?: boolean }) => {
      const { comment, check, folder, reports, conclusion } = await runDemo(
        verbose === true ? terminal.err : () => undefined,
      );
      const visible = comment.split('\n').slice(1).join('\n');
      terminal.out(
        [
          "A pull request makes a shop's prompts friendlier. This is the comment that evaldiff posts:",
          RULE,
          visible.trim(),
          RULE,
          `Check run: ${check.conclusion} – ${check.title} (${String(check.annotations)} annotations)`,
          `Conclusion: ${conclusion}. In a pull request the required check would now be ${conclusion === 'failure' ? 'red' : 'green'}.`,
          `Open in a browser: ${join(reports, 'report.html')}`,
          `Further reports:   ${['result.json', 'comment.md', 'junit.xml'].map((name) => join(reports, name)).join(', ')}`,
          `The example's git history: ${join(folder, 'shop')}`,
          '',
        ].join('\n'),
      );
      done(0);
    });
}
