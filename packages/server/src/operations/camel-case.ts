type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;

type CamelCased<Fields> = { [Name in keyof Fields as Camel<Name>]: Fields[Name] };

/** Fields of a request as options of the library, which have camelCase names. What is inside a field stays as it is. */
export function camelCased<Fields extends object>(fields: Fields): CamelCased<Fields> {
  const entries = Object.entries(fields).map(([name, value]) => [
    name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(entries) as CamelCased<Fields>;
}
