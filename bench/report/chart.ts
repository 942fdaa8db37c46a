// A table of figures as an SVG chart: a group of horizontal bars per row, one bar per column. Rows may differ by orders of magnitude, so each
// group has its own scale: its longest bar is as long as the chart is wide, and every bar shows its figure.
import { type FigureTable, shortNumber } from './table.ts';

const LABEL_WIDTH = 190;
const BAR_WIDTH = 420;
const FIGURE_WIDTH = 90;
const BAR_HEIGHT = 12;
const GROUP_GAP = 10;
const HEAD_HEIGHT = 44;
/** Distinguishable with any colour vision, on light and dark ground. Source: Okabe, Ito, "Color universal design". */
const COLORS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00'];

/** Renders a chart; the same table produces the same bytes. */
export function chartSvg(table: FigureTable): string {
  const { columns, rows, unit } = table;
  const title = unit === '' ? table.title : `${table.title}, ${unit}`;
  const groupHeight = columns.length * BAR_HEIGHT + GROUP_GAP;
  const width = LABEL_WIDTH + BAR_WIDTH + FIGURE_WIDTH;
  const height = HEAD_HEIGHT + rows.length * groupHeight;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif" font-size="11" fill="#808080">`,
    `<title>${escapeXml(title)}</title>`,
    `<text x="0" y="14" font-size="13">${escapeXml(title)}</text>`,
  ];
  let x = LABEL_WIDTH;
  for (const [i, column] of columns.entries()) {
    parts.push(`<rect x="${x}" y="24" width="10" height="10" fill="${COLORS[i % COLORS.length]}"/>`);
    parts.push(`<text x="${x + 14}" y="33">${escapeXml(column)}</text>`);
    x += 30 + column.length * 7;
  }
  for (const [i, { label, values }] of rows.entries()) {
    const top = HEAD_HEIGHT + i * groupHeight;
    const most = values.reduce<number>((longest, value) => Math.max(longest, value ?? 0), 0);
    parts.push(
      `<text x="${LABEL_WIDTH - 6}" y="${top + (columns.length * BAR_HEIGHT) / 2 + 4}" text-anchor="end">${escapeXml(label)}</text>`,
    );
    for (const [j, value] of values.entries()) {
      const y = top + j * BAR_HEIGHT;
      const length = value === null || most === 0 ? 0 : Math.round((value / most) * BAR_WIDTH);
      parts.push(`<rect x="${LABEL_WIDTH}" y="${y}" width="${length}" height="${BAR_HEIGHT - 2}" fill="${COLORS[j % COLORS.length]}"/>`);
      const text = value === null ? 'not measured' : shortNumber(value);
      parts.push(`<text x="${LABEL_WIDTH + length + 4}" y="${y + BAR_HEIGHT - 3}">${text}</text>`);
    }
  }
  return `${parts.join('\n')}\n</svg>\n`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
