declare module 'nunjucks/src/parser.js' {
  export type SyntaxNode = { lineno: number; colno: number } & (
    | { typename: 'Root' | 'NodeList' | 'Output' | 'Array' | 'Group'; children: SyntaxNode[] }
    | { typename: 'TemplateData' | 'Symbol'; value: string }
    | { typename: 'Literal'; value: string | number | boolean | null }
    | { typename: 'If' | 'InlineIf'; cond: SyntaxNode; body: SyntaxNode; else_: SyntaxNode | null }
    | { typename: 'For'; name: Names; arr: SyntaxNode; body: SyntaxNode; else_: SyntaxNode | null }
    | { typename: 'Set'; targets: [Name]; value: SyntaxNode }
    | { typename: 'LookupVal'; target: SyntaxNode; val: SyntaxNode }
    | { typename: 'Not'; target: SyntaxNode }
    | { typename: 'Filter'; name: Name; args: { children: [SyntaxNode, ...SyntaxNode[]] } }
    | { typename: 'Compare'; expr: SyntaxNode; ops: [{ expr: SyntaxNode; type: Operator }] }
    | { typename: 'Or' | 'And' | Operator; left: SyntaxNode; right: SyntaxNode }
  );
  type Name = { typename: 'Symbol'; value: string };
  type Names = Name | { typename: 'Array'; children: Name[] };
  type Sign = '==' | '!=' | '===' | '!==' | '<' | '>' | '<=' | '>=';
  export type Operator = 'In' | 'Add' | Sign;
  const parser: { parse(template: string): SyntaxNode };
  export default parser;
}

declare module 'nunjucks/src/filters.js' {
  const filters: Readonly<Record<string, (...given: unknown[]) => unknown>>;
  export default filters;
}
