// What a database of the version before had: pictures as they were sent.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sql } from '#testing/data/registry.ts';

const MIGRATION = 'prisma/migrations/20261125082225_logos_drawn_again/migration.sql';

test('a picture that was kept as it was sent is served no more, and its brand keeps its colours', async () => {
  await sql(`begin;
    create schema earlier;
    set local search_path to earlier;
    create table logos (hash text primary key, type text not null, bytes bytea not null);
    create table apis (id text, brand jsonb);
    create table clients (id text, brand jsonb);
    insert into logos values ('a', 'image/svg+xml', '<svg/>');
    insert into apis values ('coloured', '{"logo": "/logo/a", "accent": "#1f5f4a", "accent_dark": null}'), ('none', null);
    insert into clients values ('plain', '{"logo": "/logo/a", "accent": null, "accent_dark": null}'),
      ('other', '{"logo": null, "accent": "#1f5f4a", "accent_dark": null}');
    ${readFileSync(MIGRATION, 'utf8')}
    commit`);
  expect(await sql('select * from earlier.logos')).toEqual([]);
  const brand = { logo: null, accent: '#1f5f4a', accent_dark: null };
  expect(await sql('select * from earlier.apis union all select * from earlier.clients order by id')).toEqual(
    [
      { id: 'coloured', brand },
      { id: 'none', brand: null },
      { id: 'other', brand },
      { id: 'plain', brand: null },
    ],
  );
  await sql('drop schema earlier cascade');
});
