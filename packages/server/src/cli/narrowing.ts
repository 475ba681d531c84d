import { ofAnyType } from '../operations/memory-fields.ts';
import { type CommandCall, UsageError } from './command.ts';
import { momentOf } from './time-option.ts';

/** What the options that narrow a list of memories ask for, as fields of a query. @throws UsageError */
export async function narrowingOf({
  values,
  context,
}: Pick<CommandCall, 'values' | 'context'>): Promise<Readonly<Record<string, unknown>>> {
  const asked = await Promise.all(values.texts('type').map((type) => ofAnyType('', { type })));
  const types = asked.flatMap(({ type, tags }) => (tags === undefined ? [type] : []));
  const kinds = asked.flatMap(({ tags = [] }) => tags);
  const asOf = values.text('as-of');
  return {
    types: types.length === 0 ? undefined : types,
    tags: tagsOf({ values }, types.length > 0, kinds),
    within: values.text('within'),
    min_importance: values.number('min-importance'),
    as_of: asOf === undefined ? undefined : await momentOf('as-of', asOf, context),
    include_replaced: values.isOn('include-replaced') ? true : undefined,
  };
}

/** @param kinds the tags that types in the user's own words are kept as */
function tagsOf(
  { values }: Pick<CommandCall, 'values'>,
  hasTypes: boolean,
  kinds: readonly string[],
): object | undefined {
  const exclude = values.texts('exclude-tag');
  const isAny = kinds.length > 1;
  const all = [...values.texts('tag'), ...(isAny ? [] : kinds)];
  const any = [...values.texts('any-tag'), ...(isAny ? kinds : [])];
  if (kinds.length > 0 && (hasTypes || any.length > (isAny ? kinds.length : 0) || (isAny && all.length > 0)))
    throw new UsageError(
      `A type in words of your own is the tag ${kinds[0]}, and asked for alone or with --tag: ask for the others by themselves.`,
    );
  if (all.length > 0 && any.length > 0)
    throw new UsageError('--tag asks for all of the tags, --any-tag for one of them: give one of the two.');
  if (all.length + any.length + exclude.length === 0) return undefined;
  return {
    ...(all.length === 0 ? {} : { include: all }),
    ...(any.length === 0 ? {} : { include: any, mode: 'any' }),
    ...(exclude.length === 0 ? {} : { exclude }),
  };
}
