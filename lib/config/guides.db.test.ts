// Applies each guide's YAML unchanged to an empty database.
import { readFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { sql } from '#testing/data/registry.ts';
import { applyConfiguration } from './apply.ts';

beforeEach(() => sql('truncate auth_methods, apis, clients, people cascade'));

/** The first YAML block below the heading. */
function yamlUnder(guide: string, heading: string): string {
  const text = readFileSync(new URL(`../../docs/${guide}`, import.meta.url), 'utf8');
  const below = text.split(`\n## ${heading}\n`)[1] ?? '';
  const block = /^```yaml\n(.*?)^```$/ms.exec(below)?.[1];
  if (block === undefined) throw new Error(`${guide} has no YAML under ${heading}`);
  return block;
}

it.each([
  ['how-to/devices.md', 'Switch it on'],
  ['how-to/connect-a-client.md', 'Libraries that read only the ID token'],
  ['how-to/connect-a-client.md', 'A mobile application whose server keeps the secret'],
])('%s, %s: apply accepts the file of the guide as printed', async (guide, heading) => {
  const source = yamlUnder(guide, heading);
  const env = { IMMICH_SECRET: 'a-secret-of-immich-that-is-long' };
  expect((await applyConfiguration(source, { env })).length).toBeGreaterThan(0);
  expect(await applyConfiguration(source, { env })).toEqual([]);
});

it('devices.md: the client in the guide’s file can connect devices at once', async () => {
  await applyConfiguration(yamlUnder('how-to/devices.md', 'Switch it on'), { env: {} });
  const rows = await sql(
    'select s.state, s.device, a.device_grant from subscriptions s join apis a on a.id = s.api_id where client_id = $1',
    ['orders-cli'],
  );
  expect(rows).toEqual([{ state: 'approved', device: true, device_grant: expect.anything() }]);
});
