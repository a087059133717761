/** Returns a Markdown table with aligned columns. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, at) =>
    Math.max(3, ...[head, ...rows].map((row) => [...(row[at] ?? '')].length)),
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - [...cell].length)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
