import { posix } from 'node:path';

/** What Node's own modules offer here: only functions of their arguments. */
const BUILT_IN: Readonly<Record<string, string>> = {
  path: `const clean = (path) => { const out = []; for (const step of path.split('/')) {
if (step === '..' && out.length > 0 && out.at(-1) !== '..') out.pop();
else if (step !== '' && step !== '.' && (step !== '..' || path[0] !== '/')) out.push(step); }
return (path[0] === '/' ? '/' : '') + out.join('/') || '.'; };
const sep = '/', isAbsolute = (path) => path[0] === '/', normalize = clean;
const join = (...paths) => clean(paths.filter((path) => path !== '').join('/'));
const resolve = (...paths) => clean(paths.reduce((all, path) => isAbsolute(path) ? path : all + '/' + path, '/'));
const dirname = (path) => clean(path + '/..');
const basename = (path, end = '') => { const name = path.split('/').filter(Boolean).at(-1) ?? '';
return end !== '' && name !== end && name.endsWith(end) ? name.slice(0, -end.length) : name; };
const extname = (path) => /[^/](\\.[^./]*)$/.exec(path)?.[1] ?? '';
export { sep, isAbsolute, normalize, join, resolve, dirname, basename, extname };
export default { sep, isAbsolute, normalize, join, resolve, dirname, basename, extname };`,
  url: `const fileURLToPath = (url) => decodeURIComponent(String(url).replace(/^file:\\/\\//, ''));
const { URL, URLSearchParams } = globalThis;
export { URL, URLSearchParams, fileURLToPath };
export default { URL, URLSearchParams, fileURLToPath };`,
  assert: `const assert = (value, message = 'assertion failed') => {
if (!value) throw message instanceof Error ? message : new Error(message); };
const json = (value) => JSON.stringify(value);
const ok = (value, message) => assert(value, message);
const strictEqual = (a, b, message) => assert(Object.is(a, b), message ?? json(a) + ' !== ' + json(b));
const deepStrictEqual = (a, b, message) => strictEqual(json(a), json(b), message);
const match = (text, pattern, message) => assert(pattern.test(text), message);
Object.assign(assert, { ok, strictEqual, deepStrictEqual, match, equal: strictEqual, strict: assert });
export { ok, strictEqual, deepStrictEqual, match };
export default assert;`,
};

const ENDINGS = ['', '.js', '.ts', '.mjs', '.cjs', '.mts', '.json', '/index.js', '/index.ts'];

/** The path or built-in module that a specifier in the file `from` names. Null: a package. */
export function modulePath(
  from: string,
  specifier: string,
  exists: (path: string) => boolean,
): string | null {
  const name = specifier.replace(/^node:/, '');
  if (Object.hasOwn(BUILT_IN, name)) return name;
  if (!/^\.\.?\//.test(specifier)) return exists(specifier) ? specifier : null;
  const path = posix.join(posix.dirname(from), specifier);
  // TypeScript names the file that the compiler would write.
  const paths = [...ENDINGS.map((end) => `${path}${end}`), path.replace(/\.([cm]?)js$/, '.$1ts')];
  return paths.find(exists) ?? null;
}

export const isBuiltIn = (path: string): boolean => Object.hasOwn(BUILT_IN, path);

export function moduleLoader(modules: Readonly<Record<string, string>>) {
  const missing = (name: string) => ({ error: new Error(`there is no module ${name}`) });
  return {
    load: (path: string) => modules[path] ?? BUILT_IN[path] ?? missing(path),
    resolve: (from: string, specifier: string) =>
      modulePath(from, specifier, (path) => Object.hasOwn(modules, path)) ?? missing(specifier),
  };
}
