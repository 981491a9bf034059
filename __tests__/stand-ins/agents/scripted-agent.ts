import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = new URL('../../../fixtures/agents/agent.mjs', import.meta.url);

export const SCRIPTED_AGENT_FILE = fileURLToPath(FILE);

/** The source of an agent that follows simple rules in its instructions. */
export const SCRIPTED_AGENT = readFileSync(FILE, 'utf8');
