import daily from './jest.config.js';
import full from './jest.full.config.js';

/**
 * What CI runs: `npm test` and `npm run test:full` at once, so that the cores wait only once for
 * the last test.
 *
 * @type {import('jest').Config}
 */
export default { ...daily, projects: [...daily.projects, ...full.projects] };
