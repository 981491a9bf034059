/*
 * Runs in QuickJS before user code. `engine` receives a function that evaluates the code on one set
 * of variables. This file keeps copies of built-ins, so user code that replaces them affects only
 * its own later evaluations.
 */
// eslint-disable-next-line @typescript-eslint/no-unused-expressions -- it is the value of the script
(function (limits) {
  'use strict';
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { is, keys, getPrototypeOf, getOwnPropertyDescriptor, defineProperty } = Object;
  const { ownKeys, deleteProperty } = Reflect;
  const { isFinite } = Number;
  const text = String;
  const evaluateGlobally = eval;
  const world = globalThis;
  const plainPrototypes = [Object.prototype, null];
  const Promised = Promise;
  const { apply } = Reflect;
  const { then } = Promise.prototype;

  let printed = '';
  let cut = false;
  const print = (...values) => {
    const line =
      values
        .map((value) =>
          typeof value === 'object' && value !== null ? stringify(value) : text(value),
        )
        .join(' ') + '\n';
    cut = cut || line.length > limits.printed - printed.length;
    printed += line.slice(0, limits.printed - printed.length);
  };
  world.console = { log: print, info: print, debug: print, warn: print, error: print };

  const names = ownKeys(world);
  const descriptors = names.map((name) => getOwnPropertyDescriptor(world, name));
  const values = names.map((name) => world[name]);

  const clear = () => {
    const present = ownKeys(world);
    for (let index = 0; index < present.length; index += 1) {
      if (present[index] !== names[index]) deleteProperty(world, present[index]);
    }
    for (let index = 0; index < names.length; index += 1) {
      if (!is(world[names[index]], values[index]))
        defineProperty(world, names[index], descriptors[index]);
    }
  };

  const kind = (value) => {
    if (typeof value !== 'object') return typeof value;
    if (value === null) return 'null';
    const name = value.constructor === undefined ? '' : value.constructor.name;
    return typeof name === 'string' && name !== '' ? name.slice(0, 80) : 'object';
  };

  const unfit = (value, room, depth) => {
    room.left -= 1 + (typeof value === 'string' ? value.length : 0);
    if (room.left < 0) return `is larger than ${limits.reply >> 10} KiB`;
    if (value === null || typeof value === 'boolean' || typeof value === 'string') return null;
    if (typeof value === 'number') return isFinite(value) ? null : 'is not a finite number';
    if (
      typeof value !== 'object' ||
      !(isArray(value) || plainPrototypes.includes(getPrototypeOf(value)))
    ) {
      return `must be plain data, not ${kind(value)}`;
    }
    if (depth >= 8) return 'is nested deeper than 8 levels';
    const list = isArray(value);
    const members = list ? null : keys(value);
    const length = list ? value.length : members.length;
    for (let index = 0; index < length; index += 1) {
      const name = list ? index : members[index];
      if (!list) room.left -= name.length;
      const why = unfit(value[name], room, depth + 1);
      if (why !== null) return why;
    }
    return null;
  };

  const readOutputs = (found, outputs) => {
    const values = {};
    const room = { left: limits.reply };
    for (let index = 0; index < outputs.length; index += 1) {
      const { name, must } = outputs[index];
      let value = found[index];
      if (!must) {
        if (typeof value !== 'string') continue;
        value = value.slice(0, limits.remark);
      }
      if (value === undefined) return { unset: name };
      if (name === 'result' && (value === 0 || value === 1)) value = value === 1;
      if (name === 'result' && typeof value !== 'boolean')
        return { unfit: `result must be true or false, not ${kind(value)}` };
      const why = unfit(value, room, 0);
      if (why !== null) return { unfit: `${name} ${why}` };
      values[name] = value;
    }
    return { values };
  };

  const describe = (error, lines) => {
    const isError = typeof error === 'object' && error !== null;
    if (isError && error.name === 'InternalError' && error.message === 'out of memory')
      return { memory: true };
    const place = /(?:<evalScript>|<input>|<eval>|eval\.js)\)?:(\d+)/.exec(
      isError ? text(error.stack) : '',
    );
    const line = place === null ? null : Math.min(Number(place[1]), lines);
    const type = isError && typeof error.name === 'string' ? error.name.slice(0, 80) : 'Error';
    const raised = { type, line, message: text(isError ? error.message : error).slice(0, 500) };
    return error === null ? { raised, nothing: true } : { raised };
  };

  const watch = (found) => {
    const open = { found, left: 0, error: null };
    for (let index = 0; index < found.length; index += 1) {
      const value = found[index];
      if (!(value instanceof Promised)) continue;
      open.left += 1;
      const settled = (came) => {
        found[index] = came;
        open.left -= 1;
      };
      const refused = (error) => {
        open.error ??= { error };
        open.left -= 1;
      };
      apply(then, value, [settled, refused]);
    }
    return open;
  };

  const finish = (reply) => {
    try {
      clear();
    } catch {
      // The code may have frozen the global object.
    }
    return stringify({ reply, printed: { text: printed, cut } });
  };

  let waiting = null;

  const settle = () => {
    const { open, wanted, lines } = waiting;
    waiting = null;
    let reply;
    try {
      if (open.error !== null) reply = describe(open.error.error, lines);
      else if (open.left > 0)
        throw new TypeError('the code waits for something that never comes: nothing waits here');
      else reply = readOutputs(open.found, wanted);
    } catch (error) {
      reply = describe(error, lines);
    }
    return finish(reply);
  };

  /** If the outputs are promises, returns undefined. `settle` then returns the reply. */
  const evaluate = (code, variables, outputs) => {
    printed = '';
    cut = false;
    let reply;
    const lines = code.split('\n').length;
    try {
      const written = parse(outputs);
      // Only checks the syntax, because `throw` comes before the code.
      if (written.length === 0) evaluateGlobally(`throw null;${code}`);
      const wanted = written.map((name) =>
        name.endsWith('?') ? { name: name.slice(0, -1), must: false } : { name, must: true },
      );
      for (const { name } of wanted) world[name] = undefined;
      const given = parse(variables);
      for (const name of keys(given)) world[name] = given[name];
      // The output names are appended to the code, because its const and let are visible only there.
      const found = evaluateGlobally(`${code}\n;[${wanted.map(({ name }) => name).join(', ')}]`);
      const open = watch(found);
      if (open.left > 0) {
        waiting = { open, wanted, lines };
        return undefined;
      }
      reply = readOutputs(found, wanted);
    } catch (error) {
      const isParsed = outputs === '[]' && error === null;
      reply = isParsed ? { values: {} } : describe(error, lines);
    }
    return finish(reply);
  };

  return { evaluate, settle };
});
