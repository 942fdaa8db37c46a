// Pieces of Markdown tables.

/** A cell's text in backticks; a bar inside stays part of the cell. */
export function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

export function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |');
}

export function table(head: readonly string[], rows: readonly string[]): string {
  return [row(...head), `|${'---|'.repeat(head.length)}`, ...rows].join('\n');
}
