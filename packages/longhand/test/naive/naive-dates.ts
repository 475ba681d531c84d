/** Days in numbers, with their years: 14.05.2026, 5/14/2026, 14-05-2026. */
export interface NaiveDate {
  readonly written: string;
  readonly mark: string;
  /** One where the numbers leave no doubt, two where either may be the month; that with the month first comes first. */
  readonly days: readonly Date[];
}

function dayOf(year: number, month: number, day: number): Date[] {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? [date] : [];
}

export function naiveDatesIn(text: string): NaiveDate[] {
  return (text.match(/[0-9]+(?:[./-][0-9]+)*/g) ?? []).flatMap((written) => {
    const [first = '', second = '', third = '', ...more] = written.split(/[./-]/);
    const marks = new Set(written.replace(/[0-9]/g, ''));
    const [mark = ''] = marks;
    const isYear = third.length === 4 || (third.length === 2 && mark === '/');
    if (marks.size !== 1 || more.length > 0 || first.length > 2 || second.length > 2 || !isYear) return [];
    const year = Number(third) + (third.length === 2 ? 2000 : 0);
    const dayFirst = dayOf(year, Number(second), Number(first));
    const isMonthFirstToo = mark !== '.' && first !== second && Number(first) !== Number(second);
    const days = [...(isMonthFirstToo ? dayOf(year, Number(first), Number(second)) : []), ...dayFirst];
    return days.length === 0 ? [] : [{ written, mark, days }];
  });
}
