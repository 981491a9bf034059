import type { Activity } from '../../edges/providers/clock.ts';
import { fileBytes } from '../../edges/providers/vendors/files.ts';
import type { AnswerEndpoint, Ask, BatchLimits } from '../../edges/providers/vendors/vendor.ts';
import type { Hold } from '../../types/hold.ts';
import type { Request } from '../../types/model.ts';
import type { RequestOutcome } from './batch-results.ts';
import type { ManagedServer } from './batch-server.ts';

interface Packer<T> {
  /** Returns a batch once it is full, else null. An item that is too large is sent alone. */
  add(item: T, bytes: number): readonly T[] | null;
  take(): readonly T[];
}

export function createPacker<T>(limits: BatchLimits): Packer<T> {
  let items: T[] = [];
  let size = 0;
  const take = (): readonly T[] => {
    const taken = items;
    items = [];
    size = 0;
    return taken;
  };
  return {
    add(item, bytes) {
      const full = items.length > 0 && size + bytes > limits.bytes ? take() : null;
      items.push(item);
      size += bytes;
      if (full !== null) return full;
      return items.length >= limits.requests ? take() : null;
    },
    take,
  };
}

export interface QueuedRequest {
  key: string;
  request: Request;
  ask: Ask;
  endpoint: AnswerEndpoint;
  /** Absent until the request is sent. */
  hold?: Hold;
  settle(outcome: RequestOutcome): void;
}

export interface Questions {
  /** Returns false if a request with this key is already waiting. */
  add(question: QueuedRequest): boolean;
  /** Returns false if no request was waiting for the key. */
  settle(key: string, outcome: RequestOutcome): boolean;
  settleAll(outcome: RequestOutcome): void;
  size(): number;
}

export function createQuestions(): Questions {
  const asked = new Map<string, QueuedRequest[]>();
  const settle = (key: string, outcome: RequestOutcome): boolean => {
    const waiting = asked.get(key);
    asked.delete(key);
    for (const question of waiting ?? []) question.settle(outcome);
    return waiting !== undefined;
  };
  return {
    settle,
    add(question) {
      const others = asked.get(question.key);
      if (others === undefined) asked.set(question.key, [question]);
      else others.push(question);
      return others === undefined;
    },
    settleAll(outcome) {
      for (const key of [...asked.keys()]) settle(key, outcome);
    },
    size: () => asked.size,
  };
}

export interface Gatherer {
  add(question: QueuedRequest): void;
}

interface GatherOptions {
  activity: Activity;
  server: ManagedServer;
  /** Number of waiting requests at all vendors. While it grows, incomplete batches wait. */
  waiting(): number;
  /** OpenAI requires one model per batch. */
  send(model: string, items: readonly QueuedRequest[]): void;
}

export function createGatherer({ activity, server, waiting, send }: GatherOptions): Gatherer {
  const { api } = server;
  const packers = new Map<string, { model: string; packer: Packer<QueuedRequest> }>();
  let gathering = false;
  const sendWhenQuiet = async (): Promise<void> => {
    gathering = true;
    for (let before = -1; before !== waiting();) {
      before = waiting();
      await activity.quiet();
    }
    gathering = false;
    for (const { model, packer } of packers.values()) {
      const items = packer.take();
      if (items.length > 0) send(model, items);
    }
  };
  return {
    add(question) {
      const { model } = question.request.target;
      const { key, ask, endpoint } = question;
      const { path } = endpoint;
      const kind = `${path ?? ''} ${model}`;
      const found = packers.get(kind) ?? { model, packer: createPacker<QueuedRequest>(api.limits) };
      const { packer } = found;
      packers.set(kind, found);
      const bytes = api.bytes(key, JSON.stringify(endpoint.body(ask)), path) + fileBytes(ask);
      const full = packer.add(question, bytes);
      if (full !== null) send(model, full);
      if (!gathering) void sendWhenQuiet();
    },
  };
}
