import type { Table } from '../result.ts';
import type { Figure } from './recall-set.ts';

/** The figures of one ranker, or of one column of Longhand. */
export interface FigureColumn {
  readonly name: string;
  readonly figures: readonly Figure[];
}

/** One row for each figure, one column for each ranker; a dash where a ranker has no such figure. */
export function makeTable(columns: readonly FigureColumn[]): Table {
  const names = new Set(columns.flatMap(({ figures }) => figures.map(({ name }) => name)));
  return {
    head: ['', ...columns.map(({ name }) => name)],
    rows: [...names].map((name) => [name, ...columns.map(({ figures }) => cellOf(figures, name))]),
  };
}

export function findFigure(figures: readonly Figure[], name: string): Figure | undefined {
  return figures.find((figure) => figure.name === name);
}

function cellOf(figures: readonly Figure[], name: string): string {
  const figure = findFigure(figures, name);
  if (figure === undefined) return '–';
  return figure.unit === '%' ? figure.value.toFixed(1) : String(figure.value);
}

export function printTable({ head, rows }: Table): void {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column]!.length)));
  for (const cells of [head, ...rows]) {
    const padded = cells.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
    );
    console.log(padded.join('  '));
  }
}
