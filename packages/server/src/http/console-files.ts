import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Fallback } from './open-pages.ts';

/** The build lays the console beside the server's own files; the sources of the server use the same. */
const FOLDERS = ['console', '../../dist/console'].map((name) => join(import.meta.dirname, name));

/** Everything is from this server, and no text ever becomes HTML or a script. */
const POLICY = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The files of the console, and its only page for all of its addresses. `undefined` when it has not been built. */
export function consoleFiles(folder = FOLDERS.find((one) => existsSync(join(one, 'index.html')))): Fallback {
  if (folder === undefined) return () => undefined;
  // Only a name that was found in the folder is ever read: no address leads out of it.
  const names = new Set(
    readdirSync(folder, { recursive: true }).map((name) => `/${name}`.replaceAll(sep, '/')),
  );
  const zipped = new Map<string, Uint8Array<ArrayBuffer>>();
  return ({ method, url, headers }) => {
    const { pathname } = new URL(url);
    const isFile = names.has(pathname) && extname(pathname) !== '';
    const isPage = !pathname.startsWith('/api/') && headers.get('accept')?.includes('text/html') === true;
    if ((!isFile && !isPage) || !/^(?:GET|HEAD)$/.test(method)) return undefined;
    const name = isFile ? pathname : '/index.html';
    const zips = headers.get('accept-encoding')?.includes('gzip') === true;
    const bytes = () => readFileSync(join(folder, name));
    if (zips && !zipped.has(name)) zipped.set(name, gzipSync(bytes()));
    return new Response(zips ? zipped.get(name)! : bytes(), {
      headers: {
        'content-type': TYPES[extname(name)] ?? 'font/woff2',
        ...(zips ? { 'content-encoding': 'gzip' } : {}),
        vary: 'accept-encoding',
        'cache-control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
        'content-security-policy': POLICY,
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      },
    });
  };
}
