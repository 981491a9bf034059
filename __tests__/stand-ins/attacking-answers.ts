/** Metrics that run the answer, and answers that attack what scores them. */
export const ATTACKED_METRICS = {
  python: {
    /** What the answer leaves in `value` decides. */
    runs: 'scope = {}\nexec(actual, scope)\nmetric = scope["value"]\nresult = metric == 1',
    /** From here on whatever is scored in this process turns out the other way round. */
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
