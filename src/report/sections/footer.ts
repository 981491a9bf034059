import type { Result } from '../../kernel/result/result.ts';
import { counted } from '../../text/amounts.ts';
import { code, joinLines, paragraph, type Block, type Line } from './document.ts';
import { runCost, shortSha } from './phrases.ts';

export function footer(result: Result): Block[] {
  const { usage } = result;
  const parts: Line[] = [
    ...(!makesCalls(result)
      ? [['no model call']]
      : [
          [counted(usage.calls, 'call')],
          ...(usage.unpriced === 'programs' ? [] : [[runCost(usage)]]),
        ]),
    [code(footerCommits(result))],
  ];
  return [paragraph(joinLines(parts, ' · '), 'small')];
}

/** If a run made calls, its command is in the section that explains them. */
function footerCommits(result: Result): string {
  const { base, head, mode } = result;
  if (mode === 'sweep' || base === null) return shortSha(head.sha);
  return makesCalls(result) || base.sha === 'worktree'
    ? `${shortSha(base.sha)}…${shortSha(head.sha)}`
    : localCommand(result, base.sha);
}

export function makesCalls({ usage }: Result): boolean {
  return usage.calls + usage.reused > 0;
}

/** Without a head commit, the command has no `--head` and tests uncommitted files. */
export function localCommand(
  { head: { sha }, local_options: options }: Result,
  base: string,
  program = 'npx evaldiff',
): string {
  return [
    `${program} diff --base ${shortSha(base)}`,
    ...(/^[0-9a-f]{40,64}$/.test(sha) ? [`--head ${shortSha(sha)}`] : []),
    ...(options ? [options] : []),
  ].join(' ');
}
