import type { Features } from './app/run/feature.ts';
import { attributesFeature } from './features/attributes/index.ts';
import { causesFeature } from './features/causes/index.ts';
import { conversationsFeature } from './features/conversations/index.ts';
import { gradersFeature } from './features/graders/index.ts';
import { historyFeature } from './features/history/index.ts';

/** Every feature. Hooks and sections are called in this order. */
export const FEATURES: Features = [
  attributesFeature,
  gradersFeature,
  conversationsFeature,
  causesFeature,
  historyFeature,
];

export { FORMATS } from './features/imports/formats.ts';
