// The once-tokens of forms that were sent.
import { statement } from '../database/statement.ts';

const formUse = statement({
  name: 'form-use',
  takes: { tokenHash: 'bytea' },
  text: (value) =>
    `insert into used_forms (token_hash) values (${value.tokenHash}) on conflict do nothing returning 1`,
});

/** Notes that a form was sent; false: it was already. */
export async function insertUsedForm(tokenHash: Uint8Array): Promise<boolean> {
  const rows = await formUse({ tokenHash });
  return rows.length === 1;
}

const formRelease = statement({
  name: 'form-release',
  takes: { tokenHash: 'bytea' },
  text: (value) => `delete from used_forms where token_hash = ${value.tokenHash}`,
});

export async function deleteUsedForm(tokenHash: Uint8Array): Promise<void> {
  await formRelease({ tokenHash });
}
