import type { JsonObject, JsonValue } from './records.ts';

/** A memory's content in words: who said it, then what; further fields by name. */
export function memoryText(content: JsonObject): string {
  const { speaker, role, message, text, ...others } = content;
  const who = typeof speaker === 'string' ? speaker : typeof role === 'string' ? role : '';
  const said = [message, text].filter((value): value is JsonValue => value !== undefined).map(inWords);
  const fields = Object.entries(others).map(([name, value]) => `${name}: ${inWords(value)}`);
  const body = [...said, ...fields].join('; ');
  return who === '' ? body : `${who}: ${body}`;
}

function inWords(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
