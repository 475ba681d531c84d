import { expect, it } from 'vitest';
import { OPERATIONS, operationNamed } from '../operations/index.ts';
import { fieldRows } from './docs-fields.ts';
import { renderDocs } from './docs-page.ts';
import { toSchema } from './openapi.ts';

const namesOf = (schema: Parameters<typeof fieldRows>[0]): readonly string[] =>
  fieldRows(schema).map(({ name }) => name);

it('has a row for what is inside of a field, in requests and answers', () => {
  expect(namesOf(toSchema(operationNamed('search').input))).toEqual(
    expect.arrayContaining(['tags', 'tags.include', 'time_range.start', 'time_range.end']),
  );
  expect(namesOf(toSchema(operationNamed('chat').input))).toEqual(
    expect.arrayContaining(['new_messages', 'new_messages[].role', 'new_messages[].content']),
  );
  expect(namesOf(toSchema(operationNamed('search').output))).toEqual(
    expect.arrayContaining(['memories[].content', 'memories[].explanation.recency', 'details[].memory_key']),
  );
});

it('says of what may be null what it is otherwise', () => {
  const typeOf = new Map(
    fieldRows(toSchema(operationNamed('getAgent').output)).map(({ name, type }) => [name, type]),
  );
  expect(typeOf.get('system_prompt')).toBe('string | null');
});

it('stands on the page, with its meaning, and leaves no object without its fields', () => {
  const page = renderDocs('localhost:4750');
  expect(page).toContain('<td><code>tags.include</code>');
  expect(page).toContain('<td><code>memories[].content</code>');
  for (const { operation, rows } of OPERATIONS.flatMap((operation) =>
    [toSchema(operation.input), toSchema(operation.output)].map((schema) => ({
      operation,
      rows: fieldRows(schema),
    })),
  ))
    for (const [i, { name, type, meaning }] of rows.entries()) {
      expect(meaning, `${operation.name} ${name}`).not.toBe('');
      if (/\bobject\b/.test(type) && !/any object|object of/.test(type))
        expect(rows[i + 1]?.name.startsWith(name), `${operation.name} ${name}`).toBe(true);
    }
});
