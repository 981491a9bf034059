import type { Generation } from '../kernel/select/affected-suite.ts';

export function questionOf({
  draw,
  fingerprint,
}: Exclude<Generation, { kind: 'impossible' }>): string {
  return draw === undefined ? fingerprint : fingerprint.slice(0, -drawMark(draw).length);
}

function drawMark(draw: number): string {
  return ` draw ${draw}`;
}

/** Repeats a question. The `draw` number keeps earlier answers from being reused. */
export function drawnAgain(generation: Generation, draw: number): Generation {
  if (generation.kind === 'impossible') return generation;
  return { ...generation, fingerprint: `${generation.fingerprint}${drawMark(draw)}`, draw };
}
