import { LEVELS, levelOf } from '../../../config/metric-schema.ts';
import type { BuiltInMetrics } from '../../../metrics/definition.ts';
import type { MetricLevel } from '../../../types/metric.ts';
import { isMap, type Json, type JsonMap, jsonText } from '../../../types/plain.ts';
import { isScalar, placed, uniqueNames } from '../shared/draft.ts';
import { tryConvert, refuse, type Node, isAmong } from '../shared/node.ts';
import { type FunctionModule, findModule, functionMetric } from './flexeval-files.ts';

interface FlexEvalMetric {
  kind: 'function' | 'rubric';
  name: string;
  level: MetricLevel | null;
  given: JsonMap;
  conditions: JsonMap[];
  node: Node;
}

const METRIC_KEYS =
  'name kwargs depends_on metric_level context_only last_instance_only last_turn_only notes';

const CONDITION_KEYS =
  'name type kwargs metric_name metric_level relative_object_position metric_min_value ' +
  'metric_max_value';

interface FunctionSources {
  builtIns: BuiltInMetrics;
  modules: readonly FunctionModule[];
}

/**
 * Functions never fail a test, because FlexEval has no threshold for them. If the model completes
 * dialogues, only its new answer is scored.
 */
export function convertMetrics(
  metrics: Node,
  sources: FunctionSources & { completes: boolean },
): JsonMap[] {
  const all = (['function', 'rubric'] as const).flatMap((kind) =>
    metrics
      .at(kind)
      .items()
      .map((node) => flexEvalMetric(kind, node)),
  );
  const drop = ({ kind, name, node }: FlexEvalMetric, why: string): never[] =>
    node.lose(`the ${kind} ${name || '(without a name)'}`, why);
  let kept = all.flatMap((metric) =>
    tryConvert(
      () => {
        checkMetric(metric, sources);
        return [metric];
      },
      (why) => drop(metric, why),
    ),
  );
  const namesOf = (metrics: readonly FlexEvalMetric[]) =>
    new Set<Json | undefined>(metrics.map(({ name }) => name));
  const written = namesOf(all);
  for (let before = -1; before !== kept.length;) {
    before = kept.length;
    const known = namesOf(kept);
    kept = kept.filter((metric) => {
      const lost = metric.conditions.find(({ name }) => written.has(name) && !known.has(name));
      if (lost !== undefined)
        drop(metric, `it depends on ${jsonText(lost['name'] ?? '')}, which is not`);
      return lost === undefined;
    });
  }
  const nameOf = metricNames(kept);
  return kept.map((metric) => {
    const { kind, name, node } = metric;
    const file = kind === 'function' ? findModule(name, sources.modules)?.file : undefined;
    const keys = file === undefined ? {} : { code: { file, line: 0 } };
    return placed(node.place, convertMetric(metric, nameOf(metric), sources), keys);
  });
}

function flexEvalMetric(kind: FlexEvalMetric['kind'], node: Node): FlexEvalMetric {
  const { name, metric_level, kwargs, depends_on } = node.map;
  const given = Object.entries(isMap(kwargs ?? null) ? (kwargs as JsonMap) : {});
  return {
    kind,
    name: typeof name === 'string' ? name : '',
    level: parseLevel(metric_level),
    given: Object.fromEntries(
      given.filter(([key, value]) => !(key === 'use_langgraph_roles' && value === false)),
    ),
    conditions: (Array.isArray(depends_on) ? depends_on : []).filter(isMap),
    node,
  };
}

/** Refuses metrics that evaldiff does not have. */
function checkMetric(metric: FlexEvalMetric, { builtIns, modules }: FunctionSources): void {
  const { kind, name, level, given, conditions, node } = metric;
  if (name === '') refuse('it has no name');
  if (level === null) return refuse(`metric_level must be one of ${LEVELS.join(', ')}`);
  if ([node.map, ...conditions].some((map) => map['context_only'] === true))
    refuse(
      'it reads earlier turns (context_only); to use the previous turn, set ' +
        'relative_object_position: -1 in depends_on',
    );
  if (kind === 'rubric') return;
  if (findModule(name, modules) !== null) {
    if (level === 'ToolCall') refuse('code cannot judge a single tool call');
    return;
  }
  const builtIn =
    builtIns.get(name) ?? refuse('no built-in metric or function module has this name');
  if (!builtIn.levels.includes(level))
    refuse(`it cannot judge level ${level}; it is for ${builtIn.levels.join(', ')}`);
  const [problem] = builtIn.problems(given);
  if (problem !== undefined) refuse(problem);
}

/** Metrics with the same name are named after their arguments and level. */
function metricNames(all: readonly FlexEvalMetric[]): (metric: FlexEvalMetric) => string {
  const unique = uniqueNames();
  return ({ name, given, level }) => {
    const isAlone = all.filter((other) => other.name === name).length === 1;
    const scalars = Object.values(given).filter(isScalar).map(String);
    const marks = isAlone ? [] : [...scalars, String(level).toLowerCase()];
    return unique([name, ...marks.map((mark) => mark.replace(/\W+/g, '_').slice(0, 30))].join('_'));
  };
}

/** FlexEval scores every message unless one of these keys is set. */
function judgesEvery({ kind, name, node: { map } }: FlexEvalMetric, builtIns: BuiltInMetrics) {
  if (map['last_instance_only'] === true || map['last_turn_only'] === true) return false;
  return kind === 'rubric' || builtIns.get(name)?.whole !== true;
}

function convertMetric(
  metric: FlexEvalMetric,
  name: string,
  { modules, builtIns, completes }: FunctionSources & { completes: boolean },
): JsonMap {
  const { kind, name: used, level, given, node } = metric;
  node.loseUnread({ read: METRIC_KEYS, what: (key) => `${key} of ${used}` });
  if (kind === 'rubric' && Object.keys(given).length > 0)
    node.at('kwargs').lose(`kwargs of ${used}`, 'a rubric takes none');
  const conditions = node
    .at('depends_on')
    .items()
    .filter(({ value }) => isMap(value))
    .map(({ map, place }) => {
      const known = Object.entries(map).filter(
        ([key, value]) => isAmong(CONDITION_KEYS, key) && value !== null,
      );
      return placed(place, Object.fromEntries(known));
    });
  return {
    name,
    ...metricSourceOf(metric, modules),
    ...(level === null || level === 'Turn' ? {} : { metric_level: level }),
    of: 'both',
    ...(!completes && judgesEvery(metric, builtIns) ? { every: true } : {}),
    ...(conditions.length === 0 ? {} : { depends_on: conditions }),
    ...(kind === 'function' ? { skip: true } : {}),
  };
}

function metricSourceOf(
  { kind, name, given }: FlexEvalMetric,
  modules: readonly FunctionModule[],
): JsonMap {
  if (kind === 'rubric') return { rubric: name };
  const module = findModule(name, modules);
  if (module !== null) return functionMetric(module, name, given);
  return { uses: name, ...(Object.keys(given).length > 0 ? { with: given } : {}) };
}

function parseLevel(written: Json | undefined): MetricLevel | null {
  if (written === undefined || written === null) return 'Turn';
  return isScalar(written) ? levelOf(String(written)) : null;
}
