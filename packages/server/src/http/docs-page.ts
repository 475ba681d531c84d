import { createHash } from 'node:crypto';
import { OPERATIONS } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { VERSION } from '../version.ts';
import { type FieldRow, fieldRows } from './docs-fields.ts';
import { curlLines } from './example-request.ts';
import { groupOf, toSchema } from './openapi.ts';

const STYLE = `
:root{color-scheme:light dark;--ink:#1d2430;--faint:#5b6675;--line:#d9dee5;--paper:#fff;--box:#f5f7f9;--link:#0b57b0;
--read:#0b6b4f;--write:#0b57b0;--change:#8a5a00;--remove:#a3262a;font:16px/1.55 system-ui,sans-serif}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--faint:#9aa5b4;--line:#333b46;--paper:#14181d;--box:#1c222a;
--link:#7fb4ff;--read:#5fd0a9;--write:#7fb4ff;--change:#e3b45c;--remove:#ff8d8d}}
body{max-width:62rem;margin:0 auto;padding:0 1.25rem 4rem;background:var(--paper);color:var(--ink)}
a{color:var(--link)}
header{padding:2.5rem 0 1rem;border-bottom:1px solid var(--line)}
h1{margin:0;font-size:2rem;letter-spacing:-.02em}h1 small{font-size:1rem;font-weight:400;color:var(--faint)}
h2{margin:2.25rem 0 .5rem;font-size:1.15rem;text-transform:capitalize;scroll-margin-top:3.5rem}
nav{position:sticky;top:0;padding:.75rem 0;background:var(--paper);border-bottom:1px solid var(--line)}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem}nav a{text-decoration:none}nav a:hover{text-decoration:underline}
code,pre{font:13px/1.55 ui-monospace,SFMono-Regular,Menlo,monospace}
pre{overflow:auto;padding:.9rem 1rem;background:var(--box);border-radius:.5rem}
details{border-bottom:1px solid var(--line);scroll-margin-top:3.5rem}
summary{cursor:pointer;display:grid;grid-template-columns:.75rem 3.75rem minmax(0,25rem) minmax(0,1fr);gap:.75rem;
align-items:baseline;padding:.45rem 0;list-style:none}
summary::-webkit-details-marker{display:none}summary::before{content:"▸" / "";color:var(--faint)}
details[open]>summary::before{content:"▾" / ""}summary:hover{background:var(--box)}
summary code{overflow-wrap:anywhere}summary span{color:var(--faint)}
summary b{font:600 12px/1.6 ui-monospace,monospace}
.get{color:var(--read)}.post{color:var(--write)}.patch,.put{color:var(--change)}.delete{color:var(--remove)}
details[open]{padding-bottom:1rem}details p{margin:.25rem 0 .5rem;color:var(--faint)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.925rem}
td,th{text-align:left;padding:.3rem 1rem .3rem 0;vertical-align:top;border-top:1px solid var(--line)}
th{font-weight:600;border:0;color:var(--faint)}
h3{margin:1rem 0 .4rem;font-size:.925rem;color:var(--faint)}h3 small{font-weight:400}
.line{white-space:pre-wrap;overflow-wrap:anywhere;user-select:all;cursor:copy}.answer{max-height:22rem}
@media (max-width:44rem){summary{grid-template-columns:.75rem 3.75rem minmax(0,1fr)}summary span{grid-column:3}}
`;

/** Nothing on the page runs, and nothing is loaded from anywhere. */
export const DOCS_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const START = (
  host: string,
) => `curl -s ${host}/api/chat --json '{"new_messages":[{"role":"user","content":"Remember that my dog is called Rex"}]}'
curl -s ${host}/api/search --json '{"text":"What is my dog called?"}'`;

/** Everything the server can do, on one page for people. @param host under which the reader reaches the server */
export function renderDocs(host: string): string {
  const groups = Map.groupBy(OPERATIONS, groupOf);
  const links = [...groups.keys()].map((group) => `<a href="#${group}">${group}</a>`).join('');
  const sections = [...groups].map(
    ([group, operations]) =>
      `<h2 id="${group}">${group}</h2>${operations
        .map((operation) => renderOperation(operation, host))
        .join('')}`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Longhand HTTP API</title><style>${STYLE}</style>
<header><h1>Longhand <small>${VERSION}</small></h1>
<p>A memory for AI agents that outlives the conversation. JSON in, JSON out; errors as problem details. The same as a
machine reads it: <a href="/openapi.json">openapi.json</a>. Beside these: <code>/api/events</code> (server-sent),
<code>/mcp</code>, <code>/metrics</code>, <code>/healthz</code>.</p>
<pre>${escapeHtml(START(host))}</pre>
<p>Every operation below opens, and has an example: a click selects all of it. Pasted from top to bottom, each is answered. With <code>auth.enabled</code>, add
<code>-H 'authorization: Bearer …'</code>, <code>-H 'longhand-user: …'</code> for a key that is bound to no user, and
<code>-H 'longhand-account: …'</code> for a key of another account than the server's own.
<code>-H 'longhand-time-zone: Europe/Berlin'</code> says once where your days begin and end.</p></header>
<nav>${links}</nav><main>${sections.join('')}</main></html>`;
}

function renderOperation(operation: Operation, host: string): string {
  const { name, summary, http, access } = operation;
  const table = renderFields(fieldRows(toSchema(operation.input))) || '<p>Takes nothing.';
  return `<details id="${name}"><summary><b class="${http.method.toLowerCase()}">${http.method}</b><code>${escapeHtml(http.path)}</code><span>${escapeHtml(summary)}</span></summary>
<p>Operation <code>${name}</code>, access <code>${access}</code>, answers ${http.status ?? 200}.</p>${table}${renderExample(operation, host)}${renderAnswer(operation)}</details>`;
}

function renderAnswer(operation: Operation): string {
  const table = renderFields(fieldRows(toSchema(operation.output)), 'always');
  return table === '' ? '' : `<h3>Fields of the answer</h3>${table}`;
}

function renderFields(fields: readonly FieldRow[], required = 'required'): string {
  if (fields.length === 0) return '';
  const rows = fields.map(
    ({ name, isRequired, meaning, type }) =>
      `<tr><td><code>${escapeHtml(name)}</code><td>${isRequired ? required : ''}<td>${escapeHtml(meaning)}<td><code>${escapeHtml(type)}</code>`,
  );
  return `<div class="wide"><table><tr><th>field<th><th>meaning<th>type${rows.join('')}</table></div>`;
}

function renderExample(operation: Operation, host: string): string {
  const { answer, after = [] } = operation.example;
  const links = after.map((name) => `<a href="#${name}">${name}</a>`).join(', ');
  const needs = after.length === 0 ? '' : ` <small>after the examples of ${links}</small>`;
  const line = `<h3>Example${needs}</h3><pre class="line">${escapeHtml(curlLines(operation, host).join('\n'))}</pre>`;
  if (answer === undefined) return line;
  return `${line}<h3>Answer</h3><pre class="answer">${escapeHtml(JSON.stringify(answer, null, 2))}</pre>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
