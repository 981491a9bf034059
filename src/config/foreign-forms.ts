import { nearest } from '../text/suggest.ts';

/**
 * Finds variables in another tool's syntax, such as `{{name}}`, `${name}`, `{{$name}}` or `{% if
 * name %}`. Also finds misspellings of variables in `unused`.
 */
export function foreignForms(
  template: string,
  names: readonly string[],
  unused: readonly string[],
): { name: string; written: string; message: string }[] {
  const forms = template.matchAll(/(?<!\{)\{\{([^{}]*)\}\}(?!\})|\$\{(\w+)\}|\{%([^{}]*)%\}/g);
  const found = [...forms].flatMap(([written, doubled = '', dollar = '', tag = '']) => {
    // The variable is before the first quote, colon or filter sign.
    const [words = ''] = `${doubled}${dollar}${tag}`.split(/["':|]/);
    const exact = words.match(/\w+/g)?.find((word) => names.includes(word));
    const name = exact ?? nearest(doubled.trim(), unused, 'strict');
    if (name === null) return [];
    const plain = /^\w+$/.test(doubled)
      ? `sends the text {${doubled}} to the model, not the value`
      : 'is sent to the model as it is written';
    const sends = dollar === '' ? plain : 'sends a $ before the value to the model';
    const message = `${written} ${sends}; write {${name}} to insert the variable`;
    return [[written, { name, written, message }] as const];
  });
  return [...new Map(found).values()];
}
