import { parse, type DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;

/** All elements of a page, in the order of their start tags. */
export function elementsOfPage(html: string): Element[] {
  return below(parse(html));
}

/** All elements inside a node. */
export function below(node: Node): Element[] {
  if (!('childNodes' in node)) return [];
  return node.childNodes.flatMap((child) =>
    'tagName' in child ? [child, ...below(child)] : below(child),
  );
}

export function attributeOf(element: Element | undefined, name: string): string | undefined {
  return element?.attrs.find((attribute) => attribute.name === name)?.value;
}

/** The concatenated texts inside a node. */
export function textOf(node: Node): string {
  return textsIn(node).join('');
}

function textsIn(node: Node): string[] {
  if ('value' in node) return [node.value];
  return 'childNodes' in node ? node.childNodes.flatMap(textsIn) : [];
}
