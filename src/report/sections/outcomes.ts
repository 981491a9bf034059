import { conclusionOf } from '../../judge/outcome.ts';
import type { RunOutcome } from '../../result/outcome.ts';
import type { Result } from '../../result/result.ts';
import { count, counted } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import { text, type Line, type Tone } from './document.ts';
import { rowOf } from './outcome-table.ts';

/** The one line at which a reviewer can stop. */
interface Headline {
  sign: string;
  tone: Tone;
  /** The outcome in words. */
  outcome: string;
  /** The worst suite with its rates; empty where no suite stands for the outcome. */
  subject: Line;
  /** The numbers behind it. */
  line: Line;
}

/** What the result's outcome is called, with its numbers, interval and size. */
export function headline(result: Result): Headline {
  const { outcome } = result;
  const row = rowOf(outcome);
  const { subject, line } = row.line(result, outcome);
  const [first, said] = [evidenceFirst(outcome), ungradedIn(outcome)];
  const instead = replacedIn(outcome);
  const last = line.at(-1);
  const begun = last !== undefined && 'text' in last && !last.text.endsWith('.') ? ';' : '';
  return {
    sign: row.sign,
    tone: row.tone,
    outcome: row.words(outcome),
    // Who answered in a model's place is part of the first line.
    subject:
      instead === null
        ? subject
        : [...subject, text(`${subject.length === 0 ? '' : '; '}${instead}`)],
    line: [
      ...(first === null ? [] : [text(`${first}. `)]),
      ...line,
      ...(said === null ? [] : [text(`${begun} ${said}.`)]),
    ],
  };
}

/** GitHub's limit for titles that annotations and checks share. */
const TITLE_LIMIT = 255;

/** The outcome in one line of at most 255 characters, its end kept. */
function titleOf(outcome: RunOutcome): string {
  const said = caution(outcome);
  const first = evidenceFirst(outcome);
  const title = `${first === null ? '' : `${first}. `}${rowOf(outcome).title(outcome)}`;
  if (said === null) return shorten(title, TITLE_LIMIT);
  const end = `; ${said}`;
  return `${shorten(title.replace(/\.$/, ''), TITLE_LIMIT - end.length)}${end}`;
}

/** The fields of a result that follow from its outcome. */
export function outcomeFields(
  outcome: RunOutcome,
): Pick<Result, 'outcome' | 'conclusion' | 'title'> {
  return { outcome, conclusion: conclusionOf(outcome), title: titleOf(outcome) };
}

/** How many references could be compared, where it is not all: said before anything else. */
function evidenceFirst(outcome: RunOutcome): string | null {
  if (outcome.kind === 'overridden') return evidenceFirst(outcome.by);
  const evidence = 'evidence' in outcome ? (outcome.evidence ?? null) : null;
  if (evidence === null) return null;
  const alone = outcome.kind === 'evaluated' || outcome.kind === 'no-verdict';
  return `${count(evidence.references)} of ${counted(evidence.of, 'reference')} ${alone ? 'judged' : 'compared'}`;
}

/** What has to be known of any outcome beside what it is called; null: nothing. */
function caution(outcome: RunOutcome): string | null {
  const said = [replacedIn(outcome), ungradedIn(outcome)].filter((part) => part !== null);
  return said.length === 0 ? null : said.join('; ');
}

function replacedIn(outcome: RunOutcome): string | null {
  if (outcome.kind === 'overridden') return replacedIn(outcome.by);
  return 'replaced' in outcome ? outcome.replaced : null;
}

function ungradedIn(outcome: RunOutcome): string | null {
  if (outcome.kind === 'overridden') return ungradedIn(outcome.by);
  if (!('ungraded' in outcome) || outcome.ungraded === null) return null;
  const { tries, of } = outcome.ungraded;
  return `${count(tries)} of ${count(of)} tries have no readable grade`;
}
