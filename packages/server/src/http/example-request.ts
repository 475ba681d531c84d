import type { Operation } from '../operations/operation.ts';

/** The example of an operation as a request. */
export interface ExampleRequest {
  readonly method: Operation['http']['method'];
  /** Path and query string. */
  readonly target: string;
  /** Not there when the operation takes none. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The names in braces of a path. */
export function namesInPath(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/** Whether the fields that are not in the path stand in the query string. */
export function isAskedInQuery({ http }: Operation): boolean {
  return http.method === 'GET' || http.method === 'DELETE';
}

export function exampleRequest(operation: Operation): ExampleRequest {
  const { http, example } = operation;
  const { method, path } = http;
  const request = example.request as Readonly<Record<string, unknown>>;
  const inPath = namesInPath(path);
  const address = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(request[name])),
  );
  const rest = Object.entries(request).filter(([name]) => !inPath.includes(name));
  if (!isAskedInQuery(operation)) return { method, target: address, body: Object.fromEntries(rest) };
  const query = new URLSearchParams(
    Object.fromEntries(rest.map(([name, value]) => [name, String(value)])),
  ).toString();
  return { method, target: query === '' ? address : `${address}?${query}` };
}

/** The same as a line for a shell. @param host with its port: `localhost:4750` */
export function curlLine(operation: Operation, host: string): string {
  const { method, target, body } = exampleRequest(operation);
  const url = /[?&*]/.test(target) ? quoted(host + target) : host + target;
  // curl takes --json for a POST, and nothing for a GET.
  const isPlain = method === (body === undefined ? 'GET' : 'POST');
  const verb = isPlain ? '' : ` -X ${method}`;
  return `curl -s${verb} ${url}${body === undefined ? '' : ` --json ${quoted(JSON.stringify(body))}`}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
