import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { textOf } from '../../types/answer.ts';
import {
  isBatched,
  targetIdentity,
  type Complete,
  type Completion,
  type Request,
} from '../../types/model.ts';

/** Unreadable replies in a row after which a question is no longer asked. */
const MOST_UNREADABLE = 10;

/** A question to a model: the same form of reply, about different texts. */
interface Form {
  unreadable: number;
  wasRead: boolean;
  running: number;
  waiting: (() => void)[];
}

/**
 * Ends a question after ten unreadable replies in a row, so that a grader that cannot answer in the
 * form costs ten calls. Until a reply was read, at most that many are on their way. A batch is sent
 * as a whole.
 */
export function stopUnreadable(complete: Complete): Complete {
  const forms = new Map<string, Form>();
  return async (request) => {
    const { reads } = request;
    if (reads === undefined || isBatched(request.target)) return complete(request);
    const form = formOf(request, forms);
    while (!form.wasRead && isFull(form) && form.unreadable < MOST_UNREADABLE)
      await new Promise<void>((go) => form.waiting.push(go));
    if (form.unreadable >= MOST_UNREADABLE) return STOPPED;
    form.running += 1;
    const completion = await complete(request);
    form.running -= 1;
    if (completion.status === 'ok') {
      const wasRead = reads(textOf(completion));
      form.unreadable = wasRead ? 0 : form.unreadable + 1;
      form.wasRead ||= wasRead;
    }
    for (const go of form.waiting.splice(0)) go();
    return completion;
  };
}

const STOPPED: Completion = {
  status: 'error',
  kind: 'reply',
  message: `not asked: ${String(MOST_UNREADABLE)} replies in a row could not be read`,
  unsent: true,
};

function isFull({ running, unreadable }: Form): boolean {
  return running + unreadable >= MOST_UNREADABLE;
}

function formOf({ target, purpose, schema }: Request, forms: Map<string, Form>): Form {
  const key = canonicalJson({
    target: targetIdentity(target),
    purpose,
    schema: schema === null ? null : { ...schema },
  });
  const form = forms.get(key) ?? { unreadable: 0, wasRead: false, running: 0, waiting: [] };
  forms.set(key, form);
  return form;
}
