import { LEVELS, levelOf } from '../../../config/metric-schema.ts';
import { canonicalJson } from '../../../kernel/suite/canonical-json.ts';
import type { BuiltInMetrics } from '../../../metrics/definition.ts';
import type { MetricLevel } from '../../../types/metric.ts';
import { isMap, type Json, type JsonMap, ownEntry } from '../../../types/plain.ts';
import { isAmong, isScalar, uniqueNames, type Loss, lose } from '../shared/draft.ts';
import { loseUnread, type Node } from '../shared/node.ts';
import { type FunctionModule, findModule, functionMetric } from './flexeval-files.ts';

export interface ForeignMetric {
  metric: JsonMap;
  node: Node;
  code: string | null;
}

interface FlexEvalMetric {
  kind: 'function' | 'rubric';
  name: string;
  written: JsonMap;
  node: Node;
}

const UNSUPPORTED_METRICS: Readonly<Record<string, string>> = {
  is_langgraph_type: 'LangGraph databases are not supported',
  openai_moderation_api: 'moderation is not supported',
};

const METRIC_KEYS =
  'name kwargs depends_on metric_level context_only last_instance_only last_turn_only notes';

const CONDITION_KEYS =
  'name type kwargs metric_name metric_level relative_object_position metric_min_value ' +
  'metric_max_value';

/**
 * Functions never fail a test, because FlexEval has no threshold for them. If the model completes
 * dialogues, only its new answer is scored.
 */
export function convertMetrics(
  metrics: Node,
  { builtIns, modules, completes }: FunctionSources & { completes: boolean },
  left: Loss[],
): ForeignMetric[] {
  const all = (['function', 'rubric'] as const).flatMap((kind) =>
    metrics
      .at(kind)
      .items()
      .map((node): FlexEvalMetric => {
        const { name } = node.map;
        return { kind, name: typeof name === 'string' ? name : '', written: node.map, node };
      }),
  );
  const kept = new Set(all);
  const drop = (metric: FlexEvalMetric, why: string): void => {
    kept.delete(metric);
    const what = `the ${metric.kind} ${metric.name || '(without a name)'}`;
    lose(left, metric.node.place, what, why);
  };
  for (const candidate of all) {
    const why = metricRefusal(candidate, { builtIns, modules });
    if (why !== null) drop(candidate, why);
  }
  for (let before = -1; before !== kept.size;) {
    before = kept.size;
    for (const candidate of kept) {
      const missing = conditionsOf(candidate).find(
        (condition) =>
          dependency(condition, [...kept]) === null && dependency(condition, all) !== null,
      );
      if (missing !== undefined)
        drop(candidate, `it depends on ${writtenMetricName(missing)}, which is not`);
    }
  }
  return withUniqueNames([...kept]).map(({ found, name }) => ({
    node: found.node,
    metric: convertMetric(
      found,
      name,
      { modules, every: !completes && judgesEvery(found, builtIns) },
      left,
    ),
    code: found.kind === 'function' ? (findModule(found.name, modules)?.file ?? null) : null,
  }));
}

interface FunctionSources {
  builtIns: BuiltInMetrics;
  modules: readonly FunctionModule[];
}

function metricRefusal(
  { kind, name, written }: FlexEvalMetric,
  { builtIns, modules }: FunctionSources,
): string | null {
  if (name === '') return 'it has no name';
  const level = parseLevel(written['metric_level']);
  if (level === null) return `metric_level must be one of ${LEVELS.join(', ')}`;
  if (written['context_only'] === true)
    return (
      'it judges earlier turns (context_only); to use the previous turn, set ' +
      'relative_object_position: -1 in depends_on'
    );
  if (conditionsOf({ written }).some((condition) => condition['context_only'] === true))
    return (
      'it depends on earlier turns (context_only); to use the previous ' +
      'turn, set relative_object_position: -1'
    );
  return kind === 'rubric'
    ? null
    : functionRefusal({ name, written }, level, { builtIns, modules });
}

function functionRefusal(
  { name, written }: Pick<FlexEvalMetric, 'name' | 'written'>,
  level: MetricLevel,
  { builtIns, modules }: FunctionSources,
): string | null {
  if (findModule(name, modules) !== null)
    return level === 'ToolCall' ? 'code cannot judge a single tool call' : null;
  const builtIn = builtIns.get(name);
  if (builtIn === undefined || ownEntry(UNSUPPORTED_METRICS, name) !== undefined)
    return (
      ownEntry(UNSUPPORTED_METRICS, name) ?? 'no built-in metric or function module has this name'
    );
  if (!builtIn.levels.includes(level))
    return `it cannot judge level ${level}; it is for ${builtIn.levels.join(', ')}`;
  return builtIn.problems(argumentsOf(written))[0] ?? null;
}

