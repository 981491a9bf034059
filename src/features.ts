import type { Features } from './app/run/feature.ts';
import { attributes } from './features/attributes/index.ts';
import { causes } from './features/causes/index.ts';
import { conversations } from './features/conversations/index.ts';
import { graders } from './features/graders/index.ts';
import { history } from './features/history/index.ts';

/** Every feature. Hooks and sections are called in this order. */
export const FEATURES: Features = [attributes, graders, conversations, causes, history];
