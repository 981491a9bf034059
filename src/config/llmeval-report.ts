import { below, Field, valueAt } from '../documents/document.ts';
import { readYaml } from '../documents/yaml.ts';
import { problem } from '../errors.ts';
import type { Rollup } from '../kernel/suite/suite.ts';
import { isMap, type Json, type JsonMap, type Problem } from '../types/plain.ts';
import { readRollup } from './roll-up.ts';

interface RunScore {
  metric: string;
  value: Json;
  status: string;
  skip: boolean;
}

export interface RunTry {
  actual: Json | undefined;
  error: string | null;
  duration: number | null;
  scores: RunScore[];
}

export interface RunReport {
  file: string;
  name: string;
  messages: Json;
  parameters: JsonMap;
  rollup: Rollup;
  skip: boolean;
  references: { input: JsonMap; expected: Json | undefined; skip: boolean; made: RunTry }[];
}

const NOT_PARAMETERS = 'variables name messages code tests prompt language defaults'.split(' ');

export function readRunReport(
  file: string,
  content: Uint8Array,
): { report: RunReport; problems: [] } | { report: null; problems: Problem[] } {
  const read = readYaml(file, content);
  if (!read.ok) return { report: null, problems: read.problems };
  const document = read.value;
  const prompts = valueAt(document.value, ['prompts']);
  const references = valueAt(document.value, ['prompts', 'tests', 'references']);
  if (!isMap(prompts) || !Array.isArray(references)) {
    return {
      report: null,
      problems: [
        problem(file, 'is not the report of an llmeval run: it has no prompts.tests.references'),
      ],
    };
  }
  const problems: Problem[] = [];
  const report: RunReport = {
    file,
    name: typeof prompts['name'] === 'string' ? prompts['name'] : '',
    messages: prompts['messages'] ?? prompts['prompt'] ?? null,
    rollup: readRollup(new Field(below(document, ['prompts', 'tests']), problems)),
    parameters: Object.fromEntries(
      Object.entries(prompts).filter(([key]) => !NOT_PARAMETERS.includes(key)),
    ),
    skip: valueAt(document.value, ['prompts', 'tests', 'skip']) === true,
    references: references.filter(isMap).map((reference) => ({
      input: isMap(reference['input'])
        ? reference['input']
        : { dialogue: reference['input'] ?? null },
      expected: reference['expected'],
      skip: reference['skip'] === true,
      made: readRunTry(reference),
    })),
  };
  return problems.length > 0 ? { report: null, problems } : { report, problems: [] };
}

function readRunTry(reference: JsonMap): RunTry {
  const metrics = isMap(reference['metrics']) ? reference['metrics'] : {};
  return {
    actual: reference['actual'],
    error: typeof reference['error'] === 'string' ? reference['error'] : null,
    duration: typeof reference['duration'] === 'number' ? reference['duration'] : null,
    scores: Object.entries(metrics).flatMap(([name, score]) =>
      isMap(score)
        ? [
            {
              metric: name,
              value: score['metric'] ?? null,
              status: typeof score['result'] === 'string' ? score['result'] : 'error',
              skip: score['skipped'] === true,
            },
          ]
        : [],
    ),
  };
}
