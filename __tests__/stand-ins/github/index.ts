/** A simulated GitHub for runs that publish reports. */
export * from './server.ts';
export * from './state.ts';
