import { expect, it } from 'vitest';
import { renderDocs } from './docs-page.ts';
import { describeApi } from './openapi.ts';

type Node = Readonly<Record<string, unknown>>;

/** Every field of a request or an answer in the description, with where it stands and what is said of it. */
function fieldsOf(node: unknown, path: string): { readonly path: string; readonly description: unknown }[] {
  if (Array.isArray(node)) return node.flatMap((one, i) => fieldsOf(one, `${path}[${i}]`));
  if (typeof node !== 'object' || node === null) return [];
  const { properties, parameters } = node as { properties?: Node; parameters?: readonly Node[] };
  const own = Object.entries(properties ?? {}).map(([name, field]) => ({
    path: `${path}.${name}`,
    description: (field as Node).description,
  }));
  const asked = (parameters ?? []).map(({ name, description, schema }) => ({
    path: `${path}?${name}`,
    description: description ?? (schema as Node).description,
  }));
  return [
    ...own,
    ...asked,
    ...Object.entries(node).flatMap(([key, value]) => fieldsOf(value, `${path}/${key}`)),
  ];
}

const fields = fieldsOf(describeApi(), '');

it('says of every field what it means', () => {
  expect(fields.length).toBeGreaterThan(900);
  const silent = fields.filter(
    ({ description }) => typeof description !== 'string' || description.length < 5,
  );
  expect(silent.map(({ path }) => path)).toEqual([]);
});

it('says on the page for people what each field means', () => {
  expect(renderDocs('localhost:4750')).not.toMatch(/<td><td><code>/);
});
