import { lastWords } from '../../metrics/verdict.ts';
import { textOf } from '../../types/answer.ts';
import { isBatched, targetIdentity, type Complete, type Completion } from '../../types/model.ts';

const MOST_UNREADABLE = 10;

function stoppedForm({ said }: QuestionForm): Completion {
  const message =
    `no call was made: ${MOST_UNREADABLE} replies in a row could not be read, ` +
    `the last one: ${lastWords(said)}`;
  return { status: 'error', kind: 'reply', message, unsent: true };
}

/**
 * Stops requests of one target, purpose and schema after ten unreadable replies in a row. Until one
 * reply is readable, at most ten are in flight.
 */
export function stopUnreadable(complete: Complete): Complete {
  const forms = new Map<string, QuestionForm>();
  return async (request) => {
    const { reads, target, purpose, schema } = request;
    if (reads === undefined || isBatched(target)) return complete(request);
    const key = JSON.stringify([targetIdentity(target), purpose, schema]);
    const form = forms.get(key) ?? { ...NEW_FORM, waiting: [] };
    forms.set(key, form);
    while (mustWait(form)) await new Promise<void>((go) => form.waiting.push(go));
    if (form.unreadable >= MOST_UNREADABLE) return stoppedForm(form);
    form.running += 1;
    try {
      const completion = await complete(request);
      if (completion.status === 'ok') {
        form.said = textOf(completion);
        note(form, reads(form.said));
      }
      return completion;
    } finally {
      form.running -= 1;
      for (const go of form.waiting.splice(0)) go();
    }
  };
}

interface QuestionForm {
  /** The last reply. */
  said: string;
  unreadable: number;
  wasRead: boolean;
  running: number;
  waiting: (() => void)[];
}

const NEW_FORM = { said: '', unreadable: 0, wasRead: false, running: 0 };

function mustWait({ unreadable, wasRead, running }: QuestionForm): boolean {
  const isFull = running + unreadable >= MOST_UNREADABLE;
  return !wasRead && isFull && unreadable < MOST_UNREADABLE;
}

function note(form: QuestionForm, isRead: boolean): void {
  form.unreadable = isRead ? 0 : form.unreadable + 1;
  form.wasRead ||= isRead;
}
