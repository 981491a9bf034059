/**
 * Values that differ between equal runs, and so must not affect keys of stored replies. Patterns
 * include surrounding words to avoid matches in other text.
 */
export type Normaliser = { why: string } & (
  | { fields: readonly string[]; at: 'top' | 'anywhere' }
  | { text: RegExp; in: 'messages' | 'results' }
);

export const COMMON_NORMALISERS: readonly Normaliser[] = [
  {
    why: 'ids of calls: the agent or the vendor generates them, and their order is enough',
    fields: ['call_id', 'tool_use_id', 'tool_call_id', 'id'],
    at: 'anywhere',
  },
  {
    why: 'the date in the first message',
    text: /(?<=(?:today's date|current_date|current date)(?: is)?[:> ]+)[A-Z0-9][^\n.<]{5,40}/gi,
    in: 'messages',
  },
];

export const SESSION_FIELDS: Normaliser = {
  why: 'ids of account, device and session, for telemetry and routing',
  fields: ['metadata', 'client_metadata', 'prompt_cache_key', 'user', 'safety_identifier'],
  at: 'top',
};

export const SESSION_FOLDERS: Normaliser = {
  why: 'folders of the session',
  text: /(?<=[/\\])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
  in: 'messages',
};
