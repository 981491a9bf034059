import type { Result } from '../../kernel/result/result.ts';
import { code, paragraph, type Block } from '../../report/sections/document.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { fallWords } from './words.ts';

export const anchorReport: FeatureReport = { sections: { why: fallsSince } };

function fallsSince({ anchor }: Result): Block[] {
  if (anchor === undefined) return [];
  return anchor.suites
    .filter(({ status }) => status === 'fell')
    .map((suite) => paragraph([code(suite.suite), ` ${fallWords(suite, anchor)}.`]));
}
