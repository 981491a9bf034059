import { vendorNames } from '../../src/types/vendors.ts';
import { vendorContract } from './vendor-contract.ts';

describe.each(vendorNames())('%s', vendorContract);
