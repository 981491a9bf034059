import { suitesOf } from '../plan/prepared.ts';
import { llmevalFiles } from '../report/llmeval.ts';
import { renderTerminal } from '../report/terminal.ts';
import type { Result } from '../result/result.ts';
import type { Edges, Planned, Pricing } from '../run/input.ts';
import { planRun } from '../run/plan-run.ts';
import { run } from '../run/run.ts';
import type { TrustDecision } from '../select/trust.ts';
import { createAsking, delimiterFrom, sha256 } from '../session/cached-complete.ts';
import { loadListPrices } from '../session/prices.ts';
import { commentMarker, writeReports, writeRunReports } from '../session/write-reports.ts';
import type { Suite } from '../suite/suite.ts';
import { logJson, logText } from '../text/log.ts';
import type { EvaluateOptions } from './options.ts';
import { writeOwnReports } from './outputs.ts';
import { storesOf } from './own-store.ts';
import {
  accessOf,
  askNobody,
  type FindSides,
  type Opened,
  withProject,
  withWorld,
} from './project.ts';
import type { Terminal } from './terminal.ts';

/** Reads, evaluates, writes the reports and prints. */
export function evaluate(
  mode: 'diff' | 'sweep',
  find: FindSides,
  overrides: readonly string[],
  options: EvaluateOptions,
  terminal: Terminal,
): Promise<Result> {
  return withProject(mode, find, overrides, options, terminal, (opened) =>
    evaluateOpened(opened, options, terminal),
  );
}

/** The same for a project that is open; `around` is put around the edges. */
export function evaluateOpened(
  opened: Opened,
  options: EvaluateOptions,
  terminal: Terminal,
  around: (edges: Edges) => Edges = (edges) => edges,
): Promise<Result> {
  const { mode } = opened.input;
  return withWorld(opened, options, terminal, async (edges, progress) => {
    const startedAt = new Date();
    const suites: Suite[] = [];
    const planned: Edges['planned'] = (plan, ready) => {
      suites.push(...suitesOf(ready.prepared));
      edges.planned(plan, ready);
    };
    const result = await run(opened.input, around({ ...edges, planned }));
    progress.end();
    show(result, options, terminal);
    await writeOwnReports(opened, options, terminal, async (folder) => {
      if (mode === 'sweep') await writeRunReports(llmevalFiles(result, suites, startedAt), folder);
      await writeReports(result, folder, commentMarker('evaldiff'));
    });
    return result;
  });
}

/** What a run would do, without a model call. */
export function planOnly(
  mode: 'diff' | 'sweep',
  find: FindSides,
  overrides: readonly string[],
  options: EvaluateOptions,
  terminal: Terminal,
): Promise<{ planned: Planned; trust: TrustDecision }> {
  return withProject(mode, find, overrides, options, terminal, async (opened) => {
    const { input, trust } = opened;
    const log = (line: string): void => {
      terminal.err(`${logText(line)}\n`);
    };
    // Read as from an outside contributor, for a plan leaves nothing behind.
    const asOutside = { ...opened, input: { trust: 'untrusted' as const } };
    const stores = await storesOf(asOutside, options, terminal, log);
    const { reader } = createAsking({
      complete: askNobody,
      openStores: stores.open,
      record: null,
      endpoints: accessOf(options, terminal.env).endpoints,
    });
    const pricing = async (): Promise<Pricing> => ({
      list: await loadListPrices(new Date()),
      stored: await reader(),
    });
    try {
      return {
        planned: await planRun(input, { hash: sha256, random: delimiterFrom, pricing }),
        trust,
      };
    } finally {
      stores.close();
    }
  });
}

function show(result: Result, options: EvaluateOptions, terminal: Terminal): void {
  if (options.json === true) terminal.out(`${logJson(result)}\n`);
  else terminal.out(renderTerminal(result, { width: terminal.width, colour: terminal.isTerminal }));
}
