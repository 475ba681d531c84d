import type { JsonObject, JsonValue } from '../core/records.ts';

/** What stands where a text was taken out. */
export const REDACTED = '[redacted]';

/** Takes one text out of others, and counts how many times it was there. */
export class TextRedaction {
  readonly #text: string;
  count = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readonly inText = (value: string): string => {
    const parts = value.split(this.#text);
    this.count += parts.length - 1;
    return parts.join(REDACTED);
  };

  /** In every text of a value, names of fields included. */
  inObject(value: JsonObject): JsonObject {
    return this.#inValue(value) as JsonObject;
  }

  #inValue(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.inText(value);
    if (Array.isArray(value)) return value.map((inner) => this.#inValue(inner));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value as JsonObject);
    return Object.fromEntries(fields.map(([key, inner]) => [this.inText(key), this.#inValue(inner)]));
  }
}
