import { stripTypeScriptTypes } from 'node:module';
import { isBuiltIn, modulePath } from '../../../edges/sandbox/modules.ts';
import { withoutWarning } from '../../../edges/store/file.ts';
import { errorMessage } from '../../../errors.ts';
import type { ImportFiles } from '../shared/files.ts';
import { refuse } from '../shared/node.ts';
import { javascriptProblem, withoutTexts } from './foreign-code.ts';

const MAX_MODULES_CHARS = 1024 * 1024;

const IMPORTS = /\b(?:import|export)\b[^'"`;()]*?\bfrom\s*(['"])|^\s*import\s*(['"])/gm;

const REQUIRES = /\brequire\s*\(\s*(['"])([^'"]+)\1\s*\)/g;

/** A file and all that it imports, as modules for the sandbox. Refuses packages and Node's I/O. */
export async function linkedModules(
  entry: string,
  files: ImportFiles,
): Promise<Record<string, string>> {
  const modules: Record<string, string> = {};
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (Object.hasOwn(modules, path)) continue;
    const text = (await files.textAt(path)) ?? refuse(`${path} cannot be read`);
    const { source, imports } = moduleOf(path, text);
    modules[path] = source;
    for (const name of imports) {
      const found = modulePath(path, name, files.exists);
      const line = text.slice(0, text.indexOf(name)).split('\n').length;
      if (found === null)
        refuse(
          `it imports ${name} at ${path}:${line}, ` +
            (name.startsWith('.')
              ? 'which does not exist'
              : "and packages and Node's I/O do not run here"),
        );
      if (!isBuiltIn(found)) open.push(found);
    }
    if (JSON.stringify(modules).length > MAX_MODULES_CHARS) refuse('its modules exceed 1 MiB');
  }
  return modules;
}

function moduleOf(path: string, text: string): { source: string; imports: string[] } {
  if (path.endsWith('.json')) return { source: `export default ${text}`, imports: [] };
  const code = /\.[cm]?ts$/.test(path) ? withoutTypes(path, text) : text;
  const plain = withoutTexts(code);
  const why = javascriptProblem(code, path, 'module');
  if (why !== null) refuse(why);
  const isModule = /^\s*(?:import\b(?!\s*\()|export\b)/m.test(plain);
  if (!isModule) return commonModule(path, code);
  const imports = [...code.matchAll(IMPORTS)].flatMap(({ 0: found, index }) =>
    plain.slice(index, index + found.length).trim() === ''
      ? []
      : nameAt(code, index + found.length),
  );
  return { source: code, imports };
}

const nameAt = (code: string, from: number): string[] => {
  const [name] = /^[^'"]*/.exec(code.slice(from)) ?? [];
  return name === undefined ? [] : [name];
};

/** Function() runs the text as Node runs CommonJS: not in strict mode, in its own scope. */
function commonModule(path: string, code: string): { source: string; imports: string[] } {
  const imports = [...new Set([...code.matchAll(REQUIRES)].map(([, , name = '']) => name))];
  const given = imports.map((name, at) => `import * as $${at} from ${JSON.stringify(name)};`);
  const known = imports.map((name, at) => `${JSON.stringify(name)}: $${at}.default ?? $${at}`);
  const folder = path.split('/').slice(0, -1).join('/');
  const source = `${given.join(' ')} const module = { exports: {} }, known = { ${known.join(', ')} };
Function("module", "exports", "require", "__filename", "__dirname", ${JSON.stringify(code)})(module,
module.exports, (name) => known[name], ${JSON.stringify(`/${path}`)}, ${JSON.stringify(`/${folder}`)});
export default module.exports;
${exportsOf(code)}`;
  return { source, imports };
}

/** The names that Node finds in CommonJS, which modules can import. */
function exportsOf(code: string): string {
  const [, members = ''] = /\bmodule\.exports\s*=\s*\{([^{}()]*)\}/.exec(code) ?? [];
  const names = new Set([
    ...[...code.matchAll(/\bexports\.([A-Za-z_$][\w$]*)\s*=/g)].map(([, name = '']) => name),
    ...members.split(',').flatMap((each) => /^\s*([A-Za-z_$][\w$]*)/.exec(each)?.[1] ?? []),
  ]);
  names.delete('default');
  return [...names].map((name) => `export const ${name} = module.exports.${name};`).join(' ');
}

/** Also drops imports of names that only types use. */
function withoutTypes(path: string, text: string): string {
  try {
    const code = withoutWarning('stripTypeScriptTypes', () => stripTypeScriptTypes(text));
    return code.replace(/^import\s*\{([^}]*)\}\s*from[^\n]*$/gm, (line, names: string) =>
      names.split(',').some((name) => {
        const own =
          name
            .trim()
            .split(/\s+as\s+/)
            .at(-1) ?? '';
        return own !== '' && code.replace(line, '').match(new RegExp(`\\b${own}\\b`)) !== null;
      })
        ? line
        : '',
    );
  } catch (error) {
    return refuse(`${path}: ${errorMessage(error)}`);
  }
}
