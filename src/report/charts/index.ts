/**
 * All charts. The library that draws them is large, so this is imported where a chart is drawn, by
 * `import()`, and nowhere else: a run without charts does not load it.
 */
export { priorChart, type PriorRow } from './prior.ts';
export { qualityCostChart, type CostPoint } from './quality-cost.ts';
export { sidesChart, type SidesRow } from './sides.ts';
export { trendChart, type TrendDrawing, type TrendPoint } from './trend.ts';
