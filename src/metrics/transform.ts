import { shorten } from '../text/visible.ts';
import { partsOf, textOf } from '../types/answer.ts';
import { jsonText } from '../types/plain.ts';
import type { MetricAnswer, MetricTools } from './answer.ts';
import { measureError, type Measurement } from './definition.ts';

const MAX_SHOWN = 300;

/** The JavaScript value of the function `$change`, which never resolves to null or undefined. */
export const changeFunction = (body: string): string =>
  `const $change = async (output, context) => { const changed = await (async function () {
${body.includes('\n') ? body : `return ${body}`}
}).call(null); if (changed === null || changed === undefined)
throw new TypeError("the transform returns nothing"); return changed; };`;

/** Returns what a metric judges in place of each answer: the changed answer, or why there is none. */
export async function transformAnswers(
  body: string,
  answers: readonly MetricAnswer[],
  { evaluate }: MetricTools,
): Promise<{ answers: MetricAnswer[]; failed: Map<MetricAnswer, Measurement> }> {
  const results = await evaluate({
    language: 'javascript',
    code: `${changeFunction(body)}\nmetric = $change(actual, { vars: input });`,
    outputs: ['metric'],
    inputs: answers.map(({ completion, input }) => ({ actual: textOf(completion), input })),
  });
  const failed = new Map<MetricAnswer, Measurement>();
  const changed = answers.flatMap((answer, index) => {
    const result = results[index];
    if (result?.status === 'ok') return [withText(answer, jsonText(result.values['metric'] ?? ''))];
    const reason = `transform: ${result?.message ?? 'it has no result'}`;
    failed.set(
      answer,
      result?.cause === 'code' ? { status: 'raised', reason } : measureError(reason),
    );
    return [];
  });
  return { answers: changed, failed };
}

function withText(answer: MetricAnswer, text: string): MetricAnswer {
  const { completion, thread } = answer;
  const others = completion.parts.filter(({ type }) => type !== 'text' && type !== 'json');
  const last = thread.at(-1);
  return {
    ...answer,
    completion: { ...completion, parts: [...partsOf(text), ...others] },
    thread: last === undefined ? [] : [...thread.slice(0, -1), { ...last, content: text }],
  };
}

/** Adds the changed answer to the reason, because reports show the raw one. */
export function withChanged(measured: Measurement, answer: MetricAnswer): Measurement {
  const { reason } = measured;
  const text = JSON.stringify(shorten(textOf(answer.completion), MAX_SHOWN));
  const shown = `of the changed answer ${text}`;
  return { ...measured, reason: reason === null ? shown : `${reason}, ${shown}` };
}
