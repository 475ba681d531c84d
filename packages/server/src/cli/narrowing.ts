import { type CommandCall, UsageError } from './command.ts';
import { momentOf } from './time-option.ts';

/** What the options that narrow a list of memories ask for, as fields of a query. @throws UsageError */
export async function narrowingOf({
  values,
  context,
}: Pick<CommandCall, 'values' | 'context'>): Promise<Readonly<Record<string, unknown>>> {
  const types = values.texts('type');
  const asOf = values.text('as-of');
  return {
    types: types.length === 0 ? undefined : types,
    tags: tagsOf({ values }),
    within: values.text('within'),
    min_importance: values.number('min-importance'),
    as_of: asOf === undefined ? undefined : await momentOf('as-of', asOf, context),
    include_replaced: values.isOn('include-replaced') ? true : undefined,
  };
}

function tagsOf({ values }: Pick<CommandCall, 'values'>): object | undefined {
  const [all, any, exclude] = [values.texts('tag'), values.texts('any-tag'), values.texts('exclude-tag')];
  if (all.length > 0 && any.length > 0)
    throw new UsageError('--tag asks for all of the tags, --any-tag for one of them: give one of the two.');
  if (all.length + any.length + exclude.length === 0) return undefined;
  return {
    ...(all.length === 0 ? {} : { include: all }),
    ...(any.length === 0 ? {} : { include: any, mode: 'any' }),
    ...(exclude.length === 0 ? {} : { exclude }),
  };
}
