import { stripTypeScriptTypes } from 'node:module';
import type { HostSettings } from '../../../config/host-call.ts';
import { isBuiltIn, modulePath } from '../../../edges/sandbox/modules.ts';
import { withoutWarning } from '../../../edges/store/file.ts';
import { errorMessage } from '../../../errors.ts';
import { PROMPTFOO_PROGRAM } from '../../../types/model.ts';
import { type Json, type JsonMap, isMap } from '../../../types/plain.ts';
import type { ImportFiles } from '../shared/files.ts';
import { isAmong, refuse } from '../shared/node.ts';

export interface CodeFile {
  file: string;
  /** Name of the function. Empty for the default export. */
  called: string;
}

/** Parses `file://app/provider.py:answer`, `python:app/provider.py` or `provider.js`. */
export function codeFileIn(text: string, folder: string): CodeFile | null {
  const [, path = '', called = ''] =
    /^(?:file:\/\/|python:|javascript:)?(?:\.\/)?((?!\/|\.\.\/)[^\n:]+\.(?:[cm]?[jt]s|py))(?::([A-Za-z_$][\w$]*))?$/.exec(
      text.trim(),
    ) ?? [];
  if (path === '' || path.split('/').includes('..')) return null;
  return { file: folder === '' ? path : `${folder}/${path}`, called };
}

export function codeCommand(
  kind: 'provider' | 'prompt' | 'tests',
  { file, called }: CodeFile,
  { json, ...named }: { id?: string; config?: Json | undefined; json?: readonly string[] },
): string[] {
  // JSON leaves out settings that are undefined.
  const settings = { ...named, json: json?.length === 0 ? undefined : json };
  return [
    PROMPTFOO_PROGRAM,
    kind,
    called === '' ? file : `${file}:${called}`,
    JSON.stringify(settings),
  ];
}

export function codeModel(
  code: CodeFile,
  id: string,
  config: Json | undefined,
  { setup, files }: HostSettings,
  structured: readonly string[],
): JsonMap {
  // All files of the language, because the code may import any of them.
  const all = code.file.endsWith('.py') ? '**/*.py' : '**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx}';
  return {
    provider: 'program',
    command: codeCommand('provider', code, {
      id,
      config: isMap(config) ? config : undefined,
      json: structured,
    }),
    files: files.length > 0 ? files : [all],
    ...(setup.length === 0 ? {} : { setup }),
  };
}

const OUTSIDE =
  /\brequire\s*\(|^[^\S\n]*import\b(?!\.meta)|\bimport\s*\(|\bprocess\.(?!env\b\s*(?:\?|\|))\w+|\b(?:fetch|setTimeout|setInterval)\s*\(|\bXMLHttpRequest\b|\bcrypto\.|\bperformance\.|\b(?:providerResponse|logProbs)\b|\bcontext\.(?:provider|metadata|trace)\b|\bcontext\.test\.(?!vars\b|description\b)\w+/m;

const NO_CODE =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\$])*`/g;

const SANDBOX_LIMITS = 'and code runs here without files, network, packages and clocks';

function placeOfLine(line: number, file: string | null): string {
  if (file !== null) return ` at ${file}:${line}`;
  return line === 1 ? '' : ` on line ${line}`;
}

const withoutTexts = (source: string): string =>
  source.replace(NO_CODE, (text) => text.replace(/[^\n]/g, ' '));

/** The sandbox links what a `module` imports, if a text names it. */
const LINKED = /\brequire\s*\(\s*\)|^[^\S\n]*import\b(?!\s*[(.])[^\n]*/gm;

export function javascriptProblem(
  source: string,
  file: string | null = null,
  form: 'inline' | 'module' = 'inline',
): string | null {
  const plain = withoutTexts(source);
  const code =
    form === 'inline' ? plain : plain.replace(LINKED, (text) => text.replace(/[^\n]/g, ' '));
  const found = OUTSIDE.exec(code);
  if (found === null) return null;
  const line = code.slice(0, found.index).split('\n').length;
  const written = source
    .slice(found.index, found.index + 200)
    .trim()
    .split('\n', 1)[0];
  const place = placeOfLine(line, file);
  const what = found[0].trim().replace(/\s*\($/, '');
  const shown = what === 'require' || what === 'import' ? (written ?? what).slice(0, 60) : what;
  return `it uses ${shown}${place}, ${SANDBOX_LIMITS}`;
}

/** Python's standard library without files, network and processes. */
const MODULES =
  '__future__ abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 ' +
  'cProfile calendar cmath cmd code codecs codeop collections colorsys compileall concurrent ' +
  'configparser contextlib contextvars copy copyreg csv dataclasses datetime decimal difflib ' +
  'dis doctest email encodings enum errno faulthandler filecmp fnmatch fractions functools gc ' +
  'genericpath getopt getpass gettext graphlib gzip hashlib heapq hmac html importlib inspect ' +
  'io ipaddress itertools json keyword linecache locale logging lzma marshal math mimetypes ' +
  'mmap modulefinder netrc numbers opcode operator optparse os pathlib pdb pickle pickletools ' +
  'pkgutil platform plistlib posixpath pprint profile pstats py_compile pyclbr pydoc pyexpat ' +
  'queue quopri random re reprlib rlcompleter runpy sched secrets select selectors shlex ' +
  'signal site sre_compile sre_constants sre_parse stat statistics string stringprep struct ' +
  'symtable sys sysconfig tabnanny textwrap threading time timeit token tokenize tomllib trace ' +
  'traceback tracemalloc types typing unicodedata unittest urllib uuid warnings weakref xml ' +
  'zipapp zipimport zlib zoneinfo';

/** Functions and members that the sandbox lacks. */
const OUTSIDE_PYTHON =
  /(?<![.\w])open[^\S\n]*\(|\.(?:read_text|write_text|read_bytes|write_bytes)[^\S\n]*\(|\bos\.(?:environ|getenv|system|popen|listdir|walk|remove|makedirs)\b|\burllib\.request\b|\bcontext(?:\[|\.get\()["'](?:provider|providerResponse|logProbs|metadata|trace)["']/;

const PYTHON_NO_CODE =
  /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*/g;

export function pythonProblem(source: string, file: string | null = null): string | null {
  const code = source.replace(PYTHON_NO_CODE, (text) =>
    // Keeps strings of one word, because the sandbox lacks some members, such as
    // `context["trace"]`.
    /^["'][A-Za-z]+["']$/.test(text) ? text : text.replace(/[^\n]/g, ' '),
  );
  const lines = code.split('\n');
  for (const [index, line] of lines.entries()) {
    const at = placeOfLine(index + 1, file);
    const missing = modulesOf(line).find((name) => !isAmong(MODULES, name));
    if (missing !== undefined && lines[index - 1]?.trim() !== 'try:')
      return `it imports ${missing}${at}, ${SANDBOX_LIMITS}`;
    const used = OUTSIDE_PYTHON.exec(line);
    if (used !== null)
      return `it uses ${used[0].replace(/\s*\($/, '').replace(/^\./, '')}${at}, ${SANDBOX_LIMITS}`;
  }
  return null;
}

function modulesOf(line: string): string[] {
  const [, from] = /^\s*from\s+(\.|[A-Za-z_]\w*)\S*\s+import\b/.exec(line) ?? [];
  const [, names = ''] = /^\s*import\s+([\w., \t]+)/.exec(line) ?? [];
  return [
    ...(from === undefined ? [] : [from]),
    ...names.split(',').flatMap((name) => /^\s*([A-Za-z_]\w*)/.exec(name)?.[1] ?? []),
  ];
}

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
