/** GitHub as a run sees it that publishes reports. */
export * from './server.ts';
export * from './state.ts';
