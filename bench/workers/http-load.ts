import { connect } from 'node:net';

/**
 * Asks one server the same thing over many connections for a while, each as soon as it has its answer, and prints
 * how often it was answered and how long that took. The requests are bytes that were made before, and of an answer
 * only its length is read: on a machine with few cores, the load generator must not be what is measured.
 */
const [url, path, body = '', connections = '50', seconds = '3'] = process.argv.slice(2);
const { port, host } = new URL(url!);
const head = body === '' ? `GET ${path} HTTP/1.1` : `POST ${path} HTTP/1.1`;
const request = Buffer.from(
  `${head}\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
);
const latencies: number[] = [];
let failures = 0;
const endAt = performance.now() + Number(seconds) * 1_000;

function client(): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let received: Buffer = Buffer.alloc(0);
    const socket = connect(Number(port), '127.0.0.1', send);
    socket.setNoDelay(true);
    socket.on('error', reject);
    function send(): void {
      if (performance.now() >= endAt) {
        socket.destroy();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(request);
    }
    socket.on('data', (data: Buffer) => {
      received = received.length === 0 ? data : Buffer.concat([received, data]);
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const headers = received.toString('latin1', 0, headEnd);
      const length = Number(/content-length: (\d+)/i.exec(headers)?.[1]);
      if (received.length < headEnd + 4 + length) return;
      latencies.push(performance.now() - sentAt);
      if (!headers.startsWith('HTTP/1.1 200')) failures++;
      received = Buffer.alloc(0);
      send();
    });
  });
}

const startedAt = performance.now();
await Promise.all(Array.from({ length: Number(connections) }, client));
const elapsed = (performance.now() - startedAt) / 1_000;
process.stdout.write(JSON.stringify({ perSecond: latencies.length / elapsed, latencies, failures }));
