/**
 * All charts. The library that draws them is large, so this is imported where a chart is drawn, by `import()`, and nowhere
 * else: a run without charts does not load it.
 */
export { trendChart, type TrendDrawing, type TrendPoint } from './trend.ts';
