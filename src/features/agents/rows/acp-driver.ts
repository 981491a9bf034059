import { PassThrough } from 'node:stream';
import { PROTOCOL_VERSION, client, methods, type AnyMessage } from '@agentclientprotocol/sdk';
import { parseMap } from '../../../types/plain.ts';

/**
 * ACP is the Agent Client Protocol. Grants all permissions, because the sandbox limits the agent.
 */
export function talkAcp(work: string, task: string) {
  const stdin = new PassThrough();
  const writable = new WritableStream<AnyMessage>({
    write: (message) => void stdin.write(`${JSON.stringify(message)}\n`),
  });
  const { readable, writable: lines } = new TransformStream<AnyMessage, AnyMessage>();
  const received = lines.getWriter();
  const app = client({ name: 'evaldiff' })
    .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
      // Prefers one-time permissions, because a permanent one changes the mode of some agents.
      const kinds = ['allow_once', 'allow_always'];
      const [option] = kinds.flatMap((kind) => options.find((each) => each.kind === kind) ?? []);
      if (option === undefined) return { outcome: { outcome: 'cancelled' } };
      return { outcome: { outcome: 'selected', optionId: option.optionId } };
    })
    .onNotification(methods.client.session.update, () => {});
  const session = app.connectWith({ readable, writable }, async (agent) => {
    await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
    });
    const { sessionId } = await agent.request(methods.agent.session.new, {
      cwd: work,
      mcpServers: [],
    });
    const prompt = [{ type: 'text', text: task } as const];
    await agent.request(methods.agent.session.prompt, { sessionId, prompt });
  });
  void session.catch(() => {}).then(() => stdin.end());
  return {
    stdin,
    onLine(line: string) {
      const message = parseMap(line);
      if (message?.['jsonrpc'] === '2.0')
        void received.write(message as unknown as AnyMessage).catch(() => {});
    },
  };
}
