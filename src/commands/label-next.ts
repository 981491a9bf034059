import { resolve } from 'node:path';
import { answersToLabel, toLabelBlocks } from '../report/label-next.ts';
import { everyMetric } from '../suite/metrics.ts';
import type { Project, Suite } from '../suite/suite.ts';
import { logJson } from '../text/log.ts';
import type { Rubric } from '../types/metric.ts';
import { readSavedFiles, savedFilesIn } from './files.ts';
import type { EvaluateOptions } from './options.ts';
import { printBlocks, type Terminal } from './terminal.ts';

/**
 * Prints which answers of a saved run are most worth a label: of a rubric, or of a prompt whose
 * conversations evaluators judge. Makes no model calls.
 */
export async function proposeLabels(
  { name, path }: { name: string; path: string },
  { suites, rubrics }: Project,
  { directory, json }: Pick<EvaluateOptions, 'directory' | 'json'>,
  terminal: Terminal,
): Promise<void> {
  const rubric = rubrics.get(name);
  const cwd = resolve(terminal.cwd, directory);
  const saved = await readSavedFiles(await savedFilesIn([path], cwd), cwd);
  const judges = suites.flatMap((suite) => judgeIn(suite, name, rubric));
  const labelled = new Set(suites.flatMap((suite) => labelsIn(suite, name, rubric)));
  const answers = saved.flatMap((file) =>
    file.kind === 'result' ? answersToLabel(file.result, judges, labelled) : [],
  );
  if (json === true) terminal.out(`${logJson(answers)}\n`);
  else await printBlocks(toLabelBlocks(name, answers), terminal);
}

/** What judges in a suite under this name: metrics by the rubric, or its evaluators. */
function judgeIn(
  { prompt, tests }: Suite,
  name: string,
  rubric: Rubric | undefined,
): { suite: string; metrics: ReadonlySet<string> | null }[] {
  if (rubric === undefined)
    return [prompt.name, prompt.file].includes(name) ? [{ suite: prompt.name, metrics: null }] : [];
  const metrics = everyMetric(tests).filter(
    ({ source }) => source.kind === 'rubric' && source.rubric === name,
  );
  return metrics.length === 0
    ? []
    : [{ suite: prompt.name, metrics: new Set(metrics.map((metric) => metric.name)) }];
}

/** Answers that people labelled already. */
function labelsIn(
  { prompt, tests: { conversation } }: Suite,
  name: string,
  rubric: Rubric | undefined,
): string[] {
  if (rubric !== undefined) return rubric.examples.map(({ content }) => content.trim());
  if (![prompt.name, prompt.file].includes(name)) return [];
  return (conversation?.examples ?? []).map(
    ({ messages }) => messages.at(-1)?.content.trim() ?? '',
  );
}
