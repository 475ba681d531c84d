import type { Services } from '../services.ts';
import { Answer, JSON_HEADERS } from './answer.ts';
import { headersOf, type Problem, toProblem } from './problem.ts';

/** Whatever goes wrong with a request becomes a problem here, and a line in the log. */
export class Refusals {
  readonly #logger: Services['logger'];

  constructor({ logger }: Services) {
    this.#logger = logger;
  }

  /** @param name of the operation */
  answer(error: unknown, requestId: string, name: string): Answer {
    const problem = this.note(error, requestId, name);
    const headers = headersOf(error, problem);
    return new Answer(
      JSON.stringify(problem),
      { ...JSON_HEADERS, 'content-type': 'application/problem+json', ...headers },
      problem.status,
    );
  }

  /** For what goes wrong when the status is sent already. */
  note(error: unknown, requestId: string, name: string): Problem {
    const problem = toProblem(error, requestId);
    const { status, code } = problem;
    const level =
      status >= 500 ? 'error' : status === 401 || status === 403 || status === 429 ? 'warn' : 'debug';
    if (!this.#logger.isOn(level)) return problem;
    // The message of an unexpected error may hold anything: only where it came from is logged.
    const stack = code === 'INTERNAL' && error instanceof Error ? { trace: traceOf(error) } : {};
    this.#logger.log(level, 'Request refused', {
      component: 'HttpServer',
      metadata: { request_id: requestId, operation: name, status, code, ...stack },
    });
    return problem;
  }
}

function traceOf({ name, stack = '' }: Error): string[] {
  const places = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return [name, ...places.slice(0, 8).map((line) => line.trim())];
}
