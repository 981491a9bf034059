import { pathsOf, readTemplate, variableOf } from '../config/templates.ts';
import { placeholders } from '../kernel/suite/template.ts';
import { HIDDEN } from '../text/visible.ts';

/**
 * A line from a model must not contain new variables, because a template would replace or execute
 * them.
 */
export function isSafeLine(draft: string, known: readonly string[]): boolean {
  const names = new Set(known.flatMap((text) => placeholders(text).map(({ name }) => name)));
  return (
    draft.trim() !== '' &&
    !/[\r\n\u2028\u2029]/.test(draft) &&
    !new RegExp(HIDDEN.source, HIDDEN.flags.replace('g', '')).test(draft) &&
    placeholders(draft).every(({ name }) => names.has(name)) &&
    hasOnlyKnownTags(draft, known)
  );
}

function hasOnlyKnownTags(draft: string, known: readonly string[]): boolean {
  const namesIn = (text: string) => {
    const template = readTemplate(text);
    const isOpen =
      template.ok && template.parts.some((part) => 'text' in part && part.text.includes('{{'));
    return template.ok && !isOpen ? pathsOf(template).map(variableOf) : null;
  };
  const names = known.flatMap((text) => namesIn(text) ?? []);
  return namesIn(draft)?.every((name) => names.includes(name)) ?? false;
}

/**
 * A fix's author (a model) does not see the withheld references, so an overfitted draft fails on
 * them. Alternates between both groups, because the list is sorted by drop.
 */
export function splitFallen<Reference>(
  fell: readonly Reference[],
): Record<'shown' | 'withheld', readonly Reference[]> {
  if (fell.length < 2) return { shown: fell, withheld: fell };
  const half = (rest: number) => fell.filter((_, at) => at % 2 === rest);
  return { shown: half(0), withheld: half(1) };
}
