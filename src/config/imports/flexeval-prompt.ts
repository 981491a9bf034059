import { type Document, type Path, valueAt } from '../../documents/document.ts';
import type { JsonMap } from '../../types/plain.ts';
import { createDraft, leftOut, type Draft, type Imported } from './draft.ts';
import type { ForeignMetric } from './flexeval-metrics.ts';
import { convertLlm } from './flexeval-models.ts';
import { UNNAMED_MODEL } from './models.ts';

/** What an eval without a completion is called by: nobody is asked. */
const RECORDED = 'recorded';

/**
 * The first eval's grader is the project's; one that differs, or has parameters, stands beside the
 * metrics that it grades.
 */
export function withGrader(
  document: Document,
  path: Path,
  metrics: readonly ForeignMetric[],
  imported: Imported,
): void {
  const at = [...path, 'grader_llm'];
  const place = document.placeOf(at);
  const found =
    (valueAt(document.value, at) ?? null) === null
      ? null
      : llmAt(document, at, 'grader_llm', imported);
  if (found === null) return;
  const plain = Object.keys(found.parameters).length === 0;
  if (plain) imported.grader ??= { model: found.model, place };
  if (plain && imported.grader?.model === found.model) return;
  for (const { metric } of metrics)
    if ('rubric' in metric) metric['grader'] = { model: found.model, ...found.parameters };
}

/**
 * The model that is written at `path`, among the imported ones; null where none can be asked, which
 * is said.
 */
function llmAt(
  document: Document,
  path: Path,
  what: string,
  { models, left, remarks }: Imported,
  instead = '',
): { model: string; parameters: JsonMap } | null {
  const place = document.placeOf(path);
  const found = convertLlm(valueAt(document.value, path) ?? null);
  if ('why' in found) {
    left.push(leftOut(place, what, `${found.why}${instead}`));
    return null;
  }
  for (const { key, why } of found.left) left.push(leftOut(place, `${key} of ${what}`, why));
  for (const { key, why } of found.aside) remarks.push(leftOut(place, `${key} of ${what}`, why));
  if (found.entry !== null) models[found.model] = found.entry;
  return found;
}

/**
 * The prompt behind an eval. Its one message is never sent: a dialogue is continued as it stands.
 */
export function promptDraft(
  document: Document,
  path: Path,
  name: string,
  completes: boolean,
  imported: Imported,
): Draft {
  const draft = createDraft(document.placeOf(path));
  const at = [...path, 'completion_llm'];
  const place = document.placeOf(at);
  const messages = [
    { role: 'user', content: 'The dialogue of each reference stands in place of this message.' },
  ];
  if (!completes) {
    imported.models[RECORDED] = { provider: 'openai', model: RECORDED };
    Object.assign(draft.value, { name, model: RECORDED, messages });
    return draft;
  }
  const { model, parameters } = llmAt(
    document,
    at,
    'completion_llm',
    imported,
    `; models: { ${UNNAMED_MODEL}: … } in the settings says which model answers`,
  ) ?? { model: UNNAMED_MODEL, parameters: {} };
  if (valueAt(document.value, [...at, 'include_system_prompt']) === false)
    imported.left.push(
      leftOut(
        place,
        'include_system_prompt',
        'the recorded system prompt is sent; a system message of the prompt replaces it',
      ),
    );
  Object.assign(draft.value, { name, model, ...parameters, messages });
  draft.from(['model'], place);
  return draft;
}
