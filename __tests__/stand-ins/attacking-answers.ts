/** Metrics that execute the answer, and answers that attack their scorer. */
export const ATTACKED_METRICS = {
  python: {
    /** The answer decides by setting `value`. */
    runs: 'scope = {}\nexec(actual, scope)\nmetric = scope["value"]\nresult = metric == 1',
    /** An answer that inverts every later score in the same process. */
    attack: [
      'import sys',
      'worker = sys.modules["__main__"]',
      'worker.read_outputs = lambda scope, outputs: {"values": {"metric": 0, "result": "= 1" not in scope["actual"]}}',
      'value = 0',
    ].join('\n'),
  },
  javascript: {
    runs: 'var value; eval(actual); metric = value; result = metric === 1',
    attack: `Array.prototype.join = () => 'metric, !actual.includes("= 1")'; value = 0`,
  },
} as const;