function conditionsOf({ written }: Pick<FlexEvalMetric, 'written'>): JsonMap[] {
  const list = written['depends_on'];
  return (Array.isArray(list) ? list : []).filter(isMap);
}

function dependency(condition: JsonMap, all: readonly FlexEvalMetric[]): FlexEvalMetric | null {
  const { name, type, kwargs, metric_level: level } = condition;
  const [only, ...others] = all.filter(
    (candidate) =>
      candidate.name === name &&
      (type === undefined || type === null || type === candidate.kind) &&
      (!isMap(kwargs) || canonicalJson(kwargs) === canonicalJson(argumentsOf(candidate.written))) &&
      (level === undefined ||
        level === null ||
        parseLevel(level) === parseLevel(candidate.written['metric_level'])),
  );
  return only !== undefined && others.length === 0 ? only : null;
}

function argumentsOf(written: JsonMap): JsonMap {
  const kwargs = written['kwargs'];
  return isMap(kwargs)
    ? Object.fromEntries(
        Object.entries(kwargs).filter(
          ([key, value]) => !(key === 'use_langgraph_roles' && value === false),
        ),
      )
    : {};
}

function withUniqueNames(
  all: readonly FlexEvalMetric[],
): { found: FlexEvalMetric; name: string }[] {
  const unique = uniqueNames();
  return all.map((found) => {
    const twins = all.filter(({ name }) => name === found.name).length;
    const marks =
      twins === 1
        ? []
        : [
            ...Object.values(argumentsOf(found.written)).filter(isScalar).map(String),
            String(parseLevel(found.written['metric_level'])).toLowerCase(),
          ];
    return {
      found,
      name: unique(
        [found.name, ...marks.map((mark) => mark.replace(/\W+/g, '_').slice(0, 30))].join('_'),
      ),
    };
  });
}

/** FlexEval scores every message unless one of these keys is set. */
function judgesEvery({ kind, name, written }: FlexEvalMetric, builtIns: BuiltInMetrics): boolean {
  if (written['last_instance_only'] === true || written['last_turn_only'] === true) return false;
  return kind === 'rubric' || builtIns.get(name)?.whole !== true;
}

function convertMetric(
  found: FlexEvalMetric,
  name: string,
  { modules, every }: { modules: readonly FunctionModule[]; every: boolean },
  left: Loss[],
): JsonMap {
  const { kind, name: used, written, node } = found;
  loseUnread(left, node, { read: METRIC_KEYS, what: (key) => `${key} of ${used}` });
  const given = argumentsOf(written);
  if (kind === 'rubric' && Object.keys(given).length > 0)
    lose(left, node.at('kwargs').place, `kwargs of ${used}`, 'a rubric takes none');
  const level = parseLevel(written['metric_level']);
  const conditions = conditionsOf({ written }).map((condition) =>
    Object.fromEntries(
      Object.entries(condition).filter(
        ([key, value]) => isAmong(CONDITION_KEYS, key) && value !== null,
      ),
    ),
  );
  return {
    name,
    ...metricSourceOf(found, given, modules),
    ...(level === null || level === 'Turn' ? {} : { metric_level: level }),
    of: 'both',
    ...(every ? { every } : {}),
    ...(conditions.length === 0 ? {} : { depends_on: conditions }),
    ...(kind === 'function' ? { skip: true } : {}),
  };
}

function metricSourceOf(
  { kind, name }: FlexEvalMetric,
  given: JsonMap,
  modules: readonly FunctionModule[],
): JsonMap {
  if (kind === 'rubric') return { rubric: name };
  const module = findModule(name, modules);
  if (module !== null) return functionMetric(module, name, given);
  return { uses: name, ...(Object.keys(given).length > 0 ? { with: given } : {}) };
}

function writtenMetricName({ name }: JsonMap): string {
  return isScalar(name) ? String(name).slice(0, 100) : 'another metric';
}

function parseLevel(written: Json | undefined): MetricLevel | null {
  if (written === undefined || written === null) return 'Turn';
  return isScalar(written) ? levelOf(String(written)) : null;
}
