import type { Generation } from '../kernel/select/affected-suite.ts';

export function questionOf(generation: Exclude<Generation, { kind: 'impossible' }>): string {
  const { draw } = generation.kind === 'code' ? {} : generation;
  return draw === undefined
    ? generation.fingerprint
    : generation.fingerprint.slice(0, -drawMark(draw).length);
}

function drawMark(draw: number): string {
  return ` draw ${draw}`;
}

/** Repeats a question. The `draw` number keeps earlier answers from being reused. */
export function drawnAgain(generation: Generation, draw: number): Generation {
  if (generation.kind === 'impossible') return generation;
  const fingerprint = `${generation.fingerprint}${drawMark(draw)}`;
  return generation.kind === 'code'
    ? { ...generation, fingerprint }
    : { ...generation, fingerprint, draw };
}
