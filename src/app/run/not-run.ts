import { programFiles } from '../../config/programs.ts';
import { effectOfNotRun } from '../../kernel/judge/run-rules.ts';
import type { ReasonOf } from '../../kernel/result/reason.ts';
import type { AffectedSuite } from '../../kernel/select/affected-suite.ts';
import { changedKeys } from '../../kernel/select/scoring.ts';
import type { GateSettings } from '../../kernel/suite/gate-settings.ts';
import type { PrepareInput } from '../../money/prepared.ts';
import type { TrustedSides, NotRun } from '../../trust/trusted-sides.ts';
import { AGENT_PROGRAM } from '../../types/model.ts';
import type { Notice, Problem } from '../../types/plain.ts';
import { reasonWords } from '../../wording/reasons.ts';
import { needsHost } from './check.ts';

interface Runnable {
  suites: readonly AffectedSuite[];
  notRun: ReasonOf<'not-run'>[];
  notices: Notice[];
  problems: Problem[];
}

/** Leaves out the tests that this run may not make. Agents never run for outside contributors. */
export function runnableSuites(
  suites: readonly AffectedSuite[],
  input: PrepareInput,
  arranged: TrustedSides,
  tools: { gate: GateSettings; hash(text: string): string },
): Runnable {
  const { code, isOutsiders = false, isQueue = false } = input;
  const refused = suites.map((suite) => ({
    suite,
    needs: needsHost(suite).filter(
      ({ what }) => code !== 'host' || (isOutsiders && what === 'agents'),
    ),
  }));
  const by = isOutsiders ? 'maintainer' : 'author';
  const effect = effectOfNotRun(by, { isQueue, gate: tools.gate });
  if (effect === 'problem') {
    const problems = refused.flatMap(({ needs }) => needs.map(({ problem }) => problem));
    return { suites, notRun: [], notices: [], problems };
  }
  const own = refused.flatMap(({ suite: { name, because }, needs: [need] }): NotRun[] =>
    need === undefined
      ? []
      : [{ what: need.what, suites: [name], files: because.map(({ file }) => file) }],
  );
  const all = [...arranged.notRun, ...changedPrograms(input, arranged, tools.hash), ...own];
  const notRun = [...Map.groupBy(all, ({ what }) => what)].map(([what, found]) => ({
    code: 'not-run' as const,
    what,
    suites: [...new Set(found.flatMap((each) => each.suites))],
    files: [...new Set(found.flatMap(({ files }) => files))],
    fails: effect === 'fails',
  }));
  return {
    // Removed tests stay, because the gate counts them.
    suites: refused.map(({ suite, needs: { length } }) => ({
      ...suite,
      references: suite.references.filter(({ change }) => length === 0 || change === 'removed'),
    })),
    notRun,
    notices: notRun.map((reason) => ({
      kind: 'trust',
      place: null,
      message: reasonWords(reason, []),
    })),
    problems: [],
  };
}

/** Base's programs and agents run for outside contributors, so their changes have no effect. */
function changedPrograms(
  { base, head }: PrepareInput,
  { base: project, models }: TrustedSides,
  hash: (text: string) => string,
): NotRun[] {
  if (models === 'head' || base === null || project === null) return [];
  const { settings, suites } = project;
  return suites.flatMap(({ prompt }): NotRun[] => {
    const model = settings.models.get(prompt.model ?? '');
    if (model === undefined || model.command.length === 0) return [];
    const idsIn = (tree: typeof head): ReadonlyMap<string, string> =>
      programFiles(model, { settings, tree, hash }).ids;
    const files = changedKeys(idsIn(base), idsIn(head), (id) => id);
    const what = model.command[0] === AGENT_PROGRAM ? 'agents' : 'programs';
    return files.length === 0 ? [] : [{ what, suites: [prompt.name], files }];
  });
}
