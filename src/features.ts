import type { CommandFeatures } from './app/commands/terminal.ts';
import { agentsFeature } from './features/agents/index.ts';
import { anchorFeature } from './features/anchor/index.ts';
import { attributesFeature } from './features/attributes/index.ts';
import { batchFeature } from './features/batch/index.ts';
import { causesFeature } from './features/causes/index.ts';
import { classificationFeature } from './features/classification/index.ts';
import { conversationsFeature } from './features/conversations/index.ts';
import { coverageFeature } from './features/coverage/index.ts';
import { gradersFeature } from './features/graders/index.ts';
import { handoffFeature } from './features/handoff/index.ts';
import { historyFeature } from './features/history/index.ts';
import { importsFeature } from './features/imports/index.ts';
import { migrateFeature } from './features/migrate/index.ts';
import { noiseFeature } from './features/noise/index.ts';
import { promisesFeature } from './features/promises/index.ts';
import { publishFeature } from './features/publish/index.ts';
import { resultsOutFeature } from './features/results-out/index.ts';
import { shardsFeature } from './features/shards/index.ts';
import { workbenchFeature } from './features/workbench/index.ts';

/** Hooks and report sections of the features run in this order. */
export const FEATURES: CommandFeatures = [
  gradersFeature,
  conversationsFeature,
  classificationFeature,
  promisesFeature,
  causesFeature,
  coverageFeature,
  attributesFeature,
  anchorFeature,
  handoffFeature,
  noiseFeature,
  migrateFeature,
  publishFeature,
  resultsOutFeature,
  historyFeature,
  batchFeature,
  shardsFeature,
  workbenchFeature,
  importsFeature,
  agentsFeature,
];
