import { lineText, paragraph, type DiffLine } from '../../report/sections/document.ts';
import type { FeatureReport, FoundLines } from '../../report/sections/feature-report.ts';
import type { ChangeUnit } from '../../trials/change-unit.ts';
import { MOST_CAUSE_CALLS } from './calls.ts';
import { causeLine, openLine, type Effect } from './cause-lines.ts';
import type { Cause, SuiteCauses } from './result.ts';
import {
  causeFigures,
  causes,
  causesFor,
  causesIn,
  fixCauses,
  referenceCauses,
} from './section.ts';

export const causesReport: FeatureReport = {
  sections: { why: (result) => [...causes(result), ...fixCauses(result)] },
  sureness: causeFigures,
  lines: ({ causes: all = [] }) =>
    all.flatMap((of) => {
      const suite = { path: of.path, name: of.suite, variant: of.variant };
      const { suspects = [] } = of.explained;
      return [
        ...of.causes.map((cause) => causeLines(cause, of, 'fall')),
        {
          ...{ suite, sentence: lineText(openLine(of, [])) },
          ...{ proof: 'likely' as const, remark: '↑ likely' },
          lines: suspects.flatMap(unitLines),
        },
      ].filter(({ lines }) => lines.length > 0);
    }),
  healingLines: ({ fixed_by: all = [] }) =>
    all.flatMap((of) => of.causes.map((cause) => causeLines(cause, of, 'fix'))),
  search({ causes: all = [] }) {
    const open = all.flatMap(({ causes: found, explained: { units, calls } }) =>
      found.length === 0 && units > 1 ? [calls] : [],
    );
    if (open.length === 0) return null;
    const most = Math.max(MOST_CAUSE_CALLS, ...open.map((calls) => 2 * calls));
    return `npx evaldiff diff explain.max_calls=${most}`;
  },
  onReference(result, suite, reference) {
    const [own] = causesIn([suite], result);
    const [fix] = causesIn([suite], { causes: result.fixed_by ?? [] });
    if (fix !== undefined) {
      const fixedBy = causesFor(reference.id, fix);
      return {
        blocks: fixedBy.map((cause) => paragraph(causeLine(cause, fix, [], 'fix'))),
        json: { causes: [], fixed_by: fixedBy },
      };
    }
    return own === undefined
      ? { blocks: [], json: { causes: [] } }
      : {
          blocks: referenceCauses(reference, own),
          json: { causes: causesFor(reference.id, own) },
        };
  },
  proposals: ({ causes: all = [] }) =>
    all.flatMap((of) =>
      of.causes.flatMap((cause) => {
        const suite = { path: of.path, name: of.suite, variant: of.variant };
        return cause.fix ? [{ suite, fix: cause.fix, why: causeLine(cause, of, []) }] : [];
      }),
    ),
};

function causeLines(cause: Cause, of: SuiteCauses, effect: Effect): FoundLines {
  const { proof, remark } = PROOFS[cause.relation];
  return {
    suite: { path: of.path, name: of.suite, variant: of.variant },
    sentence: lineText(causeLine(cause, of, [], effect)),
    proof,
    remark: remark !== null && effect === 'fix' ? '↑ fixed it' : remark,
    lines: cause.units.flatMap(unitLines),
  };
}

const PROOFS: Readonly<Record<Cause['relation'], Pick<FoundLines, 'proof' | 'remark'>>> = {
  alone: { proof: 'alone', remark: '↑ cause' },
  together: { proof: 'together', remark: '↑ cause' },
  either: { proof: 'alone', remark: '↑ cause' },
  'only-change': { proof: 'untested', remark: null },
};

const TEXT_KINDS: ReadonlySet<ChangeUnit['kind']> = new Set(['line', 'sentence', 'hunk']);

function unitLines(unit: ChangeUnit): FoundLines['lines'] {
  const { kind, side, file, files, lines, head, base_text, head_text } = unit;
  if (files !== undefined)
    return files.map((each) => ({
      side,
      file: each,
      to: 0,
      head: { file: each, line: 0 },
      diff: [],
    }));
  const linesOf = (sign: 'removed' | 'added', written: string | null): DiffLine[] =>
    (written?.trim().split('\n') ?? []).map((text) => ({ sign, text }));
  const diff = [...linesOf('removed', base_text), ...linesOf('added', head_text)];
  return [{ side, file, to: lines.to, head, diff: TEXT_KINDS.has(kind) ? diff : [] }];
}
