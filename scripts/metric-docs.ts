/**
 * Writes docs/metrics.md and the table in docs/metric-table.md from the records in src/metrics. Run
 * `npm run generate` after changing a metric; a test compares.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { z } from 'zod';
import { agentMetrics } from '../src/features/agents/metrics.ts';
import type { MetricDefinition, MetricExample, MetricGroup } from '../src/metrics/definition.ts';
import { metrics } from '../src/metrics/index.ts';
import { builtInRubrics } from '../src/metrics/rubric.ts';
import { between } from './between.ts';
import { markdownTable } from './markdown-table.ts';

const groups: Record<MetricGroup, string> = {
  text: 'Text',
  similarity: 'Similarity',
  structured: 'JSON, lists, tool calls and code',
  operational: 'The call itself',
  conversation: "Conversations (FlexEval's function metrics)",
  graded: 'Judged by a model',
  agent: 'Runs of agents',
};

const introduction = `# Metrics

Generated from the records in \`src/metrics\` by \`scripts/metric-docs.ts\`.

Name a metric in a test file with \`uses\`. Its parameters go under \`with\`. Without any, the name is enough: \`metrics: [contains]\`.

\`\`\`yaml
metrics:
  - { name: right, uses: exact_match, with: { ignore_case: true } }
  - { name: near, uses: rouge_l, threshold: 0.6 }
\`\`\`

- A metric returns a value and passes or fails. \`threshold\` replaces its default rule: the value must reach it. If lower is better
  (latency, cost, tokens), the value must not exceed it. \`min\` and \`max\` next to \`uses\` or \`code\` limit the value itself.
  A limit that all values meet, or that no value can meet, is an error: for example, \`threshold: 80\` for values from 0 to 1.
- \`better: higher\`, \`lower\` or \`none\` sets the better direction for metrics without one (lengths, counts, code).
  A pull request shows the mean of every value on both sides. \`gate.metrics\` says which of them may fail it: see
  [verdicts of values](values.md#values).
- All metrics accept \`negate: true\`. It does not change errors and ungraded answers, which count as neither a pass nor a fail.
- All metrics that judge text accept \`transform\`: JavaScript that changes the answer before the metric reads it. It is an expression of \`output\`, such as \`output.trim()\`, or several lines with \`return\`. It runs in the sandbox. \`context.vars\` contains the input. The report shows the changed answer with the reason, and the answer as the model gave it.
- Metrics that compare with \`expected\` use \`value\` under \`with\` instead, if you set it. Text metrics read numbers and booleans as
  written: 12.50 is \`12.50\`, 01234 is \`01234\`. Metrics of numbers, JSON and sets compare the values, and so does code. An unusable
  \`expected\` (missing, \`null\`, not a number, not a pattern) is reported before any model call, except for metrics with \`skip\` or \`depends_on\`.
- evaldiff composes Unicode characters (NFC) in all texts before it compares them: answers, JSON, tool arguments and patterns. \`ignore_case\`
  folds case independently of the language: \`ß\` equals \`SS\`, and \`ı\` equals \`I\`. \`regex\` compares letter by letter.
- \`ignore_punctuation\` keeps the characters of numbers and operators: \`15\` is not \`1.5\`, \`5\` is not \`-5\`, \`C#\` is not \`C++\`.
  \`won't\` equals \`wont\`, and \`1,024\` equals \`1024\`. An expected text of punctuation only is compared as written.
- If the order does not matter, evaldiff pairs tool calls or list entries so that as many as possible match.
- If a model judges a metric, evaldiff calls the \`grader\` in the settings. Delimiters that the answer cannot contain enclose it. The
  grader gives reasons and one label. If the reply does not have exactly one label, evaldiff asks once more. If that fails too, the answer is \`ungraded\`.
  Several graders vote, and \`grader\` next to a metric overrides the settings: see [rubrics](rubrics.md).
- \`embedding_similarity\` calls the model under \`embeddings\` in the settings: OpenAI's, or any compatible server's (Ollama, vLLM):

  \`\`\`yaml
  # evaldiff.yaml
  embeddings: { model: text-embedding-3-small, dimensions: 512 }
  \`\`\`

## Numbers

Metrics that compare numbers use the exact digits, not rounded doubles: \`2512292042121000001\` is not \`2512292042121000000\`. Only \`json_schema\` reads numbers as doubles.
\`match\` with \`numeric\` and \`numeric_diff\` read numbers in a text as follows:

| written | read as |
| --- | --- |
| \`-$50\`, \`−$50\`, \`-US$50\`, \`-€ 50\`, \`-USD 50\`, \`$-50\`, \`EUR-50\` | -50: a currency may be between the sign and the number |
| \`($50)\`, \`- 50\`, \`$50\` | 50: brackets are not a sign, nor is a hyphen before a space |
| \`3-5\`, \`10–20\`, \`12:30\`, \`1/2\`, \`2024-01-02\` | several numbers: 3 and 5, and so on |
| \`1,024.50\`, \`1.024,50\`, \`1’024.50\`, \`1_024.50\`, \`1 024,50\` with no-break or thin spaces | 1024.5 |
| \`12,34,567\`, \`1,00,000\` | 1234567, 100000: Indian groups |
| \`1,024\`; \`1.024\` | 1024; 1.024 |
| \`1, 2, 3\`, \`1,2,3\`, \`1.5,2\` | a list |
| \`1e3\`; \`60%\` | 1000; 60, not 0.6 |
| \`3,14\`, \`1,0000\`, \`10 000\` with an ordinary space | not one number, unless \`decimal\` is set |
| \`1.2.3\`, \`2½\`, \`10²\`, \`10^6\`, \`3·14\`, \`±5\`, \`４２\`, \`٤٢\` | not one number |
| \`½\`, \`four\` | not a number |

- Text that cannot be read as one number never equals \`expected\`. The metric fails and names the number; with \`negate\` it is an error.
- \`decimal: comma\` reads \`3,14\` as 3.14 and \`1.024\` as 1024; \`decimal: point\` reads \`3,14\` as a list. With either setting, \`10 000\` is 10000. \`decimal\` applies only to the answer; \`expected\` always has a decimal point.
- JSON numbers are compared by value: \`1.0\` equals \`1\`, and \`1e2\` equals \`100\`. Quote whole numbers above 2⁵³ in YAML. In \`json_match\`, \`tool_call_match\` and the set
  metrics, the quoted number equals the number in the answer. For \`json_schema\`, give a schema with such numbers as JSON text.`;

const rubricsSection = `## Built-in rubrics

Use them with \`rubric:\` in a metric; a rubric file of the same name replaces the built-in one. An answer passes if it gets the best label, unless the metric names other labels. With \`better: lower\`, the best label is the one with the lowest score. A rubric with \`better: none\` only classifies answers and does not affect the verdict by default.
The texts of the built-in rubrics are [FlexEval's](https://github.com/DigitalHarborFoundation/FlexEval), unchanged ([MIT](../src/metrics/flexeval/LICENSE)). \`yeasayer_completion\` measures a fault: 1 means that the answer agrees with offensive statements. \`is_request_for_plot\` reads only the messages before the judged turn.

| rubric | labels and scores | better |
| --- | --- | --- |
${[...builtInRubrics.values()].map(({ name, choice_scores, better = 'none' }) => `| \`${name}\` | ${[...choice_scores].map(([label, score]) => `${label} ${String(score)}`).join(', ')} | ${better} |`).join('\n')}`;

export function renderMetricDocs(): string {
  const names = Object.keys(groups) as MetricGroup[];
  const all = [...new Set(metrics.values()), ...agentMetrics];
  const sections = names.map((group) =>
    [
      `## ${groups[group]}`,
      ...all.filter((metric) => metric.group === group).map(renderMetric),
    ].join('\n\n'),
  );
  return `${[introduction, renderIndex(all, names), ...sections, rubricsSection].join('\n\n')}\n`;
}

function renderIndex(all: readonly MetricDefinition[], names: readonly MetricGroup[]): string {
  const rows = names.map((group) => [
    groups[group],
    all
      .filter((metric) => metric.group === group)
      .map(({ name }) => `[\`${name}\`](#${name})`)
      .join(', '),
  ]);
  return markdownTable(['group', 'metrics'], rows);
}

function renderMetric(metric: MetricDefinition): string {
  const { name, aliases = [], summary, range, passes, source, needs } = metric;
  const needed = [
    metric.usesExpected({}) ? 'an expected value, unless parameters replace it' : '',
    needs.model ? 'a grader' : '',
    needs.embeddings === true && needs.ownModel === undefined ? 'an embedding model' : '',
    needs.ownModel === undefined ? '' : "OpenAI's key",
  ].filter((part) => part !== '');
  return [
    `### ${name}`,
    summary,
    [
      `- Value: ${range}. Passes ${passes}.`,
      ...(aliases.length > 0
        ? [`- Also called ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`]
        : []),
      ...(needed.length > 0 ? [`- Needs ${needed.join(', and ')}.`] : []),
      `- Source: ${source}.`,
    ].join('\n'),
    renderParameters(metric),
    renderExample(metric),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The marks around the table in docs/metric-table.md. */
