/** Said of references; reports do not repeat it where they show the errors. */
export const ENDED_IN_ERROR = 'had tries that ended in an error; those are not counted';
