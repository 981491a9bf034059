import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { commandIn } from '../../stand-ins/command-line.ts';
import { createRepository, removeTemporaryFolders, temporaryFolder } from '../../stand-ins/repository.ts';
