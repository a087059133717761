// The once-tokens of forms that were sent.
import { query } from '../database/index.ts';

/** Notes that a form was sent; false: it was already. */
export async function insertUsedForm(tokenHash: Uint8Array): Promise<boolean> {
  const rows = await query({
    name: 'form-use',
    text: 'insert into used_forms (token_hash) values ($1) on conflict do nothing returning 1',
    values: [tokenHash],
  });
  return rows.length === 1;
}

export async function deleteUsedForm(tokenHash: Uint8Array): Promise<void> {
  await query({
    name: 'form-release',
    text: 'delete from used_forms where token_hash = $1',
    values: [tokenHash],
  });
}
