import { asWritten, pathText, type Document, type Path } from '../documents/document.ts';
import { problem } from '../errors.ts';
import type { BuiltInMetrics } from '../metrics/definition.ts';
import { didYouMean } from '../text/suggest.ts';
import type { MetricLevel, MetricSource } from '../types/metric.ts';
import type { Problem } from '../types/plain.ts';
import { type RawMetric, metricSchema, LEVELS } from './metric-schema.ts';

export function levelsOf(source: MetricSource, builtIns: BuiltInMetrics): readonly MetricLevel[] {
  if (source.kind === 'rubric') return LEVELS;
  const all = LEVELS.filter((word) => word !== 'ToolCall');
  return source.kind === 'code' ? all : (builtIns.get(source.uses)?.levels ?? all);
}

export function readSource(
  document: Document,
  path: Path,
  written: RawMetric,
  builtIns: BuiltInMetrics,
  problems: Problem[],
): MetricSource | null {
  const name = written.name === undefined ? pathText(path) : `metric "${written.name}"`;
  const refuse = (key: string | Path, message: string): void => {
    problems.push(problem(document.placeOf([...path, key].flat()), `${name}: ${message}`));
  };
  const given = (['uses', 'rubric', 'code'] as const).filter((key) => written[key] !== undefined);
  if (given.length !== 1) {
    problems.push(
      problem(document.placeOf(path), `${name} needs exactly one of uses, rubric and code`),
    );
    return null;
  }
  if (written.uses === undefined) refuseParameters(document, path, written, name, problems);
  if (written.code !== undefined)
    return { kind: 'code', language: written.language ?? 'python', code: written.code };
  if (written.language !== undefined) refuse('language', 'language is only for code');
  return written.rubric === undefined
    ? readBuiltIn(document, path, written, builtIns, refuse)
    : { kind: 'rubric', rubric: written.rubric };
}

function refuseParameters(
  document: Document,
  path: Path,
  written: RawMetric,
  name: string,
  problems: Problem[],
): void {
  const kind = written.rubric === undefined ? 'code' : 'a rubric';
  for (const key of ['with', 'kwargs'] as const) {
    for (const parameter of Object.keys(written[key] ?? {})) {
      const message =
        `${name}: ${key}.${parameter} is not read, ${kind} has no parameters` +
        (Object.hasOwn(metricSchema.shape, parameter)
          ? `; write ${parameter} beside ${kind === 'code' ? 'code' : 'rubric'}`
          : didYouMean(parameter, [
              'better',
              'threshold',
              'min',
              'max',
              ...(kind === 'code' ? [] : ['pass', 'grader']),
            ]));
      problems.push(problem(document.placeOf([...path, key, parameter]), message));
    }
  }
}

function readBuiltIn(
  document: Document,
  path: Path,
  written: RawMetric,
  builtIns: BuiltInMetrics,
  refuse: (key: string | Path, message: string) => void,
): MetricSource | null {
  const { uses = '', with: values, kwargs } = written;
  const builtIn = builtIns.get(uses);
  if (builtIn === undefined) {
    refuse(
      'uses',
      `there is no built-in metric "${uses}"${didYouMean(uses, [...builtIns.keys()])}`,
    );
    return null;
  }
  const key = values === undefined ? 'kwargs' : 'with';
  const parameters = { ...kwargs, ...values };
  const text = asWritten(document, [...path, key, 'value'], parameters['value']);
  if (text !== undefined && builtIn.expects(parameters)?.reads === 'text')
    parameters['value'] = text;
  for (const message of builtIn.problems(parameters)) {
    const [, at = ''] = /^with\.(\w+)/.exec(message) ?? [];
    refuse(Object.hasOwn(written[key] ?? {}, at) ? [key, at] : key, message);
  }
  return { kind: 'built-in', uses, with: parameters };
}
