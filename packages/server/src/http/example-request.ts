import { operationNamed } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';

/** The example of an operation as a request. */
interface ExampleRequest {
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
export function isAskedInQuery({ http }: Pick<Operation, 'http'>): boolean {
  return http.method === 'GET' || http.method === 'DELETE';
}

/** @param request that of the example when left out */
export function exampleRequest(
  { http, example }: Operation,
  request: Readonly<Record<string, unknown>> = example.request,
): ExampleRequest {
  const { method, path } = http;
  const inPath = namesInPath(path);
  // What an earlier line of the shell has found out stands there as its variable.
  const address = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(request[name])).replace(/^%24/, '$'),
  );
  const rest = Object.entries(request).filter(([name]) => !inPath.includes(name));
  if (!isAskedInQuery({ http })) return { method, target: address, body: Object.fromEntries(rest) };
  const query = new URLSearchParams(
    Object.fromEntries(rest.map(([name, value]) => [name, String(value)])),
  ).toString();
  return { method, target: query === '' ? address : `${address}?${query}` };
}

/** The same for a shell, with the calls that come before it, a line each. @param host with its port: `localhost:4750` */
export function curlLines(operation: Operation, host: string): readonly string[] {
  const { request, first = [] } = operation.example;
  const given = first.flatMap(({ gives = {} }) => Object.keys(gives));
  const before = first.map((call) => {
    const line = curlLine(exampleRequest(operationNamed(call.operation), call.request), host);
    const [[field, name] = []] = Object.entries(call.gives ?? {});
    return field === undefined ? line : `${field}=$(${line} | sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/')`;
  });
  const variables = Object.fromEntries(given.map((field) => [field, `$${field}`]));
  return [...before, curlLine(exampleRequest(operation, { ...request, ...variables }), host)];
}

function curlLine({ method, target, body }: ExampleRequest, host: string): string {
  const url = /[?&*]/.test(target) ? quoted(host + target) : host + target;
  // curl takes --json for a POST, and nothing for a GET.
  const isPlain = method === (body === undefined ? 'GET' : 'POST');
  const verb = isPlain ? '' : ` -X ${method}`;
  return `curl -s${verb} ${url}${body === undefined ? '' : ` --json ${quoted(JSON.stringify(body))}`}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
