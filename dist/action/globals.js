/*
 * Runs in QuickJS before guest.js and adds missing globals, such as Intl and Buffer. For facts
 * about languages and encodings, it asks the host. Only text crosses the boundary.
 */
// eslint-disable-next-line @typescript-eslint/no-unused-expressions -- it is the value of the script
(function (call, now) {
  'use strict';
  const world = globalThis;
  const { parse, stringify } = JSON;
  const { isArray, from: listFrom } = Array;
  const { defineProperty, keys, getPrototypeOf } = Object;

  const ask = (question) => {
    const answer = parse(call(stringify(question)));
    if (answer.error === undefined) return answer.value;
    const { name, message } = answer.error;
    throw name === 'RangeError' ? new RangeError(message) : new TypeError(message);
  };

  const hidden = (target, name, value) => {
    defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
  };

  // A constant clock, because the time would reveal whether base or head is scored.
  const RealDate = Date;
  world.Date = function Date(...parts) {
    if (new.target === undefined) return new RealDate(now).toString();
    const own = parts.length === 0 ? [now] : parts;
    return Reflect.construct(RealDate, own, new.target);
  };
  world.Date.prototype = RealDate.prototype;
  for (const [name, value] of [
    ['now', () => now],
    ['parse', RealDate.parse],
    ['UTC', RealDate.UTC],
  ])
    hidden(world.Date, name, value);
  hidden(RealDate.prototype, 'constructor', world.Date);
  hidden(world, 'Date', world.Date);

  const serviceOf = (type, methods) => {
    const Service = {
      [type]: function (locales, options) {
        if (new.target === undefined) return new Service(locales, options);
        const request = (method, ...args) => ask({ intl: type, locales, options, method, args });
        request('resolvedOptions');
        hidden(this, 'resolvedOptions', () => request('resolvedOptions'));
        for (const [method, prepare, finish = (value) => value] of methods)
          hidden(this, method, (...args) => finish(request(method, ...prepare(args)), args));
      },
    }[type];
    hidden(Service, 'supportedLocalesOf', (locales) => (isArray(locales) ? locales : [locales]));
    return Service;
  };
  const asNumber = ([value]) => [String(value)];
  const asDate = ([value]) => [Number(value === undefined ? Date.now() : value)];
  const asTexts = (values) => values.map(String);
  const Collator = serviceOf('Collator', [['compare', asTexts]]);
  const NumberFormat = serviceOf('NumberFormat', [
    ['format', asNumber],
    ['formatToParts', asNumber],
  ]);
  const DateTimeFormat = serviceOf('DateTimeFormat', [
    ['format', asDate],
    ['formatToParts', asDate],
  ]);
  world.Intl = {
    Collator,
    NumberFormat,
    DateTimeFormat,
    PluralRules: serviceOf('PluralRules', [['select', asNumber]]),
    ListFormat: serviceOf('ListFormat', [['format', ([list]) => [listFrom(list, String)]]]),
    RelativeTimeFormat: serviceOf('RelativeTimeFormat', [
      ['format', ([value, unit]) => [String(value), String(unit)]],
    ]),
    DisplayNames: serviceOf('DisplayNames', [['of', asTexts]]),
    Segmenter: serviceOf('Segmenter', [
      [
        'segment',
        ([text]) => [String(text)],
        (segments, [text]) => ({
          [Symbol.iterator]: () => segments[Symbol.iterator](),
          containing: (index = 0) =>
            segments.findLast((each) => each.index <= index && index < String(text).length),
        }),
      ],
    ]),
  };
  hidden(Number.prototype, 'toLocaleString', function (locales, options) {
    return new NumberFormat(locales, options).format(this);
  });
  hidden(String.prototype, 'localeCompare', function (other, locales, options) {
    return new Collator(locales, options).compare(this, other);
  });
  for (const method of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
    hidden(Date.prototype, method, function (locales, options) {
      return ask({ date: Number(this), locales, options, method });
    });
  }

  class Buffer extends Uint8Array {
    static from(value, encoding) {
      if (typeof value === 'string')
        return new Buffer(ask({ encode: value, encoding: encoding ?? 'utf8' }));
      return new Buffer(value instanceof ArrayBuffer ? new Uint8Array(value) : listFrom(value));
    }
    static alloc(size, fill = 0) {
      return new Buffer(size).fill(fill);
    }
    static concat(list) {
      return new Buffer(listFrom(list).flatMap((bytes) => listFrom(bytes)));
    }
    static isBuffer(value) {
      return value instanceof Buffer;
    }
    static byteLength(value, encoding) {
      return typeof value === 'string' ? Buffer.from(value, encoding).length : value.byteLength;
    }
    toString(encoding = 'utf8', start = 0, end = this.length) {
      return ask({ decode: listFrom(this.subarray(start, end)), encoding });
    }
    toJSON() {
      return { type: 'Buffer', data: listFrom(this) };
    }
    equals(other) {
      return this.length === other.length && this.every((byte, index) => byte === other[index]);
    }
  }
  world.Buffer = Buffer;
  world.TextEncoder = class TextEncoder {
    encode(text = '') {
      return new Uint8Array(ask({ encode: String(text), encoding: 'utf8' }));
    }
  };
  world.TextDecoder = class TextDecoder {
    decode(bytes = []) {
      const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
      return ask({ decode: listFrom(view), encoding: 'utf8' });
    }
  };
  world.btoa = (text) => Buffer.from(String(text), 'latin1').toString('base64');
  world.atob = (text) => Buffer.from(String(text), 'base64').toString('latin1');

  class URLSearchParams {
    #pairs;
    constructor(given = '') {
      this.#pairs =
        typeof given === 'string'
          ? ask({ query: given })
          : (given[Symbol.iterator] === undefined ? Object.entries(given) : listFrom(given)).map(
              asTexts,
            );
    }
    get(name) {
      return this.getAll(name)[0] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter(([key]) => key === name).map(([, value]) => value);
    }
    has(name) {
      return this.getAll(name).length > 0;
    }
    get size() {
      return this.#pairs.length;
    }
    keys() {
      return this.#pairs.map(([key]) => key).values();
    }
    values() {
      return this.#pairs.map(([, value]) => value).values();
    }
    entries() {
      return this.#pairs.values();
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    forEach(visit) {
      for (const [key, value] of this.#pairs) visit(value, key, this);
    }
    toString() {
      return ask({ pairs: this.#pairs });
    }
  }
  world.URLSearchParams = URLSearchParams;
  world.URL = class URL {
    constructor(address, base) {
      const parts = ask({
        url: String(address),
        ...(base === undefined ? {} : { base: String(base) }),
      });
      for (const name of keys(parts)) this[name] = parts[name];
      hidden(this, 'searchParams', new URLSearchParams(parts.search));
    }
    static canParse(address, base) {
      try {
        return new URL(address, base) !== null;
      } catch {
        return false;
      }
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
  };

  const cloneOf = (value, known) => {
    if (typeof value === 'function' || typeof value === 'symbol')
      throw new TypeError(`${String(value).slice(0, 80)} could not be cloned.`);
    if (typeof value !== 'object' || value === null) return value;
    if (known.has(value)) return known.get(value);
    const keep = (copy) => {
      known.set(value, copy);
      return copy;
    };
    if (value instanceof Date) return keep(new Date(value));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (ArrayBuffer.isView(value)) return keep(value.slice());
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [key, member] of value) copy.set(cloneOf(key, known), cloneOf(member, known));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const member of value) copy.add(cloneOf(member, known));
      return copy;
    }
    if (value instanceof Error) return keep(new (getPrototypeOf(value).constructor)(value.message));
    const copy = keep(isArray(value) ? [] : {});
    for (const key of keys(value)) copy[key] = cloneOf(value[key], known);
    return copy;
  };
  world.structuredClone = (value) => cloneOf(value, new Map());
});
