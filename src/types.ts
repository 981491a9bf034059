/** The shared vocabulary. Types only: nothing here runs. */
export type * from './types/plain.ts';
export type * from './types/files.ts';
export type * from './types/project.ts';
export type * from './types/model.ts';
export type * from './types/batch.ts';
export type * from './types/score.ts';
export type * from './types/attributes.ts';
export type * from './types/event.ts';
export type * from './types/conversation.ts';
export type * from './types/graders.ts';
export type * from './types/result.ts';
export type * from './types/noise.ts';
