export const jest = globalThis[Symbol.for('evaldiff test jest')];
