/**
 * Ways to say that one will not or cannot, after apologies and openings have been cut. Lower case,
 * plain apostrophes.
 */
const REFUSALS = [
  "i can't",
  'i cannot',
  'i can not',
  "i won't",
  'i will not',
  "i'm unable",
  'i am unable',
  "i'm not able",
  'i am not able',
  "i'm not comfortable",
  'i am not comfortable',
  'i must decline',
  'i have to decline',
  'i must refuse',
  'i have to refuse',
  "i'm not allowed",
  'i am not allowed',
  "i'm not permitted",
  'i am not permitted',
  'i refuse to',
  'i decline to',
  "i'm afraid i can't",
  "i'm afraid i cannot",
  'it would not be appropriate',
  "it wouldn't be appropriate",
];

const OPENINGS = [
  "i'm sorry",
  'i am sorry',
  'sorry',
  'i apologize',
  'i apologise',
  'my apologies',
  'apologies',
  'unfortunately',
  'as an ai language model',
  'as a language model',
  'as an ai assistant',
  'as an ai',
  'but',
  'however',
  'thank you for asking',
  'thanks for asking',
];

/** A refusal stands at the start of an answer: later ones speak of a part of it. */
const WINDOW = 400;

/**
 * The words with which an answer refuses, or null when it does not begin with a refusal. English
 * only.
 */
export function refusalIn(text: string): string | null {
  let rest = text.trimStart().slice(0, WINDOW).toLowerCase().replaceAll('’', "'");
  for (;;) {
    rest = rest.replace(/^[\s\p{P}\p{S}]{1,20}/u, '');
    const refusal = REFUSALS.find((words) => rest.startsWith(words));
    if (refusal !== undefined) return refusal;
    const opening = OPENINGS.find((words) => rest.startsWith(words));
    if (opening === undefined) return null;
    rest = rest.slice(opening.length);
  }
}
