// The layout as docs/scale.md shows it.
import { type Lying, STATEMENTS, TABLES } from './layout.ts';
import { table } from './table.ts';

function placeOf(lying: Lying): [place: string, value: string] {
  switch (lying.how) {
    case 'person':
      return ['distributed, together', `slot of the person, from \`${lying.column}\``];
    case 'own':
      return ['distributed, alone', `\`${lying.column}\``];
    case 'machine':
      return ['distributed, together', `slot of the client, from \`${lying.column}\``];
    case 'reference':
      return ['reference', ''];
    case 'one node':
      return ['one node', lying.because];
  }
}

export const tablesShown = (): string =>
  table(
    ['table', 'lies', 'by'],
    Object.entries(TABLES).map(([name, lying]) => [`\`${name}\``, ...placeOf(lying)]),
  );

export const statementsOnOneShard = (): string =>
  table(
    ['statement', 'says its slot by'],
    Object.entries(STATEMENTS).flatMap(([name, reach]) =>
      reach.to === 'shard' ? [[`\`${name}\``, reach.by.join(', ')]] : [],
    ),
  );

export const statementsApart = (to: 'split' | 'elsewhere'): string =>
  table(
    ['statement', to === 'split' ? 'why' : 'touches'],
    Object.entries(STATEMENTS).flatMap(([name, reach]) =>
      reach.to === to ? [[`\`${name}\``, reach.because]] : [],
    ),
  );
