import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/** The least that a server on Hono can do: routes that give an object that is there already. */
const [port, file] = process.argv.slice(2);
const { memory, found } = JSON.parse(readFileSync(file!, 'utf8')) as { memory: object; found: object };
const app = new Hono();
app.get('/healthz', (c) => c.json({ status: 'ok' }));
app.get('/memory', (c) => c.json(memory));
app.post('/search', async (c) => {
  await c.req.json();
  return c.json(found);
});
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' });
