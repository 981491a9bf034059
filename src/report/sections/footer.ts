import type { Result } from '../../kernel/result/result.ts';
import { counted } from '../../text/amounts.ts';
import { code, joinLines, paragraph, text, type Block, type Line } from './document.ts';
import { runCost, shortSha } from './phrases.ts';

export function footer(result: Result): Block[] {
  const { usage, base, head, mode } = result;
  const commits = mode === 'sweep' || base === null ? [head] : [base, head];
  const parts: Line[] = [
    ...(usage.calls + usage.reused === 0
      ? [[text('no model call')]]
      : [
          [text(counted(usage.calls, 'call'))],
          ...(usage.unpriced === 'programs' ? [] : [[text(runCost(usage))]]),
        ]),
    [code(commits.map(({ sha }) => shortSha(sha)).join('…'))],
  ];
  return [paragraph(joinLines(parts, ' · '), 'small')];
}

/** Without a head commit, the command has no `--head` and tests uncommitted files. */
export function localCommand(
  { head: { sha }, local_options: options }: Pick<Result, 'head' | 'local_options'>,
  base: string,
  program = 'npx evaldiff',
): string {
  return [
    `${program} diff --base ${shortSha(base)}`,
    ...(/^[0-9a-f]{40,64}$/.test(sha) ? [`--head ${shortSha(sha)}`] : []),
    ...(options ? [options] : []),
  ].join(' ');
}
