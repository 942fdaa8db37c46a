// Tables for the terminal.

/** Columns are as wide as their widest cell, with two spaces between them. */
export function textTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i].length)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
