import { readTranscriptItem } from '../../../config/recorded.ts';
import { isMap, member, type Json, type JsonMap } from '../../../types/plain.ts';
import { listIn } from '../rows/fields.ts';
import type { CallStep } from '../rows/transcript.ts';
import type { AgentName } from '../suite/spec.ts';
import { withoutClientValues } from './normalise.ts';
import type { ReplyFacts } from './replies.ts';
import type { Call, RunRecord } from './terms.ts';

/** What the model said and which results it got, as the gateway saw it. */
export interface Witness extends Pick<RunRecord, 'steps' | 'hasTools' | 'models' | 'replies'> {
  /** Calls without a result. The id is null if the API has none. */
  open: { id: string | null; step: CallStep }[];
}

/** Agents send requests without tools only for titles and summaries. */
export function offersTools({ body }: Call): boolean {
  return listIn(body, 'tools').length > 0;
}

export function noteRequest(witness: Witness, agent: AgentName, call: Call): void {
  if (!offersTools(call)) return;
  witness.hasTools = true;
  const items = itemsIn(withoutClientValues(agent, call.body)).map(readTranscriptItem);
  const since = items.findLastIndex(({ role }) => role === 'assistant') + 1;
  for (const { given, name, output } of items.slice(since).flatMap(({ results }) => results)) {
    const found = witness.open.find(({ id, step }) => id === given || (!id && step.name === name));
    if (found === undefined) continue;
    found.step.result = output;
    witness.open = witness.open.filter((each) => each !== found);
  }
}

export function noteReply(
  witness: Witness,
  call: Call,
  { said }: ReplyFacts,
  by: keyof Witness['replies'],
): void {
  witness.replies[by] += 1;
  witness.models = [...new Set([...witness.models, call.model])];
  if (!offersTools(call)) return;
  for (const { texts, calls } of said.map(readTranscriptItem)) {
    const text = texts.join('\n');
    if (text.trim() !== '') witness.steps.push({ type: 'message', role: 'assistant', text });
    for (const { given: id, name, arguments: input } of calls) {
      const step: CallStep = { type: 'tool_call', name, arguments: input || '{}', result: null };
      witness.steps.push(step);
      witness.open.push({ id, step });
    }
  }
}

/** The conversation, as messages in the form of any vendor. */
function itemsIn(body: JsonMap): JsonMap[] {
  if ('contents' in body) return listIn(body, 'contents').flatMap(contentItems);
  return listIn(body, 'messages' in body ? 'messages' : 'input');
}

function contentItems(content: JsonMap): JsonMap[] {
  const results = listIn(content, 'parts')
    .map(({ functionResponse }) => functionResponse)
    .filter(isMap)
    .map(({ id = null, name = null, response = null }): JsonMap => {
      const output = (member(response, 'output') ?? response) as Json;
      return { role: 'tool', tool_call_id: id, name, content: output };
    });
  return results.length > 0 ? results : [{ role: content['role'] ?? 'user', content: '' }];
}
