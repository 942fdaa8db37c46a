// Tables of figures: what `npm run bench:all` reads from the output of a bench, and writes as Markdown and as a chart.

/** Figures by row and column; null where a program was not measured. */
export interface FigureTable {
  readonly title: string;
  /** Unit of all figures. */
  readonly unit: string;
  readonly columns: readonly string[];
  readonly rows: ReadonlyArray<{ readonly label: string; readonly values: ReadonlyArray<number | null> }>;
}

/**
 * The Markdown tables of a text, each with the last line before it, `TITLE, UNIT`, as its title. Columns that are not `wanted` are left out.
 * @param wanted  by the head of the column; the first column has the labels
 */
export function markdownTables(text: string, wanted: (head: string) => boolean): FigureTable[] {
  const tables: FigureTable[] = [];
  let title = '';
  let open: { columns: number[]; names: string[]; rows: Array<FigureTable['rows'][number]> } | null = null;
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) {
      open = null;
      if (line.trim() !== '') title = line.trim();
      continue;
    }
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (open === null) {
      const columns = cells.map((_, i) => i).filter((i) => i > 0 && wanted(cells[i]));
      open = { columns, names: columns.map((i) => cells[i]), rows: [] };
      const comma = title.lastIndexOf(', ');
      const [name, unit] = comma < 0 ? [title, ''] : [title.slice(0, comma), title.slice(comma + 2)];
      tables.push({ title: name, unit, columns: open.names, rows: open.rows });
    } else if (!/^[|:\- ]+$/.test(line)) {
      open.rows.push({ label: cells[0], values: open.columns.map((i) => figure(cells[i])) });
    }
  }
  return tables.filter(({ columns, rows }) => columns.length > 0 && rows.length > 0);
}

function figure(cell: string): number | null {
  const value = Number(cell);
  return cell === '' || !Number.isFinite(value) ? null : value;
}

/** The table in Markdown, with the first column's figures as multiples of the others'. */
export function tableMarkdown({ columns, rows }: FigureTable): string {
  const [ours, ...others] = columns;
  const heads = ['', ...columns, ...others.map((other) => `${ours} / ${other}`)];
  const lines = [`| ${heads.join(' | ')} |`, `|---|${'--:|'.repeat(heads.length - 1)}`];
  for (const { label, values } of rows) {
    const [own, ...rivals] = values;
    const ratios = rivals.map((rival) => (own === null || rival === null ? '-' : `${(own / rival).toFixed(2)}x`));
    lines.push(`| ${[label, ...values.map((value) => (value === null ? '-' : shortNumber(value))), ...ratios].join(' | ')} |`);
  }
  return lines.join('\n');
}

/** Three significant digits, more for whole numbers. */
export function shortNumber(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
