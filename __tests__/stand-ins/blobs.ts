/** A blob upload to the runner's services: whole, or as blocks followed by their list. */
export interface Upload {
  blocks: Map<string, Buffer>;
  body: Buffer;
}

export const newUpload = (): Upload => ({ blocks: new Map(), body: Buffer.alloc(0) });

export function put({ searchParams }: URL, body: Buffer, into: Upload | undefined): void {
  if (into === undefined) return;
  const part = searchParams.get('comp');
  if (part === 'block') into.blocks.set(searchParams.get('blockid') ?? '', body);
  else if (part !== 'blocklist') into.body = body;
  else {
    const ids = [...body.toString().matchAll(/<Latest>([^<]*)<\/Latest>/g)];
    const blocks = ids.map(([, id = '']) => into.blocks.get(id) ?? Buffer.alloc(0));
    into.body = Buffer.concat(blocks);
  }
}
