import { createHash } from 'node:crypto';
import { OPERATIONS } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { VERSION } from '../version.ts';
import { groupOf, inputSchema } from './openapi.ts';

const STYLE = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:2rem auto;padding:0 1rem}
code,pre{font:13px/1.5 ui-monospace,monospace}
pre{overflow:auto;padding:.75rem;border:1px solid #8884;border-radius:.4rem}
details{border-bottom:1px solid #8884;padding:.4rem 0}
summary{cursor:pointer;display:flex;gap:.75rem;align-items:baseline;flex-wrap:wrap}
summary b{min-width:4.5rem}
summary span{opacity:.75}
table{border-collapse:collapse}td,th{text-align:left;padding:.15rem .75rem .15rem 0;vertical-align:top}
nav a{margin-right:.75rem}
`;

/** Nothing on the page runs, and nothing is loaded from anywhere. */
export const DOCS_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Everything the server can do, on one page for people. */
export function renderDocs(): string {
  const groups = Map.groupBy(OPERATIONS, groupOf);
  const links = [...groups.keys()].map((group) => `<a href="#${group}">${group}</a>`).join('');
  const sections = [...groups].map(
    ([group, operations]) => `<h2 id="${group}">${group}</h2>${operations.map(renderOperation).join('')}`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Longhand: the interface</title><style>${STYLE}</style>
<h1>Longhand ${VERSION}</h1>
<p>JSON in, JSON out; errors as problem details. The same as a machine reads it: <a href="/openapi.json">openapi.json</a>.
Beside these: <code>/api/events</code> (server-sent), <code>/mcp</code>, <code>/metrics</code>, <code>/healthz</code>.</p>
<nav>${links}</nav>${sections.join('')}</html>`;
}

function renderOperation(operation: Operation): string {
  const { name, summary, http, access } = operation;
  const { properties = {}, required = [] } = inputSchema(operation);
  const rows = Object.entries(properties).map(([field, schema]) => {
    const { description = '', ...rest } = schema as { description?: string };
    const need = required.includes(field) ? 'needed' : '';
    return `<tr><td><code>${escapeHtml(field)}</code><td>${need}<td>${escapeHtml(description)}<td><code>${escapeHtml(shapeOf(rest))}</code>`;
  });
  const table = rows.length === 0 ? '<p>Takes nothing.' : `<table>${rows.join('')}</table>`;
  return `<details id="${name}"><summary><b>${http.method}</b><code>${escapeHtml(http.path)}</code><span>${escapeHtml(summary)}</span></summary>
<p>Operation <code>${name}</code>, access <code>${access}</code>, answers ${http.status ?? 200}.</p>${table}</details>`;
}

/** Short enough for a table; the whole of it is in openapi.json. */
function shapeOf(schema: Readonly<Record<string, unknown>>): string {
  const { type, enum: values, items, anyOf } = schema;
  if (Array.isArray(values)) return values.join(' | ');
  if (type === 'array') return `list of ${shapeOf((items ?? {}) as Record<string, unknown>)}`;
  if (Array.isArray(anyOf)) return anyOf.map((one) => shapeOf(one as Record<string, unknown>)).join(' | ');
  return typeof type === 'string' ? type : 'anything';
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
