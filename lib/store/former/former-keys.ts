// Public keys of former issuers, as their address gave them last: they outlive the service that had them.
import { statement } from '../database/statement.ts';

const read = statement({
  name: 'former-keys',
  takes: { address: 'text' },
  text: (value) => `select keys from former_key_sets where address = ${value.address}`,
});

/** As a list of JWKs, which was checked when it was kept; null: none is known. */
export async function readFormerKeys(address: string): Promise<unknown> {
  const [row] = await read<{ keys: unknown }>({ address });
  return row?.keys ?? null;
}

const keep = statement({
  name: 'former-keys-keep',
  takes: { address: 'text', keys: 'text' },
  text: (value) => `
insert into former_key_sets as f (address, keys) values (${value.address}, ${value.keys}::jsonb)
on conflict (address) do update set keys = excluded.keys, read_at = now() where f.keys <> excluded.keys`,
});

export async function keepFormerKeys(address: string, keys: readonly object[]): Promise<void> {
  await keep({ address, keys: JSON.stringify(keys) });
}
