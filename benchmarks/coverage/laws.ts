/** What is planted in a simulated prompt. Shares are of the lines. */
export interface Law {
  name: string;
  about: string;
  lines: number;
  references: number;
  /** Answers with all lines, for each reference. */
  stored: number;
  held: number;
  /** Number of pairs of lines of which either is enough. */
  pairs: number;
  /** Lines that change answers but fail no reference. The rest has no effect. */
  untested: number;
  /** How often a reference passes with all lines, and how far references differ in that. */
  rate: number;
  spread: number;
  /** How often a reference passes without a line that it needs. */
  broken: readonly [number, number];
  /** A held line is needed by 1 to `most` references, and by a third of all in `wide` of the lines. */
  most: number;
  wide: number;
  /** Share of an answer's words that differ from try to try. */
  varies: number;
  /** An untested line changes so many words in such a share of the references. */
  scope: readonly [number, number];
  words: readonly [number, number];
  /** How much all references sink if every line is away, whatever they need. */
  order: number;
  /** Share of held lines whose loss is not seen while another line is away. */
  masked: number;
  /** How well shared words tell which line a reference needs; 0: not at all. */
  hint: number;
  /** Fewer runs, because one takes long. */
  isLarge: boolean;
  /** Its rates of wrong lines may be above the goal. */
  isHard: boolean;
}

const PLAIN: Law = {
  name: 'plain',
  about: 'tries pass in 90 %',
  lines: 20,
  references: 30,
  stored: 3,
  held: 0.45,
  pairs: 1,
  untested: 0.25,
  rate: 0.9,
  spread: 0,
  broken: [0.02, 0.2],
  most: 6,
  wide: 0.1,
  varies: 0.15,
  scope: [0.3, 1],
  words: [2, 6],
  order: 0,
  masked: 0,
  hint: 0,
  isLarge: false,
  isHard: false,
};

function law(name: string, about: string, own: Partial<Law>): Law {
  return { ...PLAIN, name, about, ...own };
}

export const LAWS: readonly Law[] = [
  PLAIN,
  law('sure', 'tries always pass, answers never vary', { rate: 1, varies: 0, broken: [0, 0] }),
  law('noise 0.8', 'tries pass in 80 %, 30 % of the words vary', { rate: 0.8, varies: 0.3 }),
  law('uneven', 'references pass in 65 to 100 %', { rate: 0.85, spread: 0.2 }),
  law('narrow', 'each held line is needed by one reference', { most: 1, wide: 0 }),
  law('half', 'without a line, half of the tries pass', { broken: [0.4, 0.6], isHard: true }),
  law('three pairs', 'six lines are held together', { pairs: 3, held: 0.3 }),
  law('all held', '', { held: 1, pairs: 0, untested: 0 }),
  law('all untested', '', { held: 0, pairs: 0, untested: 1 }),
  law('all idle', '', { held: 0, pairs: 0, untested: 0 }),
  law('faint', 'untested lines change 1–2 words in 20–50 % of the answers', {
    words: [1, 2],
    scope: [0.2, 0.5],
  }),
  law('lone', 'each untested line changes the answers of one reference', { scope: [0, 0] }),
  law('sure lone', 'so, and answers never vary', {
    ...{ rate: 1, varies: 0, broken: [0, 0] },
    scope: [0, 0],
  }),
  law('order', 'all references sink by up to 15 points as lines go', { order: 0.15 }),
  law('masked', 'a quarter of the losses hides behind another', { masked: 0.25 }),
  law('hinted', 'shared words tell something', { hint: 1 }),
  law('one stored', 'one answer with all lines', { stored: 1 }),
  law('five stored', 'five', { stored: 5 }),
  law('7 × 10', '7 lines, 10 references', { lines: 7, references: 10, pairs: 0 }),
  law('40 × 60', '40 lines, 60 references', { lines: 40, references: 60, pairs: 2 }),
  law('60 × 100', '60 lines, 100 references', {
    lines: 60,
    references: 100,
    pairs: 3,
    isLarge: true,
  }),
];
