// The table of phases and walks. A walk is one run of an activity in walks.ts.
import type { Tally } from './tally.ts';

/**
 * Returns the table. `12 (7)` in a cell: twelve completed walks, seven of them with responses from both
 * versions.
 */
export function tableOf(tally: Tally): string {
  const cells = tally.phases.map((phase) => [
    phase.name,
    ...tally.kinds.map((kind) => {
      const { good, crossed, faults } = tally.of(phase, kind);
      return `${good}${crossed > 0 ? ` (${crossed})` : ''}${faults.length > 0 ? `, ${faults.length} FAILED` : ''}`;
    }),
  ]);
  const rows = [['walks to their end, by phase', ...tally.kinds], ...cells];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, '(n): with answers of both versions'].join('\n');
}
