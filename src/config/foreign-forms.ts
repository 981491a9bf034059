/**
 * Other tools' variables with one of these names: `{{name}}`, `{{ name }}`, `${name}`, `{{$name}}`,
 * `{% if name %}`. `message`: what is sent instead.
 */
export function foreignForms(
  template: string,
  names: readonly string[],
): { name: string; written: string; message: string }[] {
  const forms = template.matchAll(/(?<!\{)\{\{([^{}]*)\}\}(?!\})|\$\{(\w+)\}|\{%([^{}]*)%\}/g);
  const found = [...forms].flatMap(([written, doubled = '', dollar = '', tag = '']) => {
    // Text after a quote, a colon or a filter is not a variable.
    const [words = ''] = `${doubled}${dollar}${tag}`.split(/["':|]/);
    const name = words.match(/\w+/g)?.find((word) => names.includes(word));
    if (name === undefined) return [];
    const plain =
      doubled === name ? `sends the literal text {${name}}` : 'is sent as it is written';
    const sends = dollar === '' ? plain : 'sends a $ before the value';
    const message = `${written} ${sends}; write {${name}} to insert the variable`;
    return [[written, { name, written, message }] as const];
  });
  return [...new Map(found).values()];
}
