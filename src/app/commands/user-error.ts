export { userError } from '../../errors.ts';
