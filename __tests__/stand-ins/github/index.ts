/** GitHub as a run that publishes sees it. */
export * from './server.ts';
export * from './state.ts';
