// First process in a run's namespaces. Plain JavaScript, because `node -e` runs it. Its argument is
// a socket, which sends the command to run. When this process ends, the kernel kills all others in
// the namespaces.
import { execFileSync, spawn } from 'node:child_process';
import net from 'node:net';

// Without a handler, SIGUSR1 starts Node's inspector, which the command could connect to.
process.on('SIGUSR1', () => undefined);

const control = net.connect(process.argv[1]);
const giveUp = () => process.exit(137);
control.on('error', giveUp).on('close', giveUp).on('end', giveUp);

function finish(report) {
  control.end(JSON.stringify(report), () => process.exit(0));
}

function forward({ port, socket }) {
  const serve = (near) => {
    const far = net.connect({ path: socket, allowHalfOpen: true });
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.pipe(far).pipe(near);
  };
  return new Promise((resolve, reject) => {
    net
      .createServer({ allowHalfOpen: true }, serve)
      .on('error', reject)
      .listen(port, '127.0.0.1', resolve);
  });
}

async function start(plan) {
  try {
    // The script replaces the root folder, so it starts in the old one.
    execFileSync('/bin/sh', ['-c', plan.script], { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
    await Promise.all(plan.ports.map(forward));
  } catch (error) {
    finish({ failed: String(error.stderr ?? '') || String(error.message) });
    return;
  }
  const [file, ...args] = plan.command;
  const child = spawn(file, args, { cwd: plan.folder, env: plan.env, stdio: 'inherit' });
  child.on('error', ({ message }) => finish({ failed: message }));
  child.on('exit', (code) => finish({ code }));
}

let text = '';
control.setEncoding('utf8').on('data', (chunk) => {
  if (text.endsWith('\n')) return;
  text += chunk;
  if (text.endsWith('\n')) void start(JSON.parse(text));
});
