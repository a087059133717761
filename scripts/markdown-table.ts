/** Returns a Markdown table, aligned as Biome formats it. */
export function markdownTable(head: readonly string[], written: readonly (readonly string[])[]): string {
  const rows = written.map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')));
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
