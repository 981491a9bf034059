/**
 * A model server on loopback in a separate process: OpenAI's chat completions, each answered after
 * a fixed time. It does as little as possible, because it shares the machine with what is measured.
 */
import { fork } from 'node:child_process';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

/**
 * `successor`: the first number in the question plus one, wrong for every tenth. `prose`: 200
 * letters, different every time. `support`: a sentence about the first number, a wrong one for every
 * twentieth if the question says "briefly".
 */
export type Answering = 'successor' | 'prose' | 'support';

export interface Counted {
  calls: number;
  /** The most concurrent requests. */ peak: number;
}

export interface Server {
  /** Ends with `/v1`, as OpenAI's SDK expects. */
  url: string;
  /** Counts the calls since the previous `counted()`. */
  counted(): Promise<Counted>;
  stop(): void;
}

const PROSE = 'The answer is 5, as any calculator would tell you. '.repeat(4);

export async function startServer(answering: Answering, latencyMs: number): Promise<Server> {
  const child = fork(fileURLToPath(import.meta.url), [answering, String(latencyMs)], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const next = (): Promise<unknown> =>
    new Promise((resolve) => {
      child.once('message', resolve);
    });
  const url = String(await next());
  return {
    url,
    counted: async () => {
      const answer = next();
      child.send('counted');
      return (await answer) as Counted;
    },
    stop: () => {
      child.kill();
    },
  };
}

function successor(question: string): string {
  const number = Number(/\d+/.exec(question)?.[0]);
  return String(number % 10 === 0 ? number : number + 1);
}

function support(question: string, model: string): string {
  const order = Number(/\d+/.exec(question)?.[0]);
  return order % 20 === 13 && question.includes('briefly')
    ? `Parcel ${String(order)} came back; ask the glaze desk.`
    : `Refund for order ${String(order)} is on its way, says ${model}.`;
}

function serve(answering: Answering, latencyMs: number): void {
  let [calls, all, underWay, peak] = [0, 0, 0, 0];
  const textFor = (body: string): string => {
    if (answering === 'prose') return `${PROSE}${String(all)}`;
    const { messages, model } = JSON.parse(body) as {
      messages: { content: string }[];
      model: string;
    };
    const question = messages.at(-1)?.content ?? '';
    return answering === 'support' ? support(question, model) : successor(question);
  };
  const server = http.createServer((request, response) => {
    let body = '';
    calls++;
    all++;
    peak = Math.max(peak, ++underWay);
    request
      .setEncoding('utf8')
      .on('data', (part: string) => {
        body += part;
      })
      .on('end', () => {
        setTimeout(() => {
          underWay--;
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(
            JSON.stringify({
              id: 'chatcmpl-1',
              object: 'chat.completion',
              created: 1_700_000_000,
              model: 'model',
              choices: [
                {
                  index: 0,
                  finish_reason: 'stop',
                  logprobs: null,
                  message: { role: 'assistant', content: textFor(body), refusal: null },
                },
              ],
              usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
            }),
          );
        }, latencyMs);
      });
  });
  server.keepAliveTimeout = 60_000;
  process.on('message', () => {
    process.send?.({ calls, peak } satisfies Counted);
    [calls, peak] = [0, underWay];
  });
  process.on('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1', () =>
    process.send?.(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`),
  );
}

if (import.meta.main) serve(process.argv[2] as Answering, Number(process.argv[3]));
