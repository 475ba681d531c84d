import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * Serves a page with a chat, and passes on to a Longhand server what is for that: `npm start` in one terminal, and in another
 *
 *     npm run example:browser -- http://127.0.0.1:4750
 */
const server = process.argv[2] ?? 'http://127.0.0.1:4750';
const port = Number(process.argv[3] ?? 4_760);

const build = await rolldown({
  input: join(import.meta.dirname, 'page.tsx'),
  platform: 'browser',
  resolve: { conditionNames: ['longhand-source', 'browser', 'import', 'default'] },
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
});
const { output } = await build.generate({ minify: true });
const panelStyles = new URL(import.meta.resolve('longhand/react/chat-panel.css'));

/** Nothing but our own files, and no HTML made from text. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const HTML = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>A page with a chat</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/page.css">
  <div id="root"></div>
  <script type="module" src="/page.js"></script>
</html>`;
const FILES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/': ['text/html', HTML],
  '/page.js': ['text/javascript', output[0].code],
  '/page.css': [
    'text/css',
    readFileSync(panelStyles, 'utf8') + readFileSync(join(import.meta.dirname, 'page.css'), 'utf8'),
  ],
};

const listening = createServer((asked, answer) => {
  const file = FILES[asked.url ?? '/'];
  if (file !== undefined) {
    answer.writeHead(200, { 'content-type': `${file[0]}; charset=utf-8`, 'content-security-policy': POLICY });
    answer.end(file[1]);
    return;
  }
  const { method, headers } = asked;
  const passed = request(new URL(asked.url!, server), { method, headers }, (got) => {
    answer.writeHead(got.statusCode!, got.headers);
    got.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  answer.on('close', () => passed.destroy());
  asked.pipe(passed);
}).listen(port, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`);
});