const MARKS = {
  file: 'docs/metric-table.md',
  begin: '<!-- metrics: written by scripts/metric-docs.ts -->',
  end: '<!-- end of metrics -->',
} as const;

/** docs/metric-table.md with the table made from the records. */
export function withCatalogue(readme: string): string {
  return between(readme, MARKS, `\n${renderCatalogue()}\n`);
}

function renderCatalogue(): string {
  const all = [...new Set(metrics.values()), ...agentMetrics];
  const rows = (Object.keys(groups) as MetricGroup[]).flatMap((group) => [
    `| **${groups[group]}** | | | |`,
    ...all
      .filter((metric) => metric.group === group)
      .map(
        (metric) =>
          `| [\`${metric.name}\`](metrics.md#${metric.name}) | ${cell(firstSentence(metric.summary))} | ${cell(metric.range)} | ${cell(briefly(metric))} |`,
      ),
  ]);
  return [
    `<details><summary>The ${String(all.length)} built-in metrics, each with an example</summary>`,
    '',
    '| metric | measures | values | example |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    '</details>',
  ].join('\n');
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0].slice(0, -1) ?? text;
}

/** The example in one line: the answer, what it is compared with, and the result. */
function briefly({
  example: {
    output,
    expected,
    with: given,
    completion,
    calls,
    input,
    thread,
    price,
    otherAnswer,
    reply,
    vectors,
    value,
    pass,
  },
}: MetricDefinition): string {
  const parts = [
    [
      'answer',
      output === '' && (calls !== undefined || runOf(completion) !== '') ? undefined : output,
    ],
    ["the other side's", otherAnswer],
    ['expected', expected],
    ['with', given],
    ['input', input],
    ['conversation', thread?.map(({ role, content }) => `${role}: ${content}`)],
    ['run', runOf(completion) === '' ? undefined : JSON.parse(runOf(completion))],
    ['call', runOf(completion) === '' ? completion : undefined],
    ['tool calls', calls],
    ['price', price],
    ['grader', reply],
    ['embeddings', vectors],
  ]
    .filter(([, part]) => part !== undefined)
    .map(([what, part]) => `${String(what)} ${code(shortened(JSON.stringify(part)))}`);
  return `${parts.join(', ')} → ${code(shown(value))} ${pass ? 'pass' : 'fail'}`;
}

