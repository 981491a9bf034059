import ts from 'typescript';

/**
 * Puts each module's function of a bundle in parentheses. V8 takes that as a hint to compile it
 * with the file, and Node then caches it. Otherwise V8 parses each function twice at every start.
 * Minifiers drop such parentheses, so this runs after them.
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

/**
 * A module's function. A module that awaits another has its code in a second function, `n.a(e,
 * async …)`.
 */
function moduleFunctions(node: ts.Node): ts.Node[] {
  if (!isFunction(node)) return [];
  const calls = ts.isBlock(node.body) ? node.body.statements : [node.body];
  const inner = calls
    .map((call) => (ts.isExpressionStatement(call) ? call.expression : call))
    .flatMap((call) => (ts.isCallExpression(call) ? [...call.arguments] : []))
    .filter(isFunction);
  return [node, ...inner];
}
