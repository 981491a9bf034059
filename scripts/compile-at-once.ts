import ts from 'typescript';

/**
 * The code of a bundle with each module's function in parentheses, to V8 a sign that it is called
 * soon: it then compiles it along with the file, and Node keeps it compiled. Otherwise V8 reads it
 * twice at every start, over it first and once more when it is called. Minifiers drop such
 * parentheses, so this comes after them.
 */
export function compileAtOnce(code: string): string {
  const file = ts.createSourceFile('bundle.js', code, ts.ScriptTarget.Latest);
  const functions: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isNumericLiteral(node.name))
      functions.push(...moduleFunctions(node.initializer));
    else if (!isFunction(node)) ts.forEachChild(node, visit);
  };
  visit(file);
  const signs = functions.flatMap((node) => [
    { at: node.getStart(file), sign: '(' },
    { at: node.end, sign: ')' },
  ]);
  let signed = '';
  let from = 0;
  for (const { at, sign } of signs.sort((a, b) => a.at - b.at)) {
    signed += code.slice(from, at) + sign;
    from = at;
  }
  return signed + code.slice(from);
}

function isFunction(node: ts.Node): node is ts.ArrowFunction | ts.FunctionExpression {
  return ts.isArrowFunction(node) || ts.isFunctionExpression(node);
}

/** A module's function; one that waits for another has its code in a second, `n.a(e, async …)`. */
function moduleFunctions(node: ts.Node): ts.Node[] {
  if (!isFunction(node)) return [];
  const calls = ts.isBlock(node.body) ? node.body.statements : [node.body];
  const inner = calls
    .map((call) => (ts.isExpressionStatement(call) ? call.expression : call))
    .flatMap((call) => (ts.isCallExpression(call) ? [...call.arguments] : []))
    .filter(isFunction);
  return [node, ...inner];
}