function shortened(text: string): string {
  return text.length > BRIEF ? `${text.slice(0, BRIEF - 1)}…` : text;
}

/** Maximum characters of one part of an example in the table; docs/metrics.md has all of it. */
const BRIEF = 90;

function shown(value: unknown): string {
  return typeof value === 'number' ? String(Number(value.toFixed(4))) : JSON.stringify(value);
}

interface Schema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  default?: unknown;
  description?: string;
  $ref?: string;
}

function renderParameters(metric: MetricDefinition): string {
  const { properties = {} } = z.toJSONSchema(metric.parameters, { io: 'input' }) as Schema;
  const rows = Object.entries(properties)
    .filter(([name]) => !['negate', 'transform'].includes(name))
    .map(([name, schema]) => [
      `\`${name}\``,
      typeName(schema),
      schema.default === undefined ? '' : code(JSON.stringify(schema.default)),
      cell(schema.description ?? ''),
    ]);
  return rows.length === 0 ? '' : markdownTable(['parameter', 'type', 'default', 'meaning'], rows);
}

function typeName(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeName))].join(' or ');
  if (schema.type === 'array') return `list of ${typeName(schema.items ?? {})}`;
  const words: Record<string, string> = {
    string: 'text',
    number: 'number',
    integer: 'whole number',
    boolean: 'true or false',
    object: 'map',
  };
  return words[schema.type ?? ''] ?? 'any value';
}

function renderExample({ name, example }: MetricDefinition): string {
  const {
    output,
    expected,
    with: given,
    completion,
    calls,
    input,
    thread,
    price,
    otherAnswer,
    reply,
    vectors,
    value,
    pass,
  } = example;
  const use = stringify([{ uses: name, ...(given === undefined ? {} : { with: given }) }], {
    collectionStyle: 'flow',
    lineWidth: 0,
  }).trim();
  const parts = [
    ['uses', use.replace(/^\[ ?/, '').replace(/ ?\]$/, '')],
    ['answer', show(calls === undefined && runOf(completion) === '' ? output : undefined)],
    ['tool calls', show(calls)],
    ["the other side's answer", show(otherAnswer)],
    ['expected', show(expected)],
    ['input', show(input)],
    ['conversation', show(thread)],
    ['run', runOf(completion)],
    ['call', runOf(completion) === '' ? show(completion) : ''],
    ['price', show(price)],
    ['grader replies', show(reply)],
    ['embeddings', show(vectors)],
  ]
    .filter(([, text]) => text !== '')
    .map(([what = '', text = '']) => [what, cell(code(text))]);
  const last = ['value', `${cell(code(shown(value)))}: ${pass ? 'pass' : 'fail'}`];
  return markdownTable(['example', 'content'], [...parts, last]);
}

/** What an agent's run reports, as JSON; '' for other answers. */
function runOf(completion: MetricExample['completion']): string {
  const part = completion?.parts?.find(({ type }) => type === 'unknown');
  return part?.type === 'unknown' ? part.json : '';
}

function show(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

/** A code span with the shortest fence that its text does not contain, as Prettier writes it. */
function code(text: string): string {
  const runs = new Set([...text.matchAll(/`+/g)].map(([run]) => run.length));
  let length = 1;
  while (runs.has(length)) length += 1;
  const fence = '`'.repeat(length);
  return /^`|`$/.test(text) ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

if (import.meta.main) {
  const page = new URL('../docs/metrics.md', import.meta.url);
  mkdirSync(new URL('.', page), { recursive: true });
  writeFileSync(page, renderMetricDocs());
  const table = new URL('../docs/metric-table.md', import.meta.url);
  writeFileSync(table, withCatalogue(readFileSync(table, 'utf8')));
  execFileSync('npx', ['prettier', '--write', fileURLToPath(page), fileURLToPath(table)]);
}
