import { Hono } from 'hono';
import { OPERATIONS } from '../operations/index.ts';
import type { Services } from '../services.ts';
import { invalidFields, toProblem } from './problem.ts';

/** The server as a function from request to response. */
export function createApp(services: Services): Hono {
  const app = new Hono();
  for (const operation of OPERATIONS) {
    const path = operation.http.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.on(operation.http.method, path, async (c) => {
      const requestId = crypto.randomUUID();
      try {
        const body = operation.http.method === 'GET' ? {} : await c.req.json();
        const parsed = operation.input.safeParse({ ...body, ...c.req.param() });
        if (!parsed.success) throw invalidFields(parsed.error);
        const memory = services.manager.as({ account_id: 'local', user_id: 'me' });
        return c.json(await operation.run(parsed.data, { memory, services, requestId }), 200);
      } catch (error) {
        const problem = toProblem(error, requestId);
        return Response.json(problem, { status: problem.status });
      }
    });
  }
  return app;
}
